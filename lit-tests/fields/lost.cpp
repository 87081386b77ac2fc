// Intent: no finding about a field that the optimiser reads where no place or path of the source is left: choices between fields,
// also of inlined functions, macros, copies that loops become; nor about one that is read through addresses, swaps, captures,
// coroutines, atomics or operands of assembler. The one sound claim is made.
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O3 -fno-strict-aliasing -fplugin-arg-inmem-accesses=on %s -o %t.3 && %record %t.json -- %t.3 %}
// RUN: %if all-tiers %{ %expect %t.json --in %s %}
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 -fplugin-arg-inmem-accesses=on %s -o %t.0 && %record %t.json -- %t.0 %}
// RUN: %if all-tiers %{ %expect %t.json --in %s %}
// EXPECT: [f.type for f in report.findings if f.rule in ("unread-field", "copied-only-field", "unused-member")] == ["Sound"]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>
#define OUT __attribute__((noinline))
static const int N = 200;
#define CLASS(Name) struct Name { long used, never, more, last; long get() const { return never; } long other() const { return used; } }
CLASS(IfElse); CLASS(Getters); CLASS(Nested); CLASS(Logical); CLASS(Members); CLASS(Macro); CLASS(Switch); CLASS(Loop); CLASS(Hoisted); CLASS(Paths); CLASS(Swapped);
CLASS(Exchanged); CLASS(Bound); CLASS(Held); CLASS(Asm); CLASS(Frame); CLASS(Sound); CLASS(TwoA); CLASS(Callback); CLASS(Sum); CLASS(Min); CLASS(Algo); CLASS(Iter); CLASS(Tuple);
struct TwoB { long more, never, used, last; };
struct Cond { bool used, never, more, last; };
struct Text { long used, more, last; char never[24]; };
struct Behind { long used[2]; long never, more, last; };
struct Behind2 { long used[2]; long never, more, last; };
struct At { long used; std::atomic<long> never; long more, last; };
struct Vol { long used; volatile long never; long more, last; };
struct Virtual { virtual ~Virtual() = default; virtual long get() const = 0; };
struct First final : Virtual { long used, never, more, last; long get() const override { return never; } };
struct In { bool flag; long used, never, more, last; OUT long pick() const { return flag ? never : used; } };
struct Range { int used, lo, hi, last; OUT int span() const { return hi - lo; } };
#define FILL(p) { p->used = i; p->never = i + 1; p->more = p->last = i + 2; }
template <class T> OUT std::vector<T *> make() { std::vector<T *> all; for (int i = 0; i < N; ++i) { T *p = new T(); FILL(p) all.push_back(p); } return all; }
template <class T> OUT long rest(T *p) { return p->used + p->more + p->last; }
OUT long ifElse(IfElse *p, int c) { long s; if (c) s = p->never; else s = p->used; return s; }
OUT long getters(Getters *p, int c) { if (c) return p->get(); return p->other(); }
OUT long nested(Nested *p, int c) { return c == 1 ? p->used : c == 2 ? p->more : c == 3 ? p->last : p->never; }
OUT bool logical(Cond *p, bool c) { return (c && p->never) || (!c && p->used); }
OUT long logicals(Logical *p, bool c) { return ((c ? p->never : p->used) & 3) == 1 && c; }
#define BOTH(p) ((p)->used + (p)->never)
OUT long macro(Macro *p) { return BOTH(p); }
OUT long switched(Switch *p, int c) { switch (c & 3) { case 0: return p->used; case 1: return p->never; case 2: return p->more; default: return p->last; } }
OUT long loop(Loop **all, int n, const bool *c) { long s = 0; for (int i = 0; i < n; ++i) s += c[i] ? all[i]->never : all[i]->more; return s; }
OUT long hoisted(Hoisted *p, int n, bool c, long *to) { for (int i = 0; i < n; ++i) to[i] = c ? p->get() + i : p->other() - i; return to[0]; }
OUT long paths(Paths *p, int c) { const long *q; if (c == 0) q = &p->never; else if (c == 1) q = &p->used; else q = &p->more; return *q; }
OUT long swapped(Swapped *p) { long mine = 1; std::swap(p->never, mine); return mine; }
OUT long exchanged(Exchanged *p) { return std::exchange(p->never, 1); }
OUT long bound(const Bound *p) { const auto &[a, b, c, d] = *p; return b; }
OUT long held(Held *p) { auto f = [&n = p->never] { return n; }; return f(); }
#ifdef __x86_64__
#define LOAD "mov %1, %0"
#else
#define LOAD "ldr %0, %1"
#endif
OUT long assembled(Asm *p) { long r; __asm__(LOAD : "=r"(r) : "m"(p->never)); return r; }
OUT void text(const Text *p, char *to, size_t n) { for (size_t i = 0; i < n; ++i) to[i] = p->never[i]; }
OUT long behind(Behind *p, int n) { return *(&p->used[0] + n); }
OUT long behind2(Behind2 *p, int n) { const long *q = p->used; return q[n]; }
OUT long atom(At *p) { return p->never.load(std::memory_order_relaxed); }
OUT long vol(Vol *p) { return p->never; }
OUT long two(TwoA *a, TwoB *b, bool c) { return c ? a->never : b->never; }
static long reader(const Callback &c) { return c.never; }
static long userOf(const Callback &c) { return c.used; }
template <class F> static inline long apply(const Callback &c, F *f, F *g, bool w) { return w ? f(c) : g(c); }
OUT long callback(Callback *p, bool c) { return apply(*p, reader, userOf, c); }
OUT long virtuals(First *p, bool c) { Virtual *v = p; return c ? v->get() : p->used; }
OUT long sums(Sum *const *p, int n) { long s = 0; for (int i = 0; i < n; ++i) { Sum *q = p[i]; s += i & 1 ? q->get() : q->other(); } return s; }
OUT long least(Min *p) { return std::min(p->never, p->used); }
OUT long algo(std::vector<Algo *> &v) { return (*std::max_element(v.begin(), v.end(), [](Algo *a, Algo *b) { return a->never < b->never; }))->used; }
OUT void iter(Iter *a, Iter *b) { std::iter_swap(&a->never, &b->used); }
OUT bool tuple(Tuple *a, Tuple *b) { return std::tie(a->never, a->last) < std::tie(b->never, b->last); }
struct Task { struct promise_type { long value; Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; } std::suspend_always initial_suspend() { return {}; } std::suspend_always final_suspend() noexcept { return {}; } void return_value(long v) { value = v; } void unhandled_exception() {} }; std::coroutine_handle<promise_type> handle; };
OUT Task later(Frame *p) { Frame mine = *p; co_await std::suspend_always(); co_return mine.never; }
int main(int argc, char **) {
  long s = 0; int k = argc; long to[8]; char bytes[32];
  for (auto *p : make<IfElse>()) s += ifElse(p, k++ & 1) + rest(p);
  for (auto *p : make<Getters>()) s += getters(p, k++ & 1) + rest(p);
  for (auto *p : make<Nested>()) s += nested(p, k++ & 3) + rest(p);
  for (auto *p : make<Cond>()) s += logical(p, k++ & 1) + rest(p);
  for (auto *p : make<Logical>()) s += logicals(p, k++ & 1) + rest(p);
  for (auto *p : make<In>()) { p->flag = k++ & 1; s += p->pick() + rest(p); }
  for (auto *p : make<Macro>()) s += macro(p) + rest(p);
  for (auto *p : make<Switch>()) s += switched(p, k++) + rest(p);
  { auto v = make<Loop>(); bool c[N]; for (int i = 0; i < N; ++i) c[i] = i & 1; s += loop(v.data(), N, c); for (auto *p : v) s += rest(p); }
  for (auto *p : make<Hoisted>()) s += hoisted(p, 8, k++ & 1, to) + rest(p);
  for (auto *p : make<Paths>()) s += paths(p, k++ % 3) + rest(p);
  for (auto *p : make<Swapped>()) s += swapped(p) + rest(p);
  for (auto *p : make<Exchanged>()) s += exchanged(p) + rest(p);
  for (auto *p : make<Bound>()) s += bound(p) + rest(p);
  for (auto *p : make<Held>()) s += held(p) + rest(p);
  for (auto *p : make<Asm>()) s += assembled(p) + rest(p);
  for (int i = 0; i < N; ++i) { auto *p = new Text(); p->used = p->more = p->last = i; std::memset(p->never, 'a' + i % 9, sizeof p->never); text(p, bytes, 16 + argc); s += bytes[3] + rest(p); }
  for (int i = 0; i < N; ++i) { auto *p = new Behind(); p->used[0] = p->used[1] = p->never = p->more = p->last = i; s += behind(p, 1 + argc) + p->more + p->last; }
  for (int i = 0; i < N; ++i) { auto *p = new Behind2(); p->used[0] = p->used[1] = p->never = p->more = p->last = i; s += behind2(p, 1 + argc) + p->more + p->last; }
  for (auto *p : make<At>()) s += atom(p) + rest(p);
  for (auto *p : make<Vol>()) s += vol(p) + rest(p);
  { auto v = make<TwoA>(); auto w = make<TwoB>(); for (int i = 0; i < N; ++i) s += two(v[i], w[i], i & 1) + rest(v[i]) + rest(w[i]); }
  for (auto *p : make<Callback>()) s += callback(p, k++ & 1) + rest(p);
  for (auto *p : make<First>()) s += virtuals(p, k++ & 1) + rest(p);
  { auto v = make<Sum>(); s += sums(v.data(), N); for (auto *p : v) s += rest(p); }
  for (auto *p : make<Min>()) s += least(p) + rest(p);
  { auto v = make<Algo>(); s += algo(v); for (auto *p : v) s += rest(p); }
  { auto v = make<Iter>(); iter(v[0], v[1]); for (auto *p : v) s += rest(p); }
  { auto v = make<Tuple>(); for (auto *p : v) s += tuple(p, v[0]) + rest(p); }
  for (int i = 0; i < N; ++i) { auto *p = new Range(); p->used = i; p->lo = 1; p->hi = i; p->last = 3; s += p->span() + p->used + p->last; }
  for (auto *p : make<Frame>()) { Task t = later(p); t.handle.resume(); t.handle.resume(); s += t.handle.promise().value + rest(p); t.handle.destroy(); }
  for (auto *p : make<Sound>()) s += rest(p);
  return s == 1;
}
