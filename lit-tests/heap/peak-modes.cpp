// Intent: snapshot=peak takes one with every way of recording: with frees=, stacks=, events, filters and the events clock as without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -std=c++20 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=snapshot=peak:output=%t/plain.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:frees=on:output=%t/frees.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:stacks=8:output=%t/stacks.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:stacks=8:frees=on:output=%t/both.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:mode=trace:output=%t/events.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:mode=trace:stacks=4:frees=on:output=%t/all.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:clock=events:output=%t/clock.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:min_size=8:max_size=100000000:output=%t/sizes.inmem %t.exe
// RUN: env INMEM_OPTIONS=snapshot=peak:frees=on:output=%t/thread.inmem %t.exe thread
// A snapshot follows each eighth more than the one before.
// RUN: sh -c 'for one in plain frees stacks both events all clock sizes thread; do %inmem heap --format json %t/$one.heap > %t/$one.json || exit 1; done'
// RUN: %python -c "import json, sys; [print(f, n) for f in sys.argv[1:] for n in [sum(t['objects'] for t in json.load(open(f))['types'] if t['type'] == 'Item')] if not 17000 <= n <= 20000] and sys.exit(1)" %t/plain.json %t/frees.json %t/stacks.json %t/both.json %t/events.json %t/all.json %t/clock.json %t/sizes.json %t/thread.json
#include <thread>
#include <vector>

struct Item {
  long Values[6];
};
static std::vector<Item *> Kept;

static void work() {
  for (int I = 0; I < 20000; ++I)
    Kept.push_back(new Item{});
  for (const Item *One : Kept)
    delete One;
}

int main(int Count, char **) {
  Kept.reserve(20000);
  if (Count > 1)
    std::thread(work).join();
  else
    work();
}
