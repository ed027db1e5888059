#!/bin/sh
# The bash completion offers what there is.
if ! command -v bash >/dev/null 2>&1; then
	echo "1..0 # SKIP no bash"
	exit 0
fi
. "$top_srcdir/tests/tap/tap.sh"

# completes_of FUNCTION FILE PROGRAM WORD...: what is offered for the last word.  Words are cut at "=" as bash
# does.
completes_of()
{
	bash -c '. "$2"; function=$1; shift 2
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		$function
		printf "%s\n" "${COMPREPLY[@]}" | tr "\n" " "' bash "$@"
}

completes()
{
	completes_of _loopc "$top_srcdir/docs/completion/loopc" "$LOOPC" "$@"
}

is "$(completes --expl)" "--explain --explain= " "an option, alone or with a value"
is "$(completes --fus)" "--fuse= " "an option with a value"
is "$(completes --pareto)" "--pareto --pareto-nests --pareto-output= --pareto-points= " "options with one beginning"
is "$(completes --buffering = d)" "double " "a value that has begun"
is "$(completes --fuse =)" "never auto all " "all values"
is "$(completes --arch = eyeriss-1)" "eyeriss-108k " "a machine"
is "$(completes --print-after = sp)" "split " "a pass"
is "$(completes --space = fusion)" "fusion-norecompute " "a space"
: >kernel.loop
is "$(completes ker)" "kernel.loop " "a file"
is "$(completes --schedule = ker)" "kernel.loop " "a file that is a value"

# Every value that the completion offers is accepted, and every option of --help completes.
cat >kernel.loop <<'END'
void copy(const float A[8], float B[8])
{
	for (int i = 0; i < 8; i++)
		B[i] = A[i];
}
END
wrong=
for option in buffering fuse recompute space pareto explain objective effort color diagnostics-format; do
	for value in $(completes --$option =); do
		"$LOOPC" "--$option=$value" -o out.c kernel.loop >out 2>&1 || wrong="$wrong --$option=$value"
	done
done
is "$wrong" "" "values that are offered are accepted"
missing=
for option in $("$LOOPC" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u); do
	case " $(completes "$option")" in
	*" $option "*|*" $option= "*) ;;
	*) missing="$missing $option" ;;
	esac
done
is "$missing" "" "every option of the help is offered"

importer=$top_builddir/loopc-onnx
imports()
{
	completes_of _loopc_onnx "$top_srcdir/docs/completion/loopc-onnx" "$importer" "$@"
}

if [ -x "$importer" ]; then
	is "$(imports --fu)" "--function-per-block " "loopc-onnx: an option"
	is "$(imports --con)" "--constant= " "loopc-onnx: an option with a value"
	is "$(imports --weights =)" "bin c " "loopc-onnx: all values"
	is "$(imports --test = ker)" "kernel.loop " "loopc-onnx: a file that is a value"
	is "$(imports -M)" "-MD -MF " "loopc-onnx: short options"
	missing=
	for option in $("$importer" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u); do
		case " $(imports "$option")" in
		*" $option "*|*" $option= "*) ;;
		*) missing="$missing $option" ;;
		esac
	done
	is "$missing" "" "loopc-onnx: every option of the help is offered"
fi
finish
