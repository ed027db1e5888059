"""Random sums in a local array C, of which what stands behind makes another array D.

usage: in_place.py LOOPC FIRST COUNT

Where C's elements are used up one by one it is computed in the place of D: it moves no more than the same program
with D written for C, and than with a buffer for each; its schedule, given back, makes the same code.  Where they are
not, nothing is computed in the place of another, and nobody can want it.  All do what the source does."""

import pathlib
import random
import sys
import tempfile

from merged import Failure, code, compile_to, expect, loops, moved

# What stands behind the sum: statements, each in loops of its own, with the loops it has besides i and j.
GOOD = {
    "plain": [("D[i][j] = {f};", {})],
    "residual": [("D[i][j] = C[i][j] + R[i][j];", {})],
    "change": [("C[i][j] = {f};", {}), ("D[i][j] = C[i][j] - R[i][j];", {})],
    "change after": [("D[i][j] = C[i][j] - R[i][j];", {}), ("D[i][j] = D[i][j] * 3;", {})],
    "chain": [("E[i][j] = C[i][j] - R[i][j];", {}), ("D[i][j] = E[i][j] * 3;", {})],
    "read of it": [("D[i][j] = {f};", {}), ("S[i] += D[i][j];", {})],
    "two": [("T[i][j] = C[i][j] * 2;", {}), ("D[i][j] = {f};", {})],
}
BAD = {
    "read after": [("D[i][j] = {f};", {}), ("S[i] += C[i][j];", {})],
    "read elsewhere": [("D[i][j] = {f};", {}), ("S[i] += C[i][0];", {})],
    "transposed": [("D[j][i] = {f};", {})],
    "read before": [("D[i][j] = C[i][j] - R[i][j];", {})],
    "another type": [("N[i][j] = {f};", {})],
    "another size": [("W[i][j] = {f};", {})],
    "guarded": [("if (j > 0) D[i][j] = {f};", {})],
    "again": [("D[i][j] = C[i][j] * 3 + R[i][j];", {"t": 2})],
    "neighbours": [("D[i][j] = C[i][j] + C[i][0];", {})],
    "read by another": [("D[i][j] = C[i][j] + D[i][0];", {})],
}
FUNCTIONS = ["(C[i][j] > 0 ? C[i][j] : 0)", "C[i][j] * 3", "C[i][j] + C[i][j]"]


class Program:
    def __init__(self, rng):
        self.kind = rng.choice(sorted(GOOD) * 2 + sorted(BAD))
        self.is_good = self.kind in GOOD
        self.type, self.input = rng.choice([("float", "float"), ("int32_t", "int8_t"), ("int64_t", "int16_t")])
        n = rng.choice([6, 8, 12, 16])
        self.extents = {"i": n, "j": n if self.kind == "transposed" else rng.choice([6, 8, 12, 16]),
                        "k": rng.choice([3, 8, 12]), "t": 2}
        self.first = rng.choice(["0", "b[j]"]) if self.kind != "read before" else "D[i][0]"
        self.tail = [(text.format(f=rng.choice(FUNCTIONS)), own)
                     for text, own in {**GOOD, **BAD}[self.kind]]
        self.is_one = rng.random() < 0.4

    def text(self, name="C"):
        i, j, k = (self.extents[n] for n in "ijk")
        kind = self.type
        params = (f"const {self.input} A[{i}][{k}], const {self.input} B[{k}][{j}], const {kind} b[{j}], "
                  f"const {kind} R[{i}][{j}], {kind} D[{i}][{j}], {kind} S[{i}], {kind} T[{i}][{j}], "
                  f"{'double' if kind == 'float' else 'int16_t'} N[{i}][{j}], {kind} W[{i}][{j + 1}]")
        locals_ = ["E"] if self.kind == "chain" else []
        locals_ += [name] if name == "C" else []
        head = ["#include <stdint.h>", f"void f({params})", "{"]
        head += [f"\t{kind} {n}[{i}][{j}];" for n in locals_]
        parts = [([], f"C[i][j] = {self.first};"), (["k"], "C[i][j] += A[i][k] * B[k][j];")]
        parts += [(list(own), text) for text, own in self.tail]
        parts = [(inner, text.replace("C[", name + "[")) for inner, text in parts]
        body = []
        if self.is_one:
            inside = []
            for inner, text in parts:
                inside += loops(inner, self.extents, [text], 0) if inner else [text]
            body = loops(["i", "j"], self.extents, inside, 1)
        else:
            for inner, text in parts:
                body += loops(["i", "j"] + inner, self.extents, [text], 1)
        return "\n".join(head + body + ["}"]) + "\n"


def only(schedule, form):
    """The headings of SCHEDULE; where a nest is in place it has FORM instead, and no other line."""
    sections = schedule.split("nest ")[1:]
    kept = []
    for section in sections:
        lines = section.splitlines()
        is_changed = any(line.startswith("form") and "inplace" in line for line in lines)
        own = [line for line in lines[1:] if not is_changed or line == "merge"]
        kept += ["nest " + lines[0]] + own + ([form] if is_changed else [])
    return "\n".join(kept) + "\n"


def check(loopc, seed, directory):
    rng = random.Random(seed)
    program = Program(rng)
    size = rng.choice([192, 256, 512, 1024, 2048])
    (directory / "m.yaml").write_text(f"name: m\nscratchpad: {{ bytes: {size} }}\n")
    source, direct = directory / "f.loop", directory / "direct.loop"
    source.write_text(program.text())
    direct.write_text(program.text("D"))
    found = compile_to(loopc, directory, source, "--verify")
    if not found:
        return False
    is_in_place = "inplace" in found[1]
    expect(program.is_good or not is_in_place, f"{program.kind}: it is in place")
    given = directory / "given"
    given.write_text(found[1])
    again = compile_to(loopc, directory, source, f"--schedule={given}")
    expect(again and again[1] == found[1], "its schedule, given back, is another one")
    expect(code(again) == code(found), "its schedule, given back, makes other code")
    can_be = check_forced(loopc, program, directory, source)
    if not program.is_good:
        return False
    if program.kind in ("plain", "residual", "change", "change after"):
        other = compile_to(loopc, directory, direct)
        expect(not other or moved(found) <= moved(other), f"with D for C {other and moved(other)} < {moved(found)}")
    if is_in_place:
        (directory / "changed").write_text(only(found[1], "form plain"))
        other = compile_to(loopc, directory, source, f"--schedule={directory / 'changed'}")
        expect(not other or moved(found) <= moved(other), f"not in place {other and moved(other)} < {moved(found)}")
    return is_in_place or can_be


def check_forced(loopc, program, directory, source):
    """All nests as one, in place: right, or refused.  So are those before the last, which uses C too."""
    def forced(heading):
        (directory / "changed").write_text(heading + "form inplace\n")
        return compile_to(loopc, directory, source, f"--schedule={directory / 'changed'}", "--verify")

    answer = forced("nest f\n" if program.is_one else f"nest f.0-{len(program.tail) + 1}\nmerge\n")
    expect(program.is_good or not answer, f"{program.kind}: it can be wanted in place")
    if not program.is_one and program.kind in ("read after", "read elsewhere", "two"):
        expect(not forced("nest f.0-2\nmerge\n"), f"{program.kind} outside: it can be wanted in place")
    return bool(answer)


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    in_place = failed = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            try:
                in_place += check(loopc, seed, pathlib.Path(name))
            except Failure as failure:
                failed += 1
                print(f"seed {seed}: {failure}")
    print(f"{count} programs, {in_place} in place, {failed} failed")
    if in_place * 4 < count:
        print("too few were in place")
        return 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
