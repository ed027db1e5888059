"""The schedule of a program, given back, makes the same code: for random programs of the
fuzzer's generator.

    replay.py LOOPC FIRST LAST      seeds FIRST to LAST
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))

import fuzz  # noqa: E402


def compile_program(loopc, directory, machine, options, name, schedule=None):
    """What loopc says; the files are NAME.c and NAME.schedule.  None: it went wrong."""
    command = [loopc, "--arch=" + machine] + options
    if schedule:
        command.append("--schedule=" + schedule)
    paths = [os.path.join(directory, name + suffix) for suffix in (".c", ".schedule")]
    command += ["--emit=c=%s,schedule=%s" % tuple(paths), os.path.join(directory, "p.loop")]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        return None, run.returncode, run.stderr
    with open(paths[0], encoding="utf-8") as code, open(paths[1], encoding="utf-8") as text:
        return re.sub(r"\n \* options:.*", "", code.read()), text.read(), None


def main():
    loopc, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    compared = failures = 0
    with tempfile.TemporaryDirectory() as directory:
        machine = os.path.join(directory, "m.yaml")
        for seed in range(first, last + 1):
            case = fuzz.make_case(seed, 0)
            with open(os.path.join(directory, "p.loop"), "w", encoding="utf-8") as out:
                out.write(case.program.text())
            defines = [word for option in case.program.options() for word in ("-D", option)]
            for configuration in case.configurations:
                with open(machine, "w", encoding="utf-8") as out:
                    out.write(configuration.machine.text("m"))
                code, text, _ = compile_program(loopc, directory, machine,
                                                configuration.options + defines, "first")
                if code is None:
                    continue                 # what does not fit has no schedule
                again, other, messages = compile_program(
                    loopc, directory, machine, configuration.options + defines, "again",
                    os.path.join(directory, "first.schedule"))
                compared += 1
                if again == code and other == text:
                    continue
                failures += 1
                print("# seed %d, %s:" % (seed, configuration.text()))
                print("#   " + "\n#   ".join((messages or "other code or schedule").split("\n")))
                print("#   " + "\n#   ".join(text.split("\n")))
    print("# %d plans compared" % compared)
    return failures > 0 or compared < (last - first) // 2


if __name__ == "__main__":
    sys.exit(main())
