#!/usr/bin/env python3
"""Random programs with sizes known at run time only, verified for several values of these.

    random_sizes.py --loopc PATH --seeds FIRST..LAST [--seconds N] [--keep DIR]

A program is good if loopc verifies it, or says that its sizes cannot be left to the run,
or that it does not fit the machine.  Prints TAP: a result for each batch of seeds, and one
for whether enough of them were verified.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time

REFUSALS = ("cannot be left to the run", "nothing fits", "does not run for the sizes",
            "cannot be lowered in this form", "names nests that are not there",
            "no loop that can be tiled is called")


class Program:
    """One function of a few nests over sizes N, M and constants."""

    def __init__(self, seed):
        self.random = random.Random("symbolic %d" % seed)
        self.arrays = {}             # name: (extents, is_const)
        self.filled = set()          # written whole before anything reads them: may be locals
        self.nests = []
        self.sizes = self.random.sample(["N", "M", "K"], self.random.randint(1, 3))
        self.tuned = {size: self.random.choice((3, 4, 5, 7, 8, 12, 16, 23, 31)) for size in self.sizes}
        # Some sizes are bound all the same.
        self.symbolic = [size for size in self.sizes if self.random.random() < 0.8] or self.sizes[:1]
        self.types = self.random.choice((("int16_t", "int32_t"), ("int8_t", "int"), ("int32_t", "int32_t")))
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))):
            self.random.choice((self.elementwise, self.stencil, self.product, self.window, self.padded,
                                self.row_sums, self.in_place, self.time_loop, self.triangle,
                                self.strided, self.strided, self.parity, self.blocked, self.halves,
                                self.pooled))()

    def extent(self):
        return self.random.choice(self.sizes + self.sizes + ["2", "3", "5"])

    def array(self, extents, written=False):
        """A new array, or one of the same shape; what is read may have been written."""
        for name, (shape, is_const) in self.arrays.items():
            if shape == extents and self.random.random() < 0.4 and not (written and is_const):
                return name
        name = "A%d" % len(self.arrays)
        self.arrays[name] = (extents, not written)
        return name

    def new_array(self, extents, is_filled=False):
        name = "A%d" % len(self.arrays)
        self.arrays[name] = (extents, False)
        if is_filled and self.random.random() < 0.4:
            self.filled.add(name)
        return name

    def loop(self, iterator, first, end):
        """A for over first <= iterator < end, up or down."""
        if self.random.random() < 0.8:
            return "for (int %s = %s; %s < %s; %s++)" % (iterator, first, iterator, end, iterator)
        return "for (int %s = %s - 1; %s >= %s; %s--)" % (iterator, end, iterator, first, iterator)

    def elementwise(self):
        x, y = self.extent(), self.extent()
        a, b, c = self.array([x, y]), self.array([y, x]), self.new_array([x, y], True)
        mirrored = "%s - 1 - j" % y if self.random.random() < 0.3 else "j"
        self.nests.append([self.loop("i", "0", x), self.loop("j", "0", y),
                           "%s[i][j] = %s[i][%s] * 3 - %s[j][i] + %s;" % (
                               c, a, mirrored, b, self.random.choice(self.sizes + ["i", "1"]))])

    def stencil(self):
        x, y, r = self.extent_size(), self.extent_size(), self.random.choice((1, 1, 2))
        a, c = self.array([x, y]), self.new_array([x, y])
        self.nests.append([self.loop("i", str(r), "%s - %d" % (x, r)),
                           self.loop("j", str(r), "%s - %d" % (y, r)),
                           "%s[i][j] = %s[i - %d][j] + %s[i][j + %d] - %s[i][j] * 2;" % (c, a, r, a, r, a)])

    def extent_size(self):
        return self.random.choice(self.sizes)

    def product(self):
        x, y, z = self.extent(), self.extent(), self.extent()
        a, b, c = self.array([x, z]), self.array([z, y]), self.new_array([x, y])
        update = "%s[i][j] += %s[i][k] * %s[k][j];" % (c, a, b)
        head = [self.loop("i", "0", x), self.loop("j", "0", y)]
        if self.random.random() < 0.3:
            self.nests.append(head + [self.loop("k", "0", z), update])
            return
        body = ["{", "%s[i][j] = %s;" % (c, self.random.choice(("0", "1", "i + j"))),
                self.loop("k", "0", z), update]
        if self.random.random() < 0.3:
            body.append("%s[i][j] = %s[i][j] * 5 + 1;" % (c, c))
        self.nests.append(head + body + ["}"])

    def window(self):
        k, p, q = self.extent(), self.extent(), self.extent()
        r = self.random.choice(["2", "3"] + self.sizes[:1])
        stride = self.random.choice((1, 1, 2))
        width = "%s + %s - 1" % (p, r) if stride == 1 else "%d * %s + %s" % (stride, p, r)
        a, w, c = self.array([width, q]), self.array([k, r]), self.new_array([k, p, q], True)
        subscript = "p + r" if stride == 1 else "%d * p + r" % stride
        self.nests.append([self.loop("k", "0", k), self.loop("p", "0", p), self.loop("q", "0", q), "{",
                           "%s[k][p][q] = 0;" % c, self.loop("r", "0", r),
                           "%s[k][p][q] += %s[%s][q] * %s[k][r];" % (c, a, subscript, w), "}"])

    def padded(self):
        x, y = self.extent_size(), self.extent_size()
        a, c = self.array([x, y]), self.new_array([x, y], True)
        self.nests.append([self.loop("i", "0", x), self.loop("j", "0", y), "{", "%s[i][j] = 0;" % c,
                           "for (int r = 0; r < 3; r++)", "for (int s = 0; s < 3; s++)",
                           "if (i + r - 1 >= 0 && i + r - 1 < %s && j + s - 1 >= 0 && j + s - 1 < %s)" % (x, y),
                           "%s[i][j] += %s[i + r - 1][j + s - 1] * (r + s);" % (c, a), "}"])

    def row_sums(self):
        x, y = self.extent(), self.extent_size()
        a, c = self.array([x, y]), self.new_array([x])
        first = self.random.choice(("0", "0", "1"))
        self.nests.append([self.loop("i", "0", x), "{", "%s[i] = 7;" % c,
                           self.loop("j", first, y), "%s[i] += %s[i][j];" % (c, a), "}"])

    def in_place(self):
        x, y = self.extent_size(), self.extent()
        c = self.new_array([x, y])
        self.nests.append([self.loop("i", "0", x), self.loop("j", "0", y),
                           "%s[i][j] = %s[i][j] * 3 + %s;" % (c, c, self.random.choice(["i", "j", "2"]))])

    def time_loop(self):
        x = self.extent_size()
        a, c = self.new_array([x]), self.new_array([x])
        self.nests.append(["for (int t = 0; t < %s; t++)" % self.random.choice(["3"] + self.sizes[:1]), "{",
                           "for (int i = 1; i < %s - 1; i++)" % x,
                           "%s[i] = %s[i - 1] + %s[i + 1] * 2;" % (c, a, a),
                           "for (int i = 1; i < %s - 1; i++)" % x, "%s[i] = %s[i] - %s[i];" % (a, c, a), "}"])

    def triangle(self):
        x, y = self.extent_size(), self.extent()
        a, b, c = self.array([x, x]), self.array([x, y]), self.new_array([x, y])
        self.nests.append(["for (int i = 0; i < %s; i++)" % x, self.loop("j", "0", y),
                           "for (int k = 0; k <= i; k++)", "%s[i][j] += %s[i][k] * %s[k][j];" % (c, a, b)])

    def steps(self, iterator, end):
        """A for over some of 0 <= iterator < end, a step apart."""
        step, first = self.random.choice((1, 2, 2, 3, 4)), self.random.choice((0, 0, 1, 3))
        if self.random.random() < 0.6:
            return "for (int %s = %d; %s < %s; %s += %d)" % (iterator, first, iterator, end, iterator, step)
        return "for (int %s = %s - %d; %s >= 0; %s -= %d)" % (iterator, end, 1 + first, iterator, iterator, step)

    def strided(self):
        x, y = self.extent_size(), self.extent()
        a, c = self.array([x, y]), self.new_array([x, y])
        source = self.random.choice(("%s[i][j]" % a, "%s[%s - 1 - i][j]" % (a, x), "%s[i][%s - 1 - j]" % (a, y)))
        self.nests.append([self.steps("i", x), self.steps("j", y),
                           "%s[i][j] = %s%s * 3 + %s;" % (
                               c, self.random.choice(("", "%s[i][j] * 2 + " % c)), source,
                               self.random.choice(self.sizes + ["i", "1"]))])

    def parity(self):
        x, y, divisor = self.extent_size(), self.extent(), self.random.choice((2, 2, 3))
        a, c = self.array([x, y]), self.new_array([x, y])
        condition = self.random.choice(("i", "j", "(i + j)", "(i + 2 * j)", "(%s - i)" % x))
        self.nests.append([self.loop("i", "0", x), self.loop("j", "0", y),
                           "if (%s %% %d == %d)" % (condition, divisor, self.random.randrange(divisor)),
                           "%s[i][j] += %s[i][j] + %s;" % (c, a, self.random.choice(("i", "1")))])

    def blocked(self):
        x, step = self.extent_size(), self.random.choice((2, 4, 5))
        a, c = self.array([x, x]), self.new_array([x, x], True)
        self.nests.append(["for (int i = 0; i < %s; i += %d)" % (x, step), self.loop("j", "0", x),
                           "for (int r = i; r < i + %d && r < %s; r++)" % (step, x),
                           "%s[r][j] = %s[j][r] + %s[i][j];" % (c, a, a)])

    def halves(self):
        x, y = self.extent_size(), self.extent()
        a, b, c = self.array([x, y]), self.array(["2"]), self.new_array([x, y])
        if self.random.random() < 0.5:
            head = "for (int i = %s / 2; i < %s; i++)" % (x, x)
            value = "%s[%s - 1 - i][j]" % (a, x)
        else:
            head, value = "for (int i = 0; i < %s; i++)" % x, "%s[i / 2][j] * %s[i %% 2]" % (a, b)
        self.nests.append([head, self.loop("j", "0", y), "%s[i][j] = %s + 1;" % (c, value)])

    def pooled(self):
        x, y, step = self.extent_size(), self.extent_size(), self.random.choice((2, 3))
        a, c = self.array([x, y]), self.new_array([x, y])
        self.nests.append(["for (int i = 0; i + %d < %s; i += %d)" % (step, x, step),
                           "for (int j = 0; j + 2 < %s; j += 2) {" % y, "%s[i][j] = 0;" % c,
                           "for (int r = 0; r < %d; r++)" % (step + 1),
                           "for (int s = 0; s < 3; s++)", "%s[i][j] += %s[i + r][j + s];" % (c, a), "}"])

    def text(self):
        small, large = self.types
        last = "A%d" % (len(self.arrays) - 1)
        parameters, body = ["int %s" % size for size in self.sizes], []
        for name, (extents, is_const) in self.arrays.items():
            shape = "".join("[%s]" % extent for extent in extents)
            if name in self.filled and name != last:
                body.append("%s %s%s;" % (large, name, shape))
            else:
                parameters.append("%s %s%s" % ("const " + small if is_const else large, name, shape))
        for nest in self.nests:
            body += nest
        return "#include <stdint.h>\nvoid f(%s)\n{\n%s\n}\n" % (", ".join(parameters), "\n".join(body))

    def options(self, seed):
        machine = random.Random("machine %d" % seed)
        scratchpad = machine.choice((256, 400, 640, 1024, 2048, 4096, 16384, 65536))
        text = "name: m\nscratchpad: { bytes: %d }\n" % scratchpad
        if machine.random() < 0.3:
            text += "dma: { max_rank: %d, max_bytes: %d }\n" % (machine.choice((1, 2, 3)), machine.choice((64, 4096)))
        defines = ["-D%s=%d" % item for item in sorted(self.tuned.items())]
        return text, defines + ["--symbolic=" + ",".join(self.symbolic),
                                "--buffering=" + machine.choice(("single", "double", "auto")),
                                "--effort=%d" % machine.choice((1, 50, 1000, 20000))]

    def schedule(self, seed):
        """What is said of the first nest, of some programs: loops run one after the other, and the
        others whole, a block at a time."""
        form = random.Random("form %d" % seed)
        if form.random() < 0.7:
            return None
        outermost = re.search(r"for \(int (\w+)", "".join(self.nests[0])).group(1)
        return "nest f%s\nform sequential 1\norder %s\n" % (".0" if len(self.nests) > 1 else "", outermost)


def check(loopc, seed, directory, timeout):
    """Returns "verified", "refused" or "slow", else the text of the failure."""
    program = Program(seed)
    machine, options = program.options(seed)
    paths = [os.path.join(directory, "%d%s" % (seed, suffix)) for suffix in (".loop", ".yaml")]
    for path, text in zip(paths, (program.text(), machine)):
        with open(path, "w") as out:
            out.write(text)
    schedule = program.schedule(seed)
    if schedule:
        name = os.path.join(directory, "%d.schedule" % seed)
        with open(name, "w") as out:
            out.write(schedule)
        options = options + ["--schedule=" + name]
    command = [loopc, "--arch=" + paths[1], "--verify"] + options + [paths[0]]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=timeout, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "slow"
    if run.returncode == 0:
        return "verified"
    if run.returncode in (1, 3) and any(text in run.stdout for text in REFUSALS):
        return "refused"
    return "%s\nstatus %d\n%s" % (" ".join(command), run.returncode, run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loopc", required=True)
    parser.add_argument("--seeds", default="0..99")
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no batch after these")
    parser.add_argument("--timeout", type=float, default=30)
    parser.add_argument("--keep", help="directory for programs that fail")
    arguments = parser.parse_args()
    first, last = (int(text) for text in arguments.seeds.split(".."))
    begin, counts, failed, batch = time.monotonic(), {}, False, 0
    for start in range(first, last + 1, arguments.batch):
        if time.monotonic() - begin > arguments.seconds:
            break
        batch += 1
        bad = []
        with tempfile.TemporaryDirectory(prefix="loopc-symbolic.") as directory:
            for seed in range(start, min(start + arguments.batch, last + 1)):
                result = check(arguments.loopc, seed, arguments.keep or directory, arguments.timeout)
                counts[result if len(result) < 10 else "failed"] = counts.get(
                    result if len(result) < 10 else "failed", 0) + 1
                if len(result) >= 10:
                    bad.append(result)
        failed = failed or bool(bad)
        print("%s %d - seeds from %d" % ("not ok" if bad else "ok", batch, start))
        for text in bad:
            print("# " + text.replace("\n", "\n# "))
        sys.stdout.flush()
    # A machine under load may be too slow for some: that says nothing.
    enough = 2 * counts.get("verified", 0) >= sum(counts.values()) - counts.get("slow", 0)
    print("%s %d - half of those done or more are verified" % ("ok" if enough else "not ok", batch + 1))
    print("# " + ", ".join("%s %d" % item for item in sorted(counts.items())))
    print("1..%d" % (batch + 1))
    return 1 if failed or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
