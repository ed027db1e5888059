"""Compiles programs with loopc in several configurations and runs them, many in one
process, against the source.

A failure is a word that says of what kind it is (so that the reducer keeps to it) and
a text:

    status   loopc ended with another status than 0 (or 3: does not fit)
    hang     loopc ran too long
    endless  the emitted code ran too long
    report   the report is not there or names an array that is not
    compile  the emitted C does not compile without warnings
    crash    the emitted code stopped
    checked  the checked port found a violation
    result   an output differs from the source's
    traffic  the bytes counted are not those predicted
"""

import json
import os
import re
import subprocess

from generate import DATA_RANGE
from program import FLOAT_TYPES

# What the source does is not the fault of what is emitted.
WARNINGS = ("-Wall -Wextra -Wconversion -pedantic -Werror -Wno-int-in-bool-context "
            "-Wno-tautological-compare -Wno-type-limits -Wno-bool-compare -Wno-unknown-warning-option").split()


class Configuration:
    """A machine and the options that a program is compiled with."""

    def __init__(self, machine, options):
        self.machine = machine
        self.options = options
        self.symbolic = []        # names of the sizes that --symbolic leaves to the run

    def leave_to_the_run(self, names):
        self.symbolic = names
        self.options = self.options + ["--symbolic=" + ",".join(names)]

    def text(self):
        return " ".join(self.options + ["#"] + self.machine.text("m").split("\n")[1:3])


class Case:
    def __init__(self, seed, program, configurations, values=()):
        self.seed = seed
        self.program = program
        self.configurations = configurations
        self.values = values      # of the symbolic sizes, that they are not tuned for


class Prediction(dict):
    """{function: {array: [read, written]}}; with symbolic sizes also as C expressions of them,
    where these are known."""

    def __init__(self):
        super().__init__()
        self.formulas = {}


class Failure:
    def __init__(self, case, configuration, kind, text):
        self.case = case
        self.configuration = configuration   # its index
        self.kind = kind
        self.text = text


