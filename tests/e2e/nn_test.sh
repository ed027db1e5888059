#!/bin/sh
. "$top_srcdir/tests/e2e/examples.sh"
verify_examples nn/
