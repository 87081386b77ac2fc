// Intent: labels= names a run: in its trace, the report, and the list of serve; a bad one is told and left out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -O1 %s -o %t/app
// RUN: env INMEM_OPTIONS=output=%t/a.inmem:labels=service=web,build=13,url=http://a:80/ %t/app
// RUN: %inmem report --format json -o %t/a.json %t/a.inmem
// RUN: %expect %t/a.json 'processes[0].labels == {"service": "web", "build": "13", "url": "http://a:80/"}'
// RUN: %inmem report --full %t/a.inmem | %FileCheck %s --check-prefix=HEAD
// HEAD: inmem {{.*}}app
// HEAD-NEXT: labels: service=web, build=13, url=http://a:80/
// RUN: %inmem dump %t/a.inmem | %FileCheck %s --check-prefix=DUMP
// DUMP: note kind=labels {{.*}}text="service=web,build=13,url=http://a:80/"
// RUN: %inmem merge -o %t/all.inmem %t/a.inmem
// RUN: %inmem report --format json -o %t/all.json %t/all.inmem
// RUN: %expect %t/all.json 'processes[0].labels.service == "web"'
//
// A forked child has them too.
// RUN: env INMEM_OPTIONS=output=%t/f.%%p.inmem:labels=service=fork %t/app fork
// RUN: %inmem report --format json -o %t/f.json %t/f.*.inmem
// RUN: %expect %t/f.json 'len(processes) == 2' 'all(p.labels.service == "fork" for p in processes)'
//
// RUN: env INMEM_OPTIONS=output=%t/b.inmem:labels=web %t/app 2>&1 | %FileCheck %s --check-prefix=BAD
// BAD: INMEM_OPTIONS: bad value 'web' {{.*}}labels
// RUN: %inmem report --format json -o %t/b.json %t/b.inmem
// RUN: %expect %t/b.json '"labels" not in processes[0]'
#include <sys/wait.h>
#include <unistd.h>
int *volatile Kept;
int main(int Argc, char **) {
  if (Argc > 1 && fork() > 0)
    wait(nullptr);
  Kept = new int(3);
}
