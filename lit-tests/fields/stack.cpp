// Intent: no finding about a field that is read in objects without counters: variables, temporaries, arguments, results, thread
// storage, also by functions that get them. Copies into objects on the heap are only copies.
// RUN: %inmem-clangxx -std=c++20 -pthread -O2 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -pthread -O0 -fplugin-arg-inmem-accesses=on %s -o %t.0 && %record %t.json -- %t.0 %}
// RUN: %if all-tiers %{ %expect %t.json --in %s %}
// EXPECT: sorted(f.type for f in report.findings if f.rule in ("unread-field", "copied-only-field", "unused-member")) == ["CopyOnly", "InMap", "InShared", "Members", "Sound"]
// EXPECT: [f.saves_peak_bytes for f in report.findings if f.type in ("InMap", "InShared")] == [3200, 3200]
// EXPECT: [f.fields for f in report.findings if f.rule == "copied-only-field"] == [["never"]]
// EXPECT: [f.fields for f in report.findings if f.rule == "unused-member"] == [["empty"]]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <set>
#include <map>
#include <vector>
#include <span>
#include <algorithm>
#define OUT __attribute__((noinline))
static const int N = 200;
#define CLASS(Name) struct Name { long used, never, more, last; }
CLASS(OutParam); CLASS(GlobalCopy); CLASS(StaticLocal); CLASS(Spanned); CLASS(InOptional); CLASS(TempRef); CLASS(PairLocal); CLASS(ArrLocal); CLASS(Sound); CLASS(ThreadLocal); CLASS(RangeTemp); CLASS(LocalRef);
struct OutCtor { long used, never, more, last; OutCtor() = default; OutCtor(const OutCtor &); long getNever() const { return never; } };
OUT OutCtor::OutCtor(const OutCtor &o) : used(o.used), never(o.never), more(o.more), last(o.last) {}
struct Method { long used, never, more, last; Method() = default; Method(const Method &); long get() const { return inner(); } long inner() const { return never; } };
OUT Method::Method(const Method &o) : used(o.used), never(o.never), more(o.more), last(o.last) {}
struct Base { long never, b2; long getNever() const { return never; } };
struct Derived : Base { long used, more, last; Derived() = default; Derived(const Derived &); };
OUT Derived::Derived(const Derived &o) : Base(o), used(o.used), more(o.more), last(o.last) {}
struct CopyOnly { long used, never, more, last; CopyOnly() = default; CopyOnly(const CopyOnly &); OUT void copyMeta(const CopyOnly &o) { never = o.never; } };
OUT CopyOnly::CopyOnly(const CopyOnly &o) : used(o.used), more(o.more), last(o.last) { copyMeta(o); }
OUT CopyOnly *clone(CopyOnly o) { return new CopyOnly(o); }
struct Members { long used; std::set<int> empty; std::string text; std::vector<int> vec; std::unique_ptr<int> ptr; std::map<int,int> m; std::optional<int> opt; std::set<int> touched; };
template <class T> OUT std::vector<T *> make() { std::vector<T *> all; for (int i = 0; i < N; ++i) { T *one = new T(); one->used = i; one->never = i + 1; one->more = one->last = i + 2; all.push_back(one);} return all; }
template <class T> OUT long rest(T *one) { return one->used + one->more + one->last; }
OUT void outParam(OutParam *to, const OutParam *from) { *to = *from; }
static GlobalCopy global; OUT void toGlobal(const GlobalCopy *p) { global = *p; } OUT long readGlobal() { return global.never; }
OUT long staticLocal(const StaticLocal *p) { static StaticLocal s; s = *p; return s.never; }
static thread_local ThreadLocal tl; OUT void toTl(const ThreadLocal *p) { tl = *p; } OUT long readTl() { return tl.never; }
OUT long spanned(Spanned *p) { auto b = std::as_bytes(std::span<Spanned>(p, 1)); return (long)b[9]; }
OUT std::optional<InOptional> opt(InOptional *p) { return *p; }
OUT TempRef temp(TempRef *p) { return *p; }
OUT std::pair<PairLocal, int> pairOf(PairLocal *p) { return {*p, 1}; }
OUT void fill(ArrLocal *a, const ArrLocal *p) { for (int i = 0; i < 4; ++i) a[i] = *p; }
OUT std::vector<RangeTemp> ranges(RangeTemp *p) { return {*p, *p}; }
OUT void copyTo(LocalRef &to, const LocalRef &from) { to = from; }
// Objects in nodes of a container, and in a block of make_shared.
struct InMap { long used, never, spare; InMap() : used(0), never(1), spare(2) {} };
struct InShared { long used, never, spare; InShared() : used(0), never(1), spare(2) {} };
OUT long fill(std::map<int, InMap> &m) { for (int i = 0; i < N; ++i) { InMap &v = m[i]; v.used = i; v.never = i; v.spare = i; } long s = 0; for (auto &e : m) s += e.second.used; return s; }
OUT long fill(std::vector<std::shared_ptr<InShared>> &m) { for (int i = 0; i < N; ++i) { m.push_back(std::make_shared<InShared>()); auto &v = *m.back(); v.used = i; v.never = i; v.spare = i; } long s = 0; for (auto &e : m) s += e->used; return s; }
int main() {
  long s = 0;
  for (auto *p : make<OutParam>()) { OutParam o; outParam(&o, p); s += o.never + rest(p); }
  for (auto *p : make<GlobalCopy>()) { toGlobal(p); s += readGlobal() + rest(p); }
  for (auto *p : make<ThreadLocal>()) { toTl(p); s += readTl() + rest(p); }
  for (auto *p : make<StaticLocal>()) { s += staticLocal(p) + rest(p); }
  for (auto *p : make<Spanned>()) { s += spanned(p) + rest(p); }
  for (auto *p : make<InOptional>()) { s += opt(p)->never + rest(p); }
  for (auto *p : make<TempRef>()) { const TempRef &t = temp(p); s += t.never + rest(p); }
  for (auto *p : make<PairLocal>()) { auto pr = pairOf(p); s += pr.first.never + rest(p); }
  for (auto *p : make<ArrLocal>()) { ArrLocal a[4]; fill(a, p); for (auto &x : a) s += x.never; s += rest(p); }
  for (auto *p : make<RangeTemp>()) { for (auto &x : ranges(p)) s += x.never; s += rest(p); }
  for (auto *p : make<LocalRef>()) { LocalRef l; LocalRef &r = l; copyTo(r, *p); s += r.never + rest(p); }
  for (auto *p : make<OutCtor>()) { OutCtor o(*p); s += o.getNever() + rest(p); }
  for (auto *p : make<Method>()) { Method o(*p); s += o.get() + rest(p); }
  for (auto *p : make<Derived>()) { Derived o(*p); s += o.getNever() + rest(p); }
  { std::vector<CopyOnly*> kept; for (auto *p : make<CopyOnly>()) { kept.push_back(clone(*p)); s += rest(kept.back()); } }
  for (auto *p : make<Sound>()) s += rest(p);
  std::map<int, InMap> nodes; s += fill(nodes);
  std::vector<std::shared_ptr<InShared>> shared; s += fill(shared);
  { std::vector<Members *> all; for (int i = 0; i < N; ++i) { auto *m = new Members(); m->used = i; m->text = "a"; m->vec.push_back(i); m->ptr.reset(new int(1)); m->m[1] = 2; m->opt = 5; if (!m->touched.empty()) s++; all.push_back(m); s += m->used; } }
  return s == 1;
}
