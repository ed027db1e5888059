"""Regions in closed form and regions from isl: two ways to find the same bytes.

    providers.py LOOPC examples TOP        every example below TOP/examples, at small sizes
    providers.py LOOPC random FIRST LAST   random programs of the fuzzer's generator

Each nest is lowered under the schedule that loopc finds, and once more with `form isl`: no array moves
more bytes then.  It may move fewer, where the boxes of closed forms have holes.  The same with other loops
that turn and numbers of slots, taken at random, wherever closed forms have them.  Random programs are verified besides as isl
has them.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))

import fuzz  # noqa: E402

# Schedules with random turns, for each that is found.
TURNED = 1


def compile_program(loopc, directory, source, options):
    """Schedule and report; None, the status and what is said where there are none."""
    schedule, report = (os.path.join(directory, name) for name in ("found", "report"))
    command = [loopc, *options, "--fuse=never", "--emit=schedule=" + schedule, "--report=" + report, source]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if run.returncode:
        return None, run.returncode, run.stderr
    with open(schedule, encoding="utf-8") as text, open(report, encoding="utf-8") as answer:
        return text.read(), json.load(answer)


def plainer(text):
    """TEXT without slots, sliding windows and loops that turn."""
    lines = []
    for line in text.splitlines():
        line = re.sub(r" slots \d+| sliding", "", line)
        if not line.startswith("serpentine"):
            lines.append(line)
        if line.startswith("order"):
            lines.append("serpentine none")
    return "\n".join(lines) + "\n"


def forward_loops(loopc, source, options):
    """(nest, loop) of those that no dependence lets go backwards."""
    run = subprocess.run([loopc, *options, "--fuse=never", "--emit=reuse", source], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, check=False)
    nest, forward = None, set()
    for words in map(str.split, run.stdout.splitlines()):
        nest = words[1] if words[:1] == ["nest"] else nest
        if words[:1] == ["loop"] and ("forward" in words or "sequential" in words):
            forward.add((nest, words[1]))
    return forward


def turned(text, forward, chance):
    """TEXT with random loops that turn, and slots in these; not FORWARD ones."""
    lines, turning, nest = [], [], None
    for line in plainer(text).splitlines():
        words = line.split()
        if words[:1] == ["nest"]:
            nest = words[1]
        if words[:2] == ["serpentine", "none"]:
            line = " ".join(words + turning)
        if words[:1] == ["order"]:
            turning = [loop for loop in words[1:] if (nest, loop) not in forward and chance.random() < 0.8]
        if words[2:3] == ["in"] and words[3] in turning:
            line = line.replace(" in " + words[3], " in %s%s%s" % (
                words[3], chance.choice(["", " slots 2", " slots 3"]), chance.choice(["", "", " sliding"])))
        lines.append(line)
    return "\n".join(lines) + "\n"


def from_isl(text):
    """TEXT with all regions from isl; nests in parts have no closed forms anyway."""
    sections = re.split(r"(?m)^(?=nest )", text)
    for i, section in enumerate(sections):
        if "form parts" in section or "/" in section.split("\n", 1)[0] or not section.startswith("nest "):
            continue
        if "\nform " not in section:
            section = section.replace("\n", "\nform isl\n", 1)
        elif "\nform plain" in section:
            section = section.replace("\nform plain", "\nform isl")
        else:
            section = re.sub(r"(?m)^(form(?: expanded)?(?: sequential \d+)?)", r"\1 isl", section)
        sections[i] = section
    return "".join(sections)


def traffic(report):
    return [(kernel["nest"], array["name"], array["read_bytes"], array["write_bytes"])
            for kernel in report["kernels"] for array in kernel["traffic"]["arrays"]]


class Comparison:
    def __init__(self, loopc, directory):
        self.loopc, self.directory = loopc, directory
        self.count = self.equal = self.turned = self.failures = 0

    def fail(self, what, text, *details):
        self.failures += 1
        print("# %s:" % what)
        for detail in details:
            print("#   " + "\n#   ".join(str(detail).splitlines()))
        print("#   " + "\n#   ".join(text.splitlines()))

    def compare(self, what, source, options, verifies=False):
        text = compile_program(self.loopc, self.directory, source, options)[0]
        if text is None:
            return
        self.compare_schedule(what, source, options, text, verifies)
        chance, forward = random.Random(what), forward_loops(self.loopc, source, options)
        for _ in range(TURNED):
            self.compare_schedule(what, source, options, turned(text, forward, chance), verifies, True)

    def run(self, source, options, text, *more):
        given = os.path.join(self.directory, "given")
        with open(given, "w", encoding="utf-8") as out:
            out.write(text)
        return compile_program(self.loopc, self.directory, source, options + ["--schedule=" + given, *more])

    def compare_schedule(self, what, source, options, text, verifies, may_be_refused=False):
        answers = []
        for version, more in (text, []), (from_isl(text), ["--verify"] * verifies):
            answers.append((version, *self.run(source, options, version, *more)))
            if answers[0][1] is None:
                break
        if answers[0][1] is None:
            if answers[0][2] not in (1, 3):
                self.fail(what, answers[0][0], "status %d" % answers[0][2], answers[0][3])
            return
        self.count += 1
        self.turned += "slots" in text or may_be_refused
        if answers[1][1] is None:
            self.fail(what, answers[1][0], "status %d" % answers[1][2], answers[1][3])
        else:
            one, other = traffic(answers[0][2]), traffic(answers[1][2])
            if len(one) != len(other) or any(a[:2] != b[:2] or a[2] < b[2] or a[3] < b[3]
                                             for a, b in zip(one, other)):
                self.fail(what, answers[1][0], *set(one) ^ set(other))
            self.equal += one == other


def examples(comparison, top):
    with open(os.path.join(top, "examples", "sizes.txt"), encoding="utf-8") as file:
        for words in [line.split() for line in file if not line.startswith("#")]:
            machine = os.path.join(comparison.directory, "m.yaml")
            with open(machine, "w", encoding="utf-8") as out:
                out.write("name: m\nscratchpad: { bytes: 4096 }\n")
            comparison.compare(words[0], os.path.join(top, "examples", words[0]),
                               ["--arch=" + machine] + [word for size in words[1:] for word in ("-D", size)])


def random_programs(comparison, first, last):
    machine, source = (os.path.join(comparison.directory, name) for name in ("m.yaml", "p.loop"))
    for seed in range(first, last + 1):
        case = fuzz.make_case(seed, 0)
        text = case.program.text()
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        defines = [word for option in case.program.options() for word in ("-D", option)]
        for configuration in case.configurations:
            with open(machine, "w", encoding="utf-8") as out:
                out.write(configuration.machine.text("m"))
            options = [option for option in configuration.options if not option.startswith("--fuse")]
            comparison.compare("seed %d, %s" % (seed, configuration.text()), source,
                               ["--arch=" + machine, *options, *defines],
                               # what it calls is in no library
                               verifies="fuzz_" not in text)


def main():
    loopc, kind, what = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as directory:
        comparison = Comparison(loopc, directory)
        if kind == "examples":
            examples(comparison, what)
            least = 20
        else:
            random_programs(comparison, int(what), int(sys.argv[4]))
            least = (int(sys.argv[4]) - int(what)) // 2
    print("# %d schedules compared, %d with other turns, %d equal, %d failures" % (
        comparison.count, comparison.turned, comparison.equal, comparison.failures))
    return (comparison.failures > 0 or comparison.count < least or comparison.turned < least
            or comparison.equal * 2 < comparison.count)


if __name__ == "__main__":
    sys.exit(main())
