"""Small random nests with sizes left to the run, compared with their source.

    small_nests.py --loopc PATH --runtime DIR [--cc CC] [--seeds 0..99,123] [--keep DIR]

A generator of its own: nests of one to four statements with guards, conditions on remainders,
steps, reversed loops, loops that repeat others, scalars that carry sums, several accesses of one
array that meet for some sizes only; often tuned for 1 or 2.  Each program is compiled by loopc, and
what it emits is run beside the source, under the checked port, for a dozen choices of the sizes:
all arrays must be equal, bit by bit, and the bytes moved those that the header's formulas say.

Prints TAP: a result for each batch of seeds, and whether enough of the programs were compiled.
"""

import argparse
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile

REFUSALS = ("cannot be left to the run", "nothing fits", "does not run for the sizes")
ROOM = 1 << 22                # operations of a run of the source


class Sum:
    """constant + sum of coefficients (from 0) * sizes"""

    def __init__(self, constant=0, **terms):
        self.constant, self.terms = constant, {n: c for n, c in terms.items() if c}

    def plus(self, other, factor=1):
        names = set(self.terms) | set(other.terms)
        return Sum(self.constant + factor * other.constant,
                   **{n: self.terms.get(n, 0) + factor * other.terms.get(n, 0) for n in names})

    def most(self, other):
        """Not less than either of the two, whatever the sizes."""
        names = set(self.terms) | set(other.terms)
        return Sum(max(self.constant, other.constant),
                   **{n: max(self.terms.get(n, 0), other.terms.get(n, 0)) for n in names})

    def value(self, sizes):
        return self.constant + sum(c * sizes[n] for n, c in self.terms.items())

    def __str__(self):
        text = " + ".join((n if c == 1 else "%d * %s" % (c, n)) for n, c in sorted(self.terms.items()))
        if not text:
            return str(self.constant)
        return text + (" %s %d" % ("-+"[self.constant > 0], abs(self.constant)) if self.constant else "")


class Iterator:
    def __init__(self, name, least, most):
        self.name, self.least, self.most = name, least, most      # a number, a Sum


