"""Programs of the generator with sizes that are known at run time only.

Loops of some number of iterations get a size in its place, which --symbolic leaves to the
run.  Extents of arrays and offsets of subscripts then depend on it: how is found by
settling the program where the size is one larger.
"""

import random

from program import Affine, Unfit, loops, statements

STEPS = 20000                 # of a run with other values of the sizes


def accesses_of(function):
    return [access for statement in statements(function.body) for access, _ in statement.accesses()]


def snapshot(function, values):
    """Extents and offsets where the sizes have VALUES; Unfit if there are none."""
    for name, value in values.items():
        function.sizes[name] = (value, "parameter")
    function.settle(STEPS)
    return [n for array in function.arrays for n in array.extents] + [
        n for access in accesses_of(function) for n in access.offsets]


def replace_ends(function, choose, name, end):
    """Loops from 0 to END - 1, or down from there, have the size NAME for END; some of them."""
    count = 0
    for loop in loops(function.body):
        if abs(loop.step) != 1 or choose.random() < 0.2:
            continue
        size = Affine(-1, {name: 1})
        if loop.step > 0 and not loop.first.terms and loop.first.constant == 0 \
                and [(b.constant, b.terms) for b in loop.bounds] == [(end - 1, {})]:
            loop.bounds = [size]
            count += 1
        elif loop.step < 0 and not loop.first.terms and loop.first.constant == end - 1 and end > 1:
            loop.first = size
            count += 1
    return count


def ends_of(function):
    """The numbers of iterations that loops have which do not depend on others."""
    ends = set()
    for loop in loops(function.body):
        if loop.step == 1 and not loop.first.terms and loop.first.constant == 0 \
                and len(loop.bounds) == 1 and not loop.bounds[0].terms and loop.bounds[0].constant > 0:
            ends.add(loop.bounds[0].constant + 1)
    return sorted(ends)


class Slopes:
    """Numbers as they are where the sizes have the values TUNED, and how they grow."""

    def __init__(self, function, tuned):
        self.tuned = tuned
        self.base = snapshot(function, tuned)
        self.by_size = {}
        for name in tuned:
            larger = snapshot(function, dict(tuned, **{name: tuned[name] + 1}))
            self.by_size[name] = [b - a for a, b in zip(self.base, larger)]

    def at(self, values):
        return [number + sum(self.by_size[name][i] * (values[name] - self.tuned[name])
                             for name in values) for i, number in enumerate(self.base)]

    def affine(self, i):
        terms = {name: slopes[i] for name, slopes in self.by_size.items() if slopes[i]}
        return Affine(self.base[i] - sum(terms[name] * self.tuned[name] for name in terms), terms)


def other_values(function, slopes, choose):
    """Some values of the sizes for which the program is legal, and all is as SLOPES say."""
    found = []
    for _ in range(12):
        values = {name: choose.choice((1, 1, 2, 3, tuned - 1, tuned + 1, tuned + 5, 2 * tuned + 1))
                  for name, tuned in slopes.tuned.items()}
        if min(values.values()) < 1 or values in found or values == slopes.tuned:
            continue
        try:
            if snapshot(function, values) == slopes.at(values):
                found.append(values)
        except Unfit:
            pass
    return found[:3]


def apply(function, slopes):
    """FUNCTION's text has the sizes in its extents and subscripts."""
    snapshot(function, slopes.tuned)
    i = 0
    for array in function.arrays:
        array.symbolic = [slopes.affine(i + d) for d in range(array.rank)]
        i += array.rank
    for access in accesses_of(function):
        rank = len(access.subscripts)
        access.symbolic = [slopes.affine(i + d) for d in range(rank)]
        i += rank


def make_symbolic(seed, program):
    """(the program with symbolic sizes in one function, their names, other values to try);
    None if none can be."""
    choose = random.Random("symbolic %d" % seed)
    copy = program.copy()
    function = choose.choice(copy.functions)
    ends = ends_of(function)
    tuned = {}
    for letter in "XY"[:choose.choice((1, 1, 2))]:
        name = function.name.upper() + letter
        if not ends:
            break
        end = ends.pop(choose.randrange(len(ends)))
        function.sizes[name] = (end, "parameter")
        if replace_ends(function, choose, name, end):
            tuned[name] = end
        else:
            del function.sizes[name]
    if not tuned:
        return None
    try:
        slopes = Slopes(function, tuned)
    except Unfit:
        return None
    values = other_values(function, slopes, choose)
    if not values:
        return None
    apply(function, slopes)
    return copy, sorted(tuned), values
