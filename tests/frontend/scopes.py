"""A random function whose blocks declare the same few names, each for something else.

usage: scopes.py SEED [distinct] >in.loop

In one block a name is an iterator, in the next one a value of data, an index, a sum or an array. With
`distinct` each block has names of its own: all else is the same."""

import random
import sys

BLOCKS = [
    "for (int V = 0; V < 8; V++)\n\tO[V] += A[V];",
    "int V;\nfor (V = 1; V < 8; V += 2)\n\tO[V] ^= A[V - 1];",
    "for (int x = 0; x < 8; x++) {\n\tint V = A[x] - 3;\n\tO[x] = V > 0 ? V : x;\n}",
    "for (int x = 0; x < 8; x++) {\n\tint V;\n\tV = A[x] * 2;\n\tif (V > 5)\n\t\tV = 5;\n\tO[x] += V;\n}",
    "for (int x = 0; x < 8; x++) {\n\tint V = 7 - x;\n\tO[V] += A[x];\n}",
    "for (int x = 0; x < 8; x++) {\n\tint V = 2 * x - 3;\n\tif (V >= 0 && V < 8)\n\t\tO[V] -= A[x];\n}",
    "for (int x = 0; x < 4; x++) {\n\tint W = x + 1;\n\tint V = 2 * W - 1;\n\tO[V] ^= A[W];\n}",
    "for (int x = 0; x < 8; x++) {\n\tfloat V = A[x] * 0.5f;\n\tif (V > 1)\n\t\tO[x] = 1;\n}",
    "int V = 0;\nfor (int x = 0; x < 8; x++)\n\tV += A[x];\nfor (int x = 0; x < 8; x++)\n\tO[x] -= V;",
    "int V[8];\nfor (int x = 0; x < 8; x++)\n\tV[x] = A[x] + 1;\nfor (int x = 0; x < 8; x++)\n\tO[x] ^= V[7 - x];",
    "for (int V = 0; V < 8; V++) {\n\tint W = O[V];\n\tfor (int V = 0; V < 2; V++)\n\t\tW += A[V];\n\tO[V] = W;\n}",
]


def main():
    chance = random.Random(int(sys.argv[1]))
    is_distinct = len(sys.argv) > 2
    print("void f(const int8_t A[8], int O[8])\n{")
    for number in range(chance.randint(3, 6)):
        one, other = chance.sample(["t", "u", "k"], 2)
        if is_distinct:
            one, other = f"{one}{number}", f"{other}{number}"
        block = chance.choice(BLOCKS).replace("V", one).replace("W", other)
        print("\t{\n\t\t" + block.replace("\n", "\n\t\t") + "\n\t}")
    print("}")


if __name__ == "__main__":
    print("#include <stdint.h>")
    main()
