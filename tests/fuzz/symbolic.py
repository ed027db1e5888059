"""Programs of the generator with sizes that are known at run time only.

Loops of some number of iterations get a size in its place, which --symbolic leaves to the
run.  Extents of arrays and offsets of subscripts then depend on it: they are what the
program needs where the sizes are 1, or large, and grow as they do where the sizes are
large.  So they may be more than is needed, where other loops or conditions are the limit.
"""

import random

from program import Affine, Unfit, loops, statements

STEPS = 20000                 # of a run with other values of the sizes


def accesses_of(function):
    return [access for statement in statements(function.body) for access, _ in statement.accesses()]


def settle(function, values):
    """Settles FUNCTION where the sizes have VALUES; Unfit if it is not legal there."""
    for name, value in values.items():
        function.sizes[name] = (value, "parameter")
    function.settle(STEPS)


def needs(function, values):
    """[(offset, elements from 0 without it)] of each dimension of each array."""
    settle(function, values)
    offsets = {}
    for access in accesses_of(function):
        for d, offset in enumerate(access.offsets):
            offsets[(id(access.array), d)] = offset
    return [(offsets.get((id(array), d), 0), extent - offsets.get((id(array), d), 0))
            for array in function.arrays for d, extent in enumerate(array.extents)]


def replace_ends(function, choose, name, end):
    """Loops from 0 to END - 1, or down from there, have the size NAME for END; some of them."""
    count = 0
    for loop in loops(function.body):
        if choose.random() < 0.2:
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
        if loop.step > 0 and not loop.first.terms and loop.first.constant == 0 \
                and len(loop.bounds) == 1 and not loop.bounds[0].terms and loop.bounds[0].constant > 0:
            ends.add(loop.bounds[0].constant + 1)
    return sorted(ends)


def grown(function, tuned):
    """(offset, extent) of each dimension of each array, as Affines of the sizes: enough if loops
    leave out nothing, as what they need grows unevenly where their steps do."""
    steps = [(loop, loop.step) for loop in loops(function.body)]
    for loop, step in steps:
        loop.step = 1 if step > 0 else -1
    try:
        return grown_by_ones(function, tuned)
    finally:
        for loop, step in steps:
            loop.step = step


def grown_by_ones(function, tuned):
    ones = {name: 1 for name in tuned}
    large = {name: 2 * value + 9 for name, value in tuned.items()}
    first, base = needs(function, ones), needs(function, large)
    slopes = {}
    for name in tuned:
        larger = needs(function, dict(large, **{name: large[name] + 1}))
        slopes[name] = [[b - a for a, b in zip(*both)] for both in zip(base, larger)]
    found = []
    for i in range(len(first)):
        bounds = []
        for k in (0, 1):
            terms = {name: slopes[name][i][k] for name in tuned if slopes[name][i][k]}
            constant = max(numbers[i][k] - sum(terms[name] * at[name] for name in terms)
                           for numbers, at in ((first, ones), (base, large)))
            bounds.append(Affine(constant, terms))
        offset, end = bounds
        found.append((offset, end.plus_affine(offset)))
    return found


def other_values(function, tuned, choose):
    """Some values of the sizes for which the program is legal."""
    found = []
    for _ in range(12):
        values = {name: choose.choice((1, 1, 2, 3, value - 1, value + 1, value + 5, 2 * value + 1))
                  for name, value in tuned.items()}
        if min(values.values()) < 1 or values in found or values == tuned:
            continue
        try:
            settle(function, values)
            found.append(values)
        except Unfit:
            pass
    return found[:3]


def apply(function, tuned, affines):
    """FUNCTION's text has the sizes in its extents and subscripts."""
    settle(function, tuned)
    at = {}
    for array in function.arrays:
        at[id(array)] = affines[:array.rank]
        affines = affines[array.rank:]
        array.symbolic = [extent for _, extent in at[id(array)]]
        array.extents = [extent.value(tuned) for extent in array.symbolic]
    for access in accesses_of(function):
        access.symbolic = [offset for offset, _ in at.get(id(access.array), ())]


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
        affines = grown(function, tuned)
        values = other_values(function, tuned, choose)
        if not values:
            return None
        apply(function, tuned, affines)
    except Unfit:
        return None
    return copy, sorted(tuned), values
