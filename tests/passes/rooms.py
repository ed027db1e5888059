#!/usr/bin/env python3
"""A room of passes/ includes headers of rooms on its right only.

    rooms.py SOURCE_DIRECTORY

Prints each include that goes the other way, a circle of files by their includes, each room
without a README, and each file that docs/ARCHITECTURE.md or docs/glossary.md names and is not there; exit status 1 if
there is one.
"""

import os
import re
import sys

# Who may use whom: each room those of a later line, and of none else.
ROOMS = [["studies"], ["lower_function"], ["lower_written"], ["fusion"], ["variants"], ["sizes"], ["search", "lower"],
         ["regions"], ["tiles"], ["cost"], ["analysis"], ["pass"], ["plan_passes"]]
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
# Those that stand in passes/ itself.
TOP = {"pipeline": "studies", "lower_function": "lower_function", "lower_written": "lower_written"}


def room_of(path):
    """passes/ROOM/file.c: ROOM; what stands in passes/ is lowest of all, unless TOP says."""
    parts = path.split("/")
    if len(parts) == 3:
        return parts[1]
    return TOP.get(os.path.splitext(parts[1])[0], "pass")


def includes_of(top, path):
    with open(os.path.join(top, path)) as file:
        return re.findall(r'^#include "(passes/[^"]*)"', file.read(), re.M)


def circle_from(path, graph, done, trail):
    """The first circle that is met on the way from PATH, or None."""
    if path in trail:
        return trail[trail.index(path):] + [path]
    if path in done:
        return None
    for used in graph.get(path, []):
        found = circle_from(used, graph, done, trail + [path])
        if found:
            return found
    done.add(path)
    return None


def missing_texts(top, rooms):
    """Rooms that nobody explains, and names of files that are gone."""
    missing = ["passes/%s/README" % room for room in sorted(rooms)
               if not os.path.exists(os.path.join(top, "passes", room, "README"))]
    named = set()
    for text in "docs/ARCHITECTURE.md", "docs/glossary.md":
        with open(os.path.join(top, text)) as file:
            named |= set(re.findall(r"`((?:passes|frontend|ir|codegen|driver|runtime|tests|docs)/[^`]*|loopc\.c)`",
                                    file.read()))
    return missing + [name for name in sorted(named) if not os.path.exists(os.path.join(top, name))]


def main():
    top = sys.argv[1]
    graph = {}
    for directory, _, names in os.walk(os.path.join(top, "passes")):
        for name in names:
            if name.endswith((".c", ".h")):
                path = os.path.relpath(os.path.join(directory, name), top)
                graph[path] = includes_of(top, path)
    wrong = 0
    for path, used in sorted(graph.items()):
        for other in used:
            mine, its = room_of(path), room_of(other)
            if mine not in FLOOR:
                print("%s is in no room of the list" % path)
                wrong += 1
            elif mine != its and FLOOR[its] <= FLOOR[mine]:
                print("%s includes %s" % (path, other))
                wrong += 1
    done = set()
    for path in sorted(graph):
        circle = circle_from(path, graph, done, [])
        if circle:
            print("a circle: " + " -> ".join(circle))
            wrong += 1
            break
    rooms = {path.split("/")[1] for path in graph if path.count("/") == 2}
    for name in missing_texts(top, rooms):
        print("missing: " + name)
        wrong += 1
    if not graph:
        print("no files")
    return 1 if wrong or not graph else 0


if __name__ == "__main__":
    sys.exit(main())
