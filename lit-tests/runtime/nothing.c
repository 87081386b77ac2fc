// Intent: a program that allocates nothing has a report that says so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'totals.allocations == 0' 'totals.peak_live_bytes == 0' 'report.types == []' 'processes[0].complete'

int main(void) { return 0; }
