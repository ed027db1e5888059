"""Trains a small network and writes it in ONNX's format, quantized, with a test vector.

    train.py DIRECTORY

Images of 12 x 12 points show stripes of four kinds, with noise.  The filters of the convolution are random; the
fully connected layer is trained on what they make of the images (a perceptron, its weights averaged over time).
All values are integers and all scales powers of two, so that the answer is worked out here without rounding errors.
"""

import os
import random
import struct
import sys

from model import FLOAT, INT8, INT32, UINT8, model, node, tensor, value

SIDE, MAPS, CLASSES, TRAINING, ROUNDS = 12, 8, 4, 240, 40
CONV, POOL = SIDE - 2, (SIDE - 2) // 2
INPUT_SCALE, FILTER_SCALE, MAP_SCALE, WEIGHT_SCALE = 1 / 256, 1 / 64, 1 / 16, 1 / 64

generator = random.Random(2025)


def image(kind):
    """Stripes across, upright, and along both diagonals."""
    period, phase = generator.choice([4, 5, 6]), generator.randrange(6)
    points = []
    for y in range(SIDE):
        for x in range(SIDE):
            along = [y, x, x + y, x - y][kind] + phase
            ink = 200 if along % period * 2 < period else 40
            points.append(max(0, min(255, ink + generator.randrange(-40, 41))))
    return points


def quantized(number, low=-128, high=127):
    return max(low, min(high, round(number)))      # of two the even one


def maps_of(points, filters, bias):
    """Convolution, Relu and pooling, as integers."""
    factor = INPUT_SCALE * FILTER_SCALE / MAP_SCALE
    pooled = []
    for k in range(MAPS):
        rows = []
        for y in range(CONV):
            for x in range(CONV):
                total = bias[k] + sum(points[(y + r) * SIDE + x + s] * filters[k * 9 + r * 3 + s]
                                      for r in range(3) for s in range(3))
                rows.append(quantized(max(total * factor, 0.0), 0))
        pooled += [max(rows[(2 * y + r) * CONV + 2 * x + s] for r in range(2) for s in range(2))
                   for y in range(POOL) for x in range(POOL)]
    return pooled


def train(features, kinds):
    size = len(features[0])
    weights, total = [[0.0] * size for _ in range(CLASSES)], [[0.0] * size for _ in range(CLASSES)]
    for _ in range(ROUNDS):
        for feature, kind in zip(features, kinds):
            scores = [sum(w * f for w, f in zip(row, feature)) for row in weights]
            best = scores.index(max(scores))
            if best != kind:
                for c, sign in ((kind, 1), (best, -1)):
                    weights[c] = [w + sign * f for w, f in zip(weights[c], feature)]
        for c in range(CLASSES):
            total[c] = [t + w for t, w in zip(total[c], weights[c])]
    peak = max(abs(t) for row in total for t in row) or 1.0
    return [[quantized(t * 127 / peak) for t in row] for row in total]


def write(directory, filters, bias, weights, points):
    size = MAPS * POOL * POOL
    pooled = maps_of(points, filters, bias)
    sums = [sum(w * f for w, f in zip(row, pooled)) for row in weights]
    score_scale = 1.0
    while max(abs(s) for s in sums) * MAP_SCALE * WEIGHT_SCALE / score_scale > 100:
        score_scale *= 2
    scores = [quantized(s * MAP_SCALE * WEIGHT_SCALE / score_scale) for s in sums]
    scales = {"si": INPUT_SCALE, "sf": FILTER_SCALE, "sm": MAP_SCALE, "sw": WEIGHT_SCALE, "so": score_scale,
              "sb": INPUT_SCALE * FILTER_SCALE}
    nodes = [node("DequantizeLinear", ["image", "si", "unsigned"], ["image_real"], "image_dq"),
             node("DequantizeLinear", ["filters", "sf", "zero"], ["filters_real"], "filters_dq"),
             node("DequantizeLinear", ["bias", "sb"], ["bias_real"], "bias_dq"),
             node("Conv", ["image_real", "filters_real", "bias_real"], ["sums"], "conv", kernel_shape=[3, 3]),
             node("Relu", ["sums"], ["positive"], "relu"),
             node("QuantizeLinear", ["positive", "sm", "zero"], ["maps"], "maps_q"),
             node("DequantizeLinear", ["maps", "sm", "zero"], ["maps_real"], "maps_dq"),
             node("MaxPool", ["maps_real"], ["pooled"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
             node("Flatten", ["pooled"], ["flat"], "flatten"),
             node("DequantizeLinear", ["weights", "sw", "zero"], ["weights_real"], "weights_dq"),
             node("Gemm", ["flat", "weights_real"], ["scores_real"], "classify", transB=1),
             node("QuantizeLinear", ["scores_real", "so", "zero"], ["scores"], "scores_q")]
    initializers = [tensor("filters", [MAPS, 1, 3, 3], INT8, filters), tensor("bias", [MAPS], INT32, bias),
                    tensor("weights", [CLASSES, size], INT8, sum(weights, [])), tensor("zero", [], INT8, [0]),
                    tensor("unsigned", [], UINT8, [0])] + [tensor(n, [], FLOAT, [s]) for n, s in scales.items()]
    vector = os.path.join(directory, "test_data_set_0")
    os.makedirs(vector, exist_ok=True)
    for name, data in (
            ("model.onnx", model(nodes, [value("image", UINT8, [1, 1, SIDE, SIDE])],
                                 [value("scores", INT8, [1, CLASSES])], initializers)),
            ("test_data_set_0/input_0.pb", tensor("image", [1, 1, SIDE, SIDE], UINT8, points)),
            ("test_data_set_0/output_0.pb", tensor("scores", [1, CLASSES], INT8, struct.pack(f"{CLASSES}b", *scores)))):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)


def main():
    filters = [generator.randrange(-50, 51) for _ in range(MAPS * 9)]
    bias = [-128 * sum(filters[9 * k:9 * k + 9]) for k in range(MAPS)]
    kinds = [generator.randrange(CLASSES) for _ in range(TRAINING)]
    features = [maps_of(image(kind), filters, bias) for kind in kinds]
    weights = train(features, kinds)
    right = tests = 0
    for kind in list(range(CLASSES)) * 5:
        points = image(kind)
        feature = maps_of(points, filters, bias)
        scores = [sum(w * f for w, f in zip(row, feature)) for row in weights]
        right += scores.index(max(scores)) == kind
        tests += 1
    write(sys.argv[1], filters, bias, weights, points)
    print(f"{right} of {tests} images of a test are recognized")


main()
