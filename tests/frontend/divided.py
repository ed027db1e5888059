"""A random nest whose subscripts divide: by /, %, >> and &, of iterators, sums and locals.

usage: divided.py SEED >in.loop"""

import random
import sys


def quotient(a, b):        # as C does
    return abs(a) // b * (1 if a >= 0 else -1)


class Nest:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names = ["i", "j", "k"][:self.rng.randrange(1, 4)]
        self.loops = []
        for name in self.names:
            first = self.rng.choice([0, 0, 1, 3, -4])
            step = self.rng.choice([1, 1, 1, 2, 3, -1])
            last = first + self.rng.randrange(4, 12 if len(self.names) > 2 else 24)
            self.loops.append((name, first, last, step))
        self.has_local = self.rng.random() < 0.4
        self.local = self.index(1, self.names) if self.has_local else None
        self.arrays = {}       # name: list of the least and the largest of each subscript

    def sum(self, names):
        terms = [(self.rng.choice([1, 1, 2, -1]), n) for n in self.rng.sample(names, self.rng.randrange(1, len(names) + 1))]
        constant = self.rng.choice([0, 0, 1, 5, -2])
        text = " + ".join(["%d * %s" % t if t[0] != 1 else t[1] for t in terms] + ([str(constant)] if constant else []))
        return text, lambda at: sum(c * at[n] for c, n in terms) + constant

    def index(self, depth, names):
        """An expression and its value at iterators."""
        choice = self.rng.random()
        text, value = self.sum(names)
        if depth and choice < 0.3:
            inner, of = self.index(depth - 1, names)
            by = self.rng.choice([2, 3, 4, 7])
            return "(%s) / %d" % (inner, by), lambda at: quotient(of(at), by)
        if depth and choice < 0.6:
            inner, of = self.index(depth - 1, names)
            by = self.rng.choice([2, 3, 5, 8])
            return "(%s) %% %d" % (inner, by), lambda at: of(at) - by * quotient(of(at), by)
        if depth and choice < 0.7:
            mask = self.rng.choice([1, 3, 7])
            return "((%s) & %d)" % (text, mask), lambda at: value(at) & mask
        if depth and choice < 0.8:
            least = min(value(at) for at in self.points())
            return "((%s + %d) >> 2)" % (text, max(0, -least)), lambda at: (value(at) + max(0, -least)) >> 2
        return "(%s)" % text, value

    def points(self):
        def walk(at, loops):
            if not loops:
                yield dict(at)
                return
            name, first, last, step = loops[0]
            for value in range(first, last, step) if step > 0 else range(last, first - 1, step):
                at[name] = value
                yield from walk(at, loops[1:])
        return list(walk({}, self.loops))

    def access(self, name, rank):
        subscripts = []
        for d in range(rank):
            if self.has_local and self.rng.random() < 0.4:
                text, value = "q", self.local[1]
            else:
                text, value = self.index(2, self.names)
            values = [value(at) for at in self.points()]
            least, largest = self.arrays.setdefault(name, [[0, 0] for _ in range(rank)])[d], None
            subscripts.append((text, min(values), max(values)))
        return name, subscripts

    def text(self):
        statements = []
        for _ in range(self.rng.randrange(1, 3)):
            read = self.access("a", 2)
            written = self.access(self.rng.choice("bc"), 1)
            statements.append((written, self.rng.choice(["+=", "=", "^="]), read))
        offsets, extents = {}, {}
        for written, _, read in statements:
            for name, subscripts in (written, read):
                for d, (_, least, largest) in enumerate(subscripts):
                    key = name, d
                    offsets[key] = max(offsets.get(key, 0), -least)
        for written, _, read in statements:
            for name, subscripts in (written, read):
                for d, (_, least, largest) in enumerate(subscripts):
                    key = name, d
                    extents[key] = max(extents.get(key, 1), largest + offsets[key] + 1)

        def access(of):
            name, subscripts = of
            return name + "".join("[%s + %d]" % (t, offsets[name, d]) if offsets[name, d] else "[%s]" % t
                                  for d, (t, _, _) in enumerate(subscripts))
        used = [n for n in "abc" if (n, 0) in extents]
        lines = ["void f(%s)" % ", ".join("int %s%s" % (n, "".join(
            "[%d]" % extents[n, d] for d in range(2 if n == "a" else 1))) for n in used), "{"]
        for d, (name, first, last, step) in enumerate(self.loops):
            head = "int %s = %d; %s < %d; %s += %d" % (name, first, name, last, name, step) if step > 0 else \
                "int %s = %d; %s >= %d; %s--" % (name, last, name, first, name)
            lines.append("\t" * (d + 1) + "for (%s)%s" % (head, " {" if d + 1 == len(self.loops) else ""))
        inside = "\t" * (len(self.loops) + 1)
        if self.has_local:
            lines.append(inside + "const int q = %s;" % self.local[0])
        for written, operator, read in statements:
            lines.append(inside + "%s %s %s + %s;" % (access(written), operator, access(read),
                                                      self.rng.choice(["1", "i", "q" if self.has_local else "2"])))
        lines += ["\t" * len(self.loops) + "}", "}"]
        return "\n".join(lines)


print(Nest(int(sys.argv[1])).text())
