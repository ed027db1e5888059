"""Random nests on random arrays of processing elements: elements.py LOOPC FIRST COUNT DIRECTORY.

Each nest gets a random schedule with lines about elements.  What loopc makes of it has to be what --verify measures: outputs equal
to the source's, bytes and words at each boundary as predicted.  A schedule that cannot be is refused.  The
schedule that is printed makes the same program again, and so does the plan.  Some machines have a memory for results, most of
which add: then no sums come back from there, or as many as from one that does not, and all else is as without."""

import json
import os
import random
import re
import subprocess
import sys

MATMUL = """
void f(const {a} A[{i}][{k}], const {a} B[{k}][{j}], {c} C[{i}][{j}]{bias})
{{
	for (int i = 0; i < {i}; i++)
		for (int j = 0; j < {j}; j++) {{
			{init}
			for (int k = 0; k < {k}; k++)
				C[i][j] += A[i][k] * B[k][j];
		}}
}}
"""

CONVOLUTION = """
void f(const {a} A[{k}][{h}][{w}], const {a} B[{j}][{k}][{r}][{s}], {c} C[{j}][{i}][{q}]{bias})
{{
	for (int j = 0; j < {j}; j++)
		for (int i = 0; i < {i}; i++)
			for (int q = 0; q < {q}; q++) {{
				{init}
				for (int k = 0; k < {k}; k++)
					for (int r = 0; r < {r}; r++)
						for (int s = 0; s < {s}; s++)
							{border}C[j][i][q] += A[k][i * {u} + r{p}][q * {u} + s{p}] * B[j][k][r][s];
			}}
}}
"""

DEPTHWISE = """
void f(const {a} A[{k}][{h}][{w}], const {a} B[{k}][{r}][{s}], {c} C[{k}][{i}][{q}])
{{
	for (int k = 0; k < {k}; k++)
		for (int i = 0; i < {i}; i++)
			for (int q = 0; q < {q}; q++) {{
				{init}
				for (int r = 0; r < {r}; r++)
					for (int s = 0; s < {s}; s++)
						C[k][i][q] += A[k][i * {u} + r][q * {u} + s] * B[k][r][s];
			}}
}}
"""

COPY = """
void f(const {a} A[{i}][{j}], {c} C[{j}][{i}])
{{
	for (int i = 0; i < {i}; i++)
		for (int j = 0; j < {j}; j++)
			C[j][i] = A[i][j] * 3 + A[i][j];
}}
"""


def nest(rng):
    """The text of a nest; its loops with their extents; its arrays with the loops that index each."""
    sizes = {name: rng.randint(2, 7) for name in "ijkq"}
    sizes.update(r=rng.randint(2, 3), s=rng.randint(2, 3), u=rng.randint(1, 2))
    kind = rng.randrange(5)
    inner, outer = rng.choice([("int8_t", "int32_t"), ("int16_t", "int32_t"), ("int8_t", "int16_t"), ("float", "float")])
    sizes.update(a=inner, c=outer, p="", border="")
    target = {0: "C[i][j]", 1: "C[j][i][q]", 2: "C[k][i][q]", 3: "", 4: "C[j][i][q]"}[kind]
    sizes.update(init=rng.choice([target + " = 0;", target + " = 7;", ""]), bias="")
    if kind in (0, 1, 4) and rng.random() < 0.5:
        sizes.update(init=target + " = D[j];", bias=", const %s D[%d]" % (outer, sizes["j"]))
    sizes["h"] = (sizes["i"] - 1) * sizes["u"] + sizes["r"]
    sizes["w"] = (sizes["q"] - 1) * sizes["u"] + sizes["s"]
    if kind == 4:
        sizes.update(u=1, p=" - 1", h=sizes["i"], w=sizes["q"], r=3, s=3)
        sizes["border"] = ("if (i + r >= 1 && i + r < {i} + 1 && q + s >= 1 && q + s < {q} + 1)\n\t\t\t\t\t\t\t\t"
                           .format(**sizes))
    loops = {0: "ijk", 1: "jiqkrs", 2: "kiqrs", 3: "ij", 4: "jiqkrs"}[kind]
    arrays = {0: {"A": "ik", "B": "kj", "C": "ij"}, 1: {"A": "kirqs", "B": "jkrs", "C": "jiq"},
              2: {"A": "kirqs", "B": "krs", "C": "kiq"}, 3: {"A": "ij", "C": "ij"},
              4: {"A": "kirqs", "B": "jkrs", "C": "jiq"}}[kind]
    if sizes["bias"]:
        arrays["D"] = "j"
    text = [MATMUL, CONVOLUTION, DEPTHWISE, COPY, CONVOLUTION][kind].format(**sizes)
    return "#include <stdint.h>\n" + text, {loop: sizes[loop] for loop in loops}, arrays


