"""Random layers with a pooling behind them, each step in a nest of its own.

usage: pooled.py LOOPC FIRST COUNT

A pooling whose windows do not overlap uses in one of its iterations what as many of the layer's make as its
stride says.  Merged with the layer it moves no more than the nests one by one, than their group, and than
any schedule of the merged nest that differs in lines, if it is called optimal; regions from isl move no
more than closed forms do; what is predicted is measured; and a schedule, given back, makes the same code.
Windows that overlap, sizes that are no multiple of the stride, other names and orders of loops and strides
of two loops that differ are among them."""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "passes"))

import merged  # noqa: E402
import providers  # noqa: E402
from merged import Failure, compile_to, expect, loops, moved  # noqa: E402


class Pooled:
    """A layer and its pooling."""

    def __init__(self, rng):
        self.rng = rng
        self.kind = rng.choice(["conv", "conv", "padded", "pointwise", "depthwise", "map"])
        self.is_float = rng.random() < 0.3
        self.type = "float" if self.is_float else "int32_t"
        self.stride = [rng.choice([2, 2, 3, 1]) for _ in range(2)]
        if self.stride == [1, 1]:
            self.stride = [2, 2]
        self.way = rng.choice(["loops", "loops", "loops", "one", "average", "apart", "stepped"])
        self.window = list(self.stride)
        if self.way != "stepped" and rng.random() < 0.15:
            self.window = [s + rng.choice([-1, 1]) if s > 1 else s for s in self.window]
        self.maps, self.rows, self.columns = rng.choice([1, 3, 4, 6]), rng.randint(1, 6), rng.randint(1, 6)
        self.channels, self.filter = rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 3])
        self.rest = [rng.choice([0, 0, 0, 0, 1]) for _ in range(2)]
        self.is_even = not any(self.rest)
        self.is_local = rng.random() < 0.8
        self.sides = [(n - 1) * s + w + r for n, s, w, r in
                      zip((self.rows, self.columns), self.stride, self.window, self.rest)]
        self.overlaps = any(w > s for w, s in zip(self.window, self.stride))
        self.is_whole = self.window == self.stride and self.is_even
        self.nests = 0

    def layer(self):
        """The nests in front of the pooling, and their parameters."""
        k, (h, w), t = self.maps, self.sides, self.type
        c, f, kind = self.channels, self.filter, self.kind
        extents = {"n": k, "y": h, "x": w, "c": c, "r": f, "s": f}
        outer, point = ["n", "y", "x"], "T[n][y][x]"
        if self.rng.random() < 0.3:
            self.rng.shuffle(outer)
        inner, subscript, params, guard = [], "", [], ""
        element = "float" if self.is_float else "int8_t"
        if kind in ("conv", "padded"):
            inner, subscript = ["c", "r", "s"], "A[c][y + r][x + s] * B[n][c][r][s]"
            sides = f"[{c}][{h + f - 1}][{w + f - 1}]"
            if kind == "padded" and f > 1:
                guard = f"if (y + r >= 1 && y + r < {h + 1} && x + s >= 1 && x + s < {w + 1}) "
                subscript = "A[c][y + r - 1][x + s - 1] * B[n][c][r][s]"
                sides = f"[{c}][{h}][{w}]"
            params = [f"const {element} A{sides}", f"const {element} B[{k}][{c}][{f}][{f}]"]
        elif kind == "pointwise":
            inner, subscript = ["c"], "A[c][y][x] * B[n][c]"
            params = [f"const {element} A[{c}][{h}][{w}]", f"const {element} B[{k}][{c}]"]
        elif kind == "depthwise":
            inner, subscript = ["r", "s"], "A[n][y + r][x + s] * B[n][r][s]"
            params = [f"const {element} A[{k}][{h + f - 1}][{w + f - 1}]", f"const {element} B[{k}][{f}][{f}]"]
        else:
            subscript, params = "A[n][y][x]", [f"const {t} A[{k}][{h}][{w}]"]
        body, first = [], self.rng.choice(["0", "bias[n]", "bias[n]"])
        if inner and first != "0":
            params.append(f"const {t} bias[{k}]")
        if inner and self.rng.random() < 0.2:
            sums = loops(inner, extents, [f"{guard}v += {subscript};"], 0)
            body += loops(outer, extents, [f"{t} v = {first};"] + sums + [f"{point} = v;"], 1)
        elif inner:
            body += loops(outer, extents, [f"{point} = {first};"], 1)
            body += loops(outer + inner, extents, [f"{guard}{point} += {subscript};"], 1)
        else:
            body += loops(outer, extents, [f"{point} = {subscript};"], 1)
        if self.rng.random() < 0.7:
            body += loops(outer, extents, [f"{point} = {point} > 0 ? {point} : 0;"], 1)
        return body, params

    def pooling(self):
        """The pooling's nests, and what they write."""
        (p, q), (u, v), (h, w) = self.stride, self.window, self.sides
        names = self.rng.choice([["n", "y", "x"], ["n", "y", "x"], ["m", "i", "j"], ["c", "r", "s"], ["x", "n", "y"]])
        n, i, j = names
        extents = {n: self.maps, i: self.rows, j: self.columns, "d": u, "e": v}
        order = [n, i, j]
        if self.rng.random() < 0.3:
            self.rng.shuffle(order)
        out = f"P[{n}][{i}][{j}]"
        at = f"T[{n}][{p} * {i} + {{}}][{q} * {j} + {{}}]"
        window = at.format("d", "e")
        if self.way == "stepped":
            body = [f"\tfor (int {n} = 0; {n} < {self.maps}; {n}++)",
                    f"\tfor (int {i} = 0; {i} < {self.rows * p}; {i} += {p})",
                    f"\tfor (int {j} = 0; {j} < {self.columns * q}; {j} += {q})",
                    f"\t{out} = " + " + ".join(f"T[{n}][{i} + {a}][{j} + {b}]" for a in range(u) for b in range(v))
                    + ";"]
            return body, [f"{self.type} P[{self.maps}][{self.rows * p}][{self.columns * q}]"]
        params = [f"{self.type} P[{self.maps}][{self.rows}][{self.columns}]"]
        if self.way == "one":
            value = " + ".join(at.format(a, b) for a in range(u) for b in range(v))
            return loops(order, extents, [f"{out} = {value};"], 1), params
        take = f"{out} = {window} > {out} ? {window} : {out};"
        if self.way == "average":
            take = f"{out} += {window};"
        inside = loops(["d", "e"], extents, [take], 0)
        if self.way == "apart":
            body = loops(order, extents, [f"{out} = 0;"], 1) + loops(order + ["d", "e"], extents, [take], 1)
        else:
            body = loops(order, extents, [f"{out} = 0;"] + inside, 1)
        if self.way == "average" or self.rng.random() < 0.2:
            body += loops(order, extents, [f"{out} = {out} * 3;"], 1)
        return body, params

    def text(self):
        body, params = self.layer()
        behind, more = self.pooling()
        intermediate = f"{self.type} T[{self.maps}][{self.sides[0]}][{self.sides[1]}]"
        if not self.is_local:
            more = more + [intermediate]
        head = f"void f({', '.join(params + more)})"
        local = ["\t" + intermediate + ";"] if self.is_local else []
        self.nests = sum(line.startswith("\tfor") and (self.way != "stepped" or i < len(body))
                         for i, line in enumerate(body + behind)) + (self.way == "stepped")
        return "\n".join(["#include <stdint.h>", head, "{"] + local + body + behind + ["}"]) + "\n"


