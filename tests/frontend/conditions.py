"""Random expressions for #if: writes a file of N of them for the C preprocessor and for loopc.

usage: conditions.py N SEED >in.loop
Expression K is in a block of #if, #else that makes statement K of a function store 1 or 0."""

import random
import sys


def expression(rng, depth):
    """An expression whose values are small, with what is wrong in it never evaluated."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(["0", "1", str(rng.randrange(100)), hex(rng.randrange(1000)), "NAME",
                           "SEVEN", "defined SEVEN", "defined(NAME)", "7L"])
    a, b, c = (expression(rng, depth - 1) for _ in range(3))
    kind = rng.randrange(8)
    if kind == 0:
        return f"({rng.choice(['-', '+', '~', '!'])} {a})"
    if kind == 1:
        return f"(({a}) ? {b} : {c})"
    if kind == 2:
        return f"((({a}) & 15) << (({b}) & 7))"
    if kind == 3:
        return f"((({a}) & 1023) {rng.choice(['/', '%'])} ((({b}) & 7) + 1))"
    if kind == 4:
        return rng.choice([f"(0 && ({a}) / 0)", f"(({a}) || 1 || ({b}) % 0)",
                           f"(1 ? {a} : ({b}) / 0)"])
    if kind == 5:
        return f"((({a}) & 255) * (({b}) & 255))"
    if rng.random() < 0.1:
        return f"{a} ? {b} : {c}"
    operator = rng.choice(["||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "+", "-"])
    return f"{a} {operator} {b}" if kind == 6 else f"({a} {operator} {b})"


def main():
    count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    print("#define SEVEN 7")
    print(f"void f(int A[{count}])\n{{")
    for k in range(count):
        print(f"#if {expression(rng, rng.randrange(1, 6))}\n\tA[{k}] = 1;\n#else\n\tA[{k}] = 0;\n#endif")
    print("}")


main()
