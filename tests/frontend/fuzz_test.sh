# Builds the front end with clang's fuzzer and sanitizers and lets it search for ten
# seconds from the seeds in tests/frontend/seeds; FRONTEND_FUZZ_SECONDS sets another time.
. "$top_srcdir/tests/tap/tap.sh"

name="ten seconds of the front end's fuzzer"
clang=${CLANG:-clang}
flags="-std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
	-I$top_srcdir -I$top_builddir $(pkg-config --cflags isl 2>/dev/null)"
echo 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return b == 0 && n; }' >probe.c
if ! $clang $flags probe.c -o probe >/dev/null 2>&1; then
	skip "$name" "clang or its fuzzer runtime is missing"
	finish
fi

# The generated sources are in the build tree, or in the source tree of a tarball.
parser=$top_builddir/frontend/parser.c
lexer=$top_builddir/frontend/lexer.c
[ -f "$parser" ] || parser=$top_srcdir/frontend/parser.c
[ -f "$lexer" ] || lexer=$top_srcdir/frontend/lexer.c
sources=$parser\ $lexer
for file in "$top_srcdir"/frontend/*.c; do
	case $file in
	*/arch.c|*/parser.c|*/lexer.c) ;;
	*) sources="$sources $file" ;;
	esac
done
for file in isl_work number order program program_read program_read_expr program_read_words program_text program_verify reduction; do
	sources="$sources $top_srcdir/ir/$file.c"
done
ok "the fuzzer builds" $clang $flags $sources "$top_srcdir/support/arena.c" "$top_srcdir/support/memory.c" \
	"$top_srcdir/support/diag.c" "$top_srcdir/support/program.c" "$top_srcdir/tests/frontend/fuzz_frontend.c" -o fuzz \
	$(pkg-config --libs isl 2>/dev/null || echo -lisl)
[ -x ./fuzz ] || finish
mkdir corpus
ok "$name" ./fuzz -max_total_time="${FRONTEND_FUZZ_SECONDS:-10}" -timeout=120 -rss_limit_mb=2048 \
	-max_len=2000 -seed=1 -verbosity=0 -print_final_stats=1 \
	-dict="$top_srcdir/tests/frontend/fuzz.dict" corpus "$top_srcdir/tests/frontend/seeds"
finish
