#!/usr/bin/env python3
"""functions.py LOOPC FIRST COUNT [alone|aligned|bordered|layered|long|normed|padded|split]: what loopc says of whole functions, on COUNT random
ones from seed FIRST on, of 2 to 6 nests, in five scratchpads each; alone: of one nest each, whose tiles
have no closed forms; aligned: for machines whose DMA copies multiples of more bytes than elements have;
bordered: with nests that plans need less for than the model says, or move less;
layered: with biases, activations and rows of products that the end of a nest needs whole;
long: of 17 to 20 nests, of which all sets of carried arrays have one bound;
normed: with sums and other things of whole rows, in nests with several loops, which may be distributed, and in several nests;
padded: of convolutions of signals and images with zeros around them, of which groups are cut in any tiles;
split: on machines with two or three memories, whose sizes are shares of those five; a point of a front is then what
its schedule makes, in so many bytes of all memories, and no machine of fewer moves less.

 - A compilation, a sweep and a front say the same for the same machine.
 - More scratchpad never moves more, but in long functions.
 - No schedule moves less than a printed bound, or than what is called optimal: random groups,
   carried arrays and tiles are given, and so are the schedules of other scratchpads.
 - The bounds are in order, those of single nests too, and what is compulsory does not depend on
   the scratchpad.
 - Of nests that no model counts: with double buffers where there is room, a schedule, given back, is the same."""

import json
import os
import random
import subprocess
import sys

SIZES = 5


class TooSmall(Exception):
    pass


