// Intent: what OpenMP regions allocate and construct is counted and named as anywhere else.
// REQUIRES: openmp
// RUN: %count-objects %s %t %openmp
// RUN: %expect %t-O0.json 'types["P"].allocations == 4' 'types["Q"].allocations == 3' 'types["T1"].allocations == 4' 'types["Part"].allocations == 2'
// RUN: %expect %t-O2.json 'types["P"].allocations == 4' 'types["Q"].allocations == 3' 'types["T1"].allocations == 4' 'types["Part"].allocations == 2'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
struct P { int n; };
struct Q { int n[5]; };
struct T1 { int n[3]; };
struct V { int n; V() : n(0) {} V(const V &o) : n(o.n) {} ~V() {} };
struct Local { int n; Local() : n(0) {} ~Local() {} };
struct Agg { int a, b; ~Agg() {} };
struct Task { int a; Task() : a(1) {} ~Task() {} };
struct Loop { int a; Loop() : a(1) {} ~Loop() {} };
static void *volatile Sink;
static volatile int sum;

struct Part { int n[9]; };
struct Sum { int n; Sum(int n = 0) : n(n) {} Sum(const Sum &o) : n(o.n) {} ~Sum() {} void add(const Sum &o, Part *p) { n += o.n; Sink = p; delete p; } };
struct Total { int n = 0; ~Total() {} };
#pragma omp declare reduction(plus : Sum : omp_out.add(omp_in, new Part)) initializer(omp_priv = Sum(0))
#pragma omp declare reduction(plus : Total : omp_out.n += omp_in.n) initializer(omp_priv = Total{0})

template <typename T> void inTemplate() {
#pragma omp parallel num_threads(2)
  {
    T t;
    (void)t;
  }
}
int main() {
  V copied, made;
#pragma omp parallel num_threads(4) firstprivate(copied) private(made)
  {
    Local local;
    Agg agg{1, 2};
    P *p = new P;
    Sink = p;
    delete p;
    Sink = malloc(sizeof(T1));
    sum = copied.n + made.n;
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; ++i) {
#pragma omp task
    {
      Q *q = new Q;
      Sink = q;
      delete q;
      Task task;
    }
  }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 10; ++i)
    Loop loop;
  inTemplate<Local>();
  Sum ones;
  Total total{0};
#pragma omp parallel for num_threads(2) reduction(plus : ones, total)
  for (int i = 0; i < 10; ++i)
    ones.n += 1, total.n += 2;
  return ones.n == 10 && total.n == 20 ? 0 : 1;
}
// Two in main; one copied and one made for each thread.
// OBJECTS V: stack=10 destroyed=10
// OBJECTS Local: stack=6 destroyed=6
// OBJECTS Agg: stack=4 destroyed=4
// OBJECTS Task: stack=3 destroyed=3
// OBJECTS Loop: stack=10 destroyed=10
// One in main and one of each thread.
// OBJECTS Sum: stack=3 destroyed=3
// OBJECTS Total: stack=3 destroyed=3