class Tools:
    def __init__(self, loopc, runtime, cc, directory, sanitizers=False, timeout=60, ports=None):
        self.loopc = loopc
        self.runtime = runtime               # directory of loopc_rt.h and checked.c
        self.cc = cc.split()
        self.directory = directory
        self.flags = ["-std=c99", "-O0", "-I" + runtime]
        self.timeout = timeout
        if sanitizers:
            # Lines are enough for the sanitizers' messages; more takes the compiler longer.
            self.flags += ["-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        self.port = os.path.join(ports or directory, "checked%d.o" % sanitizers)

    def path(self, name):
        return os.path.join(self.directory, name)

    def build_port(self):
        """Once, whichever process comes first."""
        if not os.path.exists(self.port):
            own = "%s.%d" % (self.port, os.getpid())
            subprocess.run(self.cc + self.flags + ["-O1", "-c", "-o", own,
                                                   os.path.join(self.runtime, "checked.c")], check=True)
            os.rename(own, self.port)


def stem(case, configuration):
    return "k%d_%d" % (case.seed, configuration)


def is_refused(configuration, output):
    """Some value of a symbolic size makes the program wrong, or cannot be compiled for."""
    return any(" if %s = " % name in output or " and %s = " % name in output
               or "cannot be left to the run" in output or "does not run for the sizes" in output
               for name in configuration.symbolic)


def compile_with_loopc(tools, case, index):
    """Runs loopc: the predicted traffic, None if nothing fits, or a Failure."""
    configuration = case.configurations[index]
    name = stem(case, index)
    source = tools.path("k%d.loop" % case.seed)
    machine = tools.path(name + ".yaml")
    with open(machine, "w") as file:
        file.write(configuration.machine.text("m"))
    command = [tools.loopc, "--arch=" + machine, "--prefix=c%d_" % index,
               "--emit=c=%s,h=%s" % (tools.path(name + ".c"), tools.path(name + ".h")),
               "--report=" + tools.path(name + ".json")] + configuration.options
    if not case.program.reassociate:
        command.append("-fno-reassociate")
    for option in case.program.options():
        command += ["-D", option]
    try:
        done = subprocess.run(command + [source], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=tools.timeout)
    except subprocess.TimeoutExpired:
        return Failure(case, index, "hang", "loopc took more than %d s" % tools.timeout)
    output = done.stdout.decode(errors="replace")
    if done.returncode == 3 and output:
        return None
    if done.returncode == 1 and is_refused(configuration, output):
        return None
    if done.returncode != 0:
        return Failure(case, index, "status", "loopc ended with %d\n%s" % (done.returncode, output))
    if output and not re.match(r"[^\n]*: warning: ", output):
        return Failure(case, index, "status", "loopc says\n" + output)
    return read_prediction(tools, case, index)


def read_prediction(tools, case, index):
    """{function: {array: [read, written]}} of the report."""
    try:
        with open(tools.path(stem(case, index) + ".json")) as file:
            report = json.load(file)
        prediction = Prediction()
        for kernel in report["kernels"]:
            arrays = prediction.setdefault(kernel["function"], {})
            formulas = prediction.formulas.setdefault(kernel["function"], {})
            read = written = 0
            for array in kernel["traffic"]["arrays"]:
                total = arrays.setdefault(array["name"], [0, 0])
                total[0] += array["read_bytes"]
                total[1] += array["write_bytes"]
                formulas.setdefault(array["name"], []).append(
                    [array.get("read_formula"), array.get("write_formula")])
                read += array["read_bytes"]
                written += array["write_bytes"]
            traffic = kernel["traffic"]
            bound = kernel["lower_bound"]["bytes"]
            if (read, written, read + written) != (
                    traffic["read_bytes"], traffic["write_bytes"], traffic["total_bytes"]):
                return Failure(case, index, "report", "the sums are wrong:\n%s" % traffic)
            if bound is not None and bound > read + written:    # None: not known
                return Failure(case, index, "report", "traffic %d is below the lower bound %d"
                               % (read + written, bound))
        for function in report["functions"]:
            bound = function["lower_bound"]["bytes"]
            if bound is not None and bound > function["total_bytes"]:
                return Failure(case, index, "report", "'%s' moves %d, below the lower bound %d" % (
                    function["function"], function["total_bytes"], bound))
        return prediction
    except (OSError, ValueError, KeyError) as reason:
        return Failure(case, index, "report", repr(reason))


HARNESS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "loopc_checked.h"

int fuzz_clamp(int value, int least, int largest);
int fuzz_clamp(int value, int least, int largest)
{
	return value < least ? least : value > largest ? largest : value;
}

double fuzz_half(double value);
double fuzz_half(double value)
{
	return value / 2;
}

static uint32_t state;

static int draw(int least, int largest)
{
	state = state * 1664525u + 1013904223u;
	return least + (int)((state >> 8) % (uint32_t)(largest - least + 1));
}

static void counted(int seed, int configuration, const char *name, const lrt_counts *is,
	unsigned long reads, unsigned long writes)
{
	if (is->read_bytes != reads || is->write_bytes != writes)
		printf("%d %d traffic %s: read %lu bytes, predicted %lu; written %lu, predicted %lu\n",
			seed, configuration, name, (unsigned long)is->read_bytes, reads,
			(unsigned long)is->write_bytes, writes);
}
"""

FILL = """
static void fill_{word}({type} *to, long count)
{{
	for (long i = 0; i < count; i++)
		to[i] = ({type})draw({least}, {largest});
}}

static void compare_{word}(int seed, int configuration, const char *name, const {type} *is,
	const {type} *should, long count)
{{
	long wrong = 0, first = 0;

	for (long i = count - 1; i >= 0; i--)
		if ({differ}) {{
			wrong++;
			first = i;
		}}
	if (wrong)
		printf("%d %d result %s: %ld of %ld elements differ, element %ld is {format}, not {format}\\n",
			seed, configuration, name, wrong, count, first, ({wide})is[first], ({wide})should[first]);
}}
"""


def word(kind):
    return kind.replace(" ", "_")


def fill_functions():
    text = ""
    for kind, (least, largest) in DATA_RANGE.items():
        is_float = kind in FLOAT_TYPES
        differ = "is[i] != should[i]"
        if is_float:        # a NaN is as good as another
            differ += " && (is[i] == is[i] || should[i] == should[i])"
        text += FILL.format(word=word(kind), type=kind, least=least, largest=largest, differ=differ,
                            format="%.17g" if is_float else "%lld",
                            wide="double" if is_float else "long long")
    return text


def included(path, first_names):
    """Text that includes a C file with its static functions renamed, apart from others'."""
    with open(path) as file:
        names = sorted(set(re.findall(r"^static [^;=]*?\b(\w+)\(", file.read(), re.M)))
    renames = ["#define %s %s_%s" % (name, first_names, name) for name in names]
    return "\n".join(renames + ['#include "%s"' % path] + ["#undef " + name for name in names]) + "\n"


def extents_at(array, values):
    """The extents where symbolic sizes have VALUES."""
    return [extent.value(values) for extent in array.symbolic] if values else array.extents


def define(array, name, values):
    extents = "".join("[%d]" % extent for extent in extents_at(array, values))
    return "\tstatic _Alignas(64) %s %s%s;\n" % (array.type, name, extents)


def first_element(array, name):
    return "&" + name + "[0]" * array.rank


def count_of(array, values):
    total = 1
    for extent in extents_at(array, values):
        total *= extent
    return total


def expected(prediction, function, array, values):
    """What is to be read and written of ARRAY, in C; None: not known."""
    if not values:
        return prediction.get(function.name, {}).get(array, [0, 0])
    formulas = prediction.formulas.get(function.name, {}).get(array, [])
    if any(None in pair for pair in formulas):
        return None
    return [" + ".join(["0"] + ["(%s)" % pair[i] for pair in formulas]) for i in (0, 1)]


def count_check(where, array, pair):
    return '\tcounted(%s, "%s", &counts, (unsigned long)(%s), (unsigned long)(%s));\n' % (
        where, array, pair[0], pair[1])


def workspace_of(tools, case, index, function, sizes):
    """The bytes of its workspace, in C, and whether the function has one."""
    macro = "C%d_%s_WORKSPACE_BYTES" % (index, function.name.upper())
    with open(tools.path(stem(case, index) + ".h")) as file:
        has_any = re.search(r"\bc%d_%s\([^;]*lrt_ext workspace\)" % (index, function.name), file.read())
    return macro + ("(%s)" % ", ".join(sizes) if sizes else ""), bool(has_any)


def run_of_configuration(tools, case, function, index, prediction, values):
    """The C that runs what one configuration made of FUNCTION, and compares."""
    lines = []
    arrays = function.parameters()
    machine = case.configurations[index].machine
    where = "%d, %d" % (case.seed, index)
    sizes = [str((values or {}).get(name, function.sizes[name][0])) for name in function.sizes
             if name in case.configurations[index].symbolic]
    workspace, has_workspace = workspace_of(tools, case, index, function, sizes)
    lines.append("\tconst lrt_limits limits = { %du, %du, %du, %du, %du, %du };\n" % (
        machine.sizes()[0], machine.max_rank, machine.max_bytes, machine.max_count,
        machine.max_stride, 0))     # align_bytes is of buffers
    lines.append("\tconst long workspace_bytes = (long)%s;\n" % workspace)
    lines.append("\tvoid *workspace = workspace_bytes ? malloc((size_t)workspace_bytes) : 0;\n")
    lines.append("\tlrt_counts counts;\n\tint violations;\n")
    lines.append("\tlrt_checked_begin(&limits);\n")
    for m, size in enumerate(machine.sizes()[1:], 1):
        lines.append("\tlrt_checked_memory(%d, %du);\n" % (m, size))
    for array in arrays:
        if array.rank:
            lines.append('\tlrt_checked_array("%s", is_%s, sizeof is_%s, %d);\n' % (
                array.name, array.name, array.name, array.role != "const"))
    lines.append('\tif (workspace) {\n\t\tmemset(workspace, 0x55, (size_t)workspace_bytes);\n'
                 '\t\tlrt_checked_array(".workspace", workspace, (size_t)workspace_bytes, 1);\n\t}\n')
    arguments = sizes + ["(lrt_ext)is_" + a.name if a.rank else "is_" + a.name for a in arrays]
    if has_workspace:
        arguments.append("(lrt_ext)workspace")
    lines.append("\tc%d_%s(%s);\n" % (index, function.name, ", ".join(arguments)))
    local = ["0", "0"]
    for array in function.arrays:
        pair = expected(prediction, function, array.name, values)
        if array.role == "local":
            local = ["%s + %s" % both for both in zip(local, pair)] if pair and local else None
        elif array.rank and pair:
            lines.append('\tcounts = lrt_checked_counts("%s");\n' % array.name)
            lines.append(count_check(where, array.name, pair))
    for name in prediction.get(function.name, {}):
        if name not in [a.name for a in function.arrays]:
            pair = expected(prediction, function, name, values)
            local = ["%s + %s" % both for both in zip(local, pair)] if pair and local else None
    if local:
        lines.append('\tif (workspace) {\n\t\tcounts = lrt_checked_counts(".workspace");\n')
        lines.append("\t" + count_check(where, "workspace", local) + "\t}\n")
    lines.append("\tviolations = lrt_checked_end();\n")
    lines.append('\tif (violations)\n\t\tprintf("%%d %%d checked %%d violations\\n", %s, violations);\n' % where)
    for array in arrays:
        if array.rank:
            lines.append('\tcompare_%s(%s, "%s", %s, %s, %d);\n' % (
                word(array.type), where, array.name, first_element(array, "is_" + array.name),
                first_element(array, "ref_" + array.name), count_of(array, values)))
    lines.append("\tfree(workspace);\n")
    return "".join(lines)


def function_harness(tools, case, function, predictions, values=None, number=0):
    """The C of one function's test, with other VALUES of symbolic sizes the one of NUMBER;
    PREDICTIONS of each configuration, None: not run."""
    lines = ["static void test_%s_%d(void)\n{\n" % (function.name, number)]
    arrays = function.parameters()
    for name, value in (values or {}).items():
        lines.append("\tconst int64_t %s = %d;\n\t(void)%s;\n" % (name, value, name))
    for array in arrays:
        lines.append(define(array, "ref_" + array.name, values))
        lines.append(define(array, "is_" + array.name, values))
    fill = "\tstate = %du;\n" % (case.seed & 0x7fffffff)

    def filled(prefix):
        return fill + "".join("\tfill_%s(%s, %d);\n" % (
            word(a.type), first_element(a, prefix + a.name), count_of(a, values)) for a in arrays)
    sizes = [str((values or {}).get(name, value)) for name, (value, how) in function.sizes.items()
             if how == "parameter"]
    lines.append(filled("ref_"))
    lines.append("\tref_%s(%s);\n" % (function.name, ", ".join(sizes + [
        ("(void *)" if a.rank and values else "") + "ref_" + a.name for a in arrays])))
    for index, prediction in enumerate(predictions):
        if prediction is None or (values and not case.configurations[index].symbolic):
            continue
        lines.append("\t{\n" + filled("is_"))
        lines.append(run_of_configuration(tools, case, function, index, prediction, values))
        lines.append("\t}\n")
    lines.append("}\n\n")
    return "".join(lines)


def harnesses(tools, case, predictions):
    """The tests of all functions of CASE: their number and text by name."""
    tests = {}
    for function in case.program.functions:
        has_sizes = any(name in function.sizes for configuration in case.configurations
                        for name in configuration.symbolic)
        for number, values in enumerate([None] + list(case.values if has_sizes else [])):
            tests["test_%s_%d" % (function.name, number)] = function_harness(
                tools, case, function, predictions, values, number)
    return tests


def write_sources(tools, cases):
    """The three C files of a test program: references, emitted code, harness."""
    references, emitted, headers, tests, calls = [], [], [], [], []
    for case, predictions in cases:
        references.append(case.program.text(prefix="ref_"))
        for index, prediction in enumerate(predictions):
            if prediction is not None:
                name = stem(case, index)
                emitted.append(included(tools.path(name + ".c"), name))
                headers.append('#include "%s"\n' % tools.path(name + ".h"))
        for function in case.program.functions:
            headers.append(prototype(function))
        for name, text in harnesses(tools, case, predictions).items():
            tests.append(text)
            calls.append('\tfprintf(stderr, "@%d\\n");\n\t%s();\n' % (case.seed, name))
    main = "int main(void)\n{\n\tsetvbuf(stdout, NULL, _IOLBF, 0);\n%s\treturn 0;\n}\n" % "".join(calls)
    texts = {"reference": "\n".join(references), "emitted": "".join(emitted),
             "harness": HARNESS + fill_functions() + "".join(headers + tests) + main}
    paths = {}
    for name, text in texts.items():
        paths[name] = tools.path("batch%d_%s.c" % (cases[0][0].seed, name))
        with open(paths[name], "w") as file:
            file.write(text)
    return paths


def build_and_run(tools, cases):
    """CASES: (case, predictions) that share a process.  A list of failures, or None if
    the whole does not build or does not end, and has to be taken apart."""
    paths = write_sources(tools, cases)
    program = tools.path("batch%d" % cases[0][0].seed)
    tools.build_port()
    objects = [path + ".o" for path in paths.values()]
    commands = [["-c", "-o", path + ".o", path] + (WARNINGS if name == "emitted" else ["-w"])
                for name, path in paths.items()]
    for command in commands + [["-o", program] + objects + [tools.port, "-lm"]]:
        done = subprocess.run(tools.cc + tools.flags + command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            if len(cases) > 1:
                return None
            return [Failure(cases[0][0], 0, "compile", done.stdout.decode(errors="replace"))]
    return run(program, cases, tools.timeout)


def prototype(function):
    """Of the reference, as the harness calls it: arrays of any size."""
    parameters = ["int" for _, how in function.sizes.values() if how == "parameter"]
    for array in function.parameters():
        const = "const " if array.role == "const" and array.rank else ""
        extents = "".join("[%d]" % extent for extent in array.extents)
        parameters.append(const + array.type + (extents and " " + extents))
    return "void ref_%s(%s);\n" % (function.name, ", ".join(parameters) or "void")


def run(program, cases, timeout):
    """Runs the built PROGRAM and reads what it says."""
    try:
        done = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout)
    except subprocess.TimeoutExpired:
        if len(cases) > 1:
            return None
        return [Failure(cases[0][0], 0, "endless", "the emitted code took more than %d s" % timeout)]
    errors = done.stderr.decode(errors="replace")
    said = {}
    seed = None
    for line in errors.splitlines():
        if line.startswith("@"):
            seed = int(line[1:])
        else:
            said.setdefault(seed, []).append(line)
    by_seed = {case.seed: case for case, _ in cases}
    failures = []
    for line in done.stdout.decode(errors="replace").splitlines():
        words = line.split(None, 3)
        case = by_seed[int(words[0])]
        text = words[3] + "".join("\n" + l for l in said.get(case.seed, [])[:10])
        failures.append(Failure(case, int(words[1]), words[2], text))
    if done.returncode != 0:
        if len(cases) > 1:
            return None
        failures.append(Failure(cases[0][0], 0, "crash", "ended with %d\n%s" % (
            done.returncode, "\n".join(said.get(cases[0][0].seed, [])[-40:]))))
    return failures


def check(tools, cases):
    """All failures of CASES."""
    failures = []
    ready = []
    statistics = {"compiled": 0, "too small": 0, "symbolic": 0}
    for case in cases:
        with open(tools.path("k%d.loop" % case.seed), "w") as file:
            file.write(case.program.text(comment="seed %d" % case.seed))
        predictions = []
        for index in range(len(case.configurations)):
            result = compile_with_loopc(tools, case, index)
            if isinstance(result, Failure):
                failures.append(result)
                result = None
            elif result is None:
                statistics["too small"] += 1
            else:
                statistics["compiled"] += 1
                statistics["symbolic"] += bool(case.configurations[index].symbolic)
            predictions.append(result)
        if any(prediction is not None for prediction in predictions):
            ready.append((case, predictions))
    if ready:
        found = build_and_run(tools, ready)
        if found is None:
            found = []
            for case, predictions in ready:
                one = build_and_run(tools, [(case, predictions)])
                if any(failure.kind in ("compile", "crash", "endless") for failure in one):
                    one = apart(tools, case, predictions)
                found += one
        failures += found
    return failures, statistics


def apart(tools, case, predictions):
    """The failures of one case, configuration by configuration."""
    found = []
    for index, prediction in enumerate(predictions):
        if prediction is None:
            continue
        alone = [p if i == index else None for i, p in enumerate(predictions)]
        for failure in build_and_run(tools, [(case, alone)]):
            failure.configuration = index
            found.append(failure)
    return found
