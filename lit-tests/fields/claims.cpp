// Intent: no finding about a field that is read by bit_cast, copies of bytes, the address of its neighbour, comparisons that the
// compiler writes, arguments by value, structured bindings, captures, sorting, bases; the one sound claim is made.
// RUN: %inmem-clangxx -std=c++20 -pthread -O2 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -pthread -O0 -fplugin-arg-inmem-accesses=on %s -o %t.0 && %record %t.json -- %t.0 %}
// RUN: %if all-tiers %{ %expect %t.json --in %s %}
// EXPECT: [f.type for f in report.findings if f.rule in ("unread-field", "copied-only-field", "unused-member")] == ["Sound"]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <algorithm>
#include <tuple>
#include <memory>
#include <unistd.h>
#include <thread>
#define OUT __attribute__((noinline))
static const int N = 200;
#define CLASS(Name) struct Name { long used, never, more, last; }
CLASS(BitCast); CLASS(BuiltinCast); CLASS(Lambda); CLASS(MemcpyVar); CLASS(MemcpyWhole); CLASS(MemcpySpan); CLASS(AddrNext); CLASS(Refd);
CLASS(Bound); CLASS(Tied); CLASS(ByValue); CLASS(Returned); CLASS(NTTP); CLASS(Caught); CLASS(RangeMember); CLASS(UnionA); CLASS(Threaded);
CLASS(Copied2); CLASS(Sorted); CLASS(Unioned); CLASS(RefMem); CLASS(Indexed); CLASS(Ternary); CLASS(Comma); CLASS(InitCap); CLASS(CopyBytes); CLASS(StdCopyBytes); CLASS(Sound); CLASS(MemcpyOut); CLASS(ViaArr); CLASS(DefArg);
struct Eq { long used, never, more, last; bool operator==(const Eq&) const = default; };
struct Spc { long used, never, more, last; auto operator<=>(const Spc&) const = default; };
struct BaseB { long never, x; virtual ~BaseB() {} }; struct DerB : BaseB { long used, more, last; };
struct VB : virtual BaseB { long used, more, last; };
struct Packed { char used; long never; char more, last; } __attribute__((packed));
struct Vec { float x, y, z, w; float &operator[](int i) { return (&x)[i]; } };
template <class T> OUT std::vector<T *> make() { std::vector<T *> all; for (int i = 0; i < N; ++i) { T *one = new T(); one->used = i; one->never = i + 1; one->more = one->last = i + 2; all.push_back(one);} return all; }
template <class T> OUT long rest(T *one) { return one->used + one->more + one->last; }
OUT long bitCast(BitCast *p) { auto a = std::bit_cast<std::array<long, 4>>(*p); return a[1]; }
struct Four { long v[4]; };
OUT long builtinCast(BuiltinCast *p) { return __builtin_bit_cast(Four, *p).v[1]; }
OUT long viaLambda(Lambda *p) { auto f = [p]() { return p->never; }; return f(); }
static char buffer[4096]; static long sink;
OUT void memcpyVar(MemcpyVar *p, size_t n) { std::memcpy(buffer, p, n); }
OUT void memcpyWhole(MemcpyWhole *p) { std::memcpy(buffer, p, sizeof *p); }
OUT void memcpyOut(MemcpyOut *p, char *to) { std::memcpy(to, p, sizeof *p); }
OUT void memcpySpan(MemcpySpan *p, char *to) { std::memcpy(to, &p->used, 2 * sizeof(long)); }
OUT long addrNext(long *p) { return p[1]; }
OUT long refd(long &p) { return p; }
OUT long bound(Bound *p) { auto &[a, b, c, d] = *p; return b; }
OUT long tied(Tied *p) { return std::get<0>(std::tie(p->never)); }
OUT long byValueCallee(ByValue v) { return v.never; }
OUT Returned returned(Returned *p) { return *p; }
template <auto M, class T> OUT long nttp(T *p) { return p->*M; }
OUT void thrower(Caught *c) { throw *c; }
OUT long sumRange(RangeMember *r) { long s = 0; for (long *i = &r->used; i <= &r->last; ++i) s += *i; return s; }
OUT long sorted(std::vector<Sorted> &v) { std::sort(v.begin(), v.end(), [](const Sorted &a, const Sorted &b) { return a.never > b.never; }); return v[0].used + v[0].more + v[0].last; }
struct Holder { RefMem &r; };
OUT long refMem(Holder h) { return h.r.never; }
OUT long indexed(Indexed *p, int i) { return ((long *)p)[i]; }
OUT long ternary(Ternary *p, bool c) { return c ? p->never : p->used; }
OUT long comma(Comma *p) { return (sink++, p->never); }
OUT long initCap(InitCap *p) { auto f = [v = p->never]() { return v; }; return f(); }
OUT void copyBytes(CopyBytes *p, char *to) { const char *f = (const char *)p; for (size_t i = 0; i < sizeof *p; ++i) to[i] = f[i]; }
OUT void stdCopyBytes(StdCopyBytes *p, char *to) { std::copy_n(reinterpret_cast<unsigned char *>(p), sizeof *p, to); }
OUT long unioned(Unioned *p) { union { Unioned u; long v[4]; } x; x.u = *p; return x.v[1]; }
OUT long copied2(Copied2 *p) { Copied2 *q = new Copied2(*p); long r = q->never; delete q; return r; }
OUT long viaArr(ViaArr (&a)[4]) { long s = 0; for (auto &x : a) s += x.never; return s; }
OUT long eq(Eq *a, Eq *b) { return *a == *b; }
OUT bool spc(Spc *a, Spc *b) { return *a < *b; }
OUT long baseB(BaseB *b) { return b->never; }
OUT long packed(Packed *p) { return p->never; }
OUT float vec(Vec *v, int i) { return (*v)[i]; }
OUT float vsum(const float *f) { return f[0] + f[1] + f[2]; }
struct DefaultUse { DefArg *p; long v = p->never; };
int main() {
  long s = 0;
  for (auto *p : make<BitCast>()) s += bitCast(p) + rest(p);
  for (auto *p : make<BuiltinCast>()) s += builtinCast(p) + rest(p);
  for (auto *p : make<Lambda>()) s += viaLambda(p) + rest(p);
  for (auto *p : make<MemcpyVar>()) { memcpyVar(p, sizeof *p + (s == 1)); s += rest(p); s+= write(dup(1), buffer, 0); }
  for (auto *p : make<MemcpyWhole>()) { memcpyWhole(p); s += rest(p) + buffer[9]; }
  char *heap = (char *)malloc(100);
  for (auto *p : make<MemcpyOut>()) { memcpyOut(p, heap); s += rest(p) + heap[9]; }
  for (auto *p : make<MemcpySpan>()) { memcpySpan(p, heap); s += rest(p) + heap[9]; }
  for (auto *p : make<AddrNext>()) s += addrNext(&p->used) + rest(p);
  for (auto *p : make<Refd>()) s += refd(p->never) + rest(p);
  for (auto *p : make<Bound>()) s += bound(p) + rest(p);
  for (auto *p : make<Tied>()) s += tied(p) + rest(p);
  for (auto *p : make<ByValue>()) s += byValueCallee(*p) + rest(p);
  for (auto *p : make<Returned>()) s += returned(p).never + rest(p);
  for (auto *p : make<NTTP>()) s += nttp<&NTTP::never>(p) + rest(p);
  for (auto *p : make<Caught>()) { try { thrower(p); } catch (Caught &c) { s += c.never; } s += rest(p); }
  for (auto *p : make<RangeMember>()) s += sumRange(p) + p->used + p->more + p->last;
  { std::vector<Sorted> v(N); for (int i = 0; i < N; ++i) v[i] = {i, i * 7 % 13, i, i}; s += sorted(v); }
  for (auto *p : make<RefMem>()) s += refMem(Holder{*p}) + rest(p);
  for (auto *p : make<Indexed>()) s += indexed(p, 1) + rest(p);
  for (auto *p : make<Ternary>()) s += ternary(p, s & 1) + rest(p);
  for (auto *p : make<Comma>()) s += comma(p) + rest(p);
  for (auto *p : make<InitCap>()) s += initCap(p) + rest(p);
  for (auto *p : make<CopyBytes>()) { copyBytes(p, heap); s += rest(p) + heap[9]; }
  for (auto *p : make<StdCopyBytes>()) { stdCopyBytes(p, heap); s += rest(p) + heap[9]; }
  for (auto *p : make<Unioned>()) s += unioned(p) + rest(p);
  for (auto *p : make<Copied2>()) s += copied2(p) + rest(p);
  for (auto *p : make<Threaded>()) { std::thread t([p, &s] { s += p->never; }); t.join(); s += rest(p); if (s & 1) break; }
  for (int i = 0; i < N; ++i) { auto *a = new ViaArr[4](); for (int j = 0; j < 4; ++j) a[j].never = a[j].used = j; s += viaArr(*(ViaArr(*)[4])a) + a[1].used+a[1].more+a[1].last; }
  { auto v = make<Eq>(), w = make<Eq>(); for (int i = 0; i < N; ++i) s += eq(v[i], w[i]) + rest(v[i]); }
  { auto v = make<Spc>(), w = make<Spc>(); for (int i = 0; i < N; ++i) s += spc(v[i], w[i]) + rest(v[i]); }
  for (auto *p : make<DerB>()) s += baseB(p) + rest(p);
  for (auto *p : make<VB>()) s += baseB(p) + rest(p);
  for (auto *p : make<Packed>()) s += packed(p) + rest(p);
  for (int i = 0; i < N; ++i) { auto *v = new Vec(); v->x = v->y = v->z = i; v->w = 1; s += vec(v, i % 3) + vsum(&v->x) + v->x; }
  for (auto *p : make<DefArg>()) { s += DefaultUse{p}.v + rest(p); }
  for (auto *p : make<Sound>()) s += rest(p);
  return s == 1;
}
