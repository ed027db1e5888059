"""What a search claims, against searches of a part of its space.

    constrained.py LOOPC SEED CHANGES     so many changes of each nest

A line of the schedule that loopc found is changed: a tile is another one, two loops change places,
or an array is stored elsewhere; all other lines go.  And the nest has other forms: its parts are
lowered one by one, or its reference groups have buffers of their own, or it is a whole with other tiles and orders, or isl finds its
regions and other loops turn.  What loopc finds then is a schedule of the same space.  It moves no less than the first, if that was called optimal, and else not less than
the printed gap allows.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "passes"))

import providers  # noqa: E402

NESTS = (
    "void f(float C[40][40], const float A[40][40], const float B[40][40], const float D[40]) {"
    " for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++) for (int k = 0; k < 40; k++)"
    " C[i][j] += A[i][k] * B[k][j] * D[i]; }",
    "void f(float O[30][30], const float I[34][34], const float W[5][5]) {"
    " for (int p = 0; p < 30; p++) for (int q = 0; q < 30; q++) { O[p][q] = 0;"
    " for (int r = 0; r < 5; r++) for (int s = 0; s < 5; s++)"
    " O[p][q] += W[r][s] * I[p + r][q + s]; } }",
    "void f(float A[60][60], const float x[60]) {"
    " for (int i = 0; i < 60; i++) for (int j = 0; j <= i; j++)"
    " A[i][j] = A[i][j] * x[j] + A[j][i]; }",
    "void f(float A[60], float B[60]) { for (int t = 0; t < 12; t++) {"
    " for (int i = 1; i < 59; i++) B[i] = A[i - 1] + A[i] + A[i + 1];"
    " for (int i = 1; i < 59; i++) A[i] = B[i - 1] + B[i] + B[i + 1]; } }",
    "void f(float C[50], float X[50], const float A[50][50], const float B[50][50],"
    " const float D[50]) { for (int i = 0; i < 50; i++) for (int j = 0; j < 50; j++) {"
    " C[i] += A[i][j] * D[j]; X[j] += B[j][i] * D[i]; } }",
    # loops that run once, which are in no band
    "void f(float O[17][16], const float I[3][17][16], const float W[3][1][1]) {"
    " for (int p = 0; p < 17; p++) for (int q = 0; q < 16; q++) { O[p][q] = 0;"
    " for (int c = 0; c < 3; c++) for (int r = 0; r < 1; r++) for (int s = 0; s < 1; s++)"
    " O[p][q] += W[c][r][s] * I[c][p + r][q + s]; } }",
    "void f(float O[90], float X[90], const float I[90], const float W[90]) {"
    " for (int p = 0; p < 90; p++) { O[p] = I[p]; for (int c = 0; c < 1; c++)"
    " O[p] += W[p + c] * I[p]; for (int c = 0; c < 1; c++) X[p] = O[p] * W[p] + X[89 - p]; } }",
    # a tile's box has elements that nobody touches
    "void f(double D[9], const double E[10][40], double B[9][4], const double G[9][4]) {"
    " for (int i = 1; i < 10; i++) { D[i - 1] = E[i][3 * i - 3] - E[i - 1][3 * i - 1];"
    " for (int j = 0; j < 4; j++) B[i - 1][j] *= G[i - 1][j]; } }",
    "void f(double D[12], const double E[60][9]) { for (int i = 0; i < 12; i++)"
    " for (int r = 0; r < 3; r++) D[i] += E[4 * i + 5 * r][r] * E[4 * i + 3][r + 5]; }",
    "void f(float O[20][30], const float I[20][30]) { for (int p = 0; p < 20; p++) {"
    " for (int q = 0; q < 10; q++) O[p][q] = 0; for (int q = 0; q < 30; q++)"
    " for (int r = 0; r < 1; r++) O[p][q] += I[p][q + r]; } }",
    # an array that is updated, and read in other buffers of its own
    "void f(float P[24][24]) { for (int k = 0; k < 24; k++) for (int i = 0; i < 24; i++)"
    " for (int j = 0; j < 24; j++) P[i][j] += P[i][k] * P[k][j]; }",
    "void f(float C[26][26], const float A[26][20]) { for (int i = 0; i < 26; i++) for (int j = 0; j < 26; j++) {"
    " for (int k = 0; k < 20; k++) C[i][j] += A[i][k] * A[j][k];"
    " C[i][j] += C[i][0]; } }",
    # what a sum begins and ends with is seen in one tile of its loops
    "void f(const float D[32], const float W[32][16], const float X[24][16], float O[24][32]) {"
    " for (int b = 0; b < 24; b++) for (int j = 0; j < 32; j++) { O[b][j] = D[j];"
    " for (int d = 0; d < 16; d++) O[b][j] += W[j][d] * X[b][d]; } }",
    "void f(const float D[20], const float G[14][20], const float W[20][12][3], const float X[12][18], float O[14][20]) {"
    " for (int p = 0; p < 14; p++) for (int k = 0; k < 20; k++) { O[p][k] = D[k];"
    " for (int c = 0; c < 12; c++) for (int r = 0; r < 3; r++) O[p][k] += W[k][c][r] * X[c][p + r];"
    " O[p][k] *= G[p][k] + D[k]; } }",
    # two sums, one behind the other, into an array that is read elsewhere too
    "void f(const float V[3][20][18], const float U[3][20][26], const float X[9][18], const float H[9][26], float O[9][20]) {"
    " float T[3][9][20];"
    " for (int b = 0; b < 9; b++) for (int j = 0; j < 20; j++) { for (int g = 0; g < 3; g++) { T[g][b][j] = 0;"
    " for (int d = 0; d < 18; d++) T[g][b][j] += V[g][j][d] * X[b][d];"
    " for (int k = 0; k < 26; k++) T[g][b][j] += U[g][j][k] * H[b][k]; }"
    " O[b][j] = T[0][b][j] * T[1][b][j] + T[2][b][j]; } }",
    "void f(const float V[20][14], const float U[20][20], const float X[9][14], const float H[9][20], float O[9][20]) {"
    " float T[9][20]; for (int b = 0; b < 9; b++) for (int j = 0; j < 20; j++) { T[b][j] = 0;"
    " for (int d = 0; d < 14; d++) T[b][j] += V[j][d] * X[b][d];"
    " for (int k = 0; k < 20; k++) T[b][j] += U[j][k] * H[b][k];"
    " O[b][j] = T[b][j] * H[b][j]; } }",
    # rows of a product, of which what follows needs all
    "void f(float S[26][24], const float Q[26][14], const float K[24][14], float G[26]) {"
    " for (int i = 0; i < 26; i++) { for (int j = 0; j < 24; j++) { S[i][j] = 0;"
    " for (int d = 0; d < 14; d++) S[i][j] += Q[i][d] * K[j][d]; S[i][j] *= 2; }"
    " G[i] = S[i][0]; for (int j = 1; j < 24; j++) G[i] += S[i][j];"
    " for (int j = 0; j < 24; j++) S[i][j] = S[i][j] * G[i]; } }",
    "void f(float O[30], const float Q[30][14], const float K[28][14]) { float S[30][28];"
    " for (int i = 0; i < 30; i++) { for (int j = 0; j < 28; j++) { S[i][j] = 0;"
    " for (int d = 0; d < 14; d++) S[i][j] += Q[i][d] * K[j][d]; }"
    " O[i] = 0; for (int j = 0; j < 28; j++) O[i] += S[i][27 - j] * S[i][j]; } }",
    # sums that were there before, and one for all of a row in the end
    "void f(float C[20][3][22], const float A[20][3][12], const float B[22][12], float G[22]) {"
    " for (int i = 0; i < 20; i++) { for (int h = 0; h < 3; h++) for (int j = 0; j < 22; j++)"
    " for (int k = 0; k < 12; k++) C[i][h][j] += A[i][h][k] * B[j][k];"
    " for (int j = 0; j < 22; j++) for (int h = 0; h < 3; h++) { G[j] += C[i][h][j]; C[i][h][j] += G[j]; } } }",
)


class Compiler:
    """loopc on one nest and machine."""

    def __init__(self, loopc, directory, nest, scratchpad_bytes):
        self.loopc, self.directory = loopc, directory
        self.write("f.loop", nest + "\n")
        self.write("m.yaml", "name: m\nscratchpad: { bytes: %d }\n" % scratchpad_bytes)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w") as out:
            out.write(text)

    def run(self, schedule=None):
        """The nest's entry in the report; None if nothing fits or a line cannot hold."""
        options = []
        if schedule is not None:
            self.write("s.txt", schedule)
            options = ["--schedule=" + self.path("s.txt")]
        run = subprocess.run(
            [self.loopc, "--arch=" + self.path("m.yaml"), "-o", self.path("f.c"),
             "--report=" + self.path("f.json")] + options + [self.path("f.loop")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False)
        assert run.returncode in (0, 1, 3), "status %d" % run.returncode
        if run.returncode:
            return None
        with open(self.path("f.json")) as report:
            return json.load(report)["kernels"][0]


def constrained(source, schedule):
    """The headings and forms of SCHEDULE, and one other line, changed."""
    lines = schedule.splitlines()
    which = source.choice([i for i, line in enumerate(lines)
                           if line.split()[0] in ("tile", "order", "store")])
    words = lines[which].split()
    if words[0] == "tile":
        words[2] = str(max(1, source.choice([1, int(words[2]) + 1, int(words[2]) - 1,
                                             int(words[2]) // 2])))
    elif words[0] == "order":
        loops = words[1:]
        source.shuffle(loops)
        words[1:] = loops
    else:
        words = words[:2] + ["outside"]
    return "\n".join(" ".join(words) if i == which else line for i, line in enumerate(lines)
                     if i == which or line.split()[0] in ("nest", "form")) + "\n"


def forms(schedule):
    """The first nest of SCHEDULE in other forms: in parts, or with a buffer for each reference
    group, inside none, one, two or three of its loops."""
    heading = schedule.splitlines()[0]
    return [heading + "\n" + form for loops in range(4) for form in (
        "form parts sequential %d\n" % loops, "form sequential %d apart\n" % loops)]


def whole(source, schedule):
    """The first nest of SCHEDULE as a whole, in some form, with some tiles and perhaps an order of the loops that it names."""
    lines = schedule.splitlines()
    loops = sorted({line.split()[1] for line in lines if line.startswith("tile ")})
    text = [lines[0], source.choice(["form plain", "form plain", "form apart", "form borrowed apart"])]
    text += ["tile %s %d" % (loop, source.choice([1, 1, 2, 3, 4, 5, 7, 8, 10, 12, 13]))
             for loop in loops if source.random() < 0.7]
    if source.random() < 0.7:
        text.append("order " + " ".join(source.sample(loops, len(loops))))
    return "\n".join(text) + "\n"


def turned(source, schedule):
    """SCHEDULE with regions from isl, other loops that turn, and slots."""
    lines = providers.from_isl(schedule).splitlines()
    loops = [word for line in lines if line.startswith("order") for word in line.split()[1:]]
    text = []
    for line in lines:
        if line.startswith("store") and " in " in line and source.random() < 0.4:
            line = line.split(" slots")[0].split(" sliding")[0]
            line += source.choice(["", " slots %d" % source.randint(2, 6)])
        if not line.startswith("serpentine"):
            text.append(line)
    share = source.choice([0.5, 1])
    turning = [loop for loop in loops if source.random() < share]
    return "\n".join(text + ["serpentine " + (" ".join(turning) or "none")]) + "\n"


def check(source, compiler, changes):
    free = compiler.run()
    if not free:
        return 0
    claimed = free["traffic"]["total_bytes"]
    if not free["search"]["optimal"]:
        gap = free["search"]["gap"]
        claimed = 0 if gap is None else claimed / (1 + gap) * (1 - 1e-6)
    claimed = max(claimed, free["lower_bound"]["bytes"] or 0)
    compared = 0
    for text in [constrained(source, free["schedule"]) for _ in range(changes)] + \
            [turned(source, free["schedule"]) for _ in range(changes)] + \
            [whole(source, free["schedule"]) for _ in range(changes)] + forms(free["schedule"]):
        part = compiler.run(text)
        if part:
            assert part["traffic"]["total_bytes"] >= claimed, "%d bytes, claimed %d, with\n%s" % (
                part["traffic"]["total_bytes"], claimed, text)
            compared += 1
    return compared


def main():
    loopc, source, changes = sys.argv[1], random.Random(int(sys.argv[2])), int(sys.argv[3])
    compared = 0
    for nest in NESTS:
        with tempfile.TemporaryDirectory() as directory:
            compiler = Compiler(loopc, directory, nest, source.choice([400, 600, 1000, 3000]))
            compared += check(source, compiler, changes)
    assert compared >= changes, "only %d schedules were compared" % compared


main()
