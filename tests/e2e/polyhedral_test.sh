#!/bin/sh
. "$top_srcdir/tests/e2e/examples.sh"
verify_examples 'polyhedral/[0-9a-f]'
