// Intent: without objects=lifetime the most objects alive at once are known where each is alone
// in its heap block, or none was destroyed; elsewhere they are unknown, not 0, with bounds that
// hold. Where objects were destroyed is known if there is but one answer.
// RUN: %inmem-clangxx -O2 %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'types["Node"].objects.peak_alive == 3' 'types["Node"].objects.alive == 1' \
// RUN:   'types["Local"].objects.peak_alive is None' 'types["Both"].objects.peak_alive is None' \
// RUN:   'types["Forever"].objects.peak_alive == 2' 'types["Array"].objects.peak_alive is None'
// RUN: %expect %t.json 'all(types[c].objects.peak_alive_at_least == types[c].objects.peak_alive_at_most == types[c].objects.peak_alive for c in ("Node", "Forever", "Single"))' \
// RUN:   '[types["Local"].objects[k] for k in ("peak_alive_at_least", "peak_alive_at_most")] == [1, 2]' \
// RUN:   '[types["Array"].objects[k] for k in ("peak_alive_at_least", "peak_alive_at_most")] == [1, 4]' \
// RUN:   '[types["Mixed"].objects[k] for k in ("peak_alive_at_least", "peak_alive_at_most")] == [2, 3]' \
// RUN:   'types["Left"].objects.peak_alive_at_least == 2' 'types["Left"].objects.destroyed_in is None' \
// RUN:   'types["Both"].objects.destroyed_in.heap == 1' 'types["Both"].objects.destroyed_in.stack == 1' \
// RUN:   'types["Node"].objects.destroyed_in.heap == 3'
// What lifetime follows lies within, and is exact.
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-objects=lifetime %s -o %t.followed && %record %t.followed.json -- %t.followed
// RUN: %expect %t.followed.json --in %s --prefix FOLLOWED \
// FOLLOWED: {c: types[c].objects.peak_alive for c in ("Node", "Local", "Both", "Array", "Left", "Single")} == {"Node": 3, "Local": 2, "Both": 2, "Array": 3, "Left": 3, "Single": 1}
// RUN:   'types["Left"].objects.destroyed_in.stack == 1' 'types["Left"].objects.destroyed_in.heap == 0'
// RUN: %inmem report --full %t.json.inmem | %FileCheck %s
// CHECK: {{^}}  class {{.*}}peak
// CHECK-DAG: Node {{.*}} 1 3
// CHECK-DAG: Array {{.*}} - {{≥|>=}}1
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Node { Node() {} ~Node() {} long a[3]; };
struct Local { Local() {} ~Local() {} };
struct Both { Both() {} ~Both() {} };
struct Array { Array() {} ~Array() {} };
struct Left { Left() {} ~Left() {} };
struct Mixed { Mixed() {} ~Mixed() {} long a; };
struct Single { Single() {} ~Single() {} };
struct Forever { Forever() {} ~Forever() {} };

void *volatile kept;
template <class T> T *make() { T *made = new T; kept = made; return made; }

int main() {
  Node *a = make<Node>(), *b = make<Node>();
  delete a;
  Node *c = make<Node>(), *d = make<Node>();
  delete b;
  delete c;
  Local local[2];
  Both both;
  delete make<Both>();
  Array *array = new Array[3];
  kept = array;
  delete[] array;
  array = new Array[1];
  kept = array;
  delete[] array;
  make<Left>();
  make<Left>();
  { Left left; }
  Mixed *mixed[2] = {make<Mixed>(), make<Mixed>()};
  delete mixed[0];
  delete mixed[1];
  { Mixed local; }
  delete make<Single>();
  make<Forever>();
  make<Forever>();
  if (kept == &both)
    delete make<Forever>();
}
