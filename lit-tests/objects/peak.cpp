// Intent: without objects=lifetime the most objects alive at once are known where each is alone
// in its heap block, or none was destroyed; elsewhere they are unknown, not 0.
// RUN: %inmem-clangxx -O2 %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'types["Node"].objects.peak_alive == 3' 'types["Node"].objects.alive == 1' \
// RUN:   'types["Local"].objects.peak_alive is None' 'types["Both"].objects.peak_alive is None' \
// RUN:   'types["Forever"].objects.peak_alive == 2' 'types["Array"].objects.peak_alive is None'
// RUN: %inmem report %t.json.inmem | %FileCheck %s
// CHECK: {{^}}  class {{.*}}peak
// CHECK: Node {{.*}} 1 3

struct Node { Node() {} ~Node() {} long a[3]; };
struct Local { Local() {} ~Local() {} };
struct Both { Both() {} ~Both() {} };
struct Array { Array() {} ~Array() {} };
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
  make<Forever>();
  make<Forever>();
  if (kept == &both)
    delete make<Forever>();
}
