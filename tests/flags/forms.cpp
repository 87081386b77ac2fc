// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Some sixty forms of constructing and destroying objects. Each class counts
// itself and prints that at the end: flags.py compares the report with it, for
// each set of flags.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <typeinfo>

[[gnu::noinline]] static void esc(const volatile void *p) {
  asm volatile("" : : "r"(p) : "memory");
}

#define CLASS(N)                                                               \
  struct N {                                                                   \
    static inline long c = 0, d = 0;                                           \
    int v;                                                                     \
    N(int v = 0) : v(v) { ++c; }                                               \
    N(const N &o) : v(o.v) { ++c; }                                            \
    ~N() { ++d; }                                                              \
  };
CLASS(A) CLASS(B) CLASS(C) CLASS(D) CLASS(E) CLASS(F) CLASS(G) struct VB {
  A a;
  int n;
  VB(const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    n = va_arg(ap, int);
    va_end(ap);
    B b(n);
  }
};
struct VD : VB {
  using VB::VB;
  B m{1};
};
struct VV : virtual VB {
  using VB::VB;
  B m{2};
};
struct VW : virtual VB {
  C c;
  VW(int x, ...) : VB("x", x), c(x) {
    va_list ap;
    va_start(ap, x);
    c.v += va_arg(ap, int);
    va_end(ap);
  }
  VW() : VW(1, 2) {}
};
struct Cov {
  virtual Cov *f(int n, ...) { return this; }
  virtual ~Cov() {}
};
struct Pad {
  virtual void g() {}
  long p;
};
struct CovD : Pad, Cov {
  CovD *f(int n, ...) override {
    D d(n);
    va_list ap;
    va_start(ap, n);
    D e(va_arg(ap, int));
    va_end(ap);
    D *h = new D(3);
    esc(h);
    delete h;
    return this;
  }
};
struct Al {
  int v;
  [[gnu::noinline]] Al() : v(1) {}
  [[gnu::noinline]] ~Al() { asm volatile(""); }
};
struct AlD {
  int v;
  AlD() : v(2) {}
  ~AlD();
};
struct AlE : Al {
  AlE() {}
  ~AlE();
};
inline AlE::~AlE() {}
[[gnu::noinline]] AlD::~AlD() { asm volatile(""); }
struct H2 {
  A a[2][3];
};
struct Ref {
  const B &r;
  int k = C(4).v;
};
struct DA {
  int v;
  DA(int v = 1, const C &c = C(2), D d = D(3)) : v(c.v + d.v) {}
};
union U {
  A a;
  int i;
  U() : i(0) {}
  ~U() {}
};
struct An {
  union {
    A a;
    int i;
  };
  int t;
  An() : i(1), t(0) {}
  An(int) : a(3), t(1) {}
  ~An() {
    if (t)
      a.~A();
  }
};
struct Abs {
  virtual ~Abs() = 0;
  E e{1};
};
Abs::~Abs() {}
struct Conc : Abs {
  E e2{2};
  ~Conc() override {}
};
struct Op {
  G g;
  static void *operator new(size_t s) { return malloc(s); }
  static void operator delete(void *p) { free(p); }
};
const F &gref = F(3);
static const F &sref = true ? F(4) : F(5);
F garr[2][2] = {{1, 2}, {3}};
F *const gp = new F[2]{1, 2};
int byval(A a, B b) { return a.v + b.v; }
template <class T> int tmpl(T t) { return t.v; }
[[gnu::noinline]] A throwing(int k) {
  A a(k);
  if (k > 2)
    throw a;
  return a;
}
static int forms0() {
  int s = 0;
  {
    VD v("a", 3);
    VV w("b", 4);
    VW x(3, 4);
    VW y;
    VW *p = new VW(1, 1);
    esc(p);
    delete p;
    s += v.n + w.n + x.c.v + y.c.v;
  }
  return s;
}

static int forms1() {
  int s = 0;
  {
    CovD c;
    Cov *p = &c;
    asm volatile("" : "+r"(p));
    Cov *r = p->f(2, 5);
    s += r == p;
    s += c.f(1, 2) == &c;
  }
  return s;
}

static int forms2() {
  int s = 0;
  {
    Al a;
    AlD b[3];
    AlE e;
    Al *p = new Al;
    esc(p);
    delete p;
    esc(&a);
    esc(b);
    esc(&e);
    {
      Al t;
      esc(&t);
    }
    AlD *q = new AlD;
    esc(q);
    delete q;
  }
  return s;
}

static int forms3() {
  int s = 0;
  {
    H2 h;
    H2 i = h;
    H2 j;
    j = i;
    A arr[3] = {1, 2, 3};
    auto l = [arr] { return arr[2].v; };
    auto l2 = l;
    s += l2();
    auto [x, y, z] = arr;
    auto l3 = [x, &y] { return x.v + y.v; };
    s += l3();
  }
  return s;
}

