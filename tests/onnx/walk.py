"""Walks through published single-operator models with test vectors: each is imported, compiled by
loopc, verified by it, and run through what it emitted; the outputs are compared with the vector's.
Many models go into one source, so that each costs little.

    walk.py LOOPC-ONNX LOOPC CC RUNTIME DATA [--every=N] [--jobs=N] [--only=REGEX] [--verbose]

Prints TAP: one result for each operator, with the models of it that do not pass and why, and the count.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

BATCH = 24

# Why a model that the table of operators names may be refused: what is not supported, and said to be.
KNOWN = [
    ("elements of type", "a type that C has not (float16, bfloat16, string, complex)"),
    ("type .* of ONNX, which loopc has not", "a type that C has not (float16, bfloat16, string, complex)"),
    ("of a type that loopc has not", "a type that C has not"),
    ("is not a tensor", "sequences and optionals"),
    ("mode for training", "training"),
    ("has no elements", "an empty input or result"),
    ("where it had another meaning", "an operator set before 7"),
    ("nearest is supported", "linear and cubic interpolation"),
    ("a part of the input", "tf_crop_and_resize"),
    ("its result number \\d+ is not supported", "indices of MaxPool"),
    ("must be constant, as loops need sizes$", "a size that depends on data"),
    ("not supported", "another operator"),
]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 5:
            value, at = data[at:at + 4], at + 4
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def operators(model):
    """The operators of a model's graph."""
    names = []
    for field, graph in fields(model):
        if field == 7:
            for part, node in fields(graph):
                if part == 1:
                    domain = [v.decode() for f, v in fields(node) if f == 7]
                    names += [".".join(domain + [v.decode()]) if domain and domain[0] else v.decode()
                              for f, v in fields(node) if f == 4]
    return names


class Case:
    def __init__(self, path, names, number):
        self.path = path
        self.operators = names
        self.name = os.path.basename(path)
        self.function = f"case_{number}"
        self.problem = None
        self.is_known = False


def fail(case, text):
    case.problem = " ".join(text.split())[:200] or "no message"
    for pattern, _ in KNOWN:
        if re.search(pattern, text, re.M):
            case.is_known = True


def import_case(tools, case, directory):
    """Imports it; inputs that loops need as numbers become constants.  True if it was."""
    constants = []
    for _ in range(6):
        run = subprocess.run([tools.importer, f"{case.path}/model.onnx", "-o", f"{directory}/{case.function}",
                              f"--name={case.function}"] + [f"--constant={c}" for c in constants],
                             capture_output=True, text=True, timeout=120)
        wanted = re.findall("fix input '(.*?)' by --constant", run.stderr)
        if run.returncode != 1 or not wanted or wanted[0] in constants:
            break
        constants.append(wanted[0])
    if run.returncode == 0 and os.path.exists(f"{directory}/{case.function}/expected.bin"):
        return True
    if run.returncode != 0 and os.path.exists(f"{directory}/{case.function}"):
        case.problem = "left files behind"
    elif run.returncode == 0:
        case.problem = "its vector is not of the types or shapes that were inferred"
    elif run.returncode == 1:
        fail(case, run.stderr.replace("loopc-onnx: error: ", "").replace(f"{case.path}/model.onnx", ""))
    else:
        case.problem = f"status {run.returncode}: {run.stderr[:200]}"
    return False


DRIVER = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "kernel.h"

static unsigned char *take(const char *name, long *size)
{
	FILE *file = fopen(name, "rb");
	fseek(file, 0, SEEK_END);
	*size = ftell(file);
	rewind(file);
	unsigned char *data = aligned_alloc(64, (size_t)(*size + 127) / 64 * 64);
	if (fread(data, 1, (size_t)*size, file) != (size_t)*size)
		exit(9);
	fclose(file);
	return data;
}

