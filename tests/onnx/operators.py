"""Writes random models of one operator each, with inputs and the outputs that ONNX's definition gives, worked out
here element by element.

    operators.py DIRECTORY COUNT SEED

DIRECTORY/node/NAME/model.onnx, and test_data_set_0 beside it: as published models are laid out, for walk.py.
"""

import itertools
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/onnx"))
from model import FLOAT, INT32, INT64, INT8, UINT8, model, node, tensor, value


class Tensor:
    def __init__(self, shape, kind=FLOAT, data=None):
        self.shape, self.kind = list(shape), kind
        self.data = data if data is not None else [0] * math.prod(shape)

    def at(self, place):
        return self.data[self.offset(place)]

    def offset(self, place):
        offset = 0
        for size, p in zip(self.shape, place):
            assert 0 <= p < size
            offset = offset * size + p
        return offset

    def places(self):
        return itertools.product(*[range(s) for s in self.shape])


def made(shape, element, kind=FLOAT):
    result = Tensor(shape, kind)
    result.data = [element(place) for place in result.places()]
    return result


def given(generator, shape, kind=FLOAT):
    low, high = (0, 255) if kind == UINT8 else (-128, 127) if kind == INT8 else (-5, 5)
    return Tensor(shape, kind, [generator.randint(low, high) for _ in range(math.prod(shape))])


