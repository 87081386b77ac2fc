// Intent: after a reset a report has the objects of the rest of the run, as it has its blocks: those that were
// alive are carried, none is counted from before, and peaks are those since.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -I%include %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Held"].allocations == 3' 'types["Held"].carried_allocations == 2' 'types["Held"].live_allocations == 4' \
// RUN:   'types["Held"].objects.constructed.heap == 3' 'types["Held"].objects.carried == 2' 'types["Held"].objects.destroyed == 1' \
// RUN:   'types["Held"].objects.alive == 4' 'types["Held"].objects.peak_alive_at_least == 4' 'types["Held"].objects.peak_alive_at_most == 5' \
// RUN:   'types["Held"].peak_live_bytes == 5 * 64' 'totals.peak_live_bytes < 1 << 20' '"Early" not in types'
// RUN: %inmem-clangxx -O1 -I%include -fplugin-arg-inmem-objects=lifetime %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Held"].objects.constructed.heap == 3' 'types["Held"].objects.carried == 2' 'types["Held"].objects.destroyed == 1' \
// RUN:   'types["Held"].objects.peak_alive == 5' 'types["Held"].objects.lifetime.count == 1' 'types["Held"].objects.alive == 4' \
// RUN:   '"Early" not in types' 'sum(s.alive for s in types["Held"].objects.sites) == 4'

#include <inmem/inmem.h>

struct Held {
  Held() { asm volatile(""); }
  ~Held() { asm volatile(""); }
  char bytes[64];
};
struct Early {
  Early() { asm volatile(""); }
  ~Early() { asm volatile(""); }
  char bytes[4 << 20];
};
static Held *volatile Kept[10];

int main() {
  auto *early = new Early;
  Kept[9] = reinterpret_cast<Held *>(early);
  delete early;
  for (int i = 0; i < 6; ++i)
    Kept[i] = new Held;
  for (int i = 0; i < 4; ++i)
    delete Kept[i];
  inmem_reset();
  for (int i = 0; i < 3; ++i)
    Kept[i] = new Held;
  delete Kept[4];
}