#define COMPARE(type, is_float, name, count) do { \\
	const type *a = (const type *)(out + at), *b = (const type *)(expected + at); \\
	for (long i = 0; i < count; i++) \\
		if (is_float ? !(fabs((double)a[i] - (double)b[i]) <= 1e-6 + 1e-3 * fabs((double)b[i])) && \\
		    !(a[i] == b[i]) && !(isnan((double)a[i]) && isnan((double)b[i])) : a[i] != b[i]) \\
			if (wrong++ == 0) \\
				printf("%s[%ld] is %.9g, not %.9g", name, i, (double)a[i], (double)b[i]); \\
	at += (long)sizeof(type) * count; \\
} while (0)
"""

TYPES = {"float": ("float", 1), "double": ("double", 1), "int8": ("int8_t", 0), "uint8": ("uint8_t", 0),
         "bool": ("uint8_t", 0), "int16": ("int16_t", 0), "uint16": ("uint16_t", 0), "int32": ("int32_t", 0),
         "uint32": ("uint32_t", 0), "int64": ("int64_t", 0), "uint64": ("uint64_t", 0)}


def count_of(shape):
    product = 1
    for size in shape.split("x") if shape != "scalar" else []:
        product *= int(size)
    return product


def driver_case(directory, case):
    """The C that runs one case: its arrays are in files one after the other, as network.h says."""
    header = open(f"{directory}/{case.function}/network.h").read()
    arrays = re.findall(r"/\* (input|output) (\S+): (\S+) of (\S+) \*/", header)
    offsets = re.findall(r"_OFFSET (\d+) ", header)
    upper = case.function.upper()
    lines = [f"static void run_{case.function}(void)", "{", "\tlong size, at = 0, wrong = 0;",
             f"\tunsigned char *in = take(\"{case.function}/input.bin\", &size);",
             f"\tunsigned char *expected = take(\"{case.function}/expected.bin\", &size);",
             "\tunsigned char *out = malloc((size_t)size + 64);",
             f"\tunsigned char *weights = take(\"{case.function}/weights.bin\", &size);",
             f"\tunsigned char *workspace = aligned_alloc(64, ({upper}_WORKSPACE_BYTES + 128) / 64 * 64);",
             "\t(void)in, (void)weights;"]
    call, at = [], 0
    for what, _, shape, kind in [a for a in arrays if a[0] == "input"]:
        call.append(f"(lrt_ext)(in + {at})")
        at += count_of(shape) * SIZES[kind]
    call += [f"(lrt_ext)(weights + {o})" for o in offsets]
    at = 0
    compare = []
    for what, name, shape, kind in [a for a in arrays if a[0] == "output"]:
        call.append(f"(lrt_ext)(out + {at})")
        at += count_of(shape) * SIZES[kind]
        compare.append(f"\tCOMPARE({TYPES[kind][0]}, {TYPES[kind][1]}, \"{name}\", {count_of(shape)});")
    lines += [f"#if {upper}_WORKSPACE_BYTES > 0", f"\t{case.function}({', '.join(call + ['(lrt_ext)workspace'])});",
              "#else", f"\t{case.function}({', '.join(call)});", "#endif", f"\tprintf(\"{case.function} \");"]
    lines += compare + ["\tprintf(\"%s\\n\", wrong ? \"\" : \"ok\");", "\t(void)workspace;", "}"]
    return "\n".join(lines)


SIZES = {"float": 4, "double": 8, "int8": 1, "uint8": 1, "bool": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
         "int64": 8, "uint64": 8}


def run_batch(tools, cases, directory):
    """Compiles, verifies and runs cases together; those that break it are found by halves."""
    text = "#include <math.h>\n#include <stdint.h>\n"
    for case in cases:
        loops = open(f"{directory}/{case.function}/network.loop").read()
        text += loops[loops.index("\nvoid "):]
    with open(f"{directory}/batch.loop", "w") as out:
        out.write(text)
    compiled = subprocess.run([tools.loopc, "--verify", "--arch=large-1m",
                               f"--emit=c={directory}/kernel.c,h={directory}/kernel.h", f"{directory}/batch.loop"],
                              capture_output=True, text=True, timeout=900)
    problem = "loopc: " + compiled.stderr if compiled.returncode else None
    if not problem:
        with open(f"{directory}/driver.c", "w") as out:
            out.write(DRIVER + "\n".join(driver_case(directory, c) for c in cases))
            out.write("\nint main(void)\n{\n" + "".join(f"\trun_{c.function}();\n" for c in cases) + "\treturn 0;\n}\n")
        built = subprocess.run(tools.cc.split() + ["-std=gnu99", "-O0", "-w", "-fwrapv", "-ffp-contract=off",
                                                   f"-I{tools.runtime}", f"-I{directory}", "-o", f"{directory}/run",
                                                   f"{directory}/driver.c", f"{directory}/kernel.c",
                                                   f"{tools.runtime}/memcpy.c", "-lm"],
                               capture_output=True, text=True, timeout=900)
        problem = "cc: " + built.stderr if built.returncode else None
    if not problem:
        run = subprocess.run([f"{directory}/run"], cwd=directory, capture_output=True, text=True, timeout=300)
        problem = f"status {run.returncode} of the run" if run.returncode else None
    if problem and len(cases) > 1:
        run_batch(tools, cases[:len(cases) // 2], directory)
        run_batch(tools, cases[len(cases) // 2:], directory)
        return
    if problem:
        cases[0].problem = " ".join(problem.split())[:300]
        return
    results = dict(line.split(" ", 1) for line in run.stdout.splitlines())
    for case in cases:
        result = results.get(case.function, "no result").strip()
        if result != "ok":
            case.problem = "wrong: " + result


def find_cases(tools, data, every, only):
    supported = set(subprocess.run([tools.importer, "--list-operators"], capture_output=True, text=True,
                                   check=True).stdout.split())
    cases = []
    for kind in ("node", "simple", "pytorch-operator", "pytorch-converted"):
        folder = os.path.join(data, kind)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            path = os.path.join(folder, name)
            if not os.path.exists(f"{path}/model.onnx") or (only and not re.search(only, name)):
                continue
            names = operators(open(f"{path}/model.onnx", "rb").read())
            if names and set(names) <= supported:
                cases.append(Case(path, names, len(cases)))
    # Some of each operator: the first of it, and every so many.
    seen, kept = set(), []
    for number, case in enumerate(cases):
        if number % every == 0 or not set(case.operators) <= seen:
            kept.append(case)
        seen |= set(case.operators)
    return kept


def main():
    parser = argparse.ArgumentParser()
    for name in ("importer", "loopc", "cc", "runtime", "data"):
        parser.add_argument(name)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    tools = parser.parse_args()
    cases = find_cases(tools, tools.data, tools.every, tools.only)
    directory = tempfile.mkdtemp(prefix="loopc-onnx-walk.")
    try:
        ready = []
        for case in cases:
            if import_case(tools, case, directory):
                ready.append(case)
        for at in range(0, len(ready), BATCH):
            run_batch(tools, ready[at:at + BATCH], directory)
    finally:
        shutil.rmtree(directory)
    passed = [c for c in cases if not c.problem]
    refused = [c for c in cases if c.problem and c.is_known]
    broken = [c for c in cases if c.problem and not c.is_known]
    for case in refused:
        print(f"# refused: {case.name}: {case.problem}")
    for case in broken:
        print(f"# BROKEN: {case.name}: {case.problem}")
    by_operator = {}
    for case in cases:
        by_operator.setdefault(case.operators[-1], []).append(case)
    number = 0
    for name, group in sorted(by_operator.items()):
        number += 1
        good = sum(not c.problem for c in group)
        word = "not ok" if any(c in broken for c in group) else "ok"
        print(f"{word} {number} - {name}: {good} of {len(group)} models, "
              f"{sum(c in refused for c in group)} refused")
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {len(passed)} of {len(cases)} models give the expected output, "
          f"{len(refused)} are refused with a reason, {len(broken)} are wrong")
    print(f"1..{number}")


main()
