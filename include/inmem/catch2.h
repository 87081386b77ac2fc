// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// catch2.h - checks of allocations for Catch2 (versions 2 and 3).
//
//   CHECK_NO_ALLOCATIONS { filter.process(samples); }
//   inmem::Allocations a = inmem::allocationsOf([&] { parse(text); });
//   INMEM_REQUIRE_EXACT(a);
//   CHECK(a.bytes() <= 120);
//   CHECK(a.of<Node>().blocks <= 3);
//   CHECK_THAT(cache, inmem::DeepSizeLe(4096) && inmem::Owns<Node>(3));
//
// Include it after Catch2's own header. Everything counts the calling thread.
// If allocations cannot be measured (no runtime, mode=off, sampling), the test
// is skipped; with Catch2 before 3.3, which cannot skip, it fails with the
// reason.
#ifndef INMEM_CATCH2_H
#define INMEM_CATCH2_H

#include "graph.h"
#include "scope.h"

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/catch_version_macros.hpp>
#elif !defined(CATCH_VERSION_MAJOR)
#include <catch2/catch.hpp>
#endif

namespace inmem {
namespace detail {

/// Reports the result of an inmem macro as CHECK would.
inline void reportToCatch(const char *Macro, Catch::SourceLineInfo Where,
                          Catch::ResultWas::OfType Result,
                          Catch::ResultDisposition::Flags Then,
                          std::string Text) {
  Catch::AssertionHandler Handler(Catch::StringRef(Macro, std::strlen(Macro)),
                                  Where, Catch::StringRef(), Then);
  Handler.handleMessage(Result, std::move(Text));
  Handler.complete();
}

inline void skipInCatch(const char *Macro, Catch::SourceLineInfo Where,
                        const char *Reason) {
  std::string Text = std::string(Reason) + ": skipped";
#if CATCH_VERSION_MAJOR > 3 ||                                                 \
    (CATCH_VERSION_MAJOR == 3 && CATCH_VERSION_MINOR >= 3)
  reportToCatch(Macro, Where, Catch::ResultWas::ExplicitSkip,
                Catch::ResultDisposition::Normal, std::move(Text));
#else
  reportToCatch(Macro, Where, Catch::ResultWas::ExplicitFailure,
                Catch::ResultDisposition::Normal, std::move(Text));
#endif
}

class CatchNoAllocations {
public:
  explicit CatchNoAllocations(Catch::SourceLineInfo Where) : Where(Where) {
    if (!Scope.exact())
      skipInCatch("CHECK_NO_ALLOCATIONS", Where, Scope.whyNot());
  }
  ~CatchNoAllocations() {
    Scope.stop();
    Unseen Hidden;
    Allocations A = Scope.allocations();
    reportToCatch(
        "CHECK_NO_ALLOCATIONS", Where,
        A.blocks() ? Catch::ResultWas::ExplicitFailure : Catch::ResultWas::Ok,
        Catch::ResultDisposition::ContinueOnFailure,
        A.blocks() ? "CHECK_NO_ALLOCATIONS: " + A.text() : std::string());
  }

private:
  Catch::SourceLineInfo Where;
  AllocationScope Scope;
};

/// A matcher for both versions of Catch2 and objects of any type.
template <class Of> class CatchMatcher {
public:
  explicit CatchMatcher(Of Says) : Says(std::move(Says)) {}
  template <class T> bool match(const T &Object) const {
    return Says.holds(Object);
  }
  std::string toString() const { return Says.text(); }

  template <class Other> struct Both {
    Of A;
    Other B;
    template <class T> bool holds(const T &Object) const {
      const bool First = A.holds(Object); // both describe their findings
      return B.holds(Object) && First;
    }
    std::string text() const { return A.text() + " and " + B.text(); }
  };
  template <class Other>
  CatchMatcher<Both<Other>> operator&&(const CatchMatcher<Other> &More) const {
    return CatchMatcher<Both<Other>>({Says, More.Says});
  }
  struct Not {
    Of A;
    template <class T> bool holds(const T &Object) const {
      return !A.holds(Object);
    }
    std::string text() const { return "not " + A.text(); }
  };
  CatchMatcher<Not> operator!() const { return CatchMatcher<Not>({Says}); }

private:
  template <class> friend class CatchMatcher;
  Of Says;
};

struct CatchDeepSize {
  std::uint64_t Most;
  mutable std::uint64_t Found = 0;
  template <class T> bool holds(const T &Object) const {
    Found = deepSize(Object);
    return Found <= Most;
  }
  std::string text() const {
    return "holds at most " + std::to_string(Most) + " bytes (" +
           std::to_string(Found) + ")";
  }
};

struct CatchOwns {
  std::string Name;
  std::uint64_t Count;
  mutable std::uint64_t Found = 0;
  template <class T> bool holds(const T &Object) const {
    Found = profileObject(Object).countOf(Name);
    return Found == Count;
  }
  std::string text() const {
    return "holds " + std::to_string(Count) + " of " + Name + " (" +
           std::to_string(Found) + ")";
  }
};

} // namespace detail

/// Matches an object that takes at most \p Bytes with everything that it holds.
inline detail::CatchMatcher<detail::CatchDeepSize>
DeepSizeLe(std::uint64_t Most) {
  return detail::CatchMatcher<detail::CatchDeepSize>({Most});
}

/// Matches an object that holds \p Count objects of type T, through pointers
/// and in containers.
template <class T>
detail::CatchMatcher<detail::CatchOwns> Owns(std::uint64_t Count) {
  return detail::CatchMatcher<detail::CatchOwns>(
      {std::string(detail::describedName<T>()), Count});
}
} // namespace inmem

/// Checks that the following block (or statement) allocates nothing on this
/// thread.
#define CHECK_NO_ALLOCATIONS                                                   \
  INMEM_DETAIL_WITH(::inmem::detail::CatchNoAllocations,                       \
                    CATCH_INTERNAL_LINEINFO)

/// Skips the rest of the test if \p A is not exact.
#define INMEM_REQUIRE_EXACT(A)                                                 \
  do {                                                                         \
    if (!(A).exact())                                                          \
      ::inmem::detail::skipInCatch("INMEM_REQUIRE_EXACT",                      \
                                   CATCH_INTERNAL_LINEINFO, (A).whyNot());     \
  } while (false)

#endif
