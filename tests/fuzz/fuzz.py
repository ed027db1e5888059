#!/usr/bin/env python3
"""Random programs, compiled by loopc, run and compared with their source.

    fuzz.py --loopc PATH --runtime DIR [--seeds FIRST..LAST | --endless] [...]

Prints TAP: a result for each batch of seeds, with the failures of the batch.  With
--keep the failing programs are written to a directory, made small, each with the
command that shows the failure.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from multiprocessing import Pool

import generate
from check import Case, Configuration, Tools, check
from reduce import reduce
from symbolic import make_symbolic


def configurations(seed, program):
    """The machines and options that the program of SEED is tried with."""
    choose = random.Random("options %d" % seed)
    result = []
    for exclusive, buffering in ((False, "single"), (False, "double"), (True, "single"), (True, "double")):
        options = ["--buffering=" + buffering]
        # A good schedule is not asked for: any that the search may end with must be right.
        if choose.random() < 0.8:
            options.append("--effort=%d" % choose.choice((1, 10, 100, 1000, 5000)))
        if choose.random() < 0.1:
            options.append("-fno-reassociate")
        machine = generate.generate_machine(seed, program, exclusive)
        result.append(Configuration(machine, options))
    # Two of the four: another program tries the others.
    first = choose.randrange(2)
    return [result[first], result[3 - first]]


def make_case(seed, every=0):
    """One seed of EVERY (0: none) has sizes that the second configuration leaves to the run."""
    program = generate.generate(seed)
    tried = configurations(seed, program)
    found = make_symbolic(seed, program) if every and seed % every == every // 2 else None
    if not found:
        return Case(seed, program, tried)
    program, names, values = found
    tried[1].leave_to_the_run(names)
    return Case(seed, program, tried, values)


def make_tools(options, sanitizers):
    directory = tempfile.mkdtemp(prefix="loopc-fuzz.")
    return Tools(options.loopc, options.runtime, options.cc, directory, sanitizers,
                 timeout=options.timeout, ports=options.ports)


def run_batch(job):
    """Checks some seeds; returns texts to print and numbers."""
    options, seeds = job
    tools = make_tools(options, not options.plain)
    try:
        failures, statistics = check(tools, [make_case(seed, options.symbolic) for seed in seeds])
        texts = []
        known = set()
        for failure in failures:
            if failure.case.seed in known:
                continue
            known.add(failure.case.seed)
            texts.append(describe(failure))
            if options.keep:
                keep(options, failure)
        failed = any(not options.slow_is_fine or failure.kind != "hang" for failure in failures)
        return seeds, failed, texts, statistics
    finally:
        shutil.rmtree(tools.directory, ignore_errors=True)


def describe(failure):
    configuration = failure.case.configurations[failure.configuration]
    return "seed %d: %s: %s\n  with %s" % (failure.case.seed, failure.kind, failure.text.strip()[:3000],
                                          configuration.text())


def first_line(text):
    """What tells one failure from another of its kind."""
    return "".join(c for c in text.split("\n", 1)[0] if not c.isdigit())[:40]


def keep(options, failure):
    """Writes the failing program, reduced, to the directory of --keep."""
    tools = make_tools(options, failure.kind == "crash" and not options.plain)
    configuration = failure.case.configurations[failure.configuration]

    def fails(program):
        case = Case(failure.case.seed, program, [configuration], failure.case.values)
        found, _ = check(tools, [case])
        return any(f.kind == failure.kind and (failure.kind != "status" or last_line(f) == last_line(failure))
                   for f in found)
    try:
        program = failure.case.program
        # The reducer settles programs: extents would no longer have their sizes in them.
        if options.reduce and failure.kind != "hang" and not failure.case.values:
            program = reduce(program, fails, options.reduce)
        name = os.path.join(options.keep, "%s%d" % (failure.kind, failure.case.seed))
        command = configuration.options + ["-D " + option for option in program.options()]
        if not program.reassociate and "-fno-reassociate" not in command:
            command.append("-fno-reassociate")
        with open(name + ".loop", "w") as file:     # in the form of found_test.sh
            file.write(program.text(comment="options: " + " ".join(command)))
        with open(name + ".yaml", "w") as file:
            file.write(configuration.machine.text("m"))
        with open(name + ".txt", "w") as file:
            file.write("loopc --verify --arch=%s.yaml %s %s.loop\n\n%s\n" % (
                name, " ".join(command), name, describe(failure)))
    finally:
        shutil.rmtree(tools.directory, ignore_errors=True)


def last_line(failure):
    return first_line(failure.text.strip().split("\n", 1)[-1])


def batches(options):
    """Jobs of --batch seeds."""
    first = options.first
    while options.last is None or first <= options.last:
        last = first + options.batch - 1
        if options.last is not None:
            last = min(last, options.last)
        yield options, list(range(first, last + 1))
        first = last + 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--loopc", required=True)
    parser.add_argument("--runtime", required=True, help="directory of the runtime's sources")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--seeds", default="0..99", metavar="FIRST..LAST")
    parser.add_argument("--endless", action="store_true", help="go on after FIRST until interrupted")
    parser.add_argument("--seconds", type=float, default=None, help="start no batch after this time")
    parser.add_argument("--batch", type=int, default=20, help="programs in one process")
    parser.add_argument("--symbolic", type=int, default=80, metavar="N",
                        help="one program of N has sizes that are left to the run; 0: none")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", metavar="DIR", help="write failing programs there")
    parser.add_argument("--reduce", type=int, default=300, help="tries of the reducer; 0: off")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for loopc, and for a batch's run")
    parser.add_argument("--slow-is-fine", action="store_true",
                        help="running into the timeout is told, and no failure")
    parser.add_argument("--plain", action="store_true", help="without ASan and UBSan")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("..")
    options.first = int(first)
    options.last = None if options.endless else int(last or first)
    options.loopc = os.path.abspath(options.loopc)
    options.runtime = os.path.abspath(options.runtime)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    return options


def main():
    options = parse_arguments()
    options.ports = tempfile.mkdtemp(prefix="loopc-fuzz.")
    try:
        return run(options)
    finally:
        shutil.rmtree(options.ports, ignore_errors=True)


def run(options):
    started = time.time()
    total = {"programs": 0, "compiled": 0, "too small": 0, "symbolic": 0}
    count = failed = 0

    with Pool(options.jobs, maxtasksperchild=20) as pool:
        jobs = batches(options)
        pending = []
        while True:
            while len(pending) < 2 * options.jobs and (
                    options.seconds is None or time.time() - started < options.seconds):
                job = next(jobs, None)
                if job is None:
                    break
                pending.append(pool.apply_async(run_batch, (job,)))
            if not pending:
                break
            seeds, is_failure, texts, statistics = pending.pop(0).get()
            count += 1
            failed += is_failure
            print("%sok %d - seeds %d..%d" % ("not " if is_failure else "", count, seeds[0], seeds[-1]))
            for text in texts:
                print("# " + text.replace("\n", "\n# "))
            sys.stdout.flush()
            total["programs"] += len(seeds)
            for key, value in statistics.items():
                total[key] += value
    print("# %d programs, %d compilations, %d of them with symbolic sizes, %d did not fit, "
          "%d batches failed, %.0f s" % (total["programs"], total["compiled"], total["symbolic"],
                                         total["too small"], failed, time.time() - started))
    print("1..%d%s" % (count, "" if count else " # SKIP no time was given"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
