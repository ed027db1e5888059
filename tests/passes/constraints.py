"""What a schedule says is so, or refused: random lines on random nests and groups of the fuzzer's
generator.

    constraints.py LOOPC FIRST LAST      seeds FIRST to LAST

Lines are taken from a schedule that loopc found and changed at random.  Where loopc accepts
them, the schedule it prints has each of them, its result is verified, and the schedule given
back makes the same code.  Else the status is 1 or 3, and a message names one of the lines.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))

import fuzz  # noqa: E402


class Compiler:
    """loopc on one program and machine."""

    def __init__(self, loopc, directory, arguments):
        self.loopc, self.directory, self.arguments = loopc, directory, arguments

    def path(self, name):
        return os.path.join(self.directory, name)

    def run(self, name, *options):
        """Status, messages, code and schedule."""
        paths = [self.path(name + suffix) for suffix in (".c", ".out")]
        run = subprocess.run(
            [self.loopc] + self.arguments + list(options)
            + ["--emit=c=%s,schedule=%s" % tuple(paths), self.path("p.loop")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            check=False)
        if run.returncode:
            return run.returncode, run.stderr, None, None
        with open(paths[0], encoding="utf-8") as code, open(paths[1], encoding="utf-8") as text:
            return 0, run.stderr, re.sub(r"\n \* options:.*", "", code.read()), text.read()

    def schedule(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)
        return "--schedule=" + self.path(name)

    def extent(self, heading, loop):
        """Of a loop, as the message about a tile that is too large says."""
        option = self.schedule("probe", "nest %s\ntile %s 1000000000\n" % (heading, loop))
        message = self.run("probed", option)[1]
        found = re.search(r"between 1 and the loop's extent, (\d+),", message)
        return int(found.group(1)) if found else None


def sections(text):
    """(heading, lines) of a schedule."""
    found = []
    for line in text.splitlines():
        if line.startswith("nest "):
            found.append((line.split()[1], []))
        elif line.split():
            found[-1][1].append(line)
    return found


def loops_of(lines):
    return [line.split()[1] for line in lines if line.startswith("tile ")]


def change(source, line, lines):
    """LINE, said otherwise."""
    words, loops = line.split(), loops_of(lines)
    if words[0] == "tile":
        words[2] = str(max(1, source.choice([1, 2, 3, 5, 8, int(words[2]) * 2, int(words[2]) + 1])))
    elif words[0] in ("order", "serpentine") and words[1:] != ["none"]:
        rest = words[1:]
        source.shuffle(rest)
        words = words[:1] + rest[:source.randint(1, len(rest))] if rest else words
    elif words[0] == "store" and loops:
        name = words[1].split(":")[0] if source.random() < 0.3 else words[1]
        words = ["store", name] + source.choice(
            [["outside"], ["in", source.choice(loops)],
             ["in", source.choice(loops), "slots", str(source.randint(1, 4))],
             ["in", source.choice(loops), source.choice(["sliding", "double", "single"])]])
    elif words[0] == "stream" and len(words) == 4:
        words[3] = str(source.choice([1, 2, 3, int(words[3]) * 2]))
    return " ".join(words)


def constraint(source, heading, lines):
    """Some lines of a section, some of them changed, and some new ones."""
    said = []
    for line in lines:
        if source.random() < 0.5:
            said.append(change(source, line, lines) if source.random() < 0.5 else line)
    arrays = [line.split()[1].split(":")[0] for line in lines if line.startswith(("store", "stream"))]
    if "-" in heading and source.random() < 0.3:
        new = source.choice(["double", "stream", "carry"])
        if arrays:
            said.append("%s %s" % (new, source.choice(arrays)))
    if "-" in heading and loops_of(lines) and source.random() < 0.2:
        said.append("repeat " + source.choice(loops_of(lines)))
    if "-" not in heading and loops_of(lines) and source.random() < 0.2:
        said.append("serpentine " + source.choice(loops_of(lines) + ["none"]))
    return said


def is_obeyed(compiler, heading, line, given, lines):
    """LINE, of those that were GIVEN, is so in LINES, the section of HEADING that was printed."""
    words = line.split()
    printed = [other.split() for other in lines]
    if line in lines or words[0] in ("fuse", "nofuse"):
        return True
    if words[0] == "tile":
        return not any(other[:2] == words[:2] for other in printed) \
            and compiler.extent(heading, words[1]) == int(words[2])
    if words[0] == "order":
        order = next(other[1:] for other in printed if other[0] == "order")
        missing = [loop for loop in words[1:] if loop not in order]
        # loops that run in order come first, those with a tile of their own last
        tiled = [loop for other in given if other.startswith(("tile ", "serpentine "))
                 for loop in other.split()[1:]]
        extra = [loop for loop in order if loop not in words]
        sequential = any(other.startswith("form ") for other in given)
        return [loop for loop in words[1:] if loop in order] == \
            [loop for loop in order if loop in words] \
            and (sequential or (set(extra) <= set(tiled) and order[len(order) - len(extra):] == extra)
                 or set(order[:len(extra)]) <= set(tiled)) \
            and all(compiler.extent(heading, loop) == 1 for loop in missing)
    if words[0] == "serpentine":
        turning = next((other[1:] for other in printed if other[0] == "serpentine"), [])
        wanted = [loop for loop in words[1:] if loop != "none"]
        return set(wanted) <= set(turning) and ("none" not in words
                                                or set(turning) <= set(wanted + ["none"]))
    if words[0] == "store":
        mine = [other for other in printed if other[0] == "store" and words[1] in
                (other[1], other[1].split(":")[0])]
        rest = [word for word in words[2:] if word != "single"]
        if rest[-2:] == ["slots", "1"]:
            rest = rest[:-2]
        return bool(mine) and all(other[2:2 + len(rest)] == rest
                                  and other[2 + len(rest):] in ([], ["double"], ["single"])
                                  for other in mine)
    if words[0] == "form":
        return any(other[0] == "form" for other in printed)
    if words[0] == "stream":
        return any(other[:2] == words[:2] for other in printed)
    # on chip all the time, or an array that no line has to name
    return words[0] == "carry"


def check(compiler, source, found):
    """What is wrong with what loopc makes of some lines; None: nothing."""
    given = [(heading, constraint(source, heading, lines)) for heading, lines in sections(found)]
    text = "".join("nest %s\n%s" % (heading, "".join(line + "\n" for line in lines))
                   for heading, lines in given)
    option = compiler.schedule("wished", text)
    status, messages, code, printed = compiler.run("first", option, "--verify")
    if status:
        named = re.search(r"/wished:\d+:\d+: (error|note)", messages)
        good = status in (1, 3) and named
        return False, None if good else "status %d\n%s%s" % (status, text, messages)
    after = dict(sections(printed))
    for heading, lines in given:
        for line in lines:
            if heading not in after or not is_obeyed(
                    compiler, heading, line, lines, after[heading]):
                return True, "dropped: %s: %s\n%s---\n%s" % (heading, line, text, printed)
    _, messages, again, _ = compiler.run("again", compiler.schedule("back", printed))
    if again != code:
        return True, "not the same again\n%s---\n%s%s" % (text, printed, messages)
    return True, None


def main():
    loopc, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    taken = refused = failures = 0
    with tempfile.TemporaryDirectory() as directory:
        # the functions that the generator's programs call
        clamp = os.path.join(directory, "clamp.c")
        os.environ["LDLIBS"] = os.environ.get("LDLIBS", "") + " " + clamp
        with open(clamp, "w", encoding="utf-8") as out:
            out.write("int fuzz_clamp(int value, int least, int largest);\n"
                      "int fuzz_clamp(int value, int least, int largest)\n"
                      "{ return value < least ? least : value > largest ? largest : value; }\n"
                      "double fuzz_half(double value);\n"
                      "double fuzz_half(double value) { return value / 2; }\n")
        for seed in range(first, last + 1):
            source = random.Random(seed)
            case = fuzz.make_case(seed, 0)
            configuration = source.choice(case.configurations)
            with open(os.path.join(directory, "p.loop"), "w", encoding="utf-8") as out:
                out.write(case.program.text())
            with open(os.path.join(directory, "m.yaml"), "w", encoding="utf-8") as out:
                out.write(configuration.machine.text("m"))
            compiler = Compiler(loopc, directory, ["--arch=" + os.path.join(directory, "m.yaml")]
                                + configuration.options + [word for option in case.program.options()
                                                           for word in ("-D", option)])
            status, _, _, found = compiler.run("free")
            if status:
                continue
            is_taken, wrong = check(compiler, source, found)
            taken += is_taken
            refused += not is_taken
            if wrong:
                failures += 1
                print("# seed %d:" % seed)
                print("#   " + wrong.replace("\n", "\n#   "))
    print("# %d schedules taken, %d refused" % (taken, refused))
    return failures > 0 or min(taken, refused) < (last - first) // 5


if __name__ == "__main__":
    sys.exit(main())
