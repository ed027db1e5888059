#!/usr/bin/env python3
"""wishes.py LOOPC FIRST COUNT: what a user asks for is done or refused, whatever goes together: COUNT random functions from seed FIRST on,
those of functions.py, for random machines, with random options, and schedules and pragmas that say something of some nests.

 - What is done is verified: the result, and each figure that was predicted. The schedule has each line that was given.
 - What is refused has a message, and leaves no file. Where nobody has fixed anything the status is no error's.
 - A value is no less than its bound.
 - With three threads the code is the same; and so it is where its schedule is given back."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

import functions

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "passes"))
import constraints  # noqa: E402

KINDS = (functions.Function, functions.Layered, functions.Normed, functions.Padded, functions.Bordered, functions.Alone)
OBJECTIVES = ("cycles", "energy", "edp", "commands", "traffic+40*commands", "cycles,traffic", "2*energy+0.5*cycles",
              "traffic,cycles", "traffic+0.0675*scratchpad", "scratchpad")
PRAGMAS = ("nofuse", "fuse", "distribute", "tile i 2", "order j i")
FORMS = ("isl", "sequential 1", "plain", "parts sequential 1", "inplace", "sequential 2")
STORES = ("outside", "in i", "in j", "in i double", "in j slots 2")
DONE, WRONG, USAGE, TOO_SMALL = 0, 1, 2, 3


def machine(rng, whole):
    """A machine for a function with arrays of WHOLE bytes: some or most of them have room."""
    size = max(24, int(whole * 2 ** (-5 * rng.random())) // rng.choice((1, 4, 8)))
    text = "version: 2\nname: m\n"
    if rng.random() < 0.7:
        text += "scratchpad: { bytes: %d%s }\n" % (size, rng.choice(("", "", ", align_bytes: 4")))
    else:
        text += ("memories:\n  - { name: a, bytes: %d, holds: [input, output] }\n"
                 "  - { name: b, bytes: %d, holds: [weight%s] }\n" % (size - size // 3, size // 3, rng.choice(("", ", output"))))
    text += "dma: { startup_cycles: %d, bytes_per_cycle: %d, max_rank: %d, channels: %d%s }\n" % (
        rng.choice((2, 14, 50, 291)), rng.choice((1, 4, 8)), rng.choice((1, 2, 3, 5)), rng.choice((1, 2, 4)),
        rng.choice(("", "", ", duplex: true", ", max_bytes: 64", ", align_bytes: 4")))
    if rng.random() < 0.5:
        text += "core: { mac_cycles: %s }\n" % rng.choice(("0.125", "0.5", "1"))
    if rng.random() < 0.3:
        text += "pe_array: { x: %d, y: %d, registers_bytes: %d, mac_cycles: 1%s }\n" % (
            rng.choice((1, 2, 4)), rng.choice((1, 4)), rng.choice((16, 64)), rng.choice(("", ", multicast: any, reduce: any")))
    return text + "energy_pj: { mac: 4, register: 1, scratchpad: 6, dram: 200 }\n"


def lines_of(rng, function, heading, nests):
    """What is said of NESTS, one or several."""
    text, lines = "\n".join(nests), [heading]
    loops, arrays = (sorted(set(re.findall(pattern, text))) for pattern in (r"int (\w) =", r"\b(\w+)\["))
    if len(nests) > 1 and rng.random() < 0.4:
        lines.append("merge")
    if rng.random() < 0.2:
        lines.append("form " + rng.choice(FORMS))
    lines += ["tile %s %d" % (loop, rng.randint(1, 6)) for loop in loops if rng.random() < 0.4]
    if rng.random() < 0.15:
        lines.append("serpentine " + rng.choice(loops + ["none"]))
    if function.locals and rng.random() < 0.1:
        lines.append("carry " + rng.choice(function.locals)[0])
    if rng.random() < 0.1:
        lines.append("store %s %s" % (rng.choice(arrays), rng.choice(STORES)))
    return lines


def schedule(rng, function):
    """Lines for some nests, and for some groups of them."""
    count, n, lines = len(function.nests), 0, []
    while n < count:
        size = min(rng.choice((1, 1, 1, 2, 3)), count - n)
        heading = "nest f" + ("" if count == 1 else ".%d" % n if size == 1 else ".%d-%d" % (n, n + size - 1))
        own = lines_of(rng, function, heading, function.nests[n:n + size])
        lines += own if rng.random() < 0.7 else []
        n += size
    return "\n".join(lines) + "\n"


def with_pragmas(rng, function):
    text = function.text()
    for nest in function.nests:
        if rng.random() < 0.05:
            text = text.replace(nest, "#pragma loopc %s\n%s" % (rng.choice(PRAGMAS), nest), 1)
    return text


def options_of(rng):
    choices = ((0.5, "objective", OBJECTIVES), (0.3, "buffering", ("single", "double", "auto")), (0.2, "fuse", ("never", "all", "auto")),
               (0.2, "recompute", ("never", "allowed", "10%")), (0.2, "effort", ("1", "100", "30000")),
               (0.1, "space", ("baseline", "tiling", "fusion-norecompute", "full")))
    return ["--%s=%s" % (name, rng.choice(values)) for chance, name, values in choices if rng.random() < chance]


class Failure(Exception):
    pass


class Trial:
    """One function, a machine and what is asked for, in the working directory."""

    def __init__(self, loopc, seed):
        rng = random.Random(seed)
        self.loopc, self.function = loopc, rng.choice(KINDS)(rng)
        self.source = with_pragmas(rng, self.function)
        whole = sum(4 * a * b for a, b in ((sides + [1])[:2] for sides in self.function.side.values()))
        self.write("f.loop", self.source)
        self.write("m.yaml", machine(rng, whole))
        self.options = options_of(rng)
        self.given = rng.random() < 0.4
        self.write("given", schedule(rng, self.function))

    @staticmethod
    def write(name, text):
        with open(name, "w", encoding="utf-8") as out:
            out.write(text)

    @staticmethod
    def read(name):
        with open(name, encoding="utf-8") as text:
            return text.read()

    def run(self, name, *more):
        """Status, messages, code and schedule of what is made in files that begin with NAME."""
        try:
            done = subprocess.run([self.loopc, "--arch=m.yaml", *self.options, *more, "--emit=c=%s.c,schedule=%s.schedule" % (name, name),
                                   "f.loop"], capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired as reason:
            raise Failure("%s: it does not end" % " ".join(self.options)) from reason
        if done.returncode:
            return done.returncode, done.stderr, None, None
        return DONE, done.stderr, re.sub(r"/\*.*?\*/", "", self.read(name + ".c"), count=1, flags=re.S), self.read(name + ".schedule")

    def check(self, what, holds):
        if not holds:
            raise Failure("%s: %s" % (" ".join(self.options), what))

    def check_refused(self, status, messages):
        self.check("status %d:\n%s" % (status, messages), status in (WRONG, USAGE, TOO_SMALL) and "error: " in messages)
        fixed = self.given or "#pragma" in self.source or any("objective" in option for option in self.options)
        self.check("nothing is fixed, and there is an error:\n%s" % messages, fixed or status == TOO_SMALL)
        self.check("files are left", not any(os.path.exists(name) for name in ("made.c", "made.schedule", "report.json")))

    def check_bounds(self):
        for function in json.loads(self.read("report.json"))["functions"]:
            asked = function.get("objective") or {}
            value, bound = asked.get("value"), asked.get("lower_bound")
            self.check("%s is below its bound, %s" % (value, bound), None in (value, bound) or bound <= value * (1 + 1e-12))

    def check_obeyed(self, made):
        """What was given is so in the schedule that was made."""
        made = "".join(line + "\n" for line in made.splitlines() if not line.startswith("distribute "))
        after = dict(constraints.sections(made))
        compiler = constraints.Compiler(self.loopc, os.getcwd(), ["--arch=m.yaml", *self.options])
        os.replace("f.loop", "p.loop")
        for heading, lines in constraints.sections(self.read("given")) if self.given else ():
            for line in lines:
                self.check("dropped: %s: %s\n%s" % (heading, line, made), heading in after and constraints.is_obeyed(
                    compiler, heading, line, lines, after[heading]))
        os.replace("p.loop", "f.loop")

    def test(self):
        """True: it was done."""
        wished = ["--schedule=given"] if self.given else []
        status, messages, code, made = self.run("made", "-j1", "--verify", "--report=report.json", *wished)
        if status:
            self.check_refused(status, messages)
            return False
        self.check_bounds()
        self.check_obeyed(made)
        self.check("with three threads it is another one", self.run("threads", "-j3", *wished)[2:] == (code, made))
        status, messages, again, said = self.run("again", "--schedule=made.schedule")
        self.check("the schedule, given back, is refused:\n%s\n%s" % (made, messages), not status)
        self.check("the schedule, given back, is another one:\n%s\n%s" % (made, said), (again, said) == (code, made))
        return True


def main():
    loopc, first, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    done = failures = 0
    home = os.getcwd()
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            try:
                done += Trial(loopc, seed).test()
            except Failure as failure:
                failures += 1
                print("seed %d: %s" % (seed, failure))
            os.chdir(home)
    print("%d functions, %d done, %d failures" % (count, done, failures))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
