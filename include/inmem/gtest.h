// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gtest.h - checks of allocations for GoogleTest and GoogleMock.
//
//   EXPECT_NO_ALLOCATIONS { filter.process(samples); }
//   EXPECT_THAT(inmem::allocationsOf([&] { parse(text); }),
//               AllOf(inmem::Bytes(Le(120)), inmem::OfType<Node>(Le(3)),
//                     inmem::LivedAtMost<Node>(1ms), inmem::Leaks(0)));
//   inmem::failTestsThatLeak(); // in main, after InitGoogleTest
//
// Everything counts the calling thread. If allocations cannot be measured (no
// runtime, mode=off, sampling; for types: an uninstrumented file), the test is
// skipped, not passed. docs/allocation-tests.md
#ifndef INMEM_GTEST_H
#define INMEM_GTEST_H

#include "graph.h"
#include "scope.h"

#include <gtest/gtest.h>
#if __has_include(<gmock/gmock-matchers.h>)
#include <gmock/gmock-matchers.h>
#define INMEM_HAS_GMOCK 1
#endif

#include <cstdio>
#include <dlfcn.h>
#include <optional>

namespace inmem {

namespace detail {

/// Marks the running test as skipped, as GTEST_SKIP does, without leaving it.
inline void skipTest(const char *File, int Line, const std::string &Reason) {
  Unseen Hidden;
  ::testing::internal::AssertHelper(::testing::TestPartResult::kSkip, File,
                                    Line, "") = ::testing::Message()
                                                << Reason << ": skipped";
}

/// Its lifetime spans the statement after EXPECT_NO_ALLOCATIONS.
class NoAllocationsExpected {
public:
  NoAllocationsExpected(const char *File, int Line) : File(File), Line(Line) {
    if (!Scope.exact())
      skipTest(File, Line, Scope.whyNot());
  }
  ~NoAllocationsExpected() {
    if (!Scope.exact())
      return;
    Scope.stop();
    Unseen Hidden;
    Allocations A = Scope.allocations();
    if (A.blocks() != 0)
      ADD_FAILURE_AT(File, Line) << "Expected: no allocations\n  Actual: " << A;
  }

private:
  const char *File;
  int Line;
  AllocationScope Scope;
};

} // namespace detail

/// Expects that the following block (or statement) allocates nothing on this
/// thread. The block may be left by return, break or an exception.
#define EXPECT_NO_ALLOCATIONS                                                  \
  INMEM_DETAIL_WITH(::inmem::detail::NoAllocationsExpected, __FILE__, __LINE__)

#ifdef INMEM_HAS_GMOCK

namespace detail {

/// The state of the types that a matcher names.
enum class Types { Known, Unknown, ByName };

/// Matches a number that \p Get takes from Allocations.
template <class Get> class CountMatcher {
public:
  using is_gtest_matcher = void;

  CountMatcher(std::string What, Get Take,
               ::testing::Matcher<std::int64_t> Inner, Types TypesKnown)
      : What(std::move(What)), Take(Take), Inner(std::move(Inner)),
        TypesKnown(TypesKnown) {}

  bool MatchAndExplain(const Allocations &A,
                       ::testing::MatchResultListener *Out) const {
    Unseen Hidden;
    if (!A.exact() || TypesKnown == Types::Unknown ||
        (TypesKnown == Types::ByName && !A.anyTypeKnown())) {
      skipTest(__FILE__, __LINE__,
               A.exact() ? "not instrumented, so types are not known"
                         : A.whyNot());
      return true;
    }
    std::int64_t Value = Take(A);
    bool Matches = Inner.Matches(Value);
    if (!Matches)
      *Out << "whose " << What << " are " << Value;
    return Matches;
  }
  void DescribeTo(std::ostream *Out) const {
    *Out << What << " ";
    Inner.DescribeTo(Out);
  }
  void DescribeNegationTo(std::ostream *Out) const {
    *Out << What << " ";
    Inner.DescribeNegationTo(Out);
  }

private:
  std::string What;
  Get Take;
  ::testing::Matcher<std::int64_t> Inner;
  Types TypesKnown; ///< or Known if types are not needed
};

template <class Get, class Inner>
::testing::Matcher<const Allocations &> match(std::string What, Get Take,
                                              const Inner &M,
                                              Types TypesKnown = Types::Known) {
  Unseen Hidden;
  return CountMatcher<Get>(std::move(What), Take,
                           ::testing::SafeMatcherCast<std::int64_t>(M),
                           TypesKnown);
}

inline std::int64_t number(std::uint64_t N) {
  return static_cast<std::int64_t>(N);
}

template <class T> Types knowledgeOf() {
  return !inmem_scope_begin || typeId<T>() != 0 ? Types::Known : Types::Unknown;
}

} // namespace detail

/// Requested bytes of all blocks, including freed ones.
template <class Matcher> auto Bytes(const Matcher &M) {
  return detail::match(
      "bytes", [](const Allocations &A) { return detail::number(A.bytes()); },
      M);
}
/// Number of blocks.
template <class Matcher> auto Blocks(const Matcher &M) {
  return detail::match(
      "blocks", [](const Allocations &A) { return detail::number(A.blocks()); },
      M);
}
/// Peak of live bytes above those at the start.
template <class Matcher> auto PeakBytes(const Matcher &M) {
  return detail::match(
      "peak bytes", [](const Allocations &A) { return A.peakBytes(); }, M);
}
/// Blocks still live at the end.
template <class Matcher> auto Leaks(const Matcher &M) {
  return detail::match(
      "blocks still alive", [](const Allocations &A) { return A.live(); }, M);
}
/// Blocks that hold objects of T, or arrays of them.
template <class T, class Matcher> auto OfType(const Matcher &M) {
  return detail::match(
      "blocks of " + detail::nameOf<T>(),
      [](const Allocations &A) { return detail::number(A.of<T>().blocks); }, M,
      detail::knowledgeOf<T>());
}
/// Bytes of blocks that hold objects of T, or arrays of them.
template <class T, class Matcher> auto BytesOfType(const Matcher &M) {
  return detail::match(
      "bytes of " + detail::nameOf<T>(),
      [](const Allocations &A) { return detail::number(A.of<T>().bytes); }, M,
      detail::knowledgeOf<T>());
}
/// Blocks of all types whose name matches a glob: "std::_List_node<*>".
template <class Matcher> auto OfType(const char *Glob, const Matcher &M) {
  return detail::match(
      std::string("blocks of ") + Glob,
      [Glob](const Allocations &A) {
        return detail::number(A.of(Glob).blocks);
      },
      M, detail::Types::ByName);
}

namespace detail {

template <class T> class LifetimeMatcher {
public:
  using is_gtest_matcher = void;

  explicit LifetimeMatcher(std::chrono::nanoseconds Limit) : Limit(Limit) {}

  bool MatchAndExplain(const Allocations &A,
                       ::testing::MatchResultListener *Out) const {
    Unseen Hidden;
    const char *Unknown = !A.exact() ? A.whyNot()
                          : knowledgeOf<T>() == Types::Unknown
                              ? "not instrumented, so types are not known"
                          : A.livesAreInTime()
                              ? nullptr
                              : "clock=events measures lives in bytes";
    if (Unknown) {
      skipTest(__FILE__, __LINE__, Unknown);
      return true;
    }
    AllocationCounts C = A.of<T>();
    if (C.longest > Limit)
      *Out << "in which a " << nameOf<T>() << " lived " << time(C.longest);
    else if (C.age > Limit)
      *Out << "in which a " << nameOf<T>() << " is " << time(C.age)
           << " old and alive";
    return C.longest <= Limit && C.age <= Limit;
  }
  void DescribeTo(std::ostream *Out) const {
    *Out << "no " << nameOf<T>() << " lived longer than " << time(Limit);
  }
  void DescribeNegationTo(std::ostream *Out) const {
    *Out << "some " << nameOf<T>() << " lived longer than " << time(Limit);
  }

private:
  static std::string time(std::chrono::nanoseconds Time) {
    char Text[32];
    double N = static_cast<double>(Time.count());
    std::snprintf(Text, sizeof Text, "%.3g %s",
                  N < 1e3   ? N
                  : N < 1e6 ? N / 1e3
                  : N < 1e9 ? N / 1e6
                            : N / 1e9,
                  N < 1e3   ? "ns"
                  : N < 1e6 ? "us"
                  : N < 1e9 ? "ms"
                            : "s");
    return Text;
  }

  std::chrono::nanoseconds Limit;
};

} // namespace detail

/// Matches if no block of T lived longer, and no live block of T is older.
template <class T>
::testing::Matcher<const Allocations &>
LivedAtMost(std::chrono::nanoseconds Limit) {
  Unseen Hidden;
  return detail::LifetimeMatcher<T>(Limit);
}

/// Matches an object that takes at most \p Bytes with everything that it holds.
MATCHER_P(DeepSizeLe, Most,
          "holds at most " + ::testing::PrintToString(Most) + " bytes") {
  const std::uint64_t Bytes = deepSize(arg);
  *result_listener << "which holds " << Bytes << " bytes";
  return Bytes <= static_cast<std::uint64_t>(Most);
}

namespace detail {
MATCHER_P2(OwnsNamed, Name, Count,
           "holds " + ::testing::PrintToString(Count) + " of " + Name) {
  const std::uint64_t Found = profileObject(arg).countOf(Name);
  *result_listener << "which holds " << Found;
  return Found == static_cast<std::uint64_t>(Count);
}
} // namespace detail

/// Matches an object that holds \p Count objects of type T, through pointers
/// and in containers.
template <class T> auto Owns(std::uint64_t Count) {
  return detail::OwnsNamed(std::string(detail::describedName<T>()), Count);
}

#endif // INMEM_HAS_GMOCK

/// Fails any test that leaks: blocks that its thread allocated and that are
/// still live at its end. With allThreads, blocks of any thread count, and
/// tests must not run in parallel. Excludes blocks of the test framework (by
/// namespace, and by file for uninstrumented code) and of the compiled C and
/// C++ libraries and the dynamic linker. (A std::string with a buffer that they
/// allocated is reported if a leaked block holds it.)
class LeakListener : public ::testing::EmptyTestEventListener {
public:
  explicit LeakListener(Subject Whose = thisThread) : Whose(Whose) {}

