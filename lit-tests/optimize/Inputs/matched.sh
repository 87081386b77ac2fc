#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# matched.sh SOURCE ARGUMENTS WORK INMEM PYTHON COMPILER... - records a program, and counts the contexts of its profile
# that LLVM finds again when it compiles.
set -eu
source=$1 arguments=$2 work=$3 inmem=$4 python=$5
shift 5
"$@" -std=c++20 -O2 -g "$source" -o "$work.recorded"
# shellcheck disable=SC2086
INMEM_OPTIONS=stacks=24:clock=events:output=$work.inmem "$work.recorded" $arguments > "$work.out"
"$inmem" optimize -q -o "$work.yaml" "$work.inmem"
"$inmem" optimize -q -o "$work.memprofdata" "$work.inmem"
"$@" -std=c++20 -O2 -fplugin-arg-inmem-optimize="$work.memprofdata" -Rpass=memprof -c "$source" -o "$work.o" 2> "$work.remarks"
"$python" "$(dirname "$0")/matched.py" "$work.yaml" "$work.remarks"
