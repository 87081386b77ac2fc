// Intent: counters leave the frames of coroutines as large as they are: whatever awaiters, locals and
// parameters they have, and whether those may throw. The program prints the sizes.
// RUN: %clangxx -DREST -c %s -o %t.o
// RUN: %clangxx -std=c++20 -O0 %s %t.o -o %t.plain && %t.plain > %t.sizes.0
// RUN: %inmem-clangxx -std=c++20 -O0 %s %t.o -o %t.exe && %t.exe | diff %t.sizes.0 -
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 -fplugin-arg-inmem-objects=off %s %t.o -o %t.exe && %t.exe | diff %t.sizes.0 - %}
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 -fplugin-arg-inmem-trivial-objects=on %s %t.o -o %t.exe && %t.exe | diff %t.sizes.0 - %}
// RUN: %clangxx -std=c++20 -O2 %s %t.o -o %t.plain && %t.plain > %t.sizes.2
// RUN: %inmem-clangxx -std=c++20 -O2 %s %t.o -o %t.exe && %t.exe | diff %t.sizes.2 -
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Loud { Loud(); Loud(int); Loud(const Loud &); ~Loud() noexcept(false); int v = 1; };
#ifdef REST
Loud::Loud() {}
Loud::Loud(int n) : v(n) {}
Loud::Loud(const Loud &) {}
Loud::~Loud() noexcept(false) {}
#else
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Quiet { Quiet() {} Quiet(int n) : v(n) {} Quiet(const Quiet &) {} ~Quiet() {} int v = 1; };
struct Base { Base() {} ~Base() {} int v = 1; };
struct Derived : Base { Derived() {} Quiet member; };
struct Virtual : virtual Base { Virtual() {} };
struct Pod { int n[4]; };
struct Trivial { ~Trivial() {} int n; };

// Final awaiters: none, one that transfers to another coroutine, one that may throw away its result.
struct Never : std::suspend_never {};
template <class Final> struct Task {
  struct promise_type {
    std::coroutine_handle<> next;
    int result = 0;
    __attribute__((noinline)) static void *operator new(size_t size) { std::printf("%zu\n", size); return std::malloc(size); }
    static void operator delete(void *frame) { std::free(frame); }
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void unhandled_exception() { throw; }
    void return_value(int value) { result = value; }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task &&other) noexcept : handle(other.handle) { other.handle = {}; }
  ~Task() { if (handle) handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> by) { handle.promise().next = by; return handle; }
  int await_resume() { return handle.promise().result; }
};
struct Transfer {
  bool await_ready() noexcept { return false; }
  template <class P> std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) noexcept {
    return h.promise().next ? h.promise().next : std::noop_coroutine();
  }
  void await_resume() noexcept {}
};
struct Maybe {
  Quiet q;
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) { return false; }
  Quiet await_resume() { return q; }
};

template <class F> Task<F> leaf(int n) { Quiet q; co_return n * 2 + q.v; }
template <class F> Task<F> loud(int n) { Loud q; co_return n * 2 + q.v; }
template <class F> Task<F> derived() { Derived d; co_await std::suspend_always(); co_return d.v + d.member.v; }
template <class F> Task<F> virtual_() { Virtual v; co_await Maybe(); co_return v.v; }
template <class F> Task<F> parameters(Quiet a, Loud b, Pod c, std::string d) { co_await Maybe(); co_return a.v + b.v + c.n[0] + int(d.size()); }
template <class F> Task<F> temporaries() { int s = Quiet(3).v; s += (co_await Maybe()).v + Quiet(s).v; co_return s; }
template <class F> Task<F> caught() {
  int s = 0;
  try { Quiet q(2); if (s) throw Quiet(4); s += q.v; } catch (Quiet q) { s += q.v; } catch (...) { s = 9; }
  co_await Maybe();
  co_return s;
}
template <class F> Task<F> arrays() { Quiet a[3]; Pod p = {{1, 2}}; co_await std::suspend_always(); co_return a[1].v + p.n[1]; }
template <class F> Task<F> trivial() { Trivial t{2}; Trivial u = t; co_await Maybe(); co_return t.n + u.n; }
template <class F> Task<F> owned() { auto p = std::make_unique<Quiet>(3); std::vector<int> v(3); co_await Maybe(); co_return p->v + int(v.size()); }
template <class F> Task<F> nested(int n) { if (n == 0) co_return 1; Quiet q(n); int s = co_await nested<F>(n - 1); co_return s + q.v; }
template <class F> Task<F> lambda() { Quiet q(2); auto l = [q](Quiet o) { return q.v + o.v; }; co_await Maybe(); co_return l(Quiet(1)); }
template <class F> Task<F> loops() { int s = 0; for (Quiet q(0); q.v < 3; ++q.v) { Loud l(q.v); s += (co_await Maybe()).v + l.v; } co_return s; }

template <class F> int all() {
  int s = 0;
  auto run = [&](Task<F> t) { for (int i = 0; i < 20 && !t.handle.done(); ++i) t.handle.resume(); s += t.handle.promise().result; };
  run(leaf<F>(2)), run(loud<F>(2)), run(derived<F>()), run(virtual_<F>()), run(temporaries<F>()), run(caught<F>());
  run(parameters<F>(1, 2, {{3}}, "four")), run(arrays<F>()), run(trivial<F>()), run(owned<F>()), run(lambda<F>()), run(loops<F>());
  auto t = nested<F>(4);
  t.handle.resume();
  return s;
}
int main() { std::printf("results %d\n", all<Transfer>() + all<std::suspend_always>()); }
#endif