class Trial:
    """A program and a machine, with options."""

    def __init__(self, rng, loopc, directory, layer):
        self.loopc, self.directory, self.source = loopc, directory, directory / "f.loop"
        self.source.write_text(layer.text())
        size = rng.choice([128, 256, 512, 1024, 2048, 8192])
        scratchpad = f"bytes: {size}" + rng.choice([""] * 5 + [", banks: 8, sharing: exclusive"])
        dma = rng.choice(["{ channels: 1 }"] * 5 + ["{ align_bytes: 4 }", "{ max_rank: 2 }"])
        (directory / "m.yaml").write_text(f"name: m\nscratchpad: {{ {scratchpad} }}\ndma: {dma}\n")
        self.options = [f"--buffering={rng.choice(['single', 'single', 'single', 'double', 'auto'])}"]

    def compile(self, *options):
        return compile_to(self.loopc, self.directory, self.source, *self.options, *options)

    def with_schedule(self, text):
        """None where there is none that has its lines."""
        changed = self.directory / "changed"
        changed.write_text(text)
        return self.compile(f"--schedule={changed}", "--verify")

    def extents(self, schedule):
        """The dimensions of the merged nest that SCHEDULE is of, and their lengths."""
        given = self.directory / "given"
        given.write_text(schedule)
        command = [self.loopc, f"--arch={self.directory / 'm.yaml'}", *self.options, f"--schedule={given}",
                   "--print-after=band", "-o", str(self.directory / "o.c"), str(self.source)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        last = (done.stderr + done.stdout).split("*** after band")[-1].split("***")[0]
        return {name: int(extent) for name, extent in re.findall(r"(?m)^  loop (\w+) extent (\d+)", last)}


def compare_providers(trial, schedule):
    """Regions in closed form move what those from isl do, or more where their boxes have holes; True: the
    same."""
    schedule = providers.plainer(schedule)
    closed = trial.with_schedule(schedule)
    if not closed:
        return False
    general = trial.with_schedule(providers.from_isl(schedule))
    expect(general, "isl has no regions where there are closed forms")
    expect(moved(general) <= moved(closed), f"isl moves {moved(general)}, closed forms {moved(closed)}")
    return moved(general) == moved(closed)


def random_schedules(rng, schedule, extents):
    """Schedules of the same merged nest: random tiles of some loops in a random order."""
    heading = schedule.splitlines()[0]
    for _ in range(6):
        names = rng.sample(sorted(extents), rng.randint(0, len(extents)))
        tiles = {n: rng.randint(1, max(1, extents[n] - 1)) for n in names if extents[n] > 1}
        lines = [heading, "merge"] + [f"tile {n} {t}" for n, t in tiles.items()]
        if tiles:
            lines.append("order " + " ".join(rng.sample(sorted(tiles), len(tiles))))
        yield "\n".join(lines) + "\n"


def check_merged(rng, trial, one):
    """Other schedules of the merged nest are right, and none moves less than what is called optimal."""
    is_optimal = one[0]["kernels"][0]["search"]["optimal"]
    others = random_schedules(rng, one[1], trial.extents(one[1]))
    for text in [*merged.mutations(rng, one[1]), *others]:
        other = trial.with_schedule(text)
        expect(not other or not is_optimal or moved(other) >= moved(one),
               f"{other and moved(other)} < {moved(one)}, which was called optimal:\n{text}")


def check(loopc, seed, directory):
    rng = random.Random(seed)
    layer = Pooled(rng)
    trial = Trial(rng, loopc, directory, layer)
    best = trial.compile("--verify")
    if not best:
        return None
    for options in (["--fuse=never"], ["--fuse=all"]):
        other = trial.compile(*options)
        expect(not other or moved(best) <= moved(other), f"{options}: {other and moved(other)} < {moved(best)}")
    again = trial.with_schedule(best[1])
    expect(again and again[1] == best[1], "its schedule, given back, is another one")
    expect(merged.code(again) == merged.code(best), "its schedule, given back, makes other code")
    one = trial.with_schedule(f"nest f.0-{layer.nests - 1}\nmerge\n")
    is_same = False
    if one:
        # where windows overlap, not all merged nests are weighed
        expect(layer.overlaps or moved(best) <= moved(one), f"merged {moved(one)} < {moved(best)}")
        check_merged(rng, trial, one)
        is_same = compare_providers(trial, one[1])
    return layer, one, is_same


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    whole = merged_whole = optimal = same = failed = fit = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            try:
                found = check(loopc, seed, pathlib.Path(name))
            except Failure as failure:
                failed += 1
                print(f"seed {seed}: {failure}")
                continue
        if not found:
            continue
        layer, one, is_same = found
        fit += 1
        if layer.is_whole:
            whole += 1
            merged_whole += one is not None
            optimal += one is not None and one[0]["kernels"][0]["search"]["optimal"]
            same += is_same
    print(f"{count} layers, {fit} fit; of {whole} with whole windows {merged_whole} can be merged, {optimal} optimal, "
          f"{same} the same from isl; {failed} failed")
    if merged_whole * 2 < whole or optimal * 2 < merged_whole or same * 2 < merged_whole:
        print("too few")
        return 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
