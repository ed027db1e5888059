"""What loopc-onnx refuses, and small networks with an answer worked out here.

    checks.py LOOPC-ONNX LOOPC CC RUNTIME

Prints TAP.
"""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/onnx"))
from model import FLOAT, INT8, INT32, INT64, UINT8, integer, model, node, part, tensor, value

importer, loopc, cc, runtime = sys.argv[1:5]
count = 0


def result(good, name, detail=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print("# " + detail.replace("\n", "\n# "))


def run(data, *options, name="net"):
    with open(f"{name}.onnx", "wb") as file:
        file.write(data)
    return subprocess.run([importer, f"{name}.onnx", "-o", "out"] + list(options), capture_output=True, text=True,
                          timeout=60)


def refused(name, data, *texts, options=()):
    """Status 1, one error with all TEXTS, and nothing written."""
    done = run(data, *options)
    good = (done.returncode == 1 and done.stderr.startswith("loopc-onnx: error: net.onnx: ") and
            done.stderr.count("error:") == 1 and all(t in done.stderr for t in texts) and not os.path.exists("out"))
    result(good, name, f"status {done.returncode}: {done.stderr}")


def answers(name, data, given, expected, options=(), has=(), hasnt=()):
    """Imported, run on the checked port, the bytes EXPECTED come out; the loops have some texts."""
    done = run(data, *options)
    if done.returncode:
        result(False, name, done.stderr)
        return
    loops = open("out/network.loop").read()
    with open("in.bin", "wb") as file:
        file.write(given)
    made = subprocess.run(["make", "-s", "-C", "out", f"LOOPC={loopc}", f"CC={cc}", f"RUNTIME={runtime}", "CFLAGS=-O0",
                           "run", "INPUT=../in.bin", "OUTPUT=../out.bin"], capture_output=True, text=True, timeout=600)
    actual = open("out.bin", "rb").read() if os.path.exists("out.bin") else b""
    missing = [h for h in has if h not in loops] + [h for h in hasnt if h in loops]
    result(made.returncode == 0 and actual == expected and not missing, name,
           f"{made.stderr}\nexpected {list(expected)[:40]}\ngot {list(actual)[:40]}\ntexts {missing}\n{loops[:3000]}")
    subprocess.run(["rm", "-rf", "out", "out.bin"], check=True)


X = value("x", FLOAT, [1, 2, 4, 4])
Y = value("y", FLOAT, [1, 2, 4, 4])
RELU = node("Relu", ["x"], ["y"], "r")


def files():
    good = model([RELU], [X], [Y])
    refused("an empty file", b"", "no graph")
    refused("text", b"this is not a model", "damaged")
    cut = 0
    for end in range(1, len(good)):
        done = run(good[:end])
        cut += done.returncode == 1 and done.stderr.count("\n") == 1 and not os.path.exists("out")
        subprocess.run(["rm", "-rf", "out"], check=True)
    # Without its last fields, the operator set, a model is whole but for that.
    result(cut == len(good) - 1, "every beginning of a model", f"{cut} of {len(good) - 1}")
    deep = b""
    for _ in range(3000):
        deep = part(1, part(5, part(6, deep)))
    refused("messages in messages", integer(1, 8) + part(7, deep), "deep")
    refused("a cycle", model([node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"]), node("Add", ["x", "b"], ["y"])],
                             [X], [Y]), "cycle")
    refused("an input that nothing makes", model([node("Relu", ["q"], ["y"], "r")], [X], [Y]), "'q'", "nothing makes")
    refused("a value made twice", model([RELU, node("Exp", ["x"], ["y"], "e")], [X], [Y]), "made twice")
    refused("a negative dimension", model([RELU], [value("x", FLOAT, [-3])], [Y]), "-3")
    refused("a huge input", model([RELU], [value("x", FLOAT, [1 << 40])], [Y]), "elements")
    refused("dimensions whose product overflows", model([RELU], [value("x", FLOAT, [1 << 31] * 4)], [Y]), "elements")
    refused("a huge constant", model([node("Add", ["x", "c"], ["y"])], [X], [Y],
                                     [tensor("c", [1 << 30, 1 << 30], FLOAT, b"")]), "elements")
    refused("a constant of another size", model([node("Add", ["x", "c"], ["y"])], [X], [Y],
                                                [tensor("c", [3], FLOAT, [1.0])]), "4 bytes", "12")
    shape = tensor("s", [2], INT64, [1 << 40, 1 << 40])
    refused("a huge result", model([node("ConstantOfShape", ["s"], ["c"]), node("Add", ["x", "c"], ["y"])], [X], [Y],
                                   [shape]), "elements")
    refused("a later operator set", model([RELU], [X], [Y], opset=99), "99", "18")
    for where in ("../secret.bin", "/etc/passwd", "sub/../../secret.bin", "link.bin"):
        with open("../secret.bin", "wb") as file:
            file.write(bytes(8))
        if not os.path.islink("link.bin"):
            os.symlink("../secret.bin", "link.bin")
        refused(f"external data in {where}", model([node("Add", ["x", "c"], ["y"])], [X], [Y], [
            tensor("c", [2], FLOAT, None, [("location", where)])]), "director")
    os.remove("../secret.bin")


def nodes():
    refused("all that is not supported, in one message",
            model([node("LSTM", ["x"], ["a"], "first"), node("Relu", ["a"], ["b"]), node("NonZero", ["b"], ["c"], "second"),
                   node("Conv", ["c", "x"], ["d"]), node("Frobnicate", ["d"], ["y"], "third", domain="my.own")], [X], [Y]),
            "3 of 5", "first (LSTM)", "MatMul, Sigmoid", "second (NonZero)", "third (my.own.Frobnicate)")
    refused("shapes that do not go together", model([node("Conv", ["x", "w"], ["y"], "c")], [X], [Y], [
        tensor("w", [1, 3, 1, 1], FLOAT, [0.0] * 3)]), "c (Conv)", "1x3x1x1", "1x2x4x4")
    w = tensor("w", [3, 2, 1, 1], INT8, [1] * 6)
    for name, inputs, constants in (
            ("ConvInteger", ["x", "w", "", "z"], [tensor("z", [2], INT8, [0, 1])]),
            ("QLinearConv", ["x", "s", "u", "w", "s", "u", "s", "u", "b"],
             [tensor("s", [], FLOAT, [1.0]), tensor("u", [], INT8, [0]), tensor("b", [4], INT32, [0] * 4)])):
        refused(f"{name} with parameters for another number of maps", model(
            [node(name, inputs, ["y"], "c")], [value("x", INT8, [1, 2, 4, 4])], [value("y", INT32, [1, 3, 4, 4])],
            [w] + constants), f"c ({name})", "3 numbers")
    refused("a bias for another number of maps", model([node("ConvTranspose", ["x", "w", "b"], ["y"], "c")], [X], [Y], [
        tensor("w", [2, 1, 1, 1], FLOAT, [0.0] * 2), tensor("b", [2], FLOAT, [0.0] * 2)]), "c (ConvTranspose)", "a bias")
    refused("a size that depends on data", model([node("Reshape", ["x", "s"], ["y"], "r")], [X, value("s", INT64, [2])],
                                                 [Y]), "r (Reshape)", "--constant")
    batch = model([RELU], [value("x", FLOAT, ["N", 3])], [value("y", FLOAT, ["N", 3])])
    refused("a symbolic size without -D", batch, "-D 'N=1'")
    refused("a -D of something else", batch, "M", options=["-D", "N=2", "-D", "M=3"])
    answers("a symbolic size", batch, struct.pack("<6f", 1, -1, 2, -2, 3, -3), struct.pack("<6f", 1, 0, 2, 0, 3, 0),
            options=["-D", "N=2"])
    for text in ("N", "N=", "N=0", "N=-4", "N=99999999999", "=3"):
        done = run(batch, "-D", text)
        result(done.returncode == 2 and "-D" in done.stderr and not os.path.exists("out"), f"-D {text}", done.stderr)


def long_chains():
    """Many operators in a row: no nest grows without end, and neither does the time."""
    number = 4000
    for name, operator in (("Relu", "Relu"), ("LeakyRelu", "LeakyRelu")):
        names = ["x"] + [f"v{n}" for n in range(number - 1)] + ["y"]
        done = run(model([node(operator, [names[n]], [names[n + 1]]) for n in range(number)], [X], [Y]))
        result(done.returncode == 0, f"{number} times {name}", done.stderr)
        subprocess.run(["rm", "-rf", "out"], check=True)


def folding():
    """Pad, Dropout, a bias and a normalization become part of the convolution."""
    weights = [1.0, 2.0, -1.0, 0.5]
    data = model([node("Pad", ["x", "pads"], ["a"]), node("Conv", ["a", "w"], ["b"], "conv"),
                  node("BatchNormalization", ["b", "s", "t", "m", "v"], ["c"], epsilon=0.0),
                  node("Dropout", ["c"], ["d"]), node("Relu", ["d"], ["y"])],
                 [value("x", FLOAT, [1, 1, 2])], [value("y", FLOAT, [1, 2, 4])],
                 [tensor("pads", [6], INT64, [0, 0, 1, 0, 0, 2]), tensor("w", [2, 1, 2], FLOAT, weights),
                  tensor("s", [2], FLOAT, [2.0, 1.0]), tensor("t", [2], FLOAT, [1.0, 0.0]),
                  tensor("m", [2], FLOAT, [3.0, 0.5]), tensor("v", [2], FLOAT, [4.0, 1.0])])
    x = [0.0, 1.0, 2.0, 0.0, 0.0]
    y = []
    for k in range(2):
        for i in range(4):
            total = x[i] * weights[2 * k] + x[i + 1] * weights[2 * k + 1]
            total = (total - [3.0, 0.5][k]) / [2.0, 1.0][k] * [2.0, 1.0][k] + [1.0, 0.0][k]
            y.append(max(total, 0.0))
    answers("what exporters put around a convolution is in its loops", data, struct.pack("<2f", 1, 2),
            struct.pack("<8f", *y), hasnt=["float a[", "float b[", "float c[", "float d["])
    answers("views that no loops can follow are joined, or copied",
            model([node("Relu", ["x"], ["a"]), node("Reshape", ["a", "s"], ["b"]), node("Transpose", ["b"], ["c"], perm=[1, 0]),
                   node("Reshape", ["c", "t"], ["d"]), node("Exp", ["z"], ["e"]), node("Add", ["d", "e"], ["y"])],
                  [value("x", FLOAT, [4, 6]), value("z", FLOAT, [12, 2])], [value("y", FLOAT, [12, 2])],
                  [tensor("s", [2], INT64, [3, 8]), tensor("t", [2], INT64, [12, 2])]),
            struct.pack("<48f", *range(24), *([0] * 24)),
            struct.pack("<24f", *[8 * (i % 3) + i // 3 + 1 for i in range(24)]))


def rounded(number):
    """To the nearest integer, of two to the even one: numerator and denominator are exact."""
    return round(number)


def quantized():
    """QDQ around a convolution is integer arithmetic, exact for every element."""
    generator = random.Random(7)
    x = [generator.randrange(256) for _ in range(3 * 5 * 5)]
    w = [generator.randrange(-127, 128) for _ in range(4 * 3 * 3 * 3)]
    bias = [generator.randrange(-2000, 2000) for _ in range(4)]
    sx, sw, sy, zx, zy = 0.5, [0.25, 0.125, 0.5, 1.0], 64.0, 117, -3
    data = model([node("DequantizeLinear", ["x", "sx", "zx"], ["xf"]),
                  node("DequantizeLinear", ["w", "sw", "zw"], ["wf"], axis=0),
                  node("DequantizeLinear", ["b", "sb"], ["bf"], axis=0),
                  node("Conv", ["xf", "wf", "bf"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]), node("Relu", ["c"], ["r"]),
                  node("QuantizeLinear", ["r", "sy", "zy"], ["y"])],
                 [value("x", UINT8, [1, 3, 5, 5])], [value("y", INT8, [1, 4, 3, 3])],
                 [tensor("w", [4, 3, 3, 3], INT8, w), tensor("b", [4], INT32, bias), tensor("sx", [], FLOAT, [sx]),
                  tensor("zx", [], UINT8, [zx]), tensor("sw", [4], FLOAT, sw), tensor("zw", [4], INT8, [0] * 4),
                  tensor("sb", [4], FLOAT, [sx * s for s in sw]), tensor("sy", [], FLOAT, [sy]),
                  tensor("zy", [], INT8, [zy])])
    y = []
    for k in range(4):
        for p in range(3):
            for q in range(3):
                total = bias[k]
                for c in range(3):
                    for r in range(3):
                        for s in range(3):
                            i, j = 2 * p + r - 1, 2 * q + s - 1
                            if 0 <= i < 5 and 0 <= j < 5:
                                total += (x[c * 25 + i * 5 + j] - zx) * w[k * 27 + c * 9 + r * 3 + s]
                real = max(total * sx * sw[k] / sy, 0.0)
                y.append(max(-128, min(127, rounded(real) + zy)))
    answers("QDQ around a convolution and a Relu is of integers", data, bytes(x), struct.pack("<36b", *y),
            hasnt=["float"])


def quantized_others():
    """MaxPool, Reshape, Add and averages between quantized tensors, and a product after them."""
    generator = random.Random(11)
    a = [generator.randrange(256) for _ in range(2 * 4 * 4)]
    b = [generator.randrange(-128, 128) for _ in range(2 * 2 * 2)]
    w = [generator.randrange(-128, 128) for _ in range(2 * 3)]
    sa, za, sb, zb, sc, zc, sd, zd, sw, se = 0.75, 100, 0.3125, -5, 1.5, 4, 0.75, 7, 0.5, 32.0
    scales = [tensor(n, [], FLOAT, [v]) for n, v in
              (("sa", sa), ("sb", sb), ("sc", sc), ("sd", sd), ("sw", sw), ("se", se))]
    data = model([node("DequantizeLinear", ["a", "sa", "za"], ["af"]),
                  node("MaxPool", ["af"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
                  node("DequantizeLinear", ["b", "sb", "zb"], ["bf"]), node("Add", ["p", "bf"], ["c"]),
                  node("QuantizeLinear", ["c", "sc", "zc"], ["cq"]), node("DequantizeLinear", ["cq", "sc", "zc"], ["cf"]),
                  node("GlobalAveragePool", ["cf"], ["g"]), node("QuantizeLinear", ["g", "sd", "zd"], ["gq"]),
                  node("DequantizeLinear", ["gq", "sd", "zd"], ["gf"]), node("Flatten", ["gf"], ["f"]),
                  node("DequantizeLinear", ["w", "sw", "zw"], ["wf"]), node("MatMul", ["f", "wf"], ["e"]),
                  node("QuantizeLinear", ["e", "se", "zw"], ["y"])],
                 [value("a", UINT8, [1, 2, 4, 4]), value("b", INT8, [1, 2, 2, 2])], [value("y", INT8, [1, 3])],
                 scales + [tensor("za", [], UINT8, [za]), tensor("zb", [], INT8, [zb]), tensor("zc", [], INT8, [zc]),
                           tensor("zd", [], INT8, [zd]), tensor("zw", [], INT8, [0]), tensor("w", [2, 3], INT8, w)])
    def clamp(n):
        return max(-128, min(127, n))
    g = []
    for k in range(2):
        total = 0
        for i in range(2):
            for j in range(2):
                top = max(a[k * 16 + (2 * i + r) * 4 + 2 * j + s] for r in range(2) for s in range(2))
                c = clamp(rounded(((top - za) * sa + (b[k * 4 + i * 2 + j] - zb) * sb) / sc) + zc)
                total += c - zc
        g.append(clamp(rounded(total * sc / (sd * 4)) + zd))
    y = [clamp(rounded(sum((g[k] - zd) * w[3 * k + j] for k in range(2)) * sd * sw / se)) for j in range(3)]
    answers("QDQ around other operators is of integers", data, struct.pack("<32B8b", *a, *b), struct.pack("<3b", *y),
            hasnt=["float"])


def single(number):
    """As a float of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def scales_are_exact():
    """Requantization rounds the exact product, for scales that make ties, and near ones, of every kind."""
    for seed in range(3):
        generator = random.Random(seed + 40)

        def scale():
            return single(generator.choice([2.0 ** generator.randrange(-10, 3), generator.uniform(1e-3, 1),
                                            generator.choice([.1, .3, .05, .001, 1 / 3, 1 / 7, 3.0, 5.0, 25.0])]))
        sa, sb, sy, columns = scale(), [scale() for _ in range(24)], scale() * 64, 24
        rows = []
        for factor in [Fraction(sa) * Fraction(s) / Fraction(sy) for s in sb]:
            for _ in range(8):
                near = int(Fraction(2 * generator.randrange(-130, 130) + 1, 2) / factor) + generator.randrange(-2, 3)
                if abs(near) < 113 * 127:
                    rows.append((near // 113, near % 113))
        data = model([node("QLinearMatMul", ["a", "sa", "za", "b", "sb", "zb", "sy", "zy"], ["y"])],
                     [value("a", INT8, [len(rows), 2])], [value("y", INT8, [len(rows), columns])],
                     [tensor("b", [2, columns], INT8, [113] * columns + [1] * columns), tensor("sa", [], FLOAT, [sa]),
                      tensor("za", [], INT8, [0]), tensor("sb", [columns], FLOAT, sb),
                      tensor("zb", [columns], INT8, [0] * columns), tensor("sy", [], FLOAT, [sy]),
                      tensor("zy", [], INT8, [-3])])
        y = [max(-128, min(127, round((113 * p + q) * Fraction(sa) * Fraction(s) / Fraction(sy)) - 3))
             for p, q in rows for s in sb]
        answers(f"exact scales, {seed}", data, b"".join(struct.pack("<2b", *r) for r in rows),
                struct.pack(f"<{len(y)}b", *y), hasnt=["float"])


def quantized_elementwise():
    """Sums, differences and products of all pairs of bytes; what moves elements, and changes their scale."""
    def clamp(number):
        return max(-128, min(127, number))
    a, b = list(range(256)), list(range(-128, 128))
    sa, sb, za, zb, zc = single(0.1), single(0.3), 100, -5, 4
    for operator, sc in (("Add", single(0.2)), ("Sub", 3.0), ("Mul", single(0.7))):
        data = model([node("DequantizeLinear", ["a", "sa", "za"], ["af"]), node("DequantizeLinear", ["b", "sb", "zb"], ["bf"]),
                      node(operator, ["af", "bf"], ["c"]), node("Relu", ["c"], ["r"]),
                      node("QuantizeLinear", ["r", "sc", "zc"], ["y"])],
                     [value("a", UINT8, [256, 1]), value("b", INT8, [256])], [value("y", INT8, [256, 256])],
                     [tensor("sa", [], FLOAT, [sa]), tensor("sb", [], FLOAT, [sb]), tensor("sc", [], FLOAT, [sc]),
                      tensor("za", [], UINT8, [za]), tensor("zb", [], INT8, [zb]), tensor("zc", [], INT8, [zc])])
        def real(p, q):
            p, q = (p - za) * Fraction(sa), (q - zb) * Fraction(sb)
            return max(0, p + q if operator == "Add" else p - q if operator == "Sub" else p * q) / Fraction(sc)
        y = [clamp(round(real(p, q)) + zc) for p in a for q in b]
        answers(f"QDQ around {operator} is of integers, for all pairs", data, struct.pack("<256B256b", *a, *b),
                struct.pack("<65536b", *y), hasnt=["float"])
    data = model([node("DequantizeLinear", ["a", "sa", "za"], ["af"]), node("Transpose", ["af"], ["at"], perm=[1, 0]),
                  node("Relu", ["at"], ["ar"]), node("Slice", ["ar", "from", "to"], ["as"]),
                  node("DequantizeLinear", ["b", "sb", "zb"], ["bf"]), node("Concat", ["as", "bf"], ["c"], axis=1),
                  node("QuantizeLinear", ["c", "sb", "zc"], ["y"])],
                 [value("a", UINT8, [6, 4]), value("b", INT8, [3, 2])], [value("y", INT8, [3, 8])],
                 [tensor("sa", [], FLOAT, [sa]), tensor("sb", [], FLOAT, [sb]), tensor("za", [], UINT8, [za]),
                  tensor("zb", [], INT8, [zb]), tensor("zc", [], INT8, [zc]), tensor("from", [1], INT64, [1]),
                  tensor("to", [1], INT64, [4])])
    a, b = [generated * 11 % 256 for generated in range(24)], [-128, 127, 5, -6, 70, -71]
    y = []
    for i in range(3):
        y += [clamp(round(max(0, a[4 * j + i + 1] - za) * Fraction(sa) / Fraction(sb)) + zc) for j in range(6)]
        y += [clamp(b[2 * i + j] - zb + zc) for j in range(2)]
    answers("QDQ around what moves elements, and other scales, is of integers", data, struct.pack("<24B6b", *a, *b),
            struct.pack("<24b", *y), hasnt=["float"])
    done = run(model([node("DequantizeLinear", ["a", "sa", "za"], ["af"]), node("Sigmoid", ["af"], ["s"], "curve"),
                      node("Exp", ["s"], ["e"]), node("QuantizeLinear", ["e", "sb", "za"], ["y"])], [value("a", UINT8, [9])], [value("y", UINT8, [9])],
                     [tensor("sa", [], FLOAT, [sa]), tensor("sb", [], FLOAT, [sb]), tensor("za", [], UINT8, [za])]))
    result(done.returncode == 0 and "note: " in done.stderr and "1 computed in floats between integers: curve (Sigmoid)\n" in done.stderr,
           "says what is computed in floats", done.stderr)
    subprocess.run(["rm", "-rf", "out"], check=True)


def requantized():
    """RequantShift; what no integer of 32 bits holds is refused."""
    def net(weight, mul, div):
        t = {"div": tensor("", [], FLOAT, [float(div)]), "n_levels_out": tensor("", [], FLOAT, [256.0]),
             "signed": tensor("", [], FLOAT, [1.0])}
        return model([node("Gemm", ["x", "w"], ["s"], "g", transB=1),
                      node("RequantShift", ["s", "m", "a"], ["y"], "q", domain="PACTOps", **t)],
                     [value("x", FLOAT, [1, 3])], [value("y", FLOAT, [1, 2])],
                     [tensor("w", [2, 3], FLOAT, weight), tensor("m", [], FLOAT, [float(mul)]),
                      tensor("a", [], FLOAT, [3.0])], domains=["PACTOps"])
    weight, x = [3.0, -7.0, 2.0, 100.0, 5.0, -1.0], [200, 13, 255]
    y = []
    for k in range(2):
        total = sum(int(weight[3 * k + c]) * x[c] for c in range(3))
        y.append(max(-128, min(127, (total * 5 + 3 + 8) >> 4)))
    answers("RequantShift", net(weight, 5, 16), struct.pack("<3f", *x), struct.pack("<2f", *y),
            has=["int8_t", "int32_t sum"])
    refused("sums that 32 bits do not hold", net([1e9, 1e9, 1e9, 1.0, 1.0, 1.0], 5, 16), "g (Gemm)", "32 bits")
    refused("a divisor that is no power of two", net(weight, 5, 12), "q (PACTOps.RequantShift)", "power of two")


def outputs_of(data, given, *options):
    """The bytes that the imported network makes of GIVEN, and its loops."""
    done = run(data, *options)
    if done.returncode:
        return done.stderr.encode(), ""
    with open("in.bin", "wb") as file:
        file.write(given)
    made = subprocess.run(["make", "-s", "-C", "out", f"LOOPC={loopc}", f"CC={cc}", f"RUNTIME={runtime}", "CFLAGS=-O0",
                           "LOOPCFLAGS=--verify", "run", "INPUT=../in.bin", "OUTPUT=../out.bin"], capture_output=True, text=True,
                          timeout=600)
    result = open("out.bin", "rb").read() if made.returncode == 0 else made.stderr.encode()
    loops = open("out/network.loop").read()
    subprocess.run(["rm", "-rf", "out", "out.bin"], check=True)
    return result, loops


def random_blocks(generator):
    """A chain of residual blocks, blocks of branches that are concatenated, and links between them; how
    many functions it has."""
    nodes, weights, at, count, functions = [], [], "x", 0, 0
    channels, was_link = 2, False

    def fresh():
        nonlocal count
        count += 1
        return f"v{count}"

    def convolution(source, out_channels, in_channels):
        name = fresh()
        nodes.append(node("Conv", [source, f"w{name}"], [name], pads=[1, 1, 1, 1]))
        weights.append(tensor(f"w{name}", [out_channels, in_channels, 3, 3], FLOAT,
                              [generator.uniform(-1, 1) for _ in range(9 * out_channels * in_channels)]))
        return name

    for kind in generator.choices(["link", "residual", "branches"], k=6):
        out = fresh()
        if kind == "link":
            functions += not was_link
            at = convolution(at, channels, channels)
        elif kind == "residual":
            functions += 1
            inner = convolution(convolution(at, channels, channels), channels, channels)
            nodes.append(node("Add", [inner, at], [out]))
            at = out
        else:
            functions += 1
            parts = [convolution(at, 1, channels) for _ in range(generator.choice([2, 3]))]
            nodes.append(node("Concat", parts, [out], axis=1))
            at, channels = out, len(parts)
        was_link = kind == "link"
    functions += not was_link
    nodes.append(node("Exp", [at], ["e"]))
    nodes.append(node("Transpose", ["e"], ["y"], perm=[0, 2, 3, 1]))
    return model(nodes, [X], [value("y", FLOAT, [1, 4, 4, channels])], weights), functions


def blocks():
    """A function for each block computes what one function does, bit for bit."""
    given = struct.pack("<32f", *[i / 32 - 0.5 for i in range(32)])
    for seed in range(3):
        data, functions = random_blocks(random.Random(seed))
        one, _ = outputs_of(data, given)
        several, loops = outputs_of(data, given, "--function-per-block")
        found = loops.count("\nvoid net_")
        result(one == several and len(one) % 64 == 0, f"a function per block, network {seed}",
               f"{one[:300]} {several[:300]}")
        result(found == functions, f"its {functions} functions", f"{found} functions\n{loops}")


def branches():
    """The order of nests is that of the branches' lengths, whatever order the file has."""
    generator = random.Random(5)
    weights = [tensor(f"w{n}", [2, 2, 1, 1], FLOAT, [1.0, 2.0, 3.0, 4.0]) for n in range(4)]
    nodes = [node("Conv", ["x", "w0"], ["first"], "first"), node("Conv", ["first", "w1"], ["short"], "short"),
             node("Conv", ["first", "w2"], ["long"], "long"), node("Conv", ["long", "w3"], ["longer"], "longer")]
    wrong = []
    for turn in range(4):
        ends = ["short", "longer"][::-1 if turn % 2 else 1]
        shuffled = nodes + [node("Add", ends, ["y"], "end")]
        generator.shuffle(shuffled)
        done = run(model(shuffled, [X], [Y], weights))
        found = re.findall(r"/\* (\w+) \(Conv", open("out/network.loop").read()) if done.returncode == 0 else done.stderr
        if found != ["first", "short", "long", "longer"]:
            wrong.append(found)
        subprocess.run(["rm", "-rf", "out"], check=True)
    result(not wrong, "the longest branch is last", str(wrong))


def main():
    directory = tempfile.mkdtemp(prefix="loopc-onnx-checks.")
    os.mkdir(f"{directory}/in")
    os.chdir(f"{directory}/in")
    try:
        for group in (files, nodes, long_chains, folding, quantized, quantized_others, scales_are_exact, quantized_elementwise, requantized, blocks, branches):
            group()
    finally:
        os.chdir("/")
        subprocess.run(["rm", "-rf", directory], check=True)
    print(f"1..{count}")


main()
