"""What bounds objectives where elements compute: elements_bound.py LOOPC FIRST COUNT DIRECTORY.

Random nests on random machines with prices and clocks (elements.py makes them). What loopc says that no plan is below
holds for what it finds, and for plans of random schedules and mappings; and what it says of these holds for what it finds.
Each third plan is verified.  Some machines have several memories, registers for each role, prices by size, or leakage; the
energy that is reported is worked out again from what is reported beside it."""

import json
import math
import os
import random
import re
import sys

from elements import nest, run, schedule


ROLES = {"A": "input", "B": "weight", "C": "output", "D": "weight"}


class Price:
    """Of an access: a number, or a line through two sizes in logarithms."""

    def __init__(self, rng, name, choices):
        self.name, self.small = name, rng.choice(choices)
        self.large = self.small * rng.choice([1, 2, 3]) if rng.random() < 0.3 else None

    def __str__(self):
        if self.large is None:
            return "%s: %g" % (self.name, self.small)
        return "%s_by_bytes: { 1K: %g, 64: %g }" % (self.name, self.large, self.small)

    def of(self, size):
        if self.large is None:
            return self.small
        return self.small * (size / 64) ** (math.log(self.large / self.small) / math.log(16)) if size else 0


class Machine:
    def __init__(self, rng):
        self.array = {"x": rng.randint(1, 4), "y": rng.randint(1, 4), "free": rng.random() < 0.25}
        self.bytes, size = {"scratchpad": rng.choice([128, 512, 4096])}, rng.choice([32, 64, 512])
        self.registers = {role: size for role in ROLES.values()}
        self.mac, self.network, self.dram = rng.choice([0.5, 1, 3]), rng.choice([0, 2]), rng.choice([10, 200])
        self.register, self.scratchpad = Price(rng, "register", [0.1, 4]), Price(rng, "scratchpad", [1, 6, 13.5])
        self.leakage = rng.choice([0, 0, 0.5, 20])
        bypass = rng.choice(["", "", "bypass: [output], ", "bypass: [input, weight, output], "])
        slow = [rng.choice(["", "", ", words_per_cycle: %g" % rng.choice([0.3, 0.5, 1, 2])]) for _ in range(2)]
        memories = "scratchpad: { bytes: %d%s }" % (self.bytes["scratchpad"], slow[0])
        registers = "registers_bytes: %d, " % size
        if rng.random() < 0.25:
            self.bytes = {"operands": rng.choice([96, 2048]), "results": rng.choice([64, 1024])}
            memories = ("memories:\n  - { name: operands, bytes: %d, holds: [input, weight]%s }\n"
                        "  - { name: results, bytes: %d, holds: [output]%s }" % (
                            self.bytes["operands"], slow[0], self.bytes["results"], slow[1]))
        roles = ""
        if rng.random() < 0.25:
            self.registers = {role: rng.choice([8, 16, 64, 256]) for role in ROLES.values()}
            roles = "registers: { input: %(input)d, weight: %(weight)d, output: %(output)d }\n" % self.registers
            registers = ""
        self.text = (
            "version: 2\nname: m\n%s\ndma: { startup_cycles: %d, bytes_per_cycle: %d }\n"
            "pe_array: { x: %d, y: %d, %s%sshape: %s, registers: %s, mac_cycles: %g }\n%s"
            "energy_pj: { mac: %g, %s, network: %g, %s, dram: %g%s }\n" % (
                memories, rng.choice([0, 5, 40]), rng.choice([1, 4]), self.array["x"], self.array["y"], registers, bypass,
                "free" if self.array["free"] else "rows", rng.choice(["single", "double"]), rng.choice([0.5, 1, 3]), roles,
                self.mac, self.register, self.network, self.scratchpad, self.dram,
                ", leakage_pj_per_cycle: %g" % self.leakage if self.leakage else ""))

    def energy(self, kernel, sizes):
        """Of all that KERNEL is reported to do, with elements of so many bytes; words have 16 bits."""
        bypassing = {array["name"] for array in kernel["levels"][0]["arrays"] if array.get("bypass")}
        memory = {buffer["array"]: buffer.get("memory", "scratchpad") for buffer in kernel["scratchpad"]["buffers"]}
        access = {name: 0 if name in bypassing else self.scratchpad.of(self.bytes[memory[name]]) for name in memory}
        sums = 3 * self.register.of(self.registers["output"]) + self.network + self.mac
        energy = kernel["macs"] * (self.mac + self.register.of(self.registers["input"]) + self.register.of(
            self.registers["weight"]) + 2 * self.register.of(self.registers["output"]))
        energy += self.leakage * kernel["time"]["cycles"]
        for array in kernel["traffic"]["arrays"]:
            words = (array["read_bytes"] + array["write_bytes"]) / 2
            energy += words * (self.dram + access[array["name"]])
        for array in kernel["levels"][0]["arrays"]:
            scale = sizes[array["name"]] / 2
            energy += scale * ((array["array_read_words"] + array["array_write_words"]) * access[array["name"]]
                               + array["delivered_words"] * self.network + array["reduced_words"] * sums)
        return energy


