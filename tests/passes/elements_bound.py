"""What bounds objectives where elements compute: elements_bound.py LOOPC FIRST COUNT DIRECTORY.

Random nests on random machines with prices and clocks (elements.py makes them). What loopc says that no plan is below
holds for what it finds, and for plans of random schedules and mappings; and what it says of these holds for what it finds.
Each third plan is verified."""

import json
import os
import random
import sys

from elements import nest, run, schedule


def machine_of(rng):
    array = {"x": rng.randint(1, 4), "y": rng.randint(1, 4), "free": rng.random() < 0.25}
    text = ("version: 2\nname: m\nscratchpad: { bytes: %d }\ndma: { startup_cycles: %d, bytes_per_cycle: %d }\n"
            "pe_array: { x: %d, y: %d, registers_bytes: %d, shape: %s, registers: %s, mac_cycles: %g }\n"
            "energy_pj: { mac: %g, register: %g, network: %g, scratchpad: %g, dram: %g }\n" % (
                rng.choice([128, 512, 4096]), rng.choice([0, 5, 40]), rng.choice([1, 4]), array["x"], array["y"],
                rng.choice([32, 64, 512]), "free" if array["free"] else "rows", rng.choice(["single", "double"]),
                rng.choice([0.5, 1, 3]), rng.choice([0.1, 4]), rng.choice([0, 1]), rng.choice([0, 2]),
                rng.choice([1, 6, 13.5]), rng.choice([10, 200])))
    return array, text


def asked(loopc, files, directory, *options):
    """What a compilation says of its objective; None: nothing fits, or a line cannot be."""
    report = os.path.join(directory, "b.json")
    status, _, err = run([loopc, *files, "--report=" + report, "-o", os.devnull, *options])
    if status in (1, 3):
        return None
    if status != 0:
        raise ValueError("status %d\n%s" % (status, err))
    with open(report, encoding="utf-8") as file:
        return json.load(file)["functions"][0]["objective"]


def part_of(rng, text, is_of_space):
    """A schedule without some of its lines, now and then with all; IS_OF_SPACE: without what is not searched of registers."""
    share = rng.choice([0, 0.3, 0.7])
    if is_of_space:
        text = text.replace(" sliding", "").replace(" slots 2", "").replace("serpentine", "serpentine none\n#")
    lines = text.splitlines()
    return "\n".join(lines[:1] + [line for line in lines[1:] if rng.random() >= share]) + "\n"


def check(loopc, seed, directory):
    """None, or what is wrong; how many plans were compared, and whether what was found is the bound."""
    rng = random.Random(seed)
    text, loops, arrays = nest(rng)
    array, machine = machine_of(rng)
    objective = rng.choice(["energy", "edp", "cycles", "energy+3*cycles", "traffic+0.125*scratchpad", "energy+2*commands"])
    names = {name: os.path.join(directory, name) for name in ("b.loop", "b.yaml", "b.sched")}
    for name, content in (("b.loop", text), ("b.yaml", machine)):
        with open(names[name], "w", encoding="utf-8") as file:
            file.write(content)
    files = [names["b.loop"], "--arch=" + names["b.yaml"], "--objective=" + objective]
    found = asked(loopc, files, directory, *(["--verify"] if seed % 3 == 0 else []))
    if not found:
        return None, 0, False
    bound, compared = found["lower_bound"] or 0, 0
    if found["value"] < bound * (1 - 1e-5):
        return "%s: %s found, nothing below %s" % (objective, found["value"], bound), 0, False
    for _ in range(6):
        with open(names["b.sched"], "w", encoding="utf-8") as file:
            file.write(part_of(rng, schedule(rng, loops, arrays, array), found["scope"] == "searched"))
        other = asked(loopc, files, directory, "--schedule=" + names["b.sched"])
        compared += other is not None
        if other and (other["lower_bound"] or 0) > found["value"] * (1 + 1e-5):
            return "%s: with a schedule nothing below %s was said, %s is found without" % (
                objective, other["lower_bound"], found["value"]), 0, False
        if other and other["value"] < bound * (1 - 1e-5):
            return "%s: a schedule has %s, nothing below %s was said" % (objective, other["value"], bound), 0, False
    return None, compared, found["value"] <= bound * (1 + 1e-5)


def main():
    loopc, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    compared = reached = 0
    for seed in range(first, first + count):
        wrong, plans, is_least = check(loopc, seed, directory)
        compared += plans
        reached += is_least
        if wrong:
            print("seed %d: %s" % (seed, wrong))
            return 1
    print("%d plans were compared, %d of %d nests have what bounds them" % (compared, reached, count))
    return 0 if compared >= count and reached > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
