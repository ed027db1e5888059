#!/usr/bin/env python3
"""whole_network.py resnet18|mobilenet [SIDE]: a whole network as one function, on images of SIDE rows (224): the convolutions, poolings and
sums of ResNet-18, or the pairs of depthwise and pointwise convolutions of MobileNet, and the mean of each channel in the end."""

import sys


class Network:
    def __init__(self, side):
        self.parameters = ["const int16_t X[3][%d][%d]" % (side, side)]
        self.locals, self.lines = [], []
        self.last = ("X", 3, side)

    def layer(self, channels, side):
        """An array for a new layer, whose rows are SIDE; begins its loops."""
        name = "A%d" % len(self.locals)
        self.locals.append("int16_t %s[%d][%d][%d];" % (name, channels, side, side))
        self.lines += ["for (int k = 0; k < %d; k++)" % channels, "for (int y = 0; y < %d; y++)" % side,
                       "for (int x = 0; x < %d; x++) {" % side]
        self.last = (name, channels, side)
        return name

    def windows(self, size, stride, padding, side):
        """Loops over a window of SIZE x SIZE where it is inside SIDE rows, and the subscripts of its elements."""
        row, column = ("%d * %s" % (stride, i) if stride > 1 else i for i in "yx")
        if size == 1:
            return "%s][%s" % (row, column)
        self.lines += ["for (int r = 0; r < %d; r++)" % size, "for (int s = 0; s < %d; s++)" % size]
        if padding:
            self.lines.append("if (%s)" % " && ".join(
                "%s + %s >= %d && %s + %s < %d" % (i, w, padding, i, w, side + padding) for i, w in ((row, "r"), (column, "s"))))
        back = " - %d" % padding if padding else ""
        return "%s + r%s][%s + s%s" % (row, back, column, back)

    def convolution(self, channels, size, stride, padding, source=None, is_rectified=True, is_depthwise=False):
        of, inputs, side = source or self.last
        to = self.layer(channels, (side + 2 * padding - size) // stride + 1)
        weights = to.replace("A", "W")
        self.parameters.append("const int16_t %s[%d]%s[%d][%d]" % (weights, channels, "" if is_depthwise else "[%d]" % inputs, size, size))
        self.lines.append("%s[k][y][x] = 0;" % to)
        if not is_depthwise:
            self.lines.append("for (int c = 0; c < %d; c++)" % inputs)
        element = self.windows(size, stride, padding, side)
        self.lines.append("%s[k][y][x] += %s[%s][%s] * %s[k]%s[%s];" % (to, of, "k" if is_depthwise else "c", element, weights,
                          "" if is_depthwise else "[c]", "r][s" if size > 1 else "0][0"))
        if is_rectified:
            self.lines.append("{0}[k][y][x] = {0}[k][y][x] > 0 ? {0}[k][y][x] >> 6 : 0;".format(to))
        self.lines.append("}")

    def pooling(self, size, stride, padding):
        of, channels, side = self.last
        to = self.layer(channels, (side + 2 * padding - size) // stride + 1)
        self.lines.append("%s[k][y][x] = -32768;" % to)
        element = "%s[k][%s]" % (of, self.windows(size, stride, padding, side))
        self.lines += ["{0}[k][y][x] = {0}[k][y][x] > {1} ? {0}[k][y][x] : {1};".format(to, element), "}"]

    def sum(self, one, other):
        to = self.layer(*one[1:])
        total = "%s[k][y][x] + %s[k][y][x]" % (one[0], other[0])
        self.lines += ["%s[k][y][x] = %s > 0 ? %s : 0;" % (to, total, total), "}"]

    def text(self):
        of, channels, side = self.last
        lines = self.lines + ["for (int k = 0; k < %d; k++) {" % channels, "Y[k] = 0;", "for (int y = 0; y < %d; y++)" % side,
                              "for (int x = 0; x < %d; x++)" % side, "Y[k] += %s[k][y][x];" % of, "}"]
        return "#include <stdint.h>\nvoid net(%s)\n{\n%s\n}\n" % (
            ", ".join(self.parameters + ["int32_t Y[%d]" % channels]), "\n".join(self.locals + lines))


def resnet18(side):
    net = Network(side)
    net.convolution(64, 7, 2, 3)
    net.pooling(3, 2, 1)
    for channels, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        shortcut = net.last
        net.convolution(channels, 3, stride, 1)
        net.convolution(channels, 3, 1, 1, is_rectified=False)
        result = net.last
        if stride > 1:
            net.convolution(channels, 1, stride, 0, shortcut, is_rectified=False)
            shortcut = net.last
        net.sum(result, shortcut)
    return net


def mobilenet(side):
    net = Network(side)
    net.convolution(32, 3, 2, 1)
    for channels, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)) + ((512, 1),) * 5 + ((1024, 2), (1024, 1)):
        net.convolution(net.last[1], 3, stride, 1, is_depthwise=True)
        net.convolution(channels, 1, 1, 0)
    return net


if __name__ == "__main__":
    make = {"resnet18": resnet18, "mobilenet": mobilenet}[sys.argv[1]]
    print(make(int(sys.argv[2]) if len(sys.argv) > 2 else 224).text(), end="")
