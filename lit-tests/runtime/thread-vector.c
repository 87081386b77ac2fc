// Intent: what the dynamic linker allocates for a thread counts as without us: the thread-local data that instrumented
// code and the runtime have of their own are no part of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O1 -pthread %s -o %t.plain && %inmem-clang -O1 -pthread %s -o %t.exe
// RUN: %record %t.plain.json -- env LD_LIBRARY_PATH=%libdir LD_PRELOAD=libinmem_rt.so %t.plain
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'totals.allocations == 2' 'totals.allocated_bytes == json.load(open("%{t}.plain.json"))["totals"]["allocated_bytes"]'

#include <pthread.h>
#include <stdlib.h>

static void *volatile Sink;

static void *work(void *argument) {
  Sink = malloc(10);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
}