def asked(loopc, files, directory, *options):
    """What a compilation says of its objective, and of its nest; None: nothing fits, or a line cannot be."""
    report = os.path.join(directory, "b.json")
    status, _, err = run([loopc, *files, "--report=" + report, "-o", os.devnull, *options])
    if status in (1, 3):
        return None
    if status != 0:
        raise ValueError("status %d\n%s" % (status, err))
    with open(report, encoding="utf-8") as file:
        said = json.load(file)
    return dict(said["functions"][0]["objective"], kernel=said["kernels"][0])


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
    machine = Machine(rng)
    objective = rng.choice(["energy", "edp", "cycles", "energy+3*cycles", "traffic+0.125*scratchpad", "energy+2*commands"])
    names = {name: os.path.join(directory, name) for name in ("b.loop", "b.yaml", "b.sched")}
    for name, content in (("b.loop", text), ("b.yaml", machine.text)):
        with open(names[name], "w", encoding="utf-8") as file:
            file.write(content)
    buffering = rng.choice([[], [], ["--buffering=single"], ["--buffering=double"]])
    files = [names["b.loop"], "--arch=" + names["b.yaml"], "--objective=" + objective, *buffering]
    found = asked(loopc, files, directory, *(["--verify"] if seed % 3 == 0 else []))
    if not found:
        return None, 0, False
    bound, compared, kernel = found["lower_bound"] or 0, 0, found["kernel"]
    bytes_of = {"int8_t": 1, "int16_t": 2, "int32_t": 4, "float": 4}
    energy = machine.energy(kernel, {name: bytes_of[kind] for kind, name in re.findall(r"(\w+) ([ABCD])\[", text)}) \
        if "levels" in kernel else None
    if energy is not None and abs(kernel["energy"]["total_pj"] - energy) > 1e-5 * energy:
        return "%s pJ are reported, it is %s" % (kernel["energy"]["total_pj"], energy), 0, False
    if found["value"] < bound * (1 - 1e-5):
        return "%s: %s found, nothing below %s" % (objective, found["value"], bound), 0, False
    for _ in range(6):
        with open(names["b.sched"], "w", encoding="utf-8") as file:
            file.write(part_of(rng, schedule(rng, loops, arrays, machine.array), found["scope"] == "searched"))
        other = asked(loopc, files, directory, "--schedule=" + names["b.sched"])
        # bounds of what is searched are not about what registers keep from step to step
        if other and found["scope"] == "searched" and re.search(r"hold .* (sliding|slots)|serpentine .*\.step",
                                                                other["kernel"]["schedule"]):
            continue
        # nor about what a core computes, in another form
        if other and found["scope"] == "searched" and ("array" in kernel) != ("array" in other["kernel"]):
            continue
        compared += other is not None
        if other and (other["lower_bound"] or 0) > found["value"] * (1 + 1e-5):
            return "%s: with a schedule nothing below %s was said, %s is found without" % (
                objective, other["lower_bound"], found["value"]), 0, False
        # words of elements are not known where the core computes
        if other and other["value"] is not None and other["value"] < bound * (1 - 1e-5):
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
    return 0 if compared >= count and (reached > 0 or count < 9) else 1


if __name__ == "__main__":
    sys.exit(main())