class Window:
    """Attributes of a window, and the size of what it makes."""

    def __init__(self, generator, sizes, pads_within_kernel=False, ceil=False):
        rank = len(sizes)
        self.kernel = [generator.randint(1, min(3, s)) for s in sizes]
        self.stride = [generator.randint(1, 3) for _ in sizes]
        self.dilation = [generator.randint(1, 2) if (k - 1) * 2 < s else 1 for k, s in zip(self.kernel, sizes)]
        self.before, self.after = [0] * rank, [0] * rank
        self.attributes = {"kernel_shape": self.kernel, "strides": self.stride}
        if max(self.dilation) > 1:
            self.attributes["dilations"] = self.dilation
        kind = generator.choice(["none", "pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"])
        span = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation)]
        if kind == "pads":
            most = [s - 1 if pads_within_kernel else 2 for s in (self.kernel if pads_within_kernel else span)]
            self.before = [generator.randint(0, m) for m in most]
            self.after = [generator.randint(0, m) for m in most]
            self.attributes["pads"] = self.before + self.after
        elif kind != "none":
            self.attributes["auto_pad"] = kind
        if kind.startswith("SAME"):
            for d in range(rank):
                out = -(-sizes[d] // self.stride[d])
                total = max(0, (out - 1) * self.stride[d] + span[d] - sizes[d])
                self.before[d] = total // 2 if kind == "SAME_UPPER" else total - total // 2
                self.after[d] = total - self.before[d]
        rooms = [sizes[d] + self.before[d] + self.after[d] - span[d] for d in range(rank)]
        self.out = [r // s + 1 for r, s in zip(rooms, self.stride)]
        if ceil and kind in ("none", "pads") and generator.random() < 0.5:
            self.attributes["ceil_mode"] = 1
            for d in range(rank):
                # One more, unless it would begin in the border at the end.
                if rooms[d] % self.stride[d] and self.out[d] * self.stride[d] < sizes[d] + self.before[d]:
                    self.out[d] += 1

    def taps(self, place):
        """The taps at a place of the result: their numbers, and the element of the input (it may be outside)."""
        for tap in itertools.product(*[range(k) for k in self.kernel]):
            yield tap, [p * s + t * d - b for p, s, t, d, b in
                        zip(place, self.stride, tap, self.dilation, self.before)]


def is_inside(place, shape):
    return all(0 <= p < s for p, s in zip(place, shape))


def convolution(g):
    rank, groups = g.randint(1, 3), g.randint(1, 3)
    sizes = [g.randint(3, 7 if rank < 3 else 4) for _ in range(rank)]
    of_group, maps = g.randint(1, 3), groups * g.randint(1, 2)
    window = Window(g, sizes)
    x = given(g, [g.randint(1, 2), of_group * groups] + sizes)
    w = given(g, [maps, of_group] + window.kernel)
    bias = given(g, [maps]) if g.random() < 0.5 else None

    def element(place):
        n, k = place[:2]
        total = bias.data[k] if bias else 0
        for tap, at in window.taps(place[2:]):
            if is_inside(at, sizes):
                for c in range(of_group):
                    total += x.at([n, k // (maps // groups) * of_group + c] + at) * w.at([k, c] + list(tap))
        return total
    y = made([x.shape[0], maps] + window.out, element)
    return "Conv", [x, w] + [bias] * bool(bias), [y], dict(window.attributes, group=groups)


def convolution_transposed(g):
    rank, groups = g.randint(1, 2), g.randint(1, 2)
    sizes = [g.randint(1, 4) for _ in range(rank)]
    kernel = [g.randint(1, 3) for _ in range(rank)]
    stride, dilation = [g.randint(1, 3) for _ in range(rank)], [g.randint(1, 2) for _ in range(rank)]
    extra = [g.randint(0, max(s, d) - 1) for s, d in zip(stride, dilation)]
    before = [g.randint(0, (k - 1) * d) for k, d in zip(kernel, dilation)]
    after = [g.randint(0, (k - 1) * d) for k, d in zip(kernel, dilation)]
    out = [s * (i - 1) + e + (k - 1) * d + 1 - b - a
           for s, i, e, k, d, b, a in zip(stride, sizes, extra, kernel, dilation, before, after)]
    if min(out) < 1:
        return None
    of_group, maps = g.randint(1, 2), g.randint(1, 2)
    x, w = given(g, [1, of_group * groups] + sizes), given(g, [of_group * groups, maps] + kernel)
    y = Tensor([1, maps * groups] + out)
    for c in range(of_group * groups):
        for at in itertools.product(*[range(s) for s in sizes]):
            for tap in itertools.product(*[range(k) for k in kernel]):
                place = [p * s + t * d - b for p, s, t, d, b in zip(at, stride, tap, dilation, before)]
                for k in range(maps):
                    if is_inside(place, out):
                        y.data[y.offset([0, c // of_group * maps + k] + place)] += \
                            x.at([0, c] + list(at)) * w.at([c, k] + list(tap))
    return "ConvTranspose", [x, w], [y], {"strides": stride, "dilations": dilation, "pads": before + after, "group": groups,
                                          "output_padding": extra, "kernel_shape": kernel}


def pooling(g):
    rank = g.randint(1, 3)
    sizes = [g.randint(3, 7 if rank < 3 else 4) for _ in range(rank)]
    window = Window(g, sizes, pads_within_kernel=True, ceil=True)
    x = given(g, [1, 2] + sizes)
    is_average, with_border = g.random() < 0.6, g.random() < 0.5
    attributes = dict(window.attributes)
    if is_average:
        if max(window.dilation) > 1:
            return None              # not before operator set 19
        attributes["count_include_pad"] = int(with_border)
    if max(window.dilation) > 1 and "auto_pad" in attributes:
        return None                  # implementations differ

    def element(place):
        inside = [x.at(list(place[:2]) + at) for _, at in window.taps(place[2:]) if is_inside(at, sizes)]
        if not is_average:
            return max(inside)
        # What is beyond the border at the end, where a size was rounded up, never counts.
        count = sum(all(-b <= p < s + a for p, b, a, s in zip(at, window.before, window.after, sizes))
                    for _, at in window.taps(place[2:])) if with_border else len(inside)
        return sum(inside) / count
    try:
        y = made([1, 2] + window.out, element)
    except (ValueError, ZeroDivisionError):
        return None                  # a window in the border alone
    return "AveragePool" if is_average else "MaxPool", [x], [y], attributes


def gemm(g):
    m, k, n = (g.randint(1, 5) for _ in range(3))
    a_turned, b_turned = g.randint(0, 1), g.randint(0, 1)
    a, b = given(g, [k, m] if a_turned else [m, k]), given(g, [n, k] if b_turned else [k, n])
    c = given(g, g.choice([[m, n], [n], [1, n], [m, 1], [1], []])) if g.random() < 0.8 else None
    alpha, beta = g.choice([1.0, 0.5, -2.0]), g.choice([1.0, 0.25, 3.0])

    def element(place):
        i, j = place
        total = alpha * sum(a.at([l, i] if a_turned else [i, l]) * b.at([j, l] if b_turned else [l, j]) for l in range(k))
        if c:
            full = [i, j][2 - len(c.shape):]
            total += beta * c.at([0 if s == 1 else p for s, p in zip(c.shape, full)])
        return total
    return "Gemm", [a, b] + [c] * (c is not None), [made([m, n], element)], \
        {"transA": a_turned, "transB": b_turned, "alpha": alpha, "beta": beta}


def broadcast(shape, place):
    return [0 if s == 1 else p for s, p in zip(shape, place[len(place) - len(shape):])]


def product(g):
    batch = [g.randint(1, 3) for _ in range(g.randint(0, 2))]
    m, k, n = (g.randint(1, 4) for _ in range(3))

    def part_of(shape):
        kept = [g.choice([1, s]) for s in shape]
        return kept[g.randint(0, len(kept)):]
    a_batch, b_batch = part_of(batch), part_of(batch)
    a, b = given(g, a_batch + [m, k]), given(g, b_batch + [k, n])
    if not a_batch and g.random() < 0.2:
        a = given(g, [k])
    elif not b_batch and g.random() < 0.2:
        b = given(g, [k])
    rank = max(len(a_batch), len(b_batch))
    shape = [max((s[len(s) - rank + d] if len(s) - rank + d >= 0 else 1) for s in (a_batch, b_batch)) for d in range(rank)]
    rows, columns = [m] * (len(a.shape) > 1), [n] * (len(b.shape) > 1)

    def element(place):
        outer, inner = list(place[:rank]), list(place[rank:])
        i, j = inner[:len(rows)], inner[len(rows):]
        return sum(a.at(broadcast(a_batch, outer) + i + [l]) * b.at(broadcast(b_batch, outer) + [l] + j) for l in range(k))
    return "MatMul", [a, b], [made(shape + rows + columns, element)], {}


def slices(g):
    shape = [g.randint(1, 6) for _ in range(g.randint(1, 3))]
    x = given(g, shape)
    axes = g.sample(range(len(shape)), g.randint(1, len(shape)))
    starts = [g.randint(-shape[a] - 2, shape[a] + 1) for a in axes]
    ends = [g.choice([g.randint(-shape[a] - 2, shape[a] + 2), -(1 << 40), 1 << 40]) for a in axes]
    steps = [g.choice([-3, -2, -1, 1, 2, 3]) for _ in axes]
    taken = [list(range(s)) for s in shape]
    for axis, start, end, step in zip(axes, starts, ends, steps):
        taken[axis] = list(range(shape[axis]))[start:end:step]
        # As Python does, but that an end before the beginning is one place before it, not the last.
        if step < 0 and end < -shape[axis]:
            taken[axis] = list(range(shape[axis]))[start::step]
    if not all(taken):
        return None
    y = made([len(t) for t in taken], lambda place: x.at([t[p] for t, p in zip(taken, place)]))
    lists = [Tensor([len(axes)], INT64, l) for l in (starts, ends, [a - g.choice([0, len(shape)]) for a in axes], steps)]
    return "Slice", [x] + lists, [y], {}


def gathers(g):
    shape = [g.randint(1, 6) for _ in range(g.randint(1, 3))]
    axis = g.randrange(len(shape))
    x, picked = given(g, shape), [g.randint(1, 4) for _ in range(g.randint(0, 2))]
    indices = Tensor(picked, INT64, [g.randint(-shape[axis], shape[axis] - 1) for _ in range(math.prod(picked))])

    def element(place):
        index = indices.at(place[axis:axis + len(picked)]) % shape[axis]
        return x.at(list(place[:axis]) + [index] + list(place[axis + len(picked):]))
    return "Gather", [x, indices], [made(shape[:axis] + picked + shape[axis + 1:], element)], {"axis": axis}


def pads(g):
    shape = [g.randint(2, 5) for _ in range(g.randint(1, 3))]
    mode = g.choice(["constant", "reflect", "edge"])
    least = -1 if mode == "constant" else 0
    before, after = [[g.randint(least, s - 1) for s in shape] for _ in range(2)]
    out = [s + b + a for s, b, a in zip(shape, before, after)]
    x, border = given(g, shape), g.randint(-3, 3)

    def element(place):
        at = [p - b for p, b in zip(place, before)]
        if mode == "constant":
            return x.at(at) if is_inside(at, shape) else border
        if mode == "edge":
            return x.at([min(max(p, 0), s - 1) for p, s in zip(at, shape)])
        return x.at([-p if p < 0 else 2 * (s - 1) - p if p >= s else p for p, s in zip(at, shape)])
    if min(out) < 1:
        return None
    return "Pad", [x, Tensor([2 * len(shape)], INT64, before + after), Tensor([], FLOAT, [border])], [made(out, element)], \
        {"mode": mode}


def resizes(g):
    shape = [1, g.randint(1, 2), g.randint(2, 6), g.randint(2, 6)]
    sizes = shape[:2] + [g.choice([s, 2 * s, 3 * s, g.randint(1, 13)]) for s in shape[2:]]
    transform = g.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    rounding = g.choice(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])

    def source(o, size, out):
        scale = out / size
        if transform == "align_corners":
            at = o * (size - 1) / (out - 1) if out > 1 else 0.0
        elif transform == "asymmetric":
            at = o / scale
        else:
            at = (o + 0.5) / scale - 0.5 if out > 1 or transform == "half_pixel" else 0.0
        near = {"floor": math.floor(at), "ceil": math.ceil(at), "round_prefer_floor": math.ceil(at - 0.5),
                "round_prefer_ceil": math.floor(at + 0.5)}[rounding]
        return min(max(near, 0), size - 1)
    x = given(g, shape)
    y = made(sizes, lambda place: x.at([source(o, s, t) for o, s, t in zip(place, shape, sizes)]))
    return "Resize", [x, None, None, Tensor([4], INT64, sizes)], [y], \
        {"mode": "nearest", "coordinate_transformation_mode": transform, "nearest_mode": rounding}


def reductions(g):
    shape = [g.randint(1, 5) for _ in range(g.randint(1, 4))]
    axes, keeps = g.sample(range(len(shape)), g.randint(1, len(shape))), g.randint(0, 1)
    operator = g.choice(["ReduceMax", "ReduceMin", "ReduceMean", "ReduceL1", "ReduceSumSquare", "ReduceProd"])
    x = given(g, shape)
    functions = {"ReduceMax": max, "ReduceMin": min, "ReduceMean": lambda v: sum(v) / len(v), "ReduceProd": math.prod,
                 "ReduceL1": lambda v: sum(map(abs, v)), "ReduceSumSquare": lambda v: sum(e * e for e in v)}

    def element(place):
        place = list(place)
        if not keeps:
            for axis in sorted(axes):
                place.insert(axis, 0)
        ranges = [range(s) if d in axes else [place[d]] for d, s in enumerate(shape)]
        return functions[operator]([x.at(at) for at in itertools.product(*ranges)])
    out = [1 if d in axes else s for d, s in enumerate(shape) if keeps or d not in axes]
    return operator, [x], [made(out, element)], {"axes": [a - g.choice([0, len(shape)]) for a in axes], "keepdims": keeps}


def integer_convolution(g):
    sizes, of_group, groups = [g.randint(3, 6), g.randint(3, 6)], g.randint(1, 2), g.randint(1, 2)
    window, maps = Window(g, sizes), groups * g.randint(1, 3)
    x_kind, w_kind = g.choice([UINT8, INT8]), g.choice([UINT8, INT8])
    x, w = given(g, [1, of_group * groups] + sizes, x_kind), given(g, [maps, of_group] + window.kernel, w_kind)
    x_zero = given(g, [], x_kind)
    w_zero = given(g, g.choice([[], [maps]]), w_kind)

    def element(place):
        n, k = place[:2]
        zero, total = w_zero.data[k if w_zero.shape else 0], 0
        for tap, at in window.taps(place[2:]):
            if is_inside(at, sizes):
                for c in range(of_group):
                    total += (x.at([n, k // (maps // groups) * of_group + c] + at) - x_zero.data[0]) * \
                        (w.at([k, c] + list(tap)) - zero)
        return total
    y = made([1, maps] + window.out, element, INT32)
    return "ConvInteger", [x, w, x_zero, w_zero], [y], dict(window.attributes, group=groups)


KINDS = [convolution, convolution_transposed, pooling, gemm, product, slices, gathers, pads, resizes, reductions,
         integer_convolution]
# Inputs that loops need as numbers; others are inputs or constants by chance.
SIZES = {"Slice": [1, 2, 3, 4], "Gather": [1], "Pad": [1, 2], "Resize": [3]}


def write_model(directory, generator, case):
    operator, inputs, outputs, attributes = case
    names, declared, constants, vectors = [], [], [], []
    for number, x in enumerate(inputs):
        name = f"in{number}" if x else ""
        names.append(name)
        if not x:
            continue
        values = [float(v) for v in x.data] if x.kind == FLOAT else x.data
        if number in SIZES.get(operator, []) or (number and generator.random() < 0.5):
            constants.append(tensor(name, x.shape, x.kind, values))
        else:
            declared.append(value(name, x.kind, x.shape))
            vectors.append(("input", tensor(name, x.shape, x.kind, values)))
    results = [value(f"out{n}", y.kind, y.shape) for n, y in enumerate(outputs)]
    for n, y in enumerate(outputs):
        values = [float(v) for v in y.data] if y.kind == FLOAT else y.data
        vectors.append(("output", tensor(f"out{n}", y.shape, y.kind, values)))
    os.makedirs(f"{directory}/test_data_set_0")
    with open(f"{directory}/model.onnx", "wb") as file:
        file.write(model([node(operator, names, [f"out{n}" for n in range(len(outputs))], **attributes)], declared,
                         results, constants, opset=13))
    counts = {"input": 0, "output": 0}
    for what, data in vectors:
        with open(f"{directory}/test_data_set_0/{what}_{counts[what]}.pb", "wb") as file:
            file.write(data)
        counts[what] += 1


def main():
    directory, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    generator = random.Random(seed)
    written = 0
    while written < count:
        case = KINDS[written % len(KINDS)](generator)
        if case:
            write_model(f"{directory}/node/random_{seed}_{written}_{case[0]}", generator, case)
            written += 1


main()