def schedule(rng, loops, arrays, machine):
    """Random lines: most of them can be."""
    lines, tiles, order = ["nest f"], {}, []
    for loop, extent in loops.items():
        tiles[loop] = extent if rng.random() < 0.5 else rng.randint(1, extent)
        lines.append("tile %s %d" % (loop, tiles[loop]))
        if tiles[loop] < extent:
            order.append(loop)
    rng.shuffle(order)
    lines.append("order " + " ".join(order))
    steps, turns, axes = [], [loop for loop in order if rng.random() < 0.4], ["x", "y"] if not machine["free"] else ["free"]
    left = {axis: machine["x"] * machine["y"] if machine["free"] else machine[axis] for axis in axes}
    space = {}
    for loop, tile in tiles.items():
        part, axis = rng.randint(1, tile), rng.choice(axes)
        most = min((tile + part - 1) // part, left[axis])
        space[loop] = rng.randint(1, most) if rng.random() < 0.5 else 1
        left[axis] //= space[loop]
        if space[loop] > 1:
            lines.append("spatial %s %s %d" % (loop, axis, space[loop]))
        lines.append("register %s %d" % (loop, part))
        if part * space[loop] < tile:
            steps.append(loop)
    rng.shuffle(steps)
    lines.append("steps " + " ".join(steps))
    turns += [loop + ".step" for loop in steps if rng.random() < 0.5]
    if turns:
        lines.append("serpentine " + " ".join(turns))
    for array, indexes in arrays.items():
        places = [loop for loop in order if loop in indexes] + [loop + ".step" for loop in steps if loop in indexes]
        if places and rng.random() < (0.9 if array == "D" else 0.5):
            place = rng.choice(places)
            more = rng.choice(["", "", " slots 2"]) if place in turns else ""
            more += " sliding" if array == "A" and rng.random() < 0.3 else ""
            more += " double" if rng.random() < 0.3 else ""
            lines.append("hold %s in %s%s" % (array, place, more))
            inside = [loop for loop in order[:order.index(place) + 1] if loop in indexes] if place in order else []
            if rng.random() < 0.5 or place in order:
                lines.append("store %s %s" % (array, "in " + rng.choice(inside) if inside else "outside"))
    return "\n".join(lines) + "\n"


def clock(rng):
    """Keys of the scratchpad, of the array and others that say how long things take; mostly some do."""
    if rng.random() < 0.2:
        return "", "", ""
    networks = ", ".join("%s: %d" % (way, rng.randint(1, 3)) for way in ("read", "write", "reduce") if rng.random() < 0.6)
    array = ", mac_cycles: %g" % rng.choice([0.125, 0.3, 1, 1, 2, 7])
    array += ", networks: { %s }" % networks if networks else ""
    array += ", words_per_cycle: %g" % rng.choice([0.3, 0.5, 2, 4]) if rng.random() < 0.5 else ""
    scratchpad = ", words_per_cycle: %g" % rng.choice([0.7, 1, 2, 4]) if rng.random() < 0.5 else ""
    more = "dma: { startup_cycles: %d, bytes_per_cycle: %g, channels: %d }\n" % (
        rng.choice([0, 1, 5, 40]), rng.choice([1, 4, 30]), rng.randint(1, 3)) if rng.random() < 0.8 else ""
    return scratchpad, array, more + rng.choice(["", "core: { mac_cycles: 2 }\n"])


def on_chip(seed, words_per_cycle, adds):
    """The memories: one, or in a third of all machines two; ADDS: that of results may add."""
    rng = random.Random("memories %d" % seed)
    if rng.random() < 0.65:
        return "scratchpad: { bytes: 64K%s }" % words_per_cycle, False
    accumulates = adds and rng.random() < 0.8
    slow = words_per_cycle and ", words_per_cycle: %g" % rng.choice([0.3, 1, 2])
    return ("memories:\n  - { name: operands, bytes: 64K, holds: [input, weight]%s }\n"
            "  - { name: results, bytes: 64K, holds: [output], accumulate: %s%s }" % (
                words_per_cycle, str(accumulates).lower(), slow)), accumulates


def words(loopc, files, directory):
    """The words of each array, but for those that come from results; and these."""
    report = os.path.join(directory, "r.json")
    run([loopc, *files, "-o", os.devnull, "--report=" + report])
    with open(report, encoding="utf-8") as file:
        arrays = json.load(file)["kernels"][0]["levels"][0]["arrays"]
    sums = sum(array["array_read_words"] for array in arrays if array["name"] == "C")
    return sums, [(array["name"], array["name"] == "C" or array["array_read_words"], array["array_write_words"],
                   array["delivered_words"] - array["array_read_words"] * (array["name"] == "C"), array["reduced_words"])
                  for array in arrays]


def compare_adding(loopc, files, machine, without, directory):
    """Whether the results' memory adds; an error: it does, and something else is not as without."""
    sums, others = words(loopc, files, directory)
    with open(machine, encoding="utf-8") as file:
        text = file.read()
    with open(machine, "w", encoding="utf-8") as file:
        file.write(without)
    sums_without, others_without = words(loopc, files, directory)
    with open(machine, "w", encoding="utf-8") as file:
        file.write(text)
    if others != others_without or sums not in (0, sums_without):
        raise ValueError("words %s, %s where the memory adds; %s, %s else" % (sums, others, sums_without, others_without))
    return sums < sums_without


# Seeds whose sums were added by a memory.
ADDED = []


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def emitted(loopc, files, what, *options):
    status, out, err = run([loopc, *files, "--emit=" + what, "-o", "-", *options])
    if status != 0:
        return "status %d\n%s" % (status, err)
    # the comment at the top says which files were read
    return out.split("*/\n", 1)[1] if what == "c" else out


def check(loopc, seed, directory):
    """None, or what is wrong; whether the schedule could be."""
    rng = random.Random(seed)
    text, loops, arrays = nest(rng)
    machine = {"x": rng.randint(1, 4), "y": rng.randint(1, 4), "free": rng.random() < 0.25}
    lines = schedule(rng, loops, arrays, machine)
    axes = ["none", "any"] if machine["free"] else ["none", "x", "y", "any"]
    times = clock(rng)
    memories, adds = on_chip(seed, times[0], True)
    yaml = ("version: 2\nname: m\n%s\npe_array: { x: %d, y: %d, registers_bytes: %d, multicast: %s,"
            " reduce: %s, shape: %s, registers: %s%s }\n%s" % (memories, machine["x"], machine["y"],
            rng.choice([64, 512, 4096]), rng.choice(axes), rng.choice(axes + ["any", "any"]),
            "free" if machine["free"] else "rows", rng.choice(["single", "double", "overlapped"]), times[1], times[2]))
    roles = random.Random("registers %d" % seed)
    if roles.random() < 0.25:
        yaml = re.sub("registers_bytes: [0-9]+, ", "", yaml) + "registers: { input: %d, weight: %d, output: %d }\n" % tuple(
            roles.choice([16, 64, 512, 4096]) for _ in range(3))
    if roles.random() < 0.3:
        yaml = yaml.replace("pe_array: { ", "pe_array: { bypass: [input, weight, output], ")
        for name in arrays:
            if roles.random() < 0.5:
                lines = re.sub("(hold|store) %s .*\n" % name, "", lines) + "bypass %s\n" % name
    if adds and seed % 4:        # what stays at a turn is not added
        lines = "".join(line + "\n" for line in lines.split("\n") if line and not line.startswith("serpentine"))
        lines += "serpentine none\n"
    names = {}
    for name, content in (("f.loop", text), ("f.sched", lines), ("m.yaml", yaml)):
        names[name] = os.path.join(directory, name)
        with open(names[name], "w", encoding="utf-8") as file:
            file.write(content)
    options = ["--arch=" + names["m.yaml"], "--fuse=never", "--buffering=" + rng.choice(["single", "double", "auto"])]
    asks_time = times[1] and rng.random() < 0.3
    options += ["--objective=cycles"] if asks_time else []
    files = [names["f.loop"], "--schedule=" + names["f.sched"], *options]
    report = os.path.join(directory, "f.json")
    status, _, err = run([loopc, *files, "--verify", "--report=" + report, "-o", os.devnull])
    if status == 1 and "verification" not in err and ("registers" in err or "elements" in err):
        return None, False
    if status == 3 and "bypass" in yaml:     # registers are too few for it
        return None, False
    if status != 0:
        return "status %d\n%s" % (status, err), True
    with open(report, encoding="utf-8") as file:
        asked = json.load(file)["functions"][0].get("objective")
    if asks_time and asked["lower_bound"] > asked["value"]:
        return "%s cycles, and no fewer than %s are possible" % (asked["value"], asked["lower_bound"]), True
    program = emitted(loopc, files, "c")
    with open(os.path.join(directory, "again.sched"), "w", encoding="utf-8") as file:
        file.write(emitted(loopc, files, "schedule"))
    again = [names["f.loop"], "--schedule=" + os.path.join(directory, "again.sched"), *options]
    if emitted(loopc, again, "c") != program:
        return "the schedule that is printed makes another program\n" + emitted(loopc, again, "c")[:400], True
    plan = os.path.join(directory, "f.plan")
    with open(plan, "w", encoding="utf-8") as file:
        file.write(emitted(loopc, files, "plan"))
    if emitted(loopc, [plan], "c") != program:
        return "the plan that is printed makes another program\n" + emitted(loopc, [plan], "c")[:400], True
    try:
        if adds and compare_adding(loopc, files, names["m.yaml"], yaml.replace(memories, on_chip(seed, "", False)[0]), directory):
            ADDED.append(seed)
    except ValueError as error:
        return str(error), True
    return None, True


def main():
    loopc, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    possible = 0
    for seed in range(first, first + count):
        wrong, could_be = check(loopc, seed, directory)
        possible += could_be
        if wrong:
            print("seed %d: %s" % (seed, wrong))
            return 1
    print("%d of %d schedules could be, in %d sums were added by a memory" % (possible, count, len(ADDED)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
