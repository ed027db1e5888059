"""What bounds objectives where a core computes: core_bound.py LOOPC FIRST COUNT DIRECTORY.

Random nests on random machines with clocks and prices. What loopc says that no plan is below holds for what it finds, and for
plans of random schedules; and what it says of these holds for what it finds.  Each third plan is verified."""

import json
import os
import random
import re
import sys

import elements
import expected


def machine(rng):
    """The text of a machine file."""
    memories = "scratchpad: { bytes: %d }\n" % rng.choice([128, 512, 2048, 8192])
    if rng.random() < 0.15:
        memories = "memories:\n  - { name: a, bytes: %d, holds: [input, weight] }\n  - { name: b, bytes: %d, holds: [output] }\n" % (
            rng.choice([256, 4096]), rng.choice([128, 2048]))
    dma = "startup_cycles: %d, bytes_per_cycle: %g, channels: %d, max_rank: %d" % (
        rng.choice([0, 5, 40, 300]), rng.choice([1, 4, 7.5]), rng.choice([1, 2, 2, 4]), rng.choice([1, 2, 3, 3, 4]))
    dma += rng.choice(["", "", ", duplex: true"]) + rng.choice(["", "", ", max_bytes: 64"]) + rng.choice(["", "", ", align_bytes: 4"])
    dma += rng.choice(["", "", ", write_startup_cycles: %d" % rng.choice([0, 20, 100])])
    core = rng.choice(["", "core: { mac_cycles: %g }\n" % rng.choice([0.125, 0.5, 1, 3])])
    leakage = rng.choice(["", "", ", leakage_pj_per_cycle: %g" % rng.choice([1, 20])])
    leakage += rng.choice(["", "", ", register_file_bytes: 32"])
    access, dram = rng.choice([0.1, 6, 60]), rng.choice([10, 200])
    clock = rng.choice(["", "clock_hz: 100e6\n"])
    if clock and rng.random() < 0.5:
        dma += ", clock_hz: %s" % rng.choice(["50e6", "300e6"])
    return "version: 2\nname: m\n%sdma: { %s }\n%senergy_pj: { mac: 4, register: 1, scratchpad: %g, dram: %g%s }\n%s" % (
        memories, dma, core, access, dram, leakage, clock)


def layer(rng):
    """A nest, its loops with their extents, its arrays with the loops that index each."""
    if rng.random() < 0.6:
        return elements.nest(rng)
    text = expected.nest(rng)
    loops = {name: int(extent) for name, extent in re.findall(r"for \(int (\w) = 0; \w < (\d+);", text)}
    arrays = {"A": "ik", "B": "kj", "C": "ij"} if "A[" in text else {"I": "ncprqs", "W": "kcrs", "O": "nkpq"}
    return text, loops, arrays


def schedule(rng, loops, arrays):
    """Random lines: most of them can be."""
    lines, order = ["nest f"], []
    for loop, extent in loops.items():
        tile = extent if rng.random() < 0.4 else rng.randint(1, extent)
        if tile < extent:
            lines.append("tile %s %d" % (loop, tile))
            order.append(loop)
    rng.shuffle(order)
    turns = [loop for loop in order if rng.random() < 0.4]
    lines.append("order " + " ".join(order))
    lines.append("serpentine " + (" ".join(turns) or "none"))
    for array, indexes in arrays.items():
        places = [loop for loop in order if loop in indexes]
        if not places or rng.random() < 0.3:
            continue
        place = rng.choice(places)
        more = " slots 2" if place in turns and rng.random() < 0.3 else ""
        more += " sliding" if array in "AI" and rng.random() < 0.3 else ""
        lines.append("store %s in %s%s%s" % (array, place, more, rng.choice(["", " double", " single"])))
    return "\n".join(line for line in lines if rng.random() > rng.choice([0, 0.2])) + "\n"


def asked(loopc, files, directory, *options):
    """What a compilation says of its objective; None: nothing fits, a line cannot be, or nothing takes time."""
    report = os.path.join(directory, "b.json")
    status, _, err = elements.run([loopc, *files, "--report=" + report, "-o", os.devnull, *options])
    if status in (1, 2, 3) and "verification" not in err:
        return None
    if status != 0:
        raise ValueError("status %d\n%s" % (status, err))
    with open(report, encoding="utf-8") as file:
        return json.load(file)["functions"][0]["objective"]


def check(loopc, seed, directory):
    """None, or what is wrong; how many plans were compared; how far what was found is above its bound."""
    rng = random.Random(seed)
    text, loops, arrays = layer(rng)
    yaml = machine(rng)
    objective = rng.choice(["cycles", "cycles", "edp", "energy+3*cycles", "traffic+0.5*cycles", "traffic+%d*commands" % rng.choice([3, 40, 1000]), "energy", "cycles,traffic"])
    names = {name: os.path.join(directory, name) for name in ("b.loop", "b.yaml", "b.sched")}
    for name, content in (("b.loop", text), ("b.yaml", yaml)):
        with open(names[name], "w", encoding="utf-8") as file:
            file.write(content)
    buffering = rng.choice([[], [], ["--buffering=single"], ["--buffering=double"], ["--buffering=auto"]])
    files = [names["b.loop"], "--arch=" + names["b.yaml"], "--objective=" + objective, *buffering]
    found = asked(loopc, files, directory, *(["--verify"] if seed % 3 == 0 else []))
    if not found or found["value"] is None:
        return None, 0, None
    bound, compared = found["lower_bound"] or 0, 0
    if found["value"] < bound * (1 - 1e-5):
        return "%s: %s found, nothing below %s" % (objective, found["value"], bound), 0, None
    for _ in range(8):
        with open(names["b.sched"], "w", encoding="utf-8") as file:
            lines = schedule(rng, loops, arrays)
            # what the user says of all buffers is what is searched
            file.write(re.sub(" (double|single)$", "", lines, flags=re.M) if "auto" not in "".join(buffering) and buffering else lines)
        other = asked(loopc, files, directory, "--schedule=" + names["b.sched"])
        compared += other is not None
        if other and (other["lower_bound"] or 0) > found["value"] * (1 + 1e-5):
            return "%s: with a schedule nothing below %s was said, %s is found without" % (
                objective, other["lower_bound"], found["value"]), 0, None
        if other and other["value"] is not None and other["value"] < bound * (1 - 1e-5):
            return "%s: a schedule has %s, nothing below %s was said" % (objective, other["value"], bound), 0, None
    return None, compared, found["value"] / bound - 1 if bound else None


def main():
    loopc, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    compared, above = 0, []
    for seed in range(first, first + count):
        wrong, plans, share = check(loopc, seed, directory)
        compared += plans
        above += [share] if share is not None else []
        if wrong:
            print("seed %d: %s" % (seed, wrong))
            return 1
    above.sort()
    print("%d plans were compared; of %d nests half are no more than %.2f %% above what bounds them" % (
        compared, len(above), 100 * above[len(above) // 2] if above else 0))
    return 0 if compared >= count and above and above[0] < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