static int forms4() {
  int s = 0;
  {
    Ref r{B(3)};
    s += r.r.v + r.k;
    Ref *p = new Ref{B(5)};
    s += p->k;
    delete p;
    Ref ra[2] = {{B(1)}, {B(2)}};
    s += ra[1].r.v;
    const Ref &rr = Ref{B(4)};
    s += rr.r.v;
  }
  return s;
}

static int forms5() {
  int s = 0;
  {
    DA d[3];
    DA *p = new DA[2];
    esc(p);
    delete[] p;
    DA e(1, 2, 3);
    s += d[2].v + e.v;
    DA f[2][2] = {{1, {2, 3}}, {4}};
    s += f[1][0].v;
  }
  return s;
}

static int forms6() {
  int s = 0;
  {
    U u;
    new (&u.a) A(3);
    s += u.a.v;
    u.a.~A();
    An n, m(2);
    An *p = new An(1);
    esc(p);
    delete p;
    s += m.a.v;
  }
  return s;
}

static int forms7() {
  int s = 0;
  {
    Abs *p = new Conc;
    esc(p);
    delete p;
    Conc c;
    Op *o = new Op;
    esc(o);
    delete o;
    o = ::new Op;
    esc(o);
    ::delete o;
    alignas(A) char buf[3 * sizeof(A)];
    A *q = new (buf) A[3]{1, 2, 3};
    esc(q);
    for (int i = 3; i--;)
      q[i].A::~A();
    A *z = ::new ((void *)buf) A(5);
    z->~A();
  }
  return s;
}

static int forms8() {
  int s = 0;
  {
    int (*fp)(A, B) = [](A a, B b) { return a.v + b.v; };
    s += fp(1, 2);
    int (*gpn)(C) = [](auto c) { return c.v; };
    s += gpn(C(3));
    int (*f3)(A, B) = byval;
    s += f3(3, 4);
    s += tmpl(E(3));
    int(A::*mp) = &A::v;
    s += A(3).*mp;
  }
  return s;
}

static int forms9() {
  int s = 0;
  {
    s += ({
      A t(3);
      B u(4);
      t.v + u.v;
    });
    A w = ({
      A t(5);
      t;
    });
    s += w.v;
    A g = A(0).v ? A(1) : A(2);
    s += g.v;
    const A &cl = (A[]){A(1), A(2)}[1];
    s += (A[]){A(1), A(2)}[1].v;
    int n = s & 3;
    A vla[n + 1];
    s += vla[n].v;
    s += B(2).v ?: 3;
  }
  return s;
}

static int forms10() {
  int s = 0;
  {
    s += sizeof(A(3)) + noexcept(A(3));
    using T = decltype(A(3));
#ifndef NO_RTTI
    s += typeid(A(3)) == typeid(A);
    Conc cc;
    auto &ti = typeid((A(1), static_cast<Abs &>(cc)));
    s += ti == typeid(Conc);
#endif
  }
  return s;
}

static int forms11() {
  int s = 0;
  for (int i = 1; i < 5; ++i)
    try {
      A a = throwing(i);
      s += a.v;
    } catch (A a) {
      s += a.v;
      try {
        throw;
      } catch (A &b) {
        b.v++;
        try {
          throw b;
        } catch (const A &c) {
          s += c.v;
        }
      }
    }
  return s;
}

static int forms12() {
  int s = 0;
  {
    static const B &sr = B(3);
    static B sa[2] = {1, 2};
    thread_local const C &tr = C(4);
    s += sr.v + sa[1].v + tr.v;
  }
  return s;
}

static int forms13() {
  int s = 0;
  {
    for (A a : {A(1), A(2)})
      for (auto &&b : (B[]){B(1), B(2)})
        s += a.v * b.v;
    struct Loc {
      A a;
      B b = 3;
    } l[2] = {{1}, {2, 4}};
    Loc m = l[1];
    s += m.b.v;
    Loc *p = new Loc[3]{{1}};
    esc(p);
    delete[] p;
  }
  return s;
}

static int forms14() {
  int s = 0;
  A *volatile leak = new A(1);
  int x = 3;
  asm goto("" : : : : out);
  {
    B b(1);
    s += b.v;
  }
out:
  return s;
}

int main() {
  int s = 0;
  s += forms0();
  s += forms1();
  s += forms2();
  s += forms3();
  s += forms4();
  s += forms5();
  s += forms6();
  s += forms7();
  s += forms8();
  s += forms9();
  s += forms10();
  s += forms11();
  s += forms12();
  s += forms13();
  s += forms14();
  std::printf("%d\n", s);
}
#define SELF(N) std::printf("SELF %s %ld %ld\n", #N, N::c, N::d)
__attribute__((destructor(65000))) void fin() {
  SELF(A);
  SELF(B);
  SELF(C);
  SELF(D);
  SELF(E);
  SELF(G);
  SELF(F);
}
