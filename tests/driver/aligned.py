"""Random functions of small elements for machines whose DMA copies multiples of some bytes.

    aligned.py LOOPC FIRST LAST

Where all rows and loops are multiples of the alignment a tile of as many elements in each loop is
legal, so that nothing may be refused for which such a tile fits; where they are not, but each array is
as a whole and all fit, nothing may be refused either.  What is accepted is verified.  Prints a line
of each seed that is not as it should be, and last how many were accepted and refused.
"""

import math
import random
import subprocess
import sys

# Arrays with their extents, loops from outside in, statement; arrays beyond N rows have a border.
KERNELS = (
    ("A n m, B n m", "i n, j m", "B[i][j] = A[i][j] + 1"),
    ("A n h, B h m, C n m", "i n, j m, k h", "C[i][j] += A[i][k] * B[k][j]"),
    ("A h m, B m h", "i h, j m", "B[j][i] = A[i][j]"),
    ("A n+2 m, B n m", "i n, j m", "B[i][j] = A[i][j] + A[i + 1][j] + A[i + 2][j]"),
    ("A n+2 m, W 3 m, B n m", "i n, p 3, c m", "B[i][c] += A[i + p][c] * W[p][c]"),
    ("A h m, B h", "i h, j m", "B[i] += A[i][j]"),
    ("A n m, B n m", "i n, j m", "B[i][m - 1 - j] = A[n - 1 - i][j]"),
    ("A n+1 m", "t 3, i n, j m", "A[i + 1][j] = A[i][j] + A[i + 1][j]"),
)


class Function:
    def __init__(self, seed):
        choose = self.random = random.Random("aligned %d" % seed)
        self.type = choose.choice(("int8_t", "uint8_t", "int16_t"))
        self.element = 2 if "16" in self.type else 1
        self.align = choose.choice((4, 8))
        self.granule = self.align // self.element
        self.is_even = choose.random() < 0.6
        unit = self.granule if self.is_even else 1
        self.sizes = {"n": choose.choice((1, 2, 3, 5, 7, 8, 12)), "m": unit * choose.randint(1, 6),
                      "h": unit * choose.randint(1, 5)}
        self.kernels = choose.sample(KERNELS, choose.choice((1, 1, 2)))
        self.arrays = [[(name + str(k), [eval(e, {}, self.sizes) for e in extents.split()])
                        for name, extents in (a.split(None, 1) for a in kernel[0].split(", "))]
                       for k, kernel in enumerate(self.kernels)]

    def text(self):
        lines = []
        for k, (_, loops, statement) in enumerate(self.kernels):
            for loop in loops.split(", "):
                name, extent = loop.split()
                lines.append("for (int %s = 0; %s < %s; %s++)" % (name, name, self.sizes.get(extent, extent), name))
            for name in "ABCW":
                statement = statement.replace(name + "[", "%s%d[" % (name, k))
            for name in ("m", "n"):
                statement = statement.replace("[%s - 1" % name, "[%d - 1" % self.sizes[name])
            lines.append("\t%s;" % statement)
        parameters = ["%s %s%s" % (self.type, name, "".join("[%d]" % e for e in extents))
                      for arrays in self.arrays for name, extents in arrays]
        return "#include <stdint.h>\nvoid f(%s)\n{\n%s\n}\n" % (", ".join(parameters), "\n".join(lines))

    def bytes_of(self, extents):
        return self.element * math.prod(extents)

    def tile_bytes(self):
        """What the smallest tiles of each kernel need, a granule in each loop; rows of a window."""
        return max(sum(self.align * self.granule * 3 for _ in arrays) for arrays in self.arrays)

    def scratchpad(self):
        return self.random.choice((64, 128, 200, 500, 4000, 20000))

    def must_fit(self, scratchpad):
        whole = [self.bytes_of(extents) for arrays in self.arrays for _, extents in arrays]
        return (self.is_even and self.tile_bytes() <= scratchpad) or (
            all(b % self.align == 0 for b in whole) and sum(whole) <= scratchpad)


def main():
    loopc, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    accepted = refused = 0
    for seed in range(first, last + 1):
        function = Function(seed)
        scratchpad = function.scratchpad()
        with open("aligned.loop", "w") as out:
            out.write(function.text())
        with open("aligned.yaml", "w") as out:
            out.write("name: m\nscratchpad: { bytes: %d }\ndma: { align_bytes: %d%s }\n" % (
                scratchpad, function.align, function.random.choice(("", ", max_bytes: 16", ", max_rank: 1"))))
        run = subprocess.run([loopc, "--arch=aligned.yaml", "--verify", "--buffering=" + function.random.choice(
            ("single", "double", "auto")), "-o", "aligned.c", "aligned.loop"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False)
        accepted += run.returncode == 0
        refused += run.returncode == 3
        if run.returncode not in (0, 3) or (run.returncode == 3 and function.must_fit(scratchpad)) or (
                run.returncode == 3 and "nothing fits" not in run.stdout):
            print("seed %d: status %d\n%s\n%s" % (seed, run.returncode, run.stdout, function.text()))
    print("accepted %d refused %d" % (accepted, refused))


main()
