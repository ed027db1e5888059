"""Random sums into the same elements, one behind the other, whose loops are chained.

usage: chained.py LOOPC FIRST COUNT

What is chosen does what the source does, moves no more than any form that is wanted, and no schedule that differs in a
line is below what was called optimal.  With `form chained` the nest does what the source does."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Program:
    def __init__(self, rng):
        self.kind = rng.choice(["plain"] * 5 + ["same input", "triangle", "between", "store", "two loops", "late"])
        self.extents = {"g": rng.choice([1, 3, 4]), "b": rng.choice([1, 4, 6]), "j": rng.choice([5, 8, 16])}
        self.sums = rng.choice([2, 2, 3])
        self.lengths = [rng.choice([1, 4, 7, 12, 16]) for _ in range(self.sums)]
        self.type, self.input = rng.choice([("float", "float"), ("int32_t", "int8_t")])
        self.indices = rng.choice(["gj", "gbj", "j", "bj"])
        self.weights = rng.choice(["gj", "j", "gj"])
        self.weights = "".join(c for c in self.weights if c in self.indices)
        self.vector = "b" if "b" in self.indices else ""
        self.first = rng.choice(["0", "7"])
        self.begin = rng.choice([0, 0, 2])
        self.operator = rng.choice(["+=", "+=", "+=", "-="])
        self.has_one_name = rng.random() < 0.4
        self.has_tail = rng.random() < 0.5
        self.is_local = self.has_tail and rng.random() < 0.5

    def text(self):
        def size(names):
            return "".join(f"[{self.extents[n]}]" for n in names)

        def at(names):
            return "".join(f"[{n}]" for n in names)

        target = "C" + at(self.indices)
        params = [] if self.is_local else [f"{self.type} C{size(self.indices)}"]
        body = [f"{target} = {self.first};"]
        for s in range(self.sums):
            loop, length = "k" if self.has_one_name else f"k{s}", self.lengths[s]
            begin = self.begin if s else 0
            if self.kind == "same input" and s:
                row, loop_length = "X0", max(self.lengths) + 3
            else:
                row, loop_length = f"X{s}", max(self.lengths) + 3
            params.append(f"const {self.input} W{s}{size(self.weights)}[{loop_length}]")
            if row == f"X{s}":
                params.append(f"const {self.input} {row}{size(self.vector)}[{loop_length}]")
            end = f"{begin + length}"
            if self.kind == "triangle" and s == 1:
                begin, end = 0, "j < 9 ? j + 1 : 9"
            value = f"W{s}{at(self.weights)}[{loop}] * {row}{at(self.vector)}[{loop}]"
            condition = f"{loop} < {end}" if "?" not in end else f"{loop} <= j && {loop} < {loop_length}"
            body.append(f"for (int {loop} = {begin}; {condition}; {loop}++) {{")
            operator = self.operator if s else "+="
            if self.kind == "two loops":
                body.append(f"\tfor (int r{s} = 0; r{s} < 2; r{s}++)")
                value += f" * (r{s} + 1)" if self.type != "float" else ""
            body.append(f"\t{target} {operator} {value};")
            if self.kind == "store" and s == 1:
                params.append(f"{self.type} Z{size(self.indices)}[{loop_length}]")
                body.append(f"\tZ{at(self.indices)}[{loop}] = {value};")
            body.append("}")
            if self.kind == "between" and s == 0:
                body.append(f"{target} = {target} > 0 ? {target} : 0;")
        if self.has_tail:
            params.append(f"{self.type} D{size(self.indices)}")
            body.append(f"D{at(self.indices)} = {target} * 2;")
        if self.kind == "late":
            params.append(f"{self.type} E{size(self.indices)}")
            body.insert(1, f"E{at(self.indices)} = 1;")
        lines = ["#include <stdint.h>", f"void f({', '.join(params)})", "{"]
        if self.is_local:
            lines.append(f"\t{self.type} C{size(self.indices)};")
        tab = 1
        for n in self.indices:
            lines.append("\t" * tab + f"for (int {n} = 0; {n} < {self.extents[n]}; {n}++)" + " {")
            tab += 1
        lines += ["\t" * tab + line for line in body]
        while tab > 1:
            tab -= 1
            lines.append("\t" * tab + "}")
        return "\n".join(lines + ["}"]) + "\n"


def run(loopc, directory, schedule, *options):
    """The report and the text of the schedule; None: nothing fits, or it cannot be."""
    command = [loopc, f"--arch={directory / 'm.yaml'}", f"--report={directory / 'r.json'}",
               f"--emit=schedule={directory / 'found'},c={directory / 'o.c'}", *options, str(directory / "f.loop")]
    if schedule:
        (directory / "wanted").write_text(schedule)
        command.append(f"--schedule={directory / 'wanted'}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3 or (done.returncode == 1 and schedule):
        return None
    if done.returncode:
        raise Failure(f"status {done.returncode}: {' '.join(command)}\n{schedule}{done.stderr}")
    return json.loads((directory / "r.json").read_text()), (directory / "found").read_text()


def moved(answer):
    return answer[0]["total"]["total_bytes"]


def mutations(rng, schedule):
    lines = schedule.splitlines()
    for _ in range(4):
        own = list(lines)
        at = rng.randrange(len(own))
        words = own[at].split()
        if words[0] == "tile":
            own[at] = f"tile {words[1]} {max(1, int(words[2]) + rng.choice([-3, -1, 1, 2]))}"
        elif words[0] == "store":
            own[at] = f"store {words[1]} outside"
        else:
            own = [line for line in own if line.split()[0] not in ("order", "store", "serpentine")]
        yield "\n".join(own) + "\n"


def check(loopc, seed, directory):
    rng = random.Random(seed)
    program = Program(rng)
    size = rng.choice([96, 128, 192, 256, 512, 1024])
    (directory / "m.yaml").write_text(f"name: m\nscratchpad: {{ bytes: {size} }}\n")
    (directory / "f.loop").write_text(program.text())
    found = run(loopc, directory, None, "--verify")
    if not found:
        return False
    again = run(loopc, directory, found[1])
    expect(again and again[1] == found[1], "its schedule, given back, is another one")
    chained = run(loopc, directory, "nest f\nform chained\n", "--verify")
    forms = ["plain", "chained isl", "expanded", "parts sequential 0", f"parts sequential {len(program.indices)}"]
    for text in forms:
        other = run(loopc, directory, f"nest f\nform {text}\n")
        expect(not other or moved(found) <= moved(other), f"{text}: {other and moved(other)} < {moved(found)}")
    expect(not chained or moved(found) <= moved(chained), f"chained: {chained and moved(chained)} < {moved(found)}")
    if found[0]["kernels"][0]["search"]["optimal"]:
        texts = list(mutations(rng, found[1])) + (list(mutations(rng, chained[1])) if chained else [])
        for text in texts:
            other = run(loopc, directory, text)
            expect(not other or moved(other) >= moved(found), f"{other and moved(other)} < {moved(found)}, optimal:\n{text}")
    return "chained" in found[1]


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chosen = failed = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            try:
                chosen += check(loopc, seed, pathlib.Path(name))
            except Failure as failure:
                failed += 1
                print(f"seed {seed}: {failure}")
    print(f"{count} programs, {chosen} chained, {failed} failed")
    if chosen * 6 < count:
        print("too few were chained")
        return 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
