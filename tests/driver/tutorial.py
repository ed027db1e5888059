"""What docs/tutorial.md, or a page like it, shows is what happens.

    tutorial.py TUTORIAL [--write]   in an empty directory, with loopc in the PATH

Blocks after a line that begins with a file's name are that file; in blocks called console each line
that begins with "$ " is run, and what follows is what all of them print.  --write puts what they print
now in its place.
"""

import re
import subprocess
import sys

# what is not the same in each run
SECONDS = re.compile(r"\b\d+\.\d+ s\b")


def blocks(lines):
    """(language, first line, end line, name before it) of the fenced blocks."""
    start = language = name = None
    for number, line in enumerate(lines):
        if line.startswith("```") and start is None:
            start, language = number + 1, line[3:].strip()
        elif line.startswith("```"):
            yield language, start, number, name
            start = name = None
        elif start is None and re.match(r"`[\w.]+`,", line):
            name = line.split("`")[1]


def run(commands):
    """What they print, each after its line."""
    shown = []
    for command in commands:
        ran = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, check=False)
        output = (ran.stdout + ran.stderr).rstrip("\n")
        shown.append("$ " + command)
        shown += [line.rstrip() for line in output.split("\n")] if output else []
    return shown


def main():
    path, writes = sys.argv[1], "--write" in sys.argv
    with open(path, encoding="utf-8") as text:
        lines = text.read().split("\n")
    replaced, commands, wrong = [], 0, 0
    for language, start, end, name in blocks(lines):
        if name:
            with open(name, "w", encoding="utf-8") as out:
                out.write("\n".join(lines[start:end]) + "\n")
        if language != "console":
            continue
        asked = [line[2:] for line in lines[start:end] if line.startswith("$ ")]
        shown = run(asked)
        commands += len(asked)
        replaced.append((start, end, shown))
        if [SECONDS.sub("0.0 s", line) for line in shown] \
                != [SECONDS.sub("0.0 s", line) for line in lines[start:end]]:
            wrong += 1
            if not writes:
                print("# line %d shows:\n#   %s\n# but this is printed:\n#   %s" % (
                    start, "\n#   ".join(lines[start:end]), "\n#   ".join(shown)))
    if writes:
        for start, end, shown in reversed(replaced):
            lines[start:end] = shown
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(lines))
    print("# %d commands" % commands)
    return wrong > 0 and not writes or commands < 5


if __name__ == "__main__":
    sys.exit(main())
