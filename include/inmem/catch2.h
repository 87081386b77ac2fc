// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// catch2.h - allocations as something that Catch2 checks (versions 2 and 3).
//
//   CHECK_NO_ALLOCATIONS { filter.process(samples); }
//   inmem::Allocations a = inmem::allocationsOf([&] { parse(text); });
//   INMEM_REQUIRE_EXACT(a);
//   CHECK(a.bytes() <= 120);
//   CHECK(a.of<Node>().blocks <= 3);
//
// Include it after Catch2's own header. All of it concerns the calling thread.
// Where nothing can be known (no runtime, mode=off, sampling) the test is
// skipped; Catch2 before 3.3 knows no skipping, there it fails and says so.
#ifndef INMEM_CATCH2_H
#define INMEM_CATCH2_H

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

/// What a macro of ours has to say, as CHECK would.
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

} // namespace detail
} // namespace inmem

/// Checks that the block (or statement) that follows allocates nothing on this
/// thread.
#define CHECK_NO_ALLOCATIONS                                                   \
  INMEM_WITH(::inmem::detail::CatchNoAllocations, CATCH_INTERNAL_LINEINFO)

/// Leaves the test, as skipped, if nothing is known of \p A.
#define INMEM_REQUIRE_EXACT(A)                                                 \
  do {                                                                         \
    if (!(A).exact())                                                          \
      ::inmem::detail::skipInCatch("INMEM_REQUIRE_EXACT",                      \
                                   CATCH_INTERNAL_LINEINFO, (A).whyNot());     \
  } while (false)

#endif