class Program:
    """One function f of some nests over the sizes N, M, K."""

    def __init__(self, seed):
        self.seed = seed
        self.random = choose = random.Random("small nests %d" % seed)
        self.sizes = choose.sample(["N", "M", "K"], choose.choice((1, 1, 2, 2, 3)))
        self.tuned = {n: choose.choice((1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17)) for n in self.sizes}
        self.symbolic = [n for n in self.sizes if choose.random() < 0.85] or self.sizes[:1]
        self.is_float = choose.random() < 0.3
        self.type = "double" if self.is_float else "unsigned"
        self.ranks = {n: choose.choice((1, 1, 2)) for n in "ABXY"[:choose.choice((1, 2, 2, 3, 4))]}
        self.extents = {}
        self.written = set()
        self.scalars = 0
        self.lines = []
        for _ in range(choose.choice((1, 1, 1, 2))):
            self.left = choose.choice((1, 1, 2, 2, 3, 4))
            self.loop([], 1)

    def say(self, depth, text):
        self.lines.append("  " * depth + text)

    def loop(self, around, depth):
        choose = self.random
        name = "ijkl"[len(around)] if choose.random() < 0.7 else "pqrt"[len(around)]
        size = choose.choice(self.sizes)
        end, most = choose.choice((
            (size, Sum(0, **{size: 1})), (size, Sum(0, **{size: 1})), (size, Sum(0, **{size: 1})),
            (size + " - 1", Sum(-1, **{size: 1})), (size + " + 2", Sum(2, **{size: 1})),
            ("4", Sum(4)), ("9", Sum(9)), ("2", Sum(2))))
        first, least = choose.choice((("0", 0), ("0", 0), ("0", 0), ("1", 1), ("2", 2)))
        outer = choose.choice(around) if around else None
        kind = choose.random()
        if outer and kind < 0.12:
            end += " - " + outer.name
        elif outer and kind < 0.24:
            first, least = outer.name + choose.choice(("", " + 1")), 0
        elif outer and kind < 0.3:
            end, most = outer.name + " + 1", outer.most.plus(Sum(1))
        elif kind < 0.34:
            first, least = size + " / 2", 0
        elif kind < 0.38:
            end += " && %s < %s" % (name, choose.choice(self.sizes))
        step = choose.choice((1, 1, 1, 1, 2, 2, 3, 4))
        if "&&" not in end and choose.random() < 0.25:
            head = "for (int %s = %s - 1; %s >= %s; %s)" % (
                name, end, name, first, name + "--" if step == 1 else "%s -= %d" % (name, step))
        else:
            head = "for (int %s = %s; %s < %s; %s)" % (
                name, first, name, end, name + "++" if step == 1 else "%s += %d" % (name, step))
        self.say(depth, head + " {")
        self.body(around + [Iterator(name, least, most.plus(Sum(-1)))], depth + 1)
        self.say(depth, "}")

    def body(self, around, depth):
        choose = self.random
        if len(around) < 2 or (len(around) < 4 and choose.random() < 0.4):
            kind = choose.random()
            if kind < 0.2:
                self.summed(around, depth)
                return
            if kind < 0.4 and self.left > 1:
                self.statement(around, depth)
            self.loop(around, depth)
            if choose.random() < 0.3 and self.left > 0:
                choose.choice((self.loop, self.statement))(around, depth)
        else:
            self.statement(around, depth)
            while self.left > 0 and choose.random() < 0.6:
                self.statement(around, depth)

    def summed(self, around, depth):
        """A scalar that carries a sum through a loop."""
        name = "s%d" % self.scalars
        self.scalars += 1
        self.say(depth, "%s %s = %s;" % (self.type, name, self.random.choice(("0", "1", self.read(around)))))
        size = self.random.choice(self.sizes)
        inner = around + [Iterator("u", 0, Sum(-1, **{size: 1}))]
        self.say(depth, "for (int u = 0; u < %s; u++)" % size)
        self.say(depth + 1, "%s %s;" % (name, self.random.choice(("+= ", "+= ", "= %s * 3 + " % name))
                                       + self.read(inner)))
        self.left -= 2
        self.assign(around, depth, name)

    def statement(self, around, depth):
        choose = self.random
        if choose.random() < 0.3:
            self.say(depth, "if (%s)" % self.condition(around))
            self.assign(around, depth + 1)
            if choose.random() < 0.4:
                self.say(depth, "else")
                self.assign(around, depth + 1)
        elif choose.random() < 0.08:
            self.say(depth, "{ const %s v%d = 1; %s }" % (self.type, depth, self.assignment(around)))
            self.left -= 1
        else:
            self.assign(around, depth)

    def condition(self, around):
        choose = self.random
        a, b = choose.choice(around), choose.choice(around)
        divisor = choose.choice((2, 2, 3, 4))
        return choose.choice((
            "%s %% %d == %d" % (a.name, divisor, choose.randrange(divisor)),
            "(%s + %s) %% %d == %d" % (a.name, b.name, divisor, choose.randrange(divisor)),
            "%s < %s" % (a.name, choose.choice(self.sizes)), "%s > %d" % (a.name, choose.randrange(4)),
            "%s <= %s" % (a.name, b.name), "%s + %s < %s" % (a.name, b.name, choose.choice(self.sizes)),
            "%s == 0" % a.name, "%s == %s - 1" % (a.name, choose.choice(self.sizes)),
            "%s %% 3 == 1 && %s > 1" % (a.name, b.name)))

    def assign(self, around, depth, value=None):
        self.say(depth, self.assignment(around, value))
        self.left -= 1

    def assignment(self, around, value=None):
        choose = self.random
        name = choose.choice(sorted(self.ranks))
        self.written.add(name)
        terms = [value or self.read(around)]
        while choose.random() < 0.4:
            terms.append(choose.choice((self.read(around), self.read(around), choose.choice(around).name,
                                        choose.choice(self.sizes), "7")))
        operator = choose.choice(("=", "=", "=", "+=", "+=", "-="))
        factor = choose.choice(("", "", "3 * "))
        return "%s %s %s;" % (self.element(name, around), operator, factor + " + ".join(terms))

    def read(self, around):
        return self.element(self.random.choice(sorted(self.ranks)), around)

    def element(self, name, around):
        """NAME[...]: its extents are grown until they hold it."""
        text = name
        own = self.extents.setdefault(name, [Sum(1)] * self.ranks[name])
        for d in range(self.ranks[name]):
            subscript, most = self.subscript(around)
            own[d] = own[d].most(most.plus(Sum(1)))
            text += "[%s]" % subscript
        return text

    def subscript(self, around):
        choose = self.random
        i, j = choose.choice(around), choose.choice(around)
        kind = choose.random()
        if kind < 0.45:
            return i.name, i.most
        if kind < 0.6:
            c = choose.randint(1, 3)
            return "%s + %d" % (i.name, c), i.most.plus(Sum(c))
        if kind < 0.7 and i.least > 0:
            return "%s - 1" % i.name, i.most
        if kind < 0.78 and i is not j:
            return "%s + %s" % (i.name, j.name), i.most.plus(j.most)
        if kind < 0.84 and i.most.terms:
            return "%s - %s" % (i.most, i.name), i.most
        if kind < 0.88:
            return "2 * " + i.name, i.most.plus(i.most)
        if kind < 0.93:
            size = choose.choice(self.sizes)
            return "%s + %s" % (i.name, size), i.most.plus(Sum(0, **{size: 1}))
        c = choose.randrange(4)
        return str(c), Sum(c)

    def parameters(self):
        """[(name, extents)] of the arrays that are used."""
        return [(name, self.extents[name]) for name in sorted(self.extents)]

    def text(self, name):
        parameters = ["int " + n for n in self.sizes]
        parameters += [("" if a in self.written else "const ") + self.type + " " + a
                       + "".join("[%s]" % e for e in extents) for a, extents in self.parameters()]
        return "void %s(%s)\n{\n%s\n}\n" % (name, ", ".join(parameters), "\n".join(self.lines))

    def choices(self):
        """Values of the sizes to try: bound ones stay."""
        choose = random.Random("sizes %d" % self.seed)
        found = [dict(self.tuned), dict(self.tuned, **{n: 1 for n in self.symbolic}),
                 dict(self.tuned, **{n: 2 for n in self.symbolic})]
        for _ in range(10):
            found.append({n: v if n not in self.symbolic else choose.choice(
                (1, 2, 3, 5, 11, 14, v, v + 1, max(v - 1, 1), 2 * v, 2 * v + 1)) for n, v in self.tuned.items()})
        return [values for i, values in enumerate(found) if values not in found[:i]
                and all(e.value(values) > 0 for _, extents in self.parameters() for e in extents)]

    def options(self):
        machine = random.Random("machine %d" % self.seed)
        text = "name: m\nscratchpad: { bytes: %d }\n" % machine.choice((128, 200, 320, 512, 1024, 4096, 65536))
        return text, ["-D%s=%d" % item for item in sorted(self.tuned.items())] + [
            "--symbolic=" + ",".join(self.symbolic),
            "--buffering=" + machine.choice(("single", "double", "auto")),
            "--effort=%d" % machine.choice((1, 50, 1000, 20000))] + (
                ["-fno-reassociate"] if self.is_float else [])


