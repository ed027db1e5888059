"""What tests of random programs on random machines with clocks share: their files, and the loop."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))
import generate  # noqa: E402


def write_case(seed, directory, more=""):
    """p.loop and m.yaml, a machine on which something takes time, with MORE; the options that p.loop needs."""
    program = generate.generate(seed)
    machine = generate.generate_machine(seed, program, False).text("m")
    machine = machine.replace(", startup_cycles: 0,", ", startup_cycles: 9,")
    for name, text in (("p.loop", program.text()), ("m.yaml", machine + more)):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    return ["-D" + option for option in program.options()]


def run(trial):
    """TRIAL(LOOPC, seed, directory) for so many programs as the command line says: LOOPC FIRST COUNT.  A trial
    returns None: right; "": does not fit; else what is wrong.  The exit status."""
    loopc, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tried = fits = failed = 0
    while tried < count:
        seed += 1
        if "fuzz_" in generate.generate(seed).text():
            continue  # calls functions that are elsewhere
        tried += 1
        with tempfile.TemporaryDirectory() as directory:
            wrong = trial(loopc, seed, directory)
        fits += wrong != ""
        failed += bool(wrong)
        if wrong:
            print("# seed %d: %s" % (seed, wrong.replace("\n", "\n# ")))
    print("%d programs, %d fit, %d failed" % (count, fits, failed))
    return failed > 0 or fits < count / 2
