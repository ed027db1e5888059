"""Writes random programs: texts.py FUZZ DIRECTORY COUNT, FUZZ with the generator."""

import os
import sys

sys.path.insert(0, sys.argv[1])
import generate  # noqa: E402


def main():
    directory, count = sys.argv[2], int(sys.argv[3])
    for seed in [66, 113] + list(range(count)):
        program = generate.generate(seed)
        stem = os.path.join(directory, "random%d" % seed)
        with open(stem + ".loop", "w") as file:
            file.write(program.text())
        with open(stem + ".options", "w") as file:
            file.write(" ".join("-D " + option for option in program.options()))


main()