HARNESS = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loopc_checked.h"
static uint32_t state;
static uint32_t next_value(void) { return (state = state * 1664525u + 1013904223u) >> 20; }
#define FILL(type, array, bytes) do { state = 12345u + (uint32_t)(bytes); \\
	for (size_t i = 0; i < (bytes) / sizeof(type); i++) (array)[i] = (type)next_value() / 7; } while (0)
static unsigned long moved(const char *name)
{
	lrt_counts counts = lrt_checked_counts(name);
	return (unsigned long)(counts.read_bytes + counts.write_bytes);
}
"""


def test_of(program, header):
    """The C function that compares f<seed> with ref<seed> for some sizes."""
    seed, names = program.seed, [name for name, _ in program.parameters()]
    lines = ["static void test%d(%s)\n{\n" % (seed, ", ".join("int " + n for n in program.sizes))]
    bound = [n for n in program.sizes if n not in program.symbolic]
    lines += ["\t(void)%s;\n" % n for n in bound]
    for name, extents in program.parameters():
        lines.append("\tconst size_t bytes_%s = sizeof(%s) * %s;\n" % (
            name, program.type, " * ".join("(size_t)(%s)" % e for e in extents)))
        for kind in ("is", "ref"):
            lines.append("\t%s *%s_%s = aligned_alloc(64, (bytes_%s + 63) / 64 * 64);\n" % (
                program.type, kind, name, name))
            lines.append("\tFILL(%s, %s_%s, bytes_%s);\n" % (program.type, kind, name, name))
    lines.append("\tref%d(%s);\n" % (seed, ", ".join(program.sizes + ["(void *)ref_" + n for n in names])))
    lines.append("\tlrt_limits limits = { %d, 0, 0, 0, 0, 0 };\n\tlrt_checked_begin(&limits);\n"
                 % int(re.search(r"bytes: (\d+)", program.options()[0]).group(1)))
    for name in names:
        lines.append('\tlrt_checked_array("%s", is_%s, bytes_%s, %d);\n' % (name, name, name, name in program.written))
    symbolic = [n for n in program.sizes if n in program.symbolic]
    arguments = symbolic + ["(lrt_ext)is_" + n for n in names]
    watched = list(names)
    if re.search(r"f%d\([^;]*lrt_ext workspace\)" % seed, header):
        lines.append("\tconst size_t room = F%d_WORKSPACE_BYTES%s + 64;\n" % (
            seed, "(%s)" % ", ".join(symbolic) if "F%d_WORKSPACE_BYTES(" % seed in header else ""))
        lines.append('\tvoid *workspace = aligned_alloc(64, (room + 63) / 64 * 64);\n'
                     '\tlrt_checked_array(".workspace", workspace, room, 1);\n')
        arguments.append("(lrt_ext)workspace")
        watched.append(".workspace")
    lines.append("\tf%d(%s);\n" % (seed, ", ".join(arguments)))
    for what in ("READ", "WRITE"):
        if "F%d_%s_BYTES(" % (seed, what) not in header:
            break
    else:
        lines.append("\tunsigned long said = (unsigned long)(F%d_READ_BYTES(%s) + F%d_WRITE_BYTES(%s));\n" % (
            seed, ", ".join(symbolic), seed, ", ".join(symbolic)))
        lines.append("\tunsigned long is = %s;\n" % " + ".join('moved("%s")' % n for n in watched))
        lines.append('\tif (is != said)\n\t\tprintf("%d moved %%lu, said %%lu,%s\\n", is, said%s);\n' % (
            seed, "".join(" %s = %%d" % n for n in program.sizes), "".join(", " + n for n in program.sizes)))
    lines.append('\tint violations = lrt_checked_end();\n')
    lines.append('\tif (violations)\n\t\tprintf("%d %%d violations,%s\\n", violations%s);\n' % (
        seed, "".join(" %s = %%d" % n for n in program.sizes), "".join(", " + n for n in program.sizes)))
    for name in names:
        lines.append('\tif (memcmp(is_%s, ref_%s, bytes_%s))\n\t\tprintf("%d wrong %s,%s\\n"%s);\n' % (
            name, name, name, seed, name, "".join(" %s = %%d" % n for n in program.sizes),
            "".join(", " + n for n in program.sizes)))
        lines.append("\tfree(is_%s);\n\tfree(ref_%s);\n" % (name, name))
    return "".join(lines) + "}\n"


class Tools:
    def __init__(self, options, directory):
        self.loopc, self.runtime, self.cc = options.loopc, options.runtime, shlex.split(options.cc)
        self.directory, self.timeout = directory, options.timeout
        self.port = self.path("checked.o")
        self.build(["-O1", "-c", "-o", self.port, os.path.join(self.runtime, "checked.c")])

    def path(self, name):
        return os.path.join(self.directory, name)

    def build(self, arguments):
        done = subprocess.run(self.cc + ["-w", "-fwrapv", "-ffp-contract=off", "-I", self.runtime, "-I", self.directory]
                              + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        return done.stdout[-2000:] if done.returncode else None


def compile_with_loopc(tools, program):
    """"compiled", "refused", "slow", or the text of the failure."""
    seed = program.seed
    machine, options = program.options()
    for suffix, text in ((".loop", program.text("f%d" % seed)), (".yaml", machine)):
        with open(tools.path("f%d%s" % (seed, suffix)), "w") as out:
            out.write(text)
    command = [tools.loopc, "--arch=" + tools.path("f%d.yaml" % seed), "--emit=c=%s,h=%s" % (
        tools.path("f%d.c" % seed), tools.path("f%d.h" % seed))] + options + [tools.path("f%d.loop" % seed)]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (tools.timeout, tools.timeout + 5))
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=limit)
    if run.returncode == 0:
        return "compiled"
    if run.returncode == -24:
        return "slow"
    if run.returncode in (1, 3) and any(text in run.stdout for text in REFUSALS):
        return "refused"
    return "%s\nstatus %d\n%s" % (" ".join(command), run.returncode, run.stdout)


def included(path, seed):
    """Text that includes a C file with its static functions renamed, apart from others'."""
    with open(path) as file:
        names = sorted(set(re.findall(r"^static [^;=]*?\b(\w+)\(", file.read(), re.M)))
    renames = ["#define %s %s_of_%d" % (name, name, seed) for name in names]
    return "\n".join(renames + ['#include "%s"' % path] + ["#undef " + name for name in names]) + "\n"


