"""Lower bounds of small nests of any shape against executions of them.

    executions.py LOOPC SEED COUNT

Nests are triangles, or boxes with a part left out, whose arrays are updated or set, also in place.  Their iterations
run in orders that loopc does not know: tiled, reversed, or at random, as far as each reads the values
that it must; sums are added up in any order.  On chip stays what is needed next.  No execution moves
less than the bound that loopc prints.
"""

import heapq
import json
import os
import random
import subprocess
import sys
import tempfile

ORDERS = 6
SUBSCRIPTS = ("i", "j", "k", "i", "j", "k", "i + 1", "k + 1", "i + k", "j + k", "2 * j")
BOUNDS = {"j": (("0", "N"), ("0", "N"), ("0", "i"), ("0", "i + 1"), ("i", "N"), ("i + 1", "N")),
          "k": (("0", "N"), ("0", "N"), ("0", "i"), ("0", "j"), ("i + 1", "N"), ("j", "N"))}


class Access:
    """ARRAY[first][second], texts of the iterators."""

    def __init__(self, array, subscripts):
        self.text = array + "".join("[%s]" % text for text in subscripts)
        self.element = eval("lambda i, j, k: (%r, %s)" % (array, ", ".join(subscripts)))


def random_access(source, array):
    if source.random() < 0.8:
        return Access(array, source.sample("ijk", 2))
    return Access(array, [source.choice(SUBSCRIPTS), source.choice("ijk")])


def known_nest(source):
    """The shapes of factorisations, updates of symmetric matrices, and products in place."""
    bounds, write, reads = source.choice((
        ((("0", "i"), ("0", "j")), ("A", "ij"), (("A", "ik"), ("A", "jk"))),
        ((("0", "i + 1"), ("0", "N")), ("C", "ij"), (("A", "ik"), ("A", "jk"))),
        ((("0", "i"), ("0", "N")), ("C", "ij"), (("A", "ki"), ("A", "kj"))),
        ((("0", "N"), ("0", "N")), ("C", "ij"), (("A", "ik"), ("A", "jk"))),
        ((("0", "N"), ("i + 1", "N")), ("B", "ij"), (("A", "ki"), ("B", "kj"))),
        ((("i + 1", "N"), ("i + 1", "N")), ("A", "jk"), (("A", "ji"), ("A", "ik"))),
        ((("0", "i"), ("0", "N")), ("C", "jk"), (("A", "ij"), ("B", "ik"))),
        ((("0", "N"), ("0", "N")), ("A", "jk"), (("A", "ji"), ("A", "ik"))),
        ((("0", "N"), ("0", "N")), ("A", "ik"), (("A", "i0"), ("B", "jk"))),
    ))
    return bounds, Access(*write), [Access(*read) for read in reads]


class Nest:
    """for i, for j, for k: WRITE += product of READS, or = if it is set; before and after the loop k, perhaps, ones that
    scale WRITE."""

    def __init__(self, source, number):
        self.number, self.size = number, source.randint(7, 12)
        if source.random() < 0.6:
            self.bounds, self.write, self.reads = known_nest(source)
        else:
            self.bounds = [source.choice(BOUNDS[name]) for name in "jk"]
            self.write = random_access(source, source.choice("ABC"))
            self.reads = [random_access(source, source.choice("ABC"))
                          for _ in range(source.randint(1, 3))]
        is_outside = "k" not in self.write.text
        self.is_set = source.random() < 0.15
        self.is_reset = is_outside and source.random() < 0.3
        self.is_scaled = is_outside and source.random() < 0.3

    def text(self):
        (j, j_end), (k, k_end) = self.bounds
        extent = 2 * self.size + 2
        inner = "for (int k = %s; k < %s; k++) %s %s %s;" % (
            k, k_end, self.write.text, "=" if self.is_set else "+=", " * ".join(read.text for read in self.reads))
        before = "%s = 0.0f;" % self.write.text if self.is_reset else ""
        after = "%s *= 0.5f;" % self.write.text if self.is_scaled else ""
        return ("void f%d(float A[%d][%d], float B[%d][%d], float C[%d][%d])\n{\n"
                "for (int i = 0; i < N; i++) for (int j = %s; j < %s; j++) { %s %s %s }\n}\n"
                % ((self.number,) + (extent,) * 6 + (j, j_end, before, inner, after))
                ).replace("N", str(self.size))

    def instances(self):
        """(iteration, what it reads but its own element, what it writes, how), in their order."""
        size = self.size
        (j, j_end), (k, k_end) = (tuple(eval("lambda i, j: " + text.replace("N", str(size)))
                                        for text in bound) for bound in self.bounds)
        for a in range(size):
            for b in range(j(a, 0), j_end(a, 0)):
                if self.is_reset:
                    yield (a, b, -1), [], self.write.element(a, b, 0), "set"
                for c in range(k(a, b), k_end(a, b)):
                    yield (a, b, c), [read.element(a, b, c) for read in self.reads], \
                        self.write.element(a, b, c), "set" if self.is_set else "add"
                if self.is_scaled:
                    yield (a, b, size), [], self.write.element(a, b, 0), "scale"