class Function:
    """A random function: its text, and the names of its local arrays."""

    align = 1                    # the bytes of which the machine's DMA copies multiples
    kinds = ("product", "product", "plain", "plain", "window", "rows", "turn", "columns", "triangle")

    @staticmethod
    def on_chip(size):
        return "scratchpad: { bytes: %d }\n" % size

    def __init__(self, rng, count=None):
        self.rng = rng
        self.side = {}
        self.parameters, self.locals, self.nests = [], [], []
        self.made = []
        if count is None:
            count = rng.randint(2, 6)
        for n in range(count):
            self.add_nest(n == count - 1)

    def extent(self):
        return self.rng.choice((4, 6, 8, 9, 12))

    def array(self, rank, is_output, sides=None):
        """A new array."""
        sides = sides or [self.extent() for _ in range(rank)]
        kind = "int8_t" if self.rng.random() < 0.2 else "int32_t"
        name = ("P" if is_output is not None else "T") + str(len(self.side))
        self.side[name] = sides
        text = "%s %s%s" % (kind, name, "".join("[%d]" % s for s in sides))
        if is_output is None:
            self.locals.append((name, text))
        else:
            self.parameters.append(text if is_output else "const " + text)
        return name

    def source(self, rank):
        """An array to read: made before, most of the time."""
        known = [a for a in self.made if len(self.side[a]) == rank]
        if known and self.rng.random() < 0.75:
            return self.rng.choice(known)
        name = self.array(rank, False)
        if self.rng.random() < 0.4:
            self.made.append(name)
        return name

    def target(self, sides, is_last):
        if min(sides) < 1:
            raise TooSmall()
        is_output = is_last or self.rng.random() < 0.25
        name = self.array(len(sides), True if is_output else None, sides)
        self.made.append(name)
        return name

    def add_nest(self, is_last):
        while True:
            try:
                return getattr(self, self.rng.choice(self.kinds))(is_last)
            except TooSmall:     # of arrays that are cut at their borders nothing is left
                continue

    def loop(self, *lines):
        self.nests.append("\n".join(lines))

    def product(self, is_last):
        a = self.source(2)
        (m, k), n = self.side[a], self.extent()
        b = self.array(2, False, [k, n])
        t = self.target([m, n], is_last)
        self.loop("for (int i = 0; i < %d; i++)" % m, "for (int j = 0; j < %d; j++) {" % n,
                  "%s[i][j] = 0;" % t, "for (int k = 0; k < %d; k++)" % k,
                  "%s[i][j] += %s[i][k] * %s[k][j];" % (t, a, b), "}")

    def plain(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        others = [x for x in self.made if self.side[x] == [m, n]]
        b = self.rng.choice(others) if others else a
        t = self.target([m, n], is_last)
        self.loop("for (int i = 0; i < %d; i++)" % m, "for (int j = 0; j < %d; j++)" % n,
                  "%s[i][j] = %s[i][j] + %s[i][j];" % (t, a, b))

    def window(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        r = self.rng.choice((2, 3))
        t = self.target([m - r + 1, n], is_last)
        self.loop("for (int i = 0; i < %d; i++)" % (m - r + 1), "for (int j = 0; j < %d; j++) {" % n,
                  "%s[i][j] = 0;" % t, "for (int r = 0; r < %d; r++)" % r,
                  "%s[i][j] += %s[i + r][j];" % (t, a), "}")

    def rows(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        t = self.target([m], is_last)
        self.loop("for (int i = 0; i < %d; i++) {" % m, "%s[i] = 0;" % t,
                  "for (int j = 0; j < %d; j++)" % n, "%s[i] += %s[i][j];" % (t, a), "}")

    def columns(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        x = self.array(1, False, [m])
        t = self.target([n], is_last)
        self.loop("for (int j = 0; j < %d; j++) {" % n, "%s[j] = 0;" % t,
                  "for (int i = 0; i < %d; i++)" % m, "%s[j] += %s[i][j] * %s[i];" % (t, a, x), "}")

    def turn(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        t = self.target([n, m], is_last)
        self.loop("for (int i = 0; i < %d; i++)" % n, "for (int j = 0; j < %d; j++)" % m,
                  "%s[i][j] = %s[j][i] + 1;" % (t, a))

    def triangle(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        t = self.target([m], is_last)
        self.loop("for (int i = 0; i < %d; i++) {" % m, "%s[i] = 1;" % t,
                  "for (int j = 0; j < %d && j <= i; j++)" % n, "%s[i] += %s[i][j];" % (t, a), "}")

    def text(self):
        return "#include <stdint.h>\nvoid f(%s)\n{\n%s\n%s\n}\n" % (
            ", ".join(self.parameters), "\n".join(text + ";" for _, text in self.locals),
            "\n".join(self.nests))


class Alone(Function):
    """A function of one nest that a model only bounds: skewed, triangular or in place."""

    def __init__(self, rng):
        super().__init__(rng, 0)
        side = rng.choice((5, 6, 7, 8, 9))
        kind = "double" if rng.random() < 0.3 else "int32_t"
        loops, rank, text = rng.choice((
            ("ti", 1, "for (int t = 0; t < 3; t++) for (int i = 1; i < {n} - 1; i++) "
             "A[i] = A[i - 1] + A[i] + A[i + 1];"),
            ("tij", 2, "for (int t = 0; t < 2; t++) for (int i = 1; i < {n} - 1; i++) "
             "for (int j = 1; j < {n} - 1; j++) A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j] "
             "+ A[i][j + 1] + A[i + 1][j];"),
            ("ijk", 2, "for (int i = 0; i < {n}; i++) for (int j = 0; j <= i; j++) "
             "for (int k = 0; k < {n}; k++) A[i][j] += B[i][k] * B[j][k];"),
            ("ijk", 2, "for (int i = 0; i < {n}; i++) for (int j = 0; j < {n}; j++) "
             "for (int k = i + 1; k < {n}; k++) A[i][j] += B[k][i] * A[k][j];"),
            ("ij", 1, "for (int i = 0; i < {n}; i++) for (int j = 0; j < i; j++) "
             "A[i] -= C[i][j] * A[j];"),
            ("kij", 2, "for (int k = 0; k < {n}; k++) for (int i = k + 1; i < {n}; i++) "
             "for (int j = k + 1; j < {n}; j++) A[i][j] -= A[i][k] * A[k][j];")))
        text = text.format(n=side)
        for name, sides in (("A", [side] * rank), ("B", [side] * 2), ("C", [side] * 2)):
            if name + "[" in text:
                self.side[name] = sides
                self.parameters.append(("" if name == "A" else "const ") + kind + " " + name
                                       + "".join("[%d]" % n for n in sides))
        self.loop_names = loops
        self.nests.append(text)


class Aligned(Function):
    """A function of short rows, most of which a DMA that copies multiples of 8 bytes can take.  Where
    nests have no closed forms (triangles) only the plan knows, and more scratchpad may move more."""

    kinds = ("product", "product", "plain", "plain", "window", "rows", "turn", "columns")

    def __init__(self, rng):
        super().__init__(rng, rng.choice((1, 2, 2, 3)))
        self.align = rng.choice((4, 8))

    def extent(self):
        return self.rng.choice((4, 8, 8, 16))


class Long(Function):
    """A function of more nests than have bounds for each set of carried arrays, and small arrays."""

    def __init__(self, rng):
        super().__init__(rng, rng.randint(17, 20))

    def extent(self):
        return self.rng.choice((3, 4, 5, 6))


class Bordered(Function):
    """A function of small arrays, with neighbours that elements at a border have not, and elements beside
    their mirror images."""

    kinds = ("borders", "borders", "mirror", "mirror", "plain", "window", "rows")

    def __init__(self, rng):
        super().__init__(rng, rng.choice((2, 2, 3)))

    def extent(self):
        return self.rng.choice((3, 4, 5, 6))

    def borders(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        t = self.target([m, n], is_last)
        self.loop("for (int i = 0; i < %d; i++)" % m, "for (int j = 0; j < %d; j++) {" % n,
                  "%s[i][j] = 2 * %s[i][j];" % (t, a),
                  "if (i > 0)", "%s[i][j] += %s[i - 1][j];" % (t, a),
                  "if (i < %d)" % (m - 1), "%s[i][j] += %s[i + 1][j];" % (t, a),
                  "if (j > 0)", "%s[i][j] += %s[i][j - 1];" % (t, a), "}")

    def mirror(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        if self.rng.random() < 0.5:
            t = self.target([min(m, n)], is_last)
            self.loop("for (int i = 0; i < %d; i++)" % min(m, n),
                      "%s[i] = %s[i][i] + %s[%d - i][i];" % (t, a, a, min(m, n) - 1))
        else:
            t = self.target([m, n], is_last)
            self.loop("for (int i = 0; i < %d; i++)" % m, "for (int j = 0; j < %d; j++)" % n,
                      "%s[i][j] = %s[i][j] + %s[%d - i][j];" % (t, a, a, m - 1))


class Layered(Function):
    """A function of layers: products that begin with a bias and end with something else, or with a sum of each row."""

    kinds = ("layer", "layer", "scores", "scores", "product", "plain", "rows")

    def __init__(self, rng):
        super().__init__(rng, rng.choice((1, 2, 2, 3)))

    def extent(self):
        return self.rng.choice((3, 4, 6, 8, 10))

    def layer(self, is_last):
        a = self.source(2)
        (m, k), n = self.side[a], self.extent()
        b, bias = self.array(2, False, [n, k]), self.array(1, False, [n])
        others = [x for x in self.made if self.side[x] == [m, n]]
        t = self.target([m, n], is_last)
        end = self.rng.choice(("", "%s[i][j] = %s[i][j] > 0 ? %s[i][j] : 0;" % (t, t, t),
                               "%s[i][j] += %s[i][j];" % (t, others[0]) if others else "%s[i][j] *= %s[j];" % (t, bias)))
        self.loop("for (int i = 0; i < %d; i++)" % m, "for (int j = 0; j < %d; j++) {" % n,
                  "%s[i][j] = %s[j];" % (t, bias), "for (int k = 0; k < %d; k++)" % k,
                  "%s[i][j] += %s[i][k] * %s[j][k];" % (t, a, b), end, "}")

    def scores(self, is_last):
        a = self.source(2)
        (m, k), n = self.side[a], self.extent()
        b, s = self.array(2, False, [n, k]), self.array(1, True, [m])
        t = self.target([m, n], is_last)
        self.loop("for (int i = 0; i < %d; i++) {" % m, "for (int j = 0; j < %d; j++) {" % n,
                  "%s[i][j] = 0;" % t, "for (int k = 0; k < %d; k++)" % k,
                  "%s[i][j] += %s[i][k] * %s[j][k];" % (t, a, b), "}", "%s[i] = 0;" % s,
                  "for (int j = 0; j < %d; j++)" % n, "%s[i] += %s[i][j];" % (s, t),
                  "" if self.rng.random() < 0.3 else
                  "for (int j = 0; j < %d; j++) %s[i][j] -= %s[i];" % (n, t, s), "}")


class Normed(Function):
    """A function of rows that are scaled by something that is known of a whole row first; all of that in one nest, or each in its own.
    Some are products before, or windows of channels that a product follows."""

    kinds = ("norm", "norm", "softmax", "softmax", "product", "channels", "channels", "heads", "plain", "rows", "window")

    def __init__(self, rng):
        self.parts = {}          # of a nest: those that it becomes where it is distributed
        super().__init__(rng, rng.choice((1, 1, 2, 2, 3)))

    def extent(self):
        return self.rng.choice((1, 3, 4, 6, 9, 12))

    def steps(self, m, scalars, *steps):
        """STEPS of the rows of M: in one nest, with SCALARS of its own, or in several, with arrays for these."""
        if self.rng.random() < 0.7:
            self.parts[len(self.nests)] = len(steps)
            held = dict.fromkeys(scalars)
            if self.rng.random() < 0.7:
                held = {x: x.lower() + str(len(self.nests)) for x in scalars}
            self.loop("for (int i = 0; i < %d; i++) {" % m,
                      *("int32_t %s;" % name for name in held.values() if name),
                      *(self.named(step, held, m) for step in steps), "}")
        else:
            held = dict.fromkeys(scalars)
            for step in steps:
                self.loop("for (int i = 0; i < %d; i++) {" % m, self.named(step, held, m), "}")

    def named(self, step, held, m):
        for x in held:
            held[x] = held[x] or self.array(1, None, [m]) + "[i]"
            step = step.replace("$" + x, held[x])
        return step

    def norm(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        g = self.array(1, False, [n])
        t = self.target([m, n], is_last)
        mean = "$S = %s[i][0]; for (int j = 0; j < %d; j++) $S += %s[i][j];" % (a, n, a)
        most = "$V = 0; for (int j = 0; j < %d; j++) $V += (%s[i][j] - $S) * 3;" % (n, a)
        end = "for (int j = 0; j < %d; j++) %s[i][j] = (%s[i][j] - $S) * $V + %s[j];" % (n, t, a, g)
        if self.rng.random() < 0.5:
            self.steps(m, "SV", mean, most, end)
        else:
            self.steps(m, "S", mean, end.replace("$V", "2"))

    def channels(self, is_last):
        a = self.source(2)
        (c, y), k, r = self.side[a], self.extent(), self.rng.choice((2, 3))
        d, w = self.array(2, False, [c, r]), self.array(2, False, [k, c])
        t = self.target([c, y - r + 1], False)
        self.loop("for (int c = 0; c < %d; c++)" % c, "for (int y = 0; y < %d; y++) {" % (y - r + 1), "%s[c][y] = 1;" % t,
                  "for (int r = 0; r < %d; r++)" % r, "%s[c][y] += %s[c][y + r] * %s[c][r];" % (t, a, d), "}")
        z = self.target([k, y - r + 1], is_last)
        self.loop("for (int k = 0; k < %d; k++)" % k, "for (int y = 0; y < %d; y++) {" % (y - r + 1), "%s[k][y] = 0;" % z,
                  "for (int c = 0; c < %d; c++)" % c, "%s[k][y] += %s[c][y] * %s[k][c];" % (z, t, w), "}")

    def heads(self, is_last):
        a = self.source(2)
        (m, c), n = self.side[a], self.extent()
        b, v = self.array(2, False, [n, c]), self.array(2, False, [n, self.extent()])
        t = self.target([m, n], False)
        self.loop("for (int i = 0; i < %d; i++)" % m, "for (int j = 0; j < %d; j++) {" % n, "%s[i][j] = 0;" % t,
                  "for (int k = 0; k < %d; k++)" % c, "%s[i][j] += %s[i][k] * %s[j][k];" % (t, a, b), "}")
        most = "$S = %s[i][0]; for (int j = 0; j < %d; j++) $S = %s[i][j] > $S ? %s[i][j] : $S;" % (t, n, t, t)
        sums = "$V = 0; for (int j = 0; j < %d; j++) { %s[i][j] -= $S; $V += %s[i][j]; }" % (n, t, t)
        self.steps(m, "SV", most, sums, "for (int j = 0; j < %d; j++) %s[i][j] *= $V;" % (n, t))
        o = self.target([m, self.side[v][1]], is_last)
        self.loop("for (int i = 0; i < %d; i++)" % m, "for (int k = 0; k < %d; k++) {" % self.side[v][1], "%s[i][k] = 0;" % o,
                  "for (int j = 0; j < %d; j++)" % n, "%s[i][k] += %s[i][j] * %s[j][k];" % (o, t, v), "}")

    def softmax(self, is_last):
        a = self.source(2)
        m, n = self.side[a]
        t = self.target([m, n], is_last)
        most = "$S = %s[i][0]; for (int j = 0; j < %d; j++) $S = %s[i][j] > $S ? %s[i][j] : $S;" % (a, n, a, a)
        sums = "$V = 0; for (int j = 0; j < %d; j++) { %s[i][j] = %s[i][j] - $S; $V += %s[i][j]; }" % (n, t, a, t)
        self.steps(m, "SV", most, sums, "for (int j = 0; j < %d; j++) %s[i][j] *= $V;" % (n, t))


class Padded(Function):
    """A function of convolutions with a border of zeros, in channels of one dimension or in one of two."""

    kinds = ("signal", "signal", "signal", "image", "plain", "plain", "product", "rows")

    def __init__(self, rng):
        super().__init__(rng, rng.choice((2, 2, 3, 4)))

    def extent(self):
        return self.rng.choice((3, 4, 5, 6, 7, 9))

    def window(self):
        """Rows of a filter, those of zeros before, and how far its rows are apart; as a rule as many come out as go in."""
        size, apart = self.rng.choice((2, 3, 3, 3, 5)), self.rng.choice((1, 1, 1, 2))
        return size, self.rng.choice((0, size - 1, size // 2, size // 2, size // 2)) * apart, apart

    def inside(self, index, low, side):
        """A guard that leaves out what is outside; as people write it."""
        return self.rng.choice(("%s >= %d && %s < %d", "(%s >= %d && %s <= %d - 1)")) % (index, low, index, low + side)

    def signal(self, is_last):
        a = self.source(2)
        (c, y), k = self.side[a], self.extent()
        size, low, apart = self.window()
        step = self.rng.choice((1, 1, 1, 2))
        out = y if low == size // 2 * apart and step == 1 else (y + low - (size - 1) * apart - 1) // step + 1
        w = self.array(3, False, [k, c, size])
        t = self.target([k, out], is_last)
        index = "%sy + %sr" % ("2 * " if step == 2 else "", "2 * " if apart == 2 else "")
        self.loop("for (int k = 0; k < %d; k++)" % k, "for (int y = 0; y < %d; y++) {" % out,
                  "%s[k][y] = 0;" % t, "for (int c = 0; c < %d; c++)" % c, "for (int r = 0; r < %d; r++)" % size,
                  "if (%s)" % self.inside(index, low, y),
                  "%s[k][y] += %s[c][%s - %d] * %s[k][c][r];" % (t, a, index, low, w),
                  "%s[k][y] = %s[k][y] > 0 ? %s[k][y] / 2 : 0;" % (t, t, t) if self.rng.random() < 0.5 else "", "}")

    def image(self, is_last):
        a = self.source(2)
        y, x = self.side[a]
        size = self.rng.choice((2, 3))
        w = self.array(2, False, [size, size])
        t = self.target([y, x], is_last)
        self.loop("for (int y = 0; y < %d; y++)" % y, "for (int x = 0; x < %d; x++) {" % x,
                  "%s[y][x] = 0;" % t, "for (int r = 0; r < %d; r++)" % size, "for (int s = 0; s < %d; s++)" % size,
                  "if (%s && %s)" % (self.inside("y + r", size // 2, y), self.inside("x + s", size // 2, x)),
                  "%s[y][x] += %s[y + r - %d][x + s - %d] * %s[r][s];" % (t, a, size // 2, size // 2, w), "}")

    def cut(self, size):
        """Tiles for a part of SIZE nests."""
        return "".join("\ntile %s %d" % (loop, self.rng.randint(1, 6)) for loop in "kyxc"
                       if self.rng.random() < (0.5 if size > 1 else 0.2))


class Split(Function):
    """A function for machines with several memories."""

    def __init__(self, rng):
        super().__init__(rng, rng.choice((1, 2, 2, 3, 4)))
        count = rng.choice((2, 2, 3))
        shares = [rng.choice((1, 2, 3, 5)) for _ in range(count)]
        self.memories = [{"share": share / sum(shares), "holds": []} for share in shares]
        for role in ("input", "weight", "output"):
            for memory in rng.sample(self.memories, rng.choice((1, 1, 2))):
                memory["holds"].append(role)
        for memory in self.memories:
            memory["holds"] = memory["holds"] or ["output"]

    def on_chip(self, size):
        """The memories of SIZE bytes in all, or of the bytes that a list of SIZES has."""
        sizes = size if isinstance(size, tuple) else [max(1, int(size * memory["share"])) for memory in self.memories]
        return "memories:\n" + "".join("  - { name: m%d, bytes: %d, holds: [%s] }\n" % (
            m, sizes[m], ", ".join(memory["holds"])) for m, memory in enumerate(self.memories))


class Failure(Exception):
    pass


class Trial:
    def __init__(self, loopc, seed, kind):
        self.loopc = loopc
        self.rng = random.Random(seed)
        self.function = kind(self.rng)
        with open("f.loop", "w") as out:
            out.write(self.function.text())
        whole = sum(4 * a * b for a, b in
                    ((s + [1])[:2] for s in self.function.side.values()))
        self.unit = max(4, self.function.align)
        self.sizes = sorted({self.round(whole * self.rng.choice((1, 0.6)) * 2 ** -(2.2 * i + self.rng.random()) / 2)
                             for i in range(SIZES)})

    def round(self, size):
        return max(16, int(size) // self.unit * self.unit)

    def run(self, size, *options, may_fail=()):
        with open("m.yaml", "w") as out:
            out.write("name: m\n%sdma: { align_bytes: %d }\n" % (self.function.on_chip(size), self.function.align))
        done = subprocess.run([self.loopc, "--arch=m.yaml", "-j1", *options, "f.loop"],
                              capture_output=True, text=True)
        if done.returncode in may_fail:
            self.check("%s: exit %d, and nobody says why" % (options, done.returncode), done.stderr)
            return None
        if done.returncode:
            raise Failure("%s: exit %d\n%s" % (options, done.returncode, done.stderr))
        return done.stdout

    def compile(self, size, *options, may_fail=(3,)):
        """The function's entry in the report; None: nothing fits."""
        if self.run(size, "--report=r.json", "--emit=schedule=s.txt", "--emit=plan=p.txt", *options,
                    may_fail=may_fail) is None:
            return None
        self.check_bounds(size)
        with open("r.json") as file:
            report = json.load(file)
        for nest in report["kernels"]:
            moved, bound = nest["traffic"]["total_bytes"], nest["lower_bound"]["bytes"]
            self.check("%s: %s moves %d, its bound is %s" % (size, nest["nest"], moved, bound),
                       bound is None or bound <= moved)
        return report["functions"][0]

    def check(self, what, holds):
        if not holds:
            raise Failure(what)

    def check_bounds(self, size):
        """No nest or group of the plan moves less than what is said to bound its schedules; nor does all of it."""
        moved = total = 0
        with open("p.txt") as text:
            for words in map(str.split, text):
                if words[:1] == ["nest"]:
                    moved = 0
                elif words[:1] == ["traffic"]:
                    own = int(words[words.index("read") + 1]) + int(words[words.index("write") + 1])
                    moved += own
                    total += own
                elif words[:1] == ["bound"]:
                    # the function's bounds follow those of its nests
                    least = total if moved is None else moved
                    self.check("%s: %d are moved, the bound of the schedules is %s" % (size, least, words[1]),
                               least >= int(words[1]))
                    moved = None

    def test(self):
        self.found, self.schedules, self.proved = {}, [], 0
        for size in self.sizes:
            self.found[size] = self.compile(size)
            if self.found[size]:
                with open("s.txt") as text:
                    self.schedules.append(text.read())
                self.found[size]["schedule"] = self.schedules[-1]
        self.check_order()
        if isinstance(self.function, Long):
            pass                     # long work
        elif isinstance(self.function, Split):
            self.check_sweep()
            self.check_front_of_all()
        else:
            self.check_sweep()
            self.check_front()
        for size in self.sizes:
            if self.found[size]:
                self.check_schedules(size)
                if isinstance(self.function, (Alone, Bordered, Normed)):
                    self.check_replay(size)
            if isinstance(self.function, Normed):
                self.check_distributed(size)

    def check_order(self):
        last = None
        for size in self.sizes:
            now = self.found[size]
            self.check("%d bytes: nothing fits, though it did in less" % size, now or not last)
            if not now:
                continue
            total, bound = now["total_bytes"], now["lower_bound"]["bytes"]
            self.check("%d: %d below the bound %d" % (size, total, bound), total >= bound)
            self.check("%d: bound %d below compulsory" % (size, bound), bound >= now["compulsory_bytes"])
            # of long functions not all choices are looked at: docs/fusion.md
            if last and not isinstance(self.function, Long):
                self.check("%d bytes move %d, fewer bytes %d" % (size, total, last["total_bytes"]),
                           total <= last["total_bytes"])
            if last:
                self.check("%d: compulsory bytes depend on the size" % size,
                           last["compulsory_bytes"] == now["compulsory_bytes"])
                self.check("%d: the bound rises" % size, bound <= last["lower_bound"]["bytes"])
            last = now

    def check_sweep(self):
        low, high = self.sizes[0], self.sizes[-1]
        if not self.found[high] or low == high:
            return
        self.run(high, "--sweep=scratchpad:%d..%d/1" % (low, high), "--sweep-output=s.json")
        with open("s.json") as text:
            points = json.load(text)["points"]
        last = None
        for point in points:
            size, total = point["scratchpad_bytes"], point["total_bytes"]
            self.check("sweep: more at %d" % size, last is None or (total is not None and total <= last))
            last = total
            now = (self.compile(tuple(memory["bytes"] for memory in point["memories"])) if "memories" in point
                   else self.found.get(size) or self.compile(size))
            self.check("sweep and compilation at %d: %s, %s" % (size, total, now), total ==
                       (now["total_bytes"] if now else None))
            if now:
                self.check("bounds of sweep and compilation at %d" % size,
                           [point["lower_bound_bytes"], point["compulsory_bytes"], point["optimal"]] ==
                           [now["lower_bound"]["bytes"], now["compulsory_bytes"], now["optimal"]])

    def front(self, size):
        self.run(size, "--pareto=memory,traffic", "--pareto-points=6", "--pareto-output=p.json")
        with open("p.json") as text:
            return json.load(text)["fronts"][0]

    def check_front_of_all(self):
        """The front of several memories: its points are schedules, and machines of so many bytes move no less."""
        high = self.sizes[-1]
        if not self.found[high]:
            return
        front = self.front(high)
        for point in front["points"]:
            with open("given.txt", "w") as out:
                out.write(point["schedule"])
            now = self.compile(high, "--schedule=given.txt", "--recompute=1000%")
            with open("r.json") as file:
                used = max(nest["scratchpad"]["used_bytes"] for nest in json.load(file)["kernels"])
            self.check("front: %s, its schedule %s in %d bytes" % (point, now, used), now
                       and now["total_bytes"] == point["traffic_bytes"] and used <= point["memory_bytes"])
        for size in self.sizes:
            least = min((p["traffic_bytes"] for p in front["points"] if p["memory_bytes"] <= size), default=None)
            if self.found[size] and not any(gap["from_bytes"] <= size for gap in front["not_searched"]):
                self.check("front at %d: %s, a machine of fewer bytes moves %d" % (
                    size, least, self.found[size]["total_bytes"]),
                    least is not None and least <= self.found[size]["total_bytes"])

    def check_front(self):
        high = self.sizes[-1]
        if not self.found[high]:
            return
        front = self.front(high)
        for point in front["points"]:
            now = self.compile(point["memory_bytes"])
            self.check("front and compilation at %d: %d, %s" % (point["memory_bytes"],
                       point["traffic_bytes"], now), now and now["total_bytes"] == point["traffic_bytes"])
        for size in self.sizes:
            if any(gap["from_bytes"] <= size <= gap["to_bytes"] for gap in front["not_searched"]):
                continue
            least = min((p["traffic_bytes"] for p in front["points"] if p["memory_bytes"] <= size),
                        default=None)
            now = self.found[size]
            self.check("front at %d: %s, compilation %s" % (size, least, now),
                       least == (now["total_bytes"] if now else None))

    def mutated(self, text):
        """A schedule with other tiles, other loops that turn, or fewer facts."""
        lines, turns = [], "serpentine" not in text
        for line in text.splitlines():
            words = line.split()
            if words[0] == "order" and turns and len(words) > 2 and self.rng.random() < 0.4:
                line += "\nserpentine " + self.rng.choice(words[2:] + ["none"])
            if words[0] == "tile" and self.rng.random() < 0.5:
                line = "tile %s %d" % (words[1], self.rng.choice((1, 2, 3, 4, 6)))
            elif words[0] not in ("nest", "carry") and self.rng.random() < 0.3:
                continue
            lines.append(line)
        return "\n".join(lines) + "\n"

    def constraints(self):
        """Groups and carried arrays, or one fact of a nest, and all else free."""
        if isinstance(self.function, Alone):
            loop = self.rng.choice(self.function.loop_names)
            return "nest f\n%s\n" % self.rng.choice(
                ["tile %s %d" % (loop, self.rng.choice((1, 2, 3))), "form sequential 1"])
        count, n, text = len(self.function.nests), 0, ""
        groups = []
        if isinstance(self.function, Normed):
            count, text = self.distributed(count)
        while n < count:
            size = min(self.rng.choice((1, 1, 1, 2, 3)), count - n)
            groups.append("nest f" if count == 1 else "nest f.%d" % n + ("-%d" % (n + size - 1) if size > 1 else ""))
            # of long functions not all merged nests are among the choices that bounds are of
            if size > 1 and not isinstance(self.function, Long) and self.rng.random() < (0.6 if isinstance(self.function, Normed) else 0.3):
                groups[-1] += "\nmerge" + self.form()
            if isinstance(self.function, Padded):
                groups[-1] += self.function.cut(size)
            n += size
        for name, _ in self.function.locals:
            if self.rng.random() < 0.4:
                groups[-1] += "\ncarry %s" % name
        # a schedule need not say something of each nest
        if self.rng.random() < 0.3:
            groups = [group for group in groups if self.rng.random() < 0.6]
        return text + "\n".join(groups) + "\n"

    def form(self):
        """The line for a form of merged nests, or none.  Those with several buffers suit few nests: tests/optimality/forms_bound_test.sh."""
        return "\nform %s" % self.rng.choice(("isl", "sequential 1", "sequential 2")) if self.rng.random() < 0.4 else ""

    def distributed(self, count):
        """Lines that distribute some of the COUNT nests, the last first, so that they keep their names; and how many there are then."""
        text, all = "", count
        for n in reversed(range(count)):
            if n in self.function.parts and self.rng.random() < 0.6:
                text += "distribute f%s\n" % (".%d" % n if all > 1 else "")
                all += self.function.parts[n] - 1
        return all, text

    def check_schedules(self, size):
        now = self.found[size]
        self.proved += now["optimal"] and now["total_bytes"] > now["lower_bound"]["bytes"]
        tries = [self.constraints(), self.constraints(), self.mutated(self.rng.choice(self.schedules))]
        # what is optimal among the choices for a function has to hold against many of them
        for _ in range((8 if isinstance(self.function, Padded) else 2) if now["gap"] is not None else 0):
            tries.append(self.constraints() if self.rng.random() < 0.7
                         else self.mutated(self.rng.choice(self.schedules)))
        for i, text in enumerate(tries):
            with open("given.txt", "w") as out:
                out.write(text)
            # the lower bound holds for all that groups repeat, and what is optimal is so among those that
            # repeat no more than they may: a schedule that says of each nest where it is may repeat more
            options = ["--recompute=1000%"] if i < 3 and self.rng.random() < 0.5 else []
            given = self.compile(size, "--schedule=given.txt", *options, may_fail=(1, 3))
            if not given:
                continue
            total, bound = given["total_bytes"], now["lower_bound"]["bytes"]
            self.check("%d: a schedule moves %d, the bound is %d:\n%s" % (size, total, bound, text),
                       total >= bound)
            with open("s.txt") as out:
                schedule = out.read()
            if options or now["gap"] is None or "\nrepeat " in schedule:
                continue
            # nests that were distributed otherwise are other nests
            if isinstance(self.function, Normed) and set(self.lines(schedule)) - set(self.lines(now["schedule"])):
                continue
            self.check("%d: a schedule moves %d, the best are %d and at most %.4f above all:\n%s" % (
                       size, total, now["total_bytes"], now["gap"], text),
                       total * (1 + now["gap"]) >= now["total_bytes"] * (1 - 1e-9))

    def lines(self, schedule):
        return [line for line in schedule.splitlines() if line.startswith("distribute")]

    def check_distributed(self, size):
        """What a function moves is no more than with its nests distributed."""
        for _ in range(2):
            count, text = self.distributed(len(self.function.nests))
            with open("given.txt", "w") as out:
                out.write(text)
            given = self.compile(size, "--schedule=given.txt", may_fail=(3,))
            found = self.found[size]
            self.check("%d: %s are moved, distributed %s:\n%s" % (size, found, given, text),
                       not given or (found and found["total_bytes"] <= given["total_bytes"]))

    def check_replay(self, size):
        self.compile(size, "--buffering=auto", may_fail=())
        os.replace("s.txt", "given.txt")
        self.compile(size, "--buffering=auto", "--schedule=given.txt", may_fail=())
        with open("given.txt") as given, open("s.txt") as again:
            self.check("%d: a schedule, given back, is another one" % size, given.read() == again.read())


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    kind = {"alone": Alone, "aligned": Aligned, "bordered": Bordered, "layered": Layered, "long": Long, "normed": Normed,
            "padded": Padded, "split": Split}.get("".join(sys.argv[4:]), Function)
    failures = proved = 0
    for seed in range(first, first + count):
        trial = Trial(loopc, seed, kind)
        try:
            trial.test()
            proved += trial.proved
        except Failure as failure:
            failures += 1
            print("seed %d: %s" % (seed, failure))
            os.rename("f.loop", "failed-%d.loop" % seed)
    print("%d functions, %d failures; %d times optimal above the lower bound" % (count, failures, proved))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