def run_all(tools, programs):
    """{seed: what is wrong} of compiled PROGRAMS, in one process; None if they cannot be run."""
    references, emitted, tests, calls = [], [], [], []
    for program in programs:
        seed = program.seed
        references.append(program.text("ref%d" % seed))
        emitted.append(included(tools.path("f%d.c" % seed), seed))
        with open(tools.path("f%d.h" % seed)) as file:
            tests.append("void ref%d();\n" % seed + test_of(program, file.read()))
        for values in program.choices():
            calls.append('\tfprintf(stderr, "@%d\\n");\n\ttest%d(%s);\n' % (
                seed, seed, ", ".join(str(values[n]) for n in program.sizes)))
    texts = {"reference.c": "".join(references), "tests.c": HARNESS + "".join(emitted + tests)
             + "int main(void)\n{\n\tsetvbuf(stdout, 0, _IOLBF, 0);\n%s\treturn 0;\n}\n" % "".join(calls)}
    for name, text in texts.items():
        with open(tools.path(name), "w") as out:
            out.write(text)
    problem = tools.build(["-O0", "-o", tools.path("tests")] + [tools.path(n) for n in texts] + [tools.port, "-lm"])
    if problem:
        return {programs[0].seed: "cc: " + problem} if len(programs) == 1 else None
    try:
        run = subprocess.run([tools.path("tests")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=120, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return {programs[0].seed: "the emitted code does not end"} if len(programs) == 1 else None
    wrong = {}
    for line in run.stdout.splitlines():
        seed, text = line.split(None, 1)
        wrong[int(seed)] = wrong.get(int(seed), "") + text + "\n"
    if run.returncode:
        if len(programs) > 1:
            return None
        wrong[programs[0].seed] = "ended with %d\n%s" % (run.returncode, run.stderr[-1000:])
    return wrong


def check(tools, seeds, counts):
    """[text of a failure] of SEEDS; COUNTS grows by what became of them."""
    bad, ready = [], []
    for seed in seeds:
        program = Program(seed)
        result = compile_with_loopc(tools, program)
        if result == "compiled":
            ready.append(program)
        elif result not in ("refused", "slow"):
            bad.append("seed %d\n%s" % (seed, result))
            result = "failed"
        counts[result] = counts.get(result, 0) + 1
        if result in ("slow", "refused"):
            counts.setdefault(result + " seeds", []).append(seed)
    wrong = run_all(tools, ready) if ready else {}
    if wrong is None:
        wrong = {}
        for program in ready:
            wrong.update(run_all(tools, [program]))
    for seed, text in sorted(wrong.items()):
        bad.append("seed %d: %s\n%s\n%s" % (seed, " ".join(Program(seed).options()[1]), text,
                                          Program(seed).text("f%d" % seed)))
    return bad


def seeds_of(text):
    """The numbers of "0..9,17"."""
    seeds = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        seeds += range(int(first), int(last or first) + 1)
    return seeds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loopc", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--seeds", default="0..59")
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--timeout", type=int, default=60, help="seconds of CPU of one loopc")
    parser.add_argument("--keep", help="directory for all files")
    options = parser.parse_args()
    seeds = seeds_of(options.seeds)
    counts, failed, batch = {}, False, 0
    with tempfile.TemporaryDirectory(prefix="loopc-nests.") as directory:
        tools = Tools(options, options.keep or directory)
        for start in range(0, len(seeds), options.batch):
            batch += 1
            bad = check(tools, seeds[start:start + options.batch], counts)
            failed = failed or bool(bad)
            print("%s %d - seeds from %d" % ("not ok" if bad else "ok", batch, seeds[start]))
            for text in bad:
                print("# " + text.replace("\n", "\n# "))
            sys.stdout.flush()
    compiled = counts.get("compiled", 0)
    enough = 2 * compiled >= len(seeds)
    print("%s %d - half of them or more are compiled" % ("ok" if enough else "not ok", batch + 1))
    for what, number in sorted(counts.items()):
        print("# %s: %s" % (what, number))
    print("1..%d" % (batch + 1))
    return 1 if failed or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
