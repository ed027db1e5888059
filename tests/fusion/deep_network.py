#!/usr/bin/env python3
"""deep_network.py LAYERS [SIDE]: a residual network of at least LAYERS convolutions as a
.loop program: a stem, bottlenecks of three convolutions whose sum with what goes around them
is their output, channels that double and images that halve at every fourth block, and
an average.  SIDE is that of the first image, 56 if not given."""

import sys


class Network:
    def __init__(self):
        self.parameters = []
        self.lines = []
        self.count = 0

    def weights(self, to, of, size):
        self.count += 1
        name = "W%d" % self.count
        self.parameters.append("const int8_t %s[%d][%d][%d][%d]" % (name, to, of, size, size))
        return name

    def local(self, name, channels, side):
        self.lines.append("\tint16_t %s[%d][%d][%d];" % (name, channels, side, side))

    def over(self, channels, side, body):
        self.lines.append("""
	for (int k = 0; k < %d; k++)
		for (int y = 0; y < %d; y++)
			for (int x = 0; x < %d; x++) {
%s
			}""" % (channels, side, side, body))

    def convolution(self, source, of, result, to, side, size, stride):
        """RESULT[to][side][side] from SOURCE[of][stride * side][stride * side], padded."""
        name = self.weights(to, of, size)
        at = ["%s * %d + %s - %d" % (i, stride, j, size // 2) if size > 1 else "%s * %d + %s" % (i, stride, j)
              for i, j in (("y", "r"), ("x", "s"))]
        inside = " && ".join("%s >= 0 && %s < %d" % (a, a, side * stride) for a in at)
        self.over(to, side, """				%s[k][y][x] = 0;
				for (int c = 0; c < %d; c++)
					for (int r = 0; r < %d; r++)
						for (int s = 0; s < %d; s++)
							if (%s)
								%s[k][y][x] += %s[c][%s][%s] * %s[k][c][r][s];
				%s[k][y][x] = %s[k][y][x] > 0 ? %s[k][y][x] / 2 : 0;"""
                  % (result, of, size, size, inside, result, source, at[0], at[1], name,
                     result, result, result))

    def addition(self, left, right, result, channels, side):
        self.over(channels, side, "				%s[k][y][x] = (int16_t)(%s[k][y][x] + %s[k][y][x]);"
                  % (result, left, right))

    def text(self, side):
        return """#include <stdint.h>

void network(const int16_t IMAGE[3][%d][%d], %s,
	int32_t MEAN[1])
{
%s
}
""" % (side, side, ",\n\t".join(self.parameters), "\n".join(self.lines))


def network(layers, side):
    net = Network()
    first_side, channels, block = side, 8, 0
    net.local("T0", channels, side)
    net.convolution("IMAGE", 3, "T0", channels, side, 3, 1)
    source, of = "T0", channels
    while net.count < layers:
        block += 1
        stride = 2 if block % 4 == 0 and side > 8 else 1
        side //= stride
        to = of * stride
        names = ["%s%d" % (letter, block) for letter in "ABCST"]
        for name, wide in zip(names, (of, of, to, to, to)):
            if name[0] != "S" or stride > 1:
                net.local(name, wide, side)
        net.convolution(source, of, names[0], of, side, 1, stride)
        net.convolution(names[0], of, names[1], of, side, 3, 1)
        net.convolution(names[1], of, names[2], to, side, 1, 1)
        around = source
        if stride > 1:
            net.convolution(source, of, names[3], to, side, 1, stride)
            around = names[3]
        net.addition(names[2], around, names[4], to, side)
        source, of = names[4], to
    net.lines.append("""
	MEAN[0] = 0;
	for (int k = 0; k < %d; k++)
		for (int y = 0; y < %d; y++)
			for (int x = 0; x < %d; x++)
				MEAN[0] += %s[k][y][x];""" % (of, side, side, source))
    return net.text(first_side)


if __name__ == "__main__":
    print(network(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 56))