class Step:
    """An instance: it reads values, and adds to one or makes one.

    A value is (element, number): 0 is that from before the nest.  FROM is the value that the
    one to be made begins with; None: it begins anew."""

    def __init__(self, at, reads, made, begins_with):
        self.at, self.reads, self.made, self.begins_with = at, reads, made, begins_with


def steps_of(nest):
    """Steps, and by value the steps that make it.  Additions to an element that nobody looks at in between make one value together."""
    numbers, is_open, steps, makers = {}, {}, [], {}
    for at, reads, write, how in nest.instances():
        values = set()
        for element in reads:
            values.add((element, numbers.get(element, 0)))
            is_open[element] = None
        number = numbers.get(write, 0)
        if is_open.get(write) != how or how != "add":
            number += 1
            numbers[write] = number
        is_open[write] = how
        made = (write, number)
        steps.append(Step(at, values, made, None if how == "set" else (write, number - 1)))
        makers.setdefault(made, []).append(len(steps) - 1)
    return steps, makers, numbers


def some_order(source, steps, makers):
    """The steps in an order in which each finds the values it reads: as early as a random key of tiles allows."""
    loops = [0, 1, 2]
    source.shuffle(loops)
    tiles = [source.choice([1, 1, 2, 3, 4, 100]) for _ in loops]
    signs = [source.choice([1, 1, -1]) for _ in loops]
    is_random = source.random() < 0.1

    def key(step):
        if is_random:
            return source.random()
        return ([signs[l] * (step.at[l] // tiles[l]) for l in loops]
                + [signs[l] * step.at[l] for l in loops])

    waits, waited_by = [], {}
    for number, step in enumerate(steps):
        before = set()
        for value in list(step.reads) + [step.begins_with]:
            if value != step.made:
                before.update(makers.get(value, ()))
        waits.append(len(before))
        for other in before:
            waited_by.setdefault(other, []).append(number)
    ready = [(key(step), number) for number, step in enumerate(steps) if not waits[number]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, number = heapq.heappop(ready)
        order.append(number)
        for other in waited_by.get(number, ()):
            waits[other] -= 1
            if not waits[other]:
                heapq.heappush(ready, (key(steps[other]), other))
    assert len(order) == len(steps)
    return [steps[number] for number in order]


class Execution:
    """Elements moved by STEPS in this order, with CAPACITY elements on chip."""

    def __init__(self, steps, last, capacity):
        self.steps, self.capacity, self.moved = steps, capacity, 0
        self.last = {(element, number) for element, number in last.items()}
        self.on_chip, self.is_outside, self.uses = set(), set(), {}
        begun = set()
        self.needed = []
        for time, step in enumerate(steps):
            needed = set(step.reads)
            if step.made in begun:
                needed.add(step.made)
            elif step.begins_with:
                needed.add(step.begins_with)
            begun.add(step.made)
            self.needed.append(needed)
            for value in needed:
                self.uses.setdefault(value, []).append(time)
        for times in self.uses.values():
            times.reverse()

    def next_use(self, value):
        times = self.uses.get(value)
        return times[-1] if times else len(self.steps) + (value not in self.last)

    def store(self, value):
        if value not in self.is_outside and value[1] > 0 \
                and (self.uses.get(value) or value in self.last):
            self.moved += 1
        self.is_outside.add(value)

    def make_room(self, kept):
        """For one value more.  False if all are kept."""
        while len(self.on_chip) >= self.capacity:
            others = self.on_chip - kept
            if not others:
                return False
            value = max(others, key=lambda other: (self.next_use(other), other))
            self.store(value)
            self.on_chip.remove(value)
        return True

    def run(self):
        """What moves; None: it does not fit."""
        for step, needed in zip(self.steps, self.needed):
            for value in needed - self.on_chip:
                if not self.make_room(needed):
                    return None
                self.moved += 1
                self.on_chip.add(value)
            for value in needed:
                self.uses[value].pop()
            if step.made not in self.on_chip:
                before = step.begins_with
                if before in self.on_chip and not self.uses[before]:
                    self.on_chip.remove(before)
                if not self.make_room(needed):
                    return None
                self.on_chip.add(step.made)
            self.is_outside.discard(step.made)
        for value in self.on_chip:
            self.store(value)
        return self.moved


def bounds_of(loopc, nests, capacity):
    """What loopc prints of each nest for so many elements on chip; None: nothing fits."""
    found = []
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, name) for name in ("m.yaml", "f.loop", "f.c", "f.json")]
        with open(paths[0], "w") as out:
            out.write("name: m\nscratchpad: { bytes: %d, align_bytes: 4 }\n" % (4 * capacity))
        for nest in nests:
            with open(paths[1], "w") as out:
                out.write(nest.text())
            run = subprocess.run([loopc, "--arch=" + paths[0], "-o", paths[2], "--effort=1000",
                                  "--report=" + paths[3], paths[1]], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            assert run.returncode in (0, 3), "status %d of\n%s" % (run.returncode, nest.text())
            if run.returncode:
                found.append(None)
                continue
            with open(paths[3]) as report:
                found.append(json.load(report)["kernels"][0]["lower_bound"])
    return found


class Updates:
    """C[i][j] += A[i][k] * A[j][k], or A[k][i] and A[k][j], of a triangle of SIZE rows."""

    def __init__(self, size, columns, is_transposed, is_strict):
        self.size, self.columns = size, columns
        self.is_transposed, self.is_strict = is_transposed, is_strict

    def text(self):
        rows, columns = ("k", "%s") if self.is_transposed else ("%s", "k")
        read = "A[%s][%s]" % (rows, columns)
        return ("void f(float C[{0}][{0}], const float A[{1}][{1}])\n{{\n"
                "for (int i = 0; i < {0}; i++) for (int j = 0; j {2} i; j++) "
                "for (int k = 0; k < {3}; k++) C[i][j] += {4} * {5};\n}}\n").format(
                    self.size, max(self.size, self.columns), "<" if self.is_strict else "<=",
                    self.columns, read % "i", read % "j")


def check_lines(loopc):
    """Rows are the points of an affine plane, where each pair is on one line of PRIME points.  For the
    pairs of a line stay on chip all sums and, one column after the other, one element of each row:
    fewer elements come than in any blocks of rows by rows."""
    for prime in 7, 11, 13:
        size, columns = prime * prime, 100
        pairs = size * (size - 1) // 2
        moved = 4 * (2 * pairs + prime * (prime + 1) * prime * columns)
        diagonal = 4 * size * (2 + columns)
        capacity = prime * (prime - 1) // 2 + prime
        nests = [Updates(size, columns, is_transposed, is_strict)
                 for is_transposed in (False, True) for is_strict in (False, True)]
        for nest, bound in zip(nests, bounds_of(loopc, nests, capacity)):
            total = moved + (0 if nest.is_strict else diagonal)
            assert bound["argument"] == "partition", nest.text()
            assert bound["bytes"] <= total <= 1.5 * bound["bytes"], "%d moved, bound %d:\n%s" % (
                total, bound["bytes"], nest.text())


def main():
    loopc, source, count = sys.argv[1], random.Random(int(sys.argv[2])), int(sys.argv[3])
    nests = [Nest(source, number) for number in range(count)]
    nests = [nest for nest in nests if any(True for _ in nest.instances())]
    compared = close = 0
    for capacity in (8, 13, 24):
        for nest, bound in zip(nests, bounds_of(loopc, nests, capacity)):
            if not bound:
                continue
            steps, makers, last = steps_of(nest)
            moved = [Execution(some_order(source, steps, makers), last, capacity).run()
                     for _ in range(ORDERS)]
            moved = [4 * elements for elements in moved if elements is not None]
            for total in moved:
                assert total >= (bound["bytes"] or 0), "%d bytes moved, bound %d, %d elements:\n%s" % (
                    total, bound["bytes"], capacity, nest.text())
            compared += len(moved) > 0
            close += bound["argument"] == "partition" and bool(moved) \
                and min(moved) <= 2 * bound["bytes"]
    assert compared > count and close > count // 16, "%d compared, %d close" % (compared, close)
    check_lines(loopc)


main()
