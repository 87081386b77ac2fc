#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# glibc-tests.sh ARCHIVE WORK CLASS all|short COMPILER ARGUMENTS... - runs malloc tests of glibc's sources with every block that
# they ask for placed in that class; short: without those that take seconds. What they include of glibc's own is beside
# this script. ARGUMENTS name the library. Exit code 1: one failed.
set -eu
inputs=$(cd "$(dirname "$0")" && pwd)
archive=$1 work=$2 class=$3 which=$4 compiler=$5
shift 5

# Not here: those of glibc's own bookkeeping (mallinfo, mallopt, malloc_info, its chunks, checks and hooks).
tests="malloc calloc realloc reallocarray memalign posix_memalign valloc pvalloc malloc-too-large free-errno mallocalign1
  obstack tcfree1 tcfree2 mallocfork malloc-thread-fail"
[ "$which" = short ] || tests="$tests mallocfork2 mallocfork3 malloc-fork-deadlock malloc-thread-exit"

mkdir -p "$work/include/support"
tar -C "$work" -xf "$archive" --strip-components=1 --wildcards '*/malloc/tst-*.c'
# They fork ten thousand times, which takes 20 s with any allocator.
sed -i 's/iterations = 10000 }/iterations = 2000 }/' "$work/malloc/tst-mallocfork2.c" "$work/malloc/tst-mallocfork3.c"
for header in support/check.h support/support.h support/xthread.h support/xunistd.h support/xsignal.h \
  support/temp_file.h support/test-driver.h array_length.h libc-diag.h malloc-size.h; do
  echo '#include "glibc-support.h"' > "$work/include/$header"
done
# The older of the two names an expression, the newer one a function.
{ echo '#define TEST_CALL TEST_FUNCTION'; echo '#include "glibc-driver.h"'; } > "$work/test-skeleton.c"
{ echo '#define TEST_CALL do_test()'; echo '#include "glibc-driver.h"'; } > "$work/include/support/test-driver.c"

failed=0
for test in $tests; do
  if "$compiler" -std=gnu11 -D_GNU_SOURCE -O1 -w -fno-builtin -pthread -DPLACE_CLASS="$class" -I"$inputs" \
    -I"$work/include" -include glibc-support.h "$work/malloc/tst-$test.c" "$@" -o "$work/tst-$test" &&
    "$work/tst-$test" > "$work/$test.out" 2>&1; then
    echo "passed: $test"
  else
    echo "FAILED: $test ($?)"
    tail -5 "$work/$test.out" 2>/dev/null || true
    failed=1
  fi
done
exit $failed