  void OnTestStart(const ::testing::TestInfo &) override {
    Unseen Hidden;
    Scope.emplace(Follow::EachBlock, Whose);
  }
  void OnTestEnd(const ::testing::TestInfo &Test) override {
    if (!Scope)
      return;
    Unseen Hidden;
    Scope->stop();
    Allocations A = Scope->allocations().where(
        [](const SiteCounts &S) { return S.live > 0 && !isFrameworks(S); });
    bool Exact = Scope->exact();
    Scope.reset();
    if (!Exact || A.live() == 0 || Test.result()->Failed() ||
        Test.result()->Skipped())
      return;
    ADD_FAILURE_AT(Test.file(), Test.line())
        << "The test leaks " << A.live()
        << (A.live() == 1 ? " block" : " blocks") << " of "
        << A.total().liveBytes << " bytes. What it made and did not free:\n"
        << A;
  }
  void OnTestProgramStart(const ::testing::UnitTest &) override {
    if (int Status = detail::possible())
      std::fprintf(stderr, "inmem: %s: leak checks skipped\n",
                   detail::reasonOf(Status));
  }

private:
  static bool isFrameworks(const SiteCounts &S) {
    if (S.returnAddress) {
      Dl_info Caller = {}, Framework = {};
      dladdr(const_cast<void *>(S.returnAddress), &Caller);
      dladdr(reinterpret_cast<void *>(&::testing::UnitTest::GetInstance),
             &Framework);
      std::string Module = S.module.substr(S.module.rfind('/') + 1);
      for (const char *Library : {"libc.", "libstdc++.", "libc++.", "ld-linux"})
        if (Module.compare(0, std::strlen(Library), Library) == 0)
          return true;
      return Caller.dli_fbase == Framework.dli_fbase;
    }
    return detail::isOfNamespace(S.functions, "7testing") ||
           S.type.compare(0, 9, "testing::") == 0;
  }

  Subject Whose;
  std::optional<AllocationScope> Scope;
};

/// Adds a LeakListener for all tests; with inmem::allThreads, for blocks of all
/// threads. \returns true.
inline bool failTestsThatLeak(Subject Whose = thisThread) {
  Unseen Hidden;
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new LeakListener(Whose));
  return true;
}

} // namespace inmem

#endif
