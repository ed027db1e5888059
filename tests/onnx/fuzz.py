"""Damaged model files: each is imported or refused with one message, within limits of time and memory, and
where it is refused nothing is left behind.

    fuzz.py LOOPC-ONNX COUNT SEED MODEL...

In one half of the files bytes and runs of bytes are changed, removed, doubled, taken from other models, and the
lengths and numbers of the encoding replaced by extreme ones: most of these are no models any more.  In the other
half the messages are well-formed, and their fields are changed: numbers, names, operators, dimensions, parts of other
models.  The program may be built with sanitizers: what they report is a failure, leaks too.
"""

import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

EXTREMES = [b"\0", b"\x7f", b"\x80\x01", b"\xff" * 9 + b"\x01", b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f",
            b"\x80" * 9 + b"\x01", b"\x80\x80\x04", b"\xff" * 20]


def mutated(generator, data, others):
    data = bytearray(data)
    for _ in range(generator.choice([1, 1, 1, 2, 3, 8])):
        if not data:
            break
        at = generator.randrange(len(data))
        length = min(len(data) - at, generator.choice([1, 1, 2, 4, 8, 30, 200]))
        kind = generator.randrange(8)
        if kind == 0:
            data[at] = generator.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << generator.randrange(8)
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            data[at:at + generator.choice([1, 1, 2])] = generator.choice(EXTREMES)
        elif kind == 6:
            other = generator.choice(others)
            start = generator.randrange(len(other))
            data[at:at + length] = other[start:start + length]
        else:
            data[at:at + length] = bytes(length)
    return bytes(data)


# ---- fields ----

# Which fields of a message are messages of what kind.
SCHEMA = {"model": {7: "graph", 8: "opset"}, "graph": {1: "node", 5: "tensor", 11: "value", 12: "value", 13: "value"},
          "node": {5: "attribute"}, "attribute": {5: "tensor", 6: "graph", 10: "tensor"}, "tensor": {13: "entry"},
          "value": {2: "type"}, "type": {1: "tensor_type"}, "tensor_type": {2: "shape"}, "shape": {1: "dimension"}}
NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 17, 64, 127, 255, 1000, -1, -2, -3, 1 << 31, (1 << 31) - 1, 1 << 40,
           (1 << 63) - 1, -(1 << 63)]
WORDS = [b"", b"x", b"SAME_UPPER", b"SAME_LOWER", b"VALID", b"axis", b"axes", b"pads", b"strides", b"dilations",
         b"kernel_shape", b"group", b"perm", b"mode", b"reflect", b"linear", b"to", b"keepdims", b"ceil_mode", b"alpha",
         b"value", b"split", b"output_padding", b"auto_pad", b"count_include_pad", b"blocksize", b"div", b"N"]


class Message:
    """The fields of a message of a kind: lists of number, type of the encoding, and number, bytes or message."""

    def __init__(self, kind, data):
        self.kind, self.fields = kind, []
        at = 0
        while at < len(data):
            key, at = varint(data, at)
            if key & 7 == 0:
                content, at = varint(data, at)
            elif key & 7 == 2:
                size, at = varint(data, at)
                content, at = data[at:at + size], at + size
                inner = SCHEMA.get(kind, {}).get(key >> 3)
                content = Message(inner, content) if inner else content
            else:
                size = 4 if key & 7 == 5 else 8
                content, at = data[at:at + size], at + size
            self.fields.append([key >> 3, key & 7, content])

    def encoded(self):
        out = b""
        for number, kind, content in self.fields:
            out += encoded_varint(number << 3 | kind)
            if kind == 0:
                out += encoded_varint(content)
            elif kind == 2:
                data = content.encoded() if isinstance(content, Message) else content
                out += encoded_varint(len(data)) + data
            else:
                out += content
        return out

    def messages(self):
        yield self
        for _, _, content in self.fields:
            if isinstance(content, Message):
                yield from content.messages()


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def encoded_varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def changed_content(generator, kind, content, words):
    if kind == 0:
        return generator.choice(NUMBERS + [content + 1, content - 1, content * 2])
    if kind == 2 and (len(content) < 40 or generator.random() < 0.2):
        choice = generator.randrange(4)
        if choice == 0 or len(content) % 4:
            return generator.choice(words)
        if choice == 1:
            return content[:generator.randrange(len(content) + 1)]
        numbers = [generator.choice(NUMBERS) & 0xffffffff for _ in range(len(content) // 4)]
        return struct.pack(f"<{len(numbers)}I", *numbers)
    return generator.choice([bytes(len(content)), b"\xff" * len(content), content])


def with_changed_fields(generator, data, others):
    whole, other = Message("model", data), Message("model", generator.choice(others))
    words = WORDS + [content for m in (whole, other) for e in m.messages() for _, kind, content in e.fields
                     if kind == 2 and isinstance(content, bytes) and len(content) < 40]
    for _ in range(generator.choice([1, 1, 1, 2, 3, 6])):
        message = generator.choice(list(whole.messages()))
        if not message.fields:
            continue
        at = generator.randrange(len(message.fields))
        number, kind, content = message.fields[at]
        action = generator.randrange(10)
        if action == 0:
            del message.fields[at]
        elif action == 1:
            message.fields.insert(generator.randrange(len(message.fields)), [number, kind, content])
        elif action == 2:
            generator.shuffle(message.fields)
        elif action == 3:
            alike = [m for m in other.messages() if m.kind == message.kind]
            if alike:
                message.fields[at:at + 1] = generator.choice(alike).fields
        elif not isinstance(content, Message):
            message.fields[at] = [number, kind, changed_content(generator, kind, content, words)]
    return whole.encoded()


def main():
    importer, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    models = [open(name, "rb").read() for name in sys.argv[4:]]
    generator = random.Random(seed)
    directory = tempfile.mkdtemp(prefix="loopc-onnx-fuzz.")
    bad = imported = 0
    for number in range(count):
        change = generator.choice([mutated, with_changed_fields])
        data = change(generator, generator.choice(models), models)
        model, out = f"{directory}/model.onnx", f"{directory}/out"
        with open(model, "wb") as file:
            file.write(data)
        problem = None
        try:
            options = generator.choice([[], ["--function-per-block"], ["--weights=c"]])
            run = subprocess.run([importer, model, "-o", out] + options, capture_output=True, timeout=60)
            text = run.stderr.decode("latin-1")
            if run.returncode not in (0, 1):
                problem = f"status {run.returncode}: {text[-300:]}"
            elif run.returncode == 1 and not text.startswith("loopc-onnx: error: "):
                problem = f"no message: {text[:300]}"
            elif run.returncode == 1 and os.path.exists(out):
                problem = "left files behind"
            imported += run.returncode == 0
        except subprocess.TimeoutExpired:
            problem = "did not end"
        if problem:
            bad += 1
            kept = os.path.join(os.environ.get("FUZZ_KEEP", directory), f"bad-{seed}-{number}.onnx")
            shutil.copy(model, kept)
            print(f"# {kept}: {problem}")
        shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(directory)
    print(f"{'not ok' if bad else 'ok'} 1 - {count} damaged models: {imported} imported, "
          f"{count - imported - bad} refused, {bad} bad")
    print("1..1")


main()
