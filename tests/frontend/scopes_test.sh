#!/bin/sh
# A name is what its block declares, whatever other blocks make of it: functions whose blocks share
# names are what they are with names of their own.
. "$top_srcdir/tests/tap/tap.sh"

moved()
{
	awk '/"total": \{/ { on = 1 } on && /"total_bytes"/ { print $2 + 0 }' "$1"
}
for seed in $(seq "$(inputs 20 8)"); do
	python3 "$top_srcdir/tests/frontend/scopes.py" "$seed" >in.loop
	python3 "$top_srcdir/tests/frontend/scopes.py" "$seed" distinct >distinct.loop
	ok "names of seed $seed" "$LOOPC" --verify --emit=report=shared.json in.loop
	ok "names of seed $seed, each once" "$LOOPC" --emit=report=distinct.json distinct.loop
	is "$(moved shared.json)" "$(moved distinct.json)" "names of seed $seed: bytes moved"
done
finish
