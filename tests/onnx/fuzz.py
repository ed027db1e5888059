"""Damaged model files: each is imported or refused with one message, within limits of time and memory, and
where it is refused nothing is left behind.

    fuzz.py LOOPC-ONNX COUNT SEED MODEL...

Bytes and runs of bytes are changed, removed, doubled, taken from other models, and the lengths and numbers
of the encoding replaced by extreme ones.  The program may be built with sanitizers: what they report is a
failure, leaks too.
"""

import os
import random
import shutil
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


def main():
    importer, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    models = [open(name, "rb").read() for name in sys.argv[4:]]
    generator = random.Random(seed)
    directory = tempfile.mkdtemp(prefix="loopc-onnx-fuzz.")
    bad = imported = 0
    for number in range(count):
        data = mutated(generator, generator.choice(models), models)
        model, out = f"{directory}/model.onnx", f"{directory}/out"
        with open(model, "wb") as file:
            file.write(data)
        problem = None
        try:
            run = subprocess.run([importer, model, "-o", out], capture_output=True, timeout=60)
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
