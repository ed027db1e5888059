"""What a search expects a run to take is about what the plan takes: expected.py LOOPC FIRST COUNT DIRECTORY [core].

Random layers and products on random arrays of processing elements, or where a core computes, for the fewest cycles: -Rtime says what
was expected, the report what the plan takes.  A short search is enough, as all that it finds is compared."""

import json
import math
import os
import random
import re
import subprocess
import sys

MATMUL = """#include <stdint.h>
void f(const int16_t A[{i}][{k}], const int16_t B[{k}][{j}], int16_t C[{i}][{j}])
{{
	for (int i = 0; i < {i}; i++)
		for (int j = 0; j < {j}; j++) {{
			C[i][j] = 0;
			for (int k = 0; k < {k}; k++)
				C[i][j] += A[i][k] * B[k][j];
		}}
}}
"""

CONVOLUTION = """#include <stdint.h>
void f(const int16_t I[{n}][{c}][{h}][{w}], const int16_t W[{k}][{c}][{r}][{r}], int16_t O[{n}][{k}][{p}][{q}])
{{
	for (int n = 0; n < {n}; n++)
		for (int k = 0; k < {k}; k++)
			for (int p = 0; p < {p}; p++)
				for (int q = 0; q < {q}; q++) {{
					O[n][k][p][q] = 0;
					for (int c = 0; c < {c}; c++)
						for (int r = 0; r < {r}; r++)
							for (int s = 0; s < {r}; s++)
								O[n][k][p][q] += I[n][c][p * {u} + r][q * {u} + s] * W[k][c][r][s];
				}}
}}
"""

MACHINE = """version: 2
name: m
scratchpad: {{ bytes: {bytes}K{memory} }}
dma: {{ startup_cycles: {start}, bytes_per_cycle: {bus}, channels: {channels}{duplex} }}
pe_array: {{ x: {x}, y: {y}, registers_bytes: {registers}, multicast: any, reduce: any, registers: {kind}, mac_cycles: 1,
            networks: {{ read: {networks}, write: 1, reduce: 1 }}, words_per_cycle: {words} }}
"""


CORE = """version: 2
name: m
scratchpad: {{ bytes: {bytes}K }}
dma: {{ startup_cycles: {start}, bytes_per_cycle: {bus}, channels: {channels}, max_rank: {rank}{duplex} }}
{core}"""


def nest(rng):
    """The source of a layer, or a product of matrices."""
    if rng.random() < 0.25:
        return MATMUL.format(**{name: rng.choice([16, 50, 64, 100, 200]) for name in "ijk"})
    rows, stride = rng.choice([1, 3, 3, 5]), rng.choice([1, 1, 1, 2])
    sizes = {"n": rng.choice([1, 1, 2]), "k": rng.choice([8, 16, 48, 64]), "c": rng.choice([1, 3, 16, 32]),
             "p": rng.choice([7, 14, 28]), "q": rng.choice([7, 14, 28, 56])}
    return CONVOLUTION.format(r=rows, u=stride, h=(sizes["p"] - 1) * stride + rows, w=(sizes["q"] - 1) * stride + rows, **sizes)


def machine(rng):
    """The text of a machine file."""
    return MACHINE.format(
        bytes=rng.choice([4, 8, 16, 32, 64]), memory=rng.choice(["", ", words_per_cycle: 4", ", words_per_cycle: 2"]),
        start=rng.choice([10, 50, 150, 300]), bus=rng.choice([1, 2, 4, 8]), channels=rng.choice([1, 1, 2, 4]),
        duplex=rng.choice(["", ", duplex: true"]), x=rng.choice([1, 2, 4, 8, 12, 16]), y=rng.choice([1, 2, 4, 8, 14]),
        registers=rng.choice([16, 32, 64, 128, 512]), kind=rng.choice(["single", "double", "overlapped"]),
        networks=rng.choice([1, 2, 3]), words=rng.choice([1, 1, 2, 4]))


def machine_of_core(rng):
    """The same without elements."""
    return CORE.format(
        bytes=rng.choice([4, 8, 16, 32]), start=rng.choice([10, 50, 150, 300]), bus=rng.choice([1, 2, 4, 8]),
        channels=rng.choice([1, 1, 2, 4]), rank=rng.choice([1, 2, 3, 3]), duplex=rng.choice(["", "", ", duplex: true"]),
        core=rng.choice(["", "core: { mac_cycles: %g }\n" % rng.choice([0.01, 0.05, 0.125, 0.5])]))


def share(loopc, seed, directory, make):
    """What the plan takes, of what was expected, on what MAKE says; None: nothing fits, or it was made for something else."""
    rng = random.Random(seed)
    names = {name: os.path.join(directory, name) for name in ("x.loop", "x.yaml", "x.json")}
    for name, text in (("x.loop", nest(rng)), ("x.yaml", make(rng))):
        with open(names[name], "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run(
        [loopc, "--arch=" + names["x.yaml"], "--objective=cycles", "--effort=20000", "-Rtime", "--report=" + names["x.json"],
         "-o", os.devnull, names["x.loop"]], capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return None
    if done.returncode != 0:
        raise ValueError("seed %d: status %d\n%s" % (seed, done.returncode, done.stderr))
    expected = re.findall(r"expected about (\d+) cycles", done.stderr)
    with open(names["x.json"], encoding="utf-8") as file:
        cycles = json.load(file)["total"]["time"]["cycles"]
    return cycles / int(expected[-1]) if expected else None


def main():
    loopc, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    is_core = sys.argv[5:] == ["core"]
    shares = {seed: share(loopc, seed, directory, machine_of_core if is_core else machine) for seed in range(first, first + count)}
    logs = {seed: abs(math.log(value)) for seed, value in shares.items() if value}
    mean = sum(logs.values()) / max(len(logs), 1)
    far = {seed: shares[seed] for seed in logs if logs[seed] > 0.1}
    print("%d of %d were expected, %.1f %% from what they take on average; far from it: %s" % (
        len(logs), count, 100 * mean, far or "none"))
    # many plans of a core are as good as others that were made for bytes
    return 0 if (5 if is_core else 2) * len(logs) > count and mean < (0.05 if is_core else 0.03) and 10 * len(far) <= count else 1


if __name__ == "__main__":
    sys.exit(main())
