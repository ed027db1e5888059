"""Random layers as users and importers write them, in three ways: the statements before and behind the
sum as nests of their own, in the sum's nest, and with the sum in a scalar.

usage: merged.py LOOPC FIRST COUNT

Merged nests move no more than nests one by one, than the group of them, and than the same statements
written as one nest, which is the same nest; they do what the source does; their schedule, given back,
makes the same code; and no schedule that differs in a line is below what was called optimal."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

SHAPES = {
    # indices of the result, extents of these and of the sum's loops, factors of the sum
    "product": (["i", "j"], ["k"], ["A[i][k]", "B[k][j]"], ["A[{i}][{k}]", "B[{k}][{j}]"]),
    "batch": (["b", "i", "j"], ["k"], ["A[b][i][k]", "B[b][k][j]"], ["A[{b}][{i}][{k}]", "B[{b}][{k}][{j}]"]),
    "pointwise": (["n", "y", "x"], ["c"], ["A[c][y][x]", "B[n][c]"], ["A[{c}][{y}][{x}]", "B[{n}][{c}]"]),
    "window": (["n", "y", "x"], ["c", "r", "s"], ["A[c][y + r][x + s]", "B[n][c][r][s]"],
               ["A[{c}][{y} + {r} - 1][{x} + {s} - 1]", "B[{n}][{c}][{r}][{s}]"]),
    "rows": (["i"], ["k"], ["A[i][k]", "B[k]"], ["A[{i}][{k}]", "B[{k}]"]),
    "map": (["i", "j"], [], ["A[i][j]", "B[j]"], ["A[{i}][{j}]", "B[{j}]"]),
}


def loops(names, extents, body, tab):
    lines = []
    for depth, name in enumerate(names):
        lines.append("\t" * (tab + depth) + f"for (int {name} = 0; {name} < {extents[name]}; {name}++) {{")
    lines += ["\t" * (tab + len(names)) + line for line in body]
    lines += ["\t" * (tab + len(names) - 1 - depth) + "}" for depth in range(len(names))]
    return lines


class Layer:
    """What a layer is, whichever way it is written."""

    def __init__(self, rng):
        shape = rng.choice(sorted(SHAPES))
        self.outer, self.inner, self.factors, extents = SHAPES[shape]
        small = {"r", "s"}
        self.extents = {n: rng.randint(1, 3) if n in small else rng.choice([1, 5, 7, 8, 12, 16, 20])
                        for n in self.outer + self.inner}
        self.is_float = rng.random() < 0.4
        self.type = "float" if self.is_float else "int32_t"
        self.input = "float" if self.is_float else rng.choice(["int8_t", "int16_t"])
        self.params = [f"const {self.input} {e.format(**self.extents)}" for e in extents]
        self.is_local = rng.random() < 0.6
        index = "".join(f"[{n}]" for n in self.outer)
        size = "".join(f"[{self.extents[n]}]" for n in self.outer)
        self.target, self.local = "C" + index, f"{self.type} C{size};"
        last = f"[{self.outer[-1]}]"
        self.first = rng.choice(["0", "bias" + last])
        if self.first != "0":
            self.params.append(f"const {self.type} bias[{self.extents[self.outer[-1]]}]")
        self.finals = []
        value = "{v}"
        for step in range(rng.randint(0 if self.inner else 1, 2)):
            kind = rng.choice(["relu", "scale", "residual"])
            if kind == "residual":
                self.params.append(f"const {self.type} R{step}{size}")
            self.finals.append({"relu": f"({value} > 0 ? {value} : 0)", "scale": f"{value} * 3",
                                "residual": f"{value} + R{step}{index}"}[kind])
        self.output = "C" + index
        if self.is_local and self.finals:
            self.output = "D" + index
            self.params.append(f"{self.type} D{size}")
        else:
            self.is_local = False
            self.params.append(f"{self.type} C{size}")

    def sum(self, target):
        cast = f"({self.type})" if not self.is_float else ""
        return f"{target} += {cast}{self.factors[0]} * {self.factors[1]};"

    def tail(self, target):
        """The statements behind the sum, in order."""
        lines = []
        for step, final in enumerate(self.finals):
            to = self.output if step == len(self.finals) - 1 else target
            lines.append(f"{to} = {final.format(v=target)};")
        return lines

    def text(self, body, needs_local):
        head = f"void f({', '.join(self.params)})"
        local = ["\t" + self.local] if needs_local and self.is_local else []
        return "\n".join(["#include <stdint.h>", head, "{"] + local + body + ["}"]) + "\n"

    def apart(self):
        body = loops(self.outer, self.extents, [f"{self.target} = {self.first};"], 1)
        body += loops(self.outer + self.inner, self.extents, [self.sum(self.target)], 1)
        for line in self.tail(self.target):
            body += loops(self.outer, self.extents, [line], 1)
        return self.text(body, True)

    def together(self):
        body = [f"{self.target} = {self.first};"]
        body += loops(self.inner, self.extents, [self.sum(self.target)], 0)
        return self.text(loops(self.outer, self.extents, body + self.tail(self.target), 1), True)

    def scalar(self):
        body = [f"{self.type} v = {self.first};"]
        body += loops(self.inner, self.extents, [self.sum("v")], 0)
        last = self.tail("v") or [f"{self.output} = v;"]
        return self.text(loops(self.outer, self.extents, body + last, 1), False)


class Failure(Exception):
    pass


def compile_to(loopc, directory, source, *options):
    """The report, the text of the schedule, and the C; None: nothing fits, or the schedule cannot be."""
    report, schedule = directory / "r.json", directory / "found"
    command = [loopc, f"--arch={directory / 'm.yaml'}", f"--report={report}",
               f"--emit=schedule={schedule},c={directory / 'o.c'}", *options, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3 or (done.returncode == 1 and "changed" in " ".join(options)):
        return None
    if done.returncode:
        raise Failure(f"status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return json.loads(report.read_text()), schedule.read_text(), (directory / "o.c").read_text()


def moved(answer):
    return answer[0]["total"]["total_bytes"]


def expect(condition, text):
    if not condition:
        raise Failure(text)


def mutations(rng, schedule):
    """SCHEDULE with a line that differs, or other forms of the nest."""
    lines = schedule.splitlines()
    if "merge" not in lines:
        for form in ("plain", "expanded", "parts sequential 1", "parts sequential 2", "parts sequential 3"):
            yield f"nest f\nform {form}\n"
    for _ in range(4):
        own = list(lines)
        at = rng.randrange(len(own))
        words = own[at].split()
        if words[0] == "tile":
            own[at] = f"tile {words[1]} {max(1, int(words[2]) + rng.choice([-3, -1, 1, 2]))}"
        elif words[0] == "store":
            own[at] = f"store {words[1]} outside"
        elif words[0] in ("order", "serpentine"):
            own = [line for line in own if line.split()[0] not in ("order", "store", "serpentine")]
        else:
            continue
        yield "\n".join(own) + "\n"


def check(loopc, seed, directory):
    rng = random.Random(seed)
    layer = Layer(rng)
    size = rng.choice([256, 512, 1024, 2048, 4096, 16384])
    (directory / "m.yaml").write_text(f"name: m\nscratchpad: {{ bytes: {size} }}\n")
    sources = {}
    for way in ("apart", "together", "scalar"):
        sources[way] = directory / f"{way}.loop"
        sources[way].write_text(getattr(layer, way)())
    apart = compile_to(loopc, directory, sources["apart"], "--verify")
    if not apart:
        return False
    for options in (["--fuse=never"], ["--fuse=all"]):
        other = compile_to(loopc, directory, sources["apart"], *options)
        expect(not other or moved(apart) <= moved(other), f"{options}: {other and moved(other)} < {moved(apart)}")
    is_merged = "\nmerge\n" in apart[1]
    together = compile_to(loopc, directory, sources["together"])
    scalar = compile_to(loopc, directory, sources["scalar"])
    for way, answer in (("apart", apart), ("together", together), ("scalar", scalar)):
        if answer and len(answer[0]["kernels"]) == 1:
            check_claim(loopc, rng, directory, sources[way], answer)
    if is_merged and apart[1].count("nest ") == 1:
        expect(together and moved(together) == moved(apart),
               f"as one nest {together and moved(together)}, merged {moved(apart)}")
        expect(scalar and moved(scalar) <= moved(apart), f"scalar {scalar and moved(scalar)}")
    given = directory / "given"
    given.write_text(apart[1])
    again = compile_to(loopc, directory, sources["apart"], f"--schedule={given}", "--verify")
    expect(again and again[1] == apart[1], "its schedule, given back, is another one")
    expect(code(again) == code(apart), "its schedule, given back, makes other code")
    return is_merged


def check_claim(loopc, rng, directory, source, answer):
    """No other schedule moves less than an optimal one."""
    if not answer[0]["kernels"][0]["search"]["optimal"]:
        return
    for text in mutations(rng, answer[1]):
        changed = directory / "changed"
        changed.write_text(text)
        other = compile_to(loopc, directory, source, f"--schedule={changed}")
        expect(not other or moved(other) >= moved(answer),
               f"{other and moved(other)} < {moved(answer)}, which was called optimal:\n{text}")


def code(answer):
    """The C but for the comment that says how it was made."""
    return answer[2].split("*/", 1)[1]


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    merged = failed = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            try:
                merged += check(loopc, seed, pathlib.Path(name))
            except Failure as failure:
                failed += 1
                print(f"seed {seed}: {failure}")
    print(f"{count} layers, {merged} merged, {failed} failed")
    if merged * 3 < count:
        print("too few were merged")
        return 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
