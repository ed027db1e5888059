#!/usr/bin/env python3
"""groupings.py LOOPC FIRST COUNT: no grouping of the nests of a function moves less than the one that is
chosen, on COUNT random functions from seed FIRST on, in three scratchpads each.  The functions are of
3 or 4 nests, some of which write parts of what others write, or set what others add to: what a group of
such moves only its plan says."""

import json
import random
import subprocess
import sys


class Function:
    """A random function: arrays of M rows and N columns, or of N columns, and nests that make them."""

    def __init__(self, rng):
        self.rng = rng
        self.rows, self.columns = rng.choice((6, 9, 12)), rng.choice((6, 8, 11))
        self.parameters, self.locals, self.nests = ["const int P[%d][%d]" % (self.rows, self.columns)], [], []
        self.made = ["P"]
        self.count = rng.choice((3, 4))
        while len(self.nests) < self.count:
            rng.choice((self.plain, self.inside, self.sums, self.rows_of))()

    def array(self, sides):
        name = "A%d" % len(self.parameters + self.locals)
        is_local = self.rng.random() < 0.5 and len(self.nests) + 1 < self.count
        (self.locals if is_local else self.parameters).append(
            "int " + name + "".join("[%d]" % s for s in sides))
        return name

    def nest(self, loops, body):
        self.nests.append(" ".join("for (int %s = %d; %s < %d; %s++)" % (v, low, v, high, v)
                                   for v, low, high in loops) + " " + body)

    def made_array(self, loops, text):
        source = self.rng.choice(self.made[-2:])
        name = self.array((self.rows, self.columns))
        self.nest(loops, text.format(t=name, s=source))
        self.made.append(name)
        return name, source

    def all_of(self):
        return [("i", 0, self.rows), ("j", 0, self.columns)]

    def plain(self):
        self.made_array(self.all_of(), "{t}[i][j] = {s}[i][j] * 3;")

    def inside(self):
        """A copy, but for the elements that are not at a border."""
        name, source = self.made_array(self.all_of(), "{t}[i][j] = {s}[i][j];")
        self.nest([("i", 1, self.rows - 1), ("j", 1, self.columns - 1)],
                  "{t}[i][j] = {s}[i - 1][j] + {s}[i + 1][j] + {s}[i][j - 1];".format(t=name, s=source))

    def sums(self):
        """Sums of columns: one nest sets them, another one adds."""
        source, name = self.rng.choice(self.made[-2:]), self.array((self.columns,))
        self.nest([("j", 0, self.columns)], "%s[j] = 0;" % name)
        self.nest(self.all_of(), "%s[j] += %s[i][j];" % (name, source))

    def rows_of(self):
        source, name = self.rng.choice(self.made[-2:]), self.array((self.rows,))
        self.nest([("i", 0, self.rows)], "{ %s[i] = 1; for (int j = 0; j < %d; j++) %s[i] += %s[i][j]; }"
                  % (name, self.columns, name, source))

    def text(self):
        return "void f(%s)\n{\n%s\n%s\n}\n" % (", ".join(self.parameters),
                                              "\n".join(line + ";" for line in self.locals), "\n".join(self.nests))


def moved(loopc, size, schedule=None, more=()):
    """What the function moves in SIZE bytes; None: nothing fits, or cannot be so."""
    with open("m.yaml", "w") as out:
        out.write("name: m\nscratchpad: { bytes: %d }\n" % size)
    options = ["--arch=m.yaml", "-j1", *more, "--report=r.json", "--emit=schedule=s.txt"]
    if schedule:
        with open("given.txt", "w") as out:
            out.write(schedule)
        options.append("--schedule=given.txt")
    done = subprocess.run([loopc, *options, "f.loop"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit("exit %d: %s" % (done.returncode, done.stderr))
    if done.returncode:
        return None
    with open("r.json") as file:
        return json.load(file)["total"]["total_bytes"]


def repeats():
    """Whether the last schedule repeats work."""
    with open("s.txt") as text:
        return "\nrepeat " in text.read()


def groupings(first, count):
    """The ways to cut the nests from FIRST up to COUNT, as lines of a schedule."""
    if first == count:
        yield ""
    for end in range(first + 1, count + 1):
        for rest in groupings(end, count):
            yield "nest f.%d%s\n%s" % (first, "-%d" % (end - 1) if end - first > 1 else "", rest)


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    failures = tried = 0
    for seed in range(first, first + count):
        rng = random.Random(seed)
        function = Function(rng)
        with open("f.loop", "w") as out:
            out.write(function.text())
        for size in sorted(rng.randint(24, 4 * function.rows * function.columns) for _ in range(3)):
            size = size // 4 * 4
            free = moved(loopc, size)
            # a schedule that says of each nest where it is may repeat any work
            freer = moved(loopc, size, None, ["--recompute=allowed"])
            for schedule in groupings(0, len(function.nests)):
                given = moved(loopc, size, schedule)
                tried += given is not None
                least = freer if given is not None and repeats() else free
                if given is not None and (least is None or given < least):
                    failures += 1
                    print("seed %d, %d bytes: %s moved, but %d by\n%s" % (seed, size, least, given, schedule))
    print("%d functions, %d groupings, %d failures" % (count, tried, failures))
    sys.exit(failures > 0 or not tried)


main()
