"""A random nest whose body has several parts, with dependences among them of all kinds.

usage: parts.py SEED >in.loop"""

import random
import sys

ROWS, COLUMNS = 8, 9


def access(rng, name):
    row, column = rng.choice(["i - 1", "i", "i", "i", "i + 1"]), rng.choice(["j - 1", "j", "j", "j + 1"])
    return {"v": f"v[{row}]", "w": f"w[{row}]", "s": "s"}.get(name, f"{name}[{row}][{column}]")


def statement(rng, names, in_loop):
    usable = [n for n in names if in_loop or n in "vws"]
    target = access(rng, rng.choice(usable)).replace("i - 1", "i").replace("i + 1", "i")
    value = f"({access(rng, rng.choice(usable))} & 255)"
    if rng.random() < 0.6:
        value += f" {rng.choice('+-')} ({access(rng, rng.choice(usable))} & 127)"
    return f"{target} {rng.choice(['=', '=', '+=', '^='])} {value};"


def main():
    rng = random.Random(int(sys.argv[1]))
    names = rng.sample("abvw", rng.randrange(2, 5))
    with_scalar = rng.random() < 0.3
    lines = [f"void f(int a[{ROWS + 2}][{COLUMNS + 2}], int b[{ROWS + 2}][{COLUMNS + 2}], "
             f"int v[{ROWS + 2}], int w[{ROWS + 2}])", "{"]
    lines.append(f"\tfor (int i = 1; i <= {ROWS}; i++) {{")
    if with_scalar:
        lines.append("\t\tint s = v[i] & 63;")
        names.append("s")
    for _ in range(rng.randrange(2, 5)):
        if rng.random() < 0.3 and any(n in "vws" for n in names):
            lines.append("\t\t" + statement(rng, names, False))
        else:
            lines.append(f"\t\tfor (int j = 1; j <= {COLUMNS}; j++) {{")
            lines.extend("\t\t\t" + statement(rng, names, True) for _ in range(rng.randrange(1, 3)))
            lines.append("\t\t}")
    lines += ["\t}", "}"]
    print("\n".join(lines))


main()
