// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// doctest.h - checks of allocations for doctest.
//
//   TEST_CASE("parsing" * inmem::needsInstrumentation()) {
//     CHECK_NO_ALLOCATIONS { filter.process(samples); }
//     inmem::Allocations a = inmem::allocationsOf([&] { parse(text); });
//     CHECK(a.bytes() <= 120);
//     CHECK(a.of<Node>().blocks <= 3);
//     CHECK(inmem::deepSize(cache) <= 4096);
//     CHECK(inmem::owned<Node>(cache) == 3);
//   }
//
// Include it after doctest's own header. Everything counts the calling thread.
// needsInstrumentation() skips the test if allocations cannot be measured (no
// runtime, mode=off, sampling); without it, CHECK_NO_ALLOCATIONS fails with the
// reason.
#ifndef INMEM_DOCTEST_H
#define INMEM_DOCTEST_H

#include "graph.h"
#include "scope.h"

#ifndef DOCTEST_LIBRARY_INCLUDED
#if __has_include(<doctest/doctest.h>)
#include <doctest/doctest.h>
#else
#include <doctest.h>
#endif
#endif

namespace inmem {

/// A decorator for tests that count allocations.
inline doctest::skip needsInstrumentation() {
  return doctest::skip(detail::possible() != INMEM_SCOPE_OK);
}

/// Number of objects of type T that an object holds, through pointers and in
/// containers.
template <class T, class O> std::uint64_t owned(const O &Object) {
  return profileObject(Object).countOf(std::string(detail::describedName<T>()));
}

namespace detail {

// doctest's macros use __COUNTER__, which clang 22 -Wpedantic counts as C2y.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wc2y-extensions"
#endif
class DoctestNoAllocations {
public:
  DoctestNoAllocations(const char *File, int Line) : File(File), Line(Line) {}
  ~DoctestNoAllocations() {
    bool Exact = Scope.exact();
    Scope.stop();
    Unseen Hidden;
    Allocations A = Scope.allocations();
    if (!Exact)
      DOCTEST_ADD_FAIL_CHECK_AT(File, Line,
                                std::string(Scope.whyNot()) << ": not checked");
    else if (A.blocks() != 0)
      DOCTEST_ADD_FAIL_CHECK_AT(File, Line,
                                "CHECK_NO_ALLOCATIONS: " << A.text());
    else
      DOCTEST_CHECK(A.blocks() == 0); // counts as an assertion
  }

private:
  const char *File;
  int Line;
  AllocationScope Scope;
};
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

} // namespace detail
} // namespace inmem

/// Checks that the following block (or statement) allocates nothing on this
/// thread.
#define CHECK_NO_ALLOCATIONS                                                   \
  INMEM_DETAIL_WITH(::inmem::detail::DoctestNoAllocations, __FILE__, __LINE__)

#endif
