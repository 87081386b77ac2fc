// Intent: where clang writes the module down before any pass has run, objects and allocations are
// counted as ever: what the source tells goes with the module, through bitcode, text and linking.
// RUN: %count-objects %s %t.saved -save-temps=obj
// RUN: %if all-tiers %{ %count-objects %s %t.followed -save-temps=obj -fplugin-arg-inmem-objects=lifetime %}
// RUN: %if all-tiers %{ %expect %t.followed-O2.json 'types["Counted"].objects.lifetime.count == 5' 'types["Counted"].objects.peak_alive == 5' %}
// RUN: %expect %t.saved-O2.json 'sum(s.allocations for s in types["std::pair<Counted, int>"].sites) == 1' \
// RUN:   'types["Excluded"].allocations == 1' 'types["Item"].size == 8' 'types["Item"].sites[0].function == "main"'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text, by way of an opt that knows nothing of the source, and options that were given before.
// RUN: %inmem-clangxx -std=c++20 -w -O2 -fplugin-arg-inmem-exclude=Excluded -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %FileCheck --check-prefix=TEXT %s < %t.ll
// TEXT-NOT: __inmem_mark
// TEXT-DAG: !inmem.types = !{
// TEXT-DAG: !inmem.options = !{
// RUN: %opt -load-pass-plugin=%irplugin '-passes=default<O2>' %t.ll -o %t.bc
// RUN: %clangxx -O2 -c %t.bc -o %t.o && %inmem-clangxx %t.o -o %t.text && %record %t.text.json -- %t.text
// RUN: %expect %t.text.json 'types["Counted"].objects.constructed.static == 1' 'types["Counted"].objects.destroyed == 5' \
// RUN:   'types["Item"].size == 8' 'not any(row.type == "Excluded" and row.allocations for row in report.types)'
// The lines may be gone by then.
// RUN: %if all-tiers %{ %opt -strip-debug %t.ll -o %t.bare.bc && %opt -load-pass-plugin=%irplugin '-passes=default<O2>' %t.bare.bc -o %t.bc %}
// RUN: %if all-tiers %{ %clangxx -O2 -c %t.bc -o %t.o && %inmem-clangxx %t.o -o %t.bare && %record %t.bare.json -- %t.bare %}
// RUN: %if all-tiers %{ %expect %t.bare.json 'types["Counted"].objects.destroyed == 5' 'types["Item"].allocations == 1' %}

// Instrumented in full by the first step: not a second time.
// RUN: %inmem-clangxx -std=c++20 -w -O2 -emit-llvm -c %s -o %t.whole.bc && %inmem-clangxx -O2 %t.whole.bc -o %t.whole
// RUN: %record %t.whole.json -- %t.whole && %expect %t.whole.json 'types["Counted"].objects.destroyed == 5' 'types["Item"].allocations == 1'

// With -fplugin= alone the second step knows nothing of us: the first one does it all. (The last
// two flags are for LLVM 16, as inmem-clang++ gives them there.)
// RUN: %clangxx -std=c++20 -w -O2 -fplugin=%plugin -save-temps=obj -Rpass=inmem-keeps-locations -Xclang -mno-constructor-aliases %s -o %t.alone -L%libdir -linmem_rt -Wl,-rpath,%libdir
// RUN: %record %t.alone.json -- %t.alone
// RUN: %expect %t.alone.json 'types["Counted"].objects.destroyed == 5' 'types["Item"].allocations == 1' \
// RUN:   'types["Item"].sites[0].function == "main"'

#include <memory>
#include <utility>

struct Counted { Counted() {} Counted(const Counted &) {} ~Counted() {} };
struct Pod { ~Pod() { x = 0; } int x; };
struct Holder { Counted first; Counted copy = first; };
struct Item { int a, b; };
struct Excluded { char bytes[40]; };

Pod constant = {1};
Counted global;
void *volatile kept;

// OBJECTS Counted: static=1 member=2 stack=2 defaulted=3 copied=2 destroyed=5
// OBJECTS Pod: static=1 stack=3 aggregate=3 other=1 destroyed=4
// OBJECTS Holder: stack=1 aggregate=1 destroyed=1

int main() {
  std::allocator<std::pair<Counted, int>> allocator;
  auto *raw = allocator.allocate(1);
  kept = raw;
  Holder holder{};
  Pod pods[2] = {{1}, {2}}, one{3};
  Counted local, copy = local;
  Item *item = new Item;
  kept = item;
  delete item;
  kept = new Excluded;
  allocator.deallocate(raw, 1);
}
