#!/usr/bin/env python3
"""The net: what loopc makes of every example on every machine, recorded, so that a change says what it changed.

    net.py record FILE   compiles all cases and writes a line for each
    net.py check FILE    compiles them again and says which lines differ, and how

A case is an example, a machine, a buffering and a fusion.  Its line has the exit status, the numbers a
user looks at first (bytes moved, lower bound, commands, lines of C), and a digest of each text: schedule,
plan, C and report (without seconds).  The texts themselves are not recorded: `check --against=LOOPC`
compiles what differs with another loopc too, such as one built of the commit before, and leaves both in
DIR/old and DIR/new, to be compared with diff -r.

Examples have the sizes of examples/sizes.txt on the machines of tests/e2e/machines, which are small, and their own sizes on
the built-in ones.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

FORMS = ("schedule", "plan", "c", "report")
NUMBERS = ("status", "bytes", "bound", "commands", "c_lines")
COLUMNS = ("case",) + NUMBERS + FORMS
FUSIONS = ("auto", "never", "all")
BUFFERINGS = ("single", "double")
# Full sizes on these machines only: the others differ from them in what a copy can do, which small sizes show.
FULL_SIZE_MACHINES = ("default", "eyeriss-108k", "tiny-8k")
# A compilation that takes longer, in processor seconds, is no case of the net.
LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Case:
    example: str        # alexnet/conv1.loop
    size: str           # small or full
    machine: str
    buffering: str
    fusion: str
    arguments: tuple    # of loopc

    def __str__(self):
        return " ".join((self.example, self.size, self.machine, self.buffering, self.fusion))


def sizes_of_examples(top):
    """{example: its -D options at its small size}"""
    sizes = {}
    for line in (top / "examples/sizes.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            example, *definitions = line.split()
            sizes[example] = tuple(word for d in definitions for word in ("-D", d))
    return sizes


def cases_of(top, pattern):
    """All cases whose name has PATTERN in it, in the order of the file."""
    cases = []
    small_machines = sorted((top / "tests/e2e/machines").glob("*.yaml"))
    for example, definitions in sizes_of_examples(top).items():
        machines = [("small", m.stem, ("--arch=" + str(m),) + definitions) for m in small_machines]
        machines += [("full", name, ("--arch=" + name,)) for name in FULL_SIZE_MACHINES]
        for size, machine, arguments in machines:
            for buffering in BUFFERINGS:
                for fusion in FUSIONS:
                    # Fusing all or nothing says something of functions with several nests.
                    if fusion != "auto" and not example.startswith("networks/"):
                        continue
                    cases.append(Case(example, size, machine, buffering, fusion,
                        arguments + ("--buffering=" + buffering, "--fuse=" + fusion)))
    return [case for case in cases if pattern in str(case)]


def compile_case(loopc, top, case, directory):
    """The case's texts {form: text}, in DIRECTORY too, and loopc's exit status."""
    directory.mkdir(parents=True, exist_ok=True)
    files = {form: directory / form for form in FORMS}
    command = [loopc, "--time-limit=%d" % LIMIT_SECONDS, *case.arguments,
        "--emit=" + ",".join("%s=%s" % item for item in files.items()), "examples/" + case.example]
    status = subprocess.run(command, cwd=top, capture_output=True, check=False).returncode
    texts = {form: files[form].read_text() if status == 0 else "" for form in FORMS}
    texts["report"] = re.sub(r'"seconds": [^,\s}]*', '"seconds": 0', texts["report"])
    if status == 0:
        files["report"].write_text(texts["report"])
    return texts, status


def line_of(loopc, top, case, directory):
    """The case's line: {column: text}."""
    texts, status = compile_case(loopc, top, case, directory)
    line = {"case": str(case), "status": str(status)}
    total = json.loads(texts["report"])["total"] if texts["report"] else {}
    line["bytes"] = str(total.get("total_bytes", "-"))
    line["bound"] = str(total.get("lower_bound_bytes", "-"))
    line["commands"] = str(total.get("commands", "-"))
    line["c_lines"] = str(texts["c"].count("\n"))
    for form in FORMS:
        line[form] = hashlib.sha256(texts[form].encode()).hexdigest()[:12]
    return line


def lines_of(options, cases):
    """The lines of all cases, in order."""
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        jobs = [pool.submit(line_of, options.loopc, options.top, case, pathlib.Path(scratch, str(i)))
            for i, case in enumerate(cases)]
        for job in jobs:
            yield job.result()


def record(options, cases):
    with open(options.file, "w", encoding="utf-8") as out:
        print("\t".join(COLUMNS), file=out)
        for line in lines_of(options, cases):
            print("\t".join(line[c] for c in COLUMNS), file=out)
    return 0


def recorded(path):
    """{case: line} of a file that record wrote."""
    rows = [text.split("\t") for text in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: dict(zip(rows[0], row)) for row in rows[1:]}


def difference(old, new):
    """In words, what differs between two lines; empty if nothing does."""
    words = ["%s %s -> %s" % (n, old[n], new[n]) for n in NUMBERS if old[n] != new[n]]
    return words + [form for form in FORMS if old[form] != new[form]]


def show_both(options, case, name):
    for which, loopc in (("old", options.against), ("new", options.loopc)):
        compile_case(loopc, options.top, case, pathlib.Path(options.keep, which, name))


def check(options, cases):
    """Prints each difference; how many cases differ decides the exit status."""
    old = recorded(options.file)
    changed = 0
    for case, new in zip(cases, lines_of(options, cases)):
        words = difference(old[str(case)], new) if str(case) in old else ["not recorded"]
        if not words:
            continue
        changed += 1
        print("%s: %s" % (case, ", ".join(words)), flush=True)
        if options.against:
            show_both(options, case, str(case).replace("/", "_").replace(" ", "_"))
    names = {str(case) for case in cases}
    gone = [name for name in old if options.only in name and name not in names]
    for name in gone:
        print("%s: recorded, but no case any more" % name)
    print("%d cases, %d differ, %d gone" % (len(cases), changed, len(gone)))
    if changed and options.against:
        print("the texts: diff -r %s/old %s/new" % (options.keep, options.keep))
    return 1 if changed or gone else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("action", choices=("record", "check"))
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--loopc", required=True, help="the loopc to run")
    parser.add_argument("--top", required=True, type=pathlib.Path, help="the source tree")
    parser.add_argument("--only", default="", help="only cases with this in their names")
    parser.add_argument("--against", help="another loopc, whose texts are wanted where something differs")
    parser.add_argument("--keep", default="net", help="where these go (net)")
    parser.add_argument("-j", type=int, default=2)
    options = parser.parse_args()
    cases = cases_of(options.top, options.only)
    return (record if options.action == "record" else check)(options, cases)


if __name__ == "__main__":
    sys.exit(main())
