// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scope.h - what a piece of a C++ program allocates, and limits on it.
//
//   inmem::AllocationScope scope;
//   work();
//   inmem::Allocations a = scope.end();
//   if (a.bytes() > 120) std::cerr << a;
//
// Header-only over scope_api.h; C++17, or C++20 for designated initialisers.
// Where no runtime is present (or it is off) everything compiles and runs, and
// exact() says false. Nothing in here is ever counted, by no scope.
// docs/allocation-tests.md has examples.
#ifndef INMEM_SCOPE_H
#define INMEM_SCOPE_H

#include "scope_api.h"
#include "unseen.h" // IWYU pragma: export

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>
#include <pthread.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unwind.h>
#include <utility>
#include <vector>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define INMEM_HAS_EXCEPTIONS 1
#endif

namespace inmem {

namespace detail {

/// Why a scope is not exact: the rest of "the allocations are not known: ...".
inline const char *reasonOf(int Status) {
  switch (Status) {
  case INMEM_SCOPE_OK:
    return "";
  case INMEM_SCOPE_OFF:
    return "inmem records nothing (mode=off or start=off)";
  case INMEM_SCOPE_SAMPLED:
    return "INMEM_OPTIONS leaves allocations out";
  case INMEM_SCOPE_WRONG_THREAD:
    return "the scope belongs to another thread";
  case INMEM_SCOPE_FORKED:
    return "the scope was opened before a fork";
  case INMEM_SCOPE_THREAD_ENDED:
    return "the thread has ended, and another one counts in its place";
  case INMEM_SCOPE_INCOMPLETE:
    return "there was no memory for the scope's books";
  default:
    return "not instrumented";
  }
}
constexpr int kNotInstrumented = -1;

inline int possible() {
  return inmem_scope_possible ? inmem_scope_possible() : kNotInstrumented;
}

[[noreturn]] inline void fail(const std::string &Message) {
#ifdef INMEM_HAS_EXCEPTIONS
  throw std::logic_error(Message);
#else
  std::fprintf(stderr, "inmem: %s\n", Message.c_str());
  std::abort();
#endif
}

/// The position behind the bracket that closes the one at \p Open.
inline std::size_t behindBracket(std::string_view Text, std::size_t Open) {
  int Depth = 0;
  for (std::size_t I = Open; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '<' || C == '(' || C == '[' || C == '{')
      ++Depth;
    else if ((C == '>' && (I == 0 || Text[I - 1] != '-')) || C == ')' ||
             C == ']' || C == '}')
      if (--Depth == 0)
        return I + 1;
  }
  return Text.size();
}

inline void replaceAll(std::string &Text, std::string_view From,
                       std::string_view To) {
  for (std::size_t At = 0; (At = Text.find(From, At)) != std::string::npos;
       At += To.size())
    Text.replace(At, From.size(), To);
}

/// A C++ name as one would have written it: without inline namespaces, default
/// allocators, comparisons and the like.
inline std::string plainName(std::string Name) {
  for (const char *Inline : {"std::__cxx11::", "std::__1::"})
    replaceAll(Name, Inline, "std::");
  for (const char *Default :
       {", std::allocator<", ", std::char_traits<", ", std::less<",
        ", std::hash<", ", std::equal_to<", ", std::default_delete<"})
    for (std::size_t At = 0;
         (At = Name.find(Default, At)) != std::string::npos;) {
      std::size_t End = behindBracket(Name, Name.find('<', At));
      std::size_t Next = Name.find_first_not_of(' ', End);
      if (Next != std::string::npos && (Name[Next] == '>' || Name[Next] == ','))
        Name.erase(At, End - At);
      else
        ++At;
    }
  replaceAll(Name, " >", ">");
  replaceAll(Name, "std::basic_string<char>", "std::string");
  return Name;
}

inline std::string demangled(const char *Name) {
  if (std::strncmp(Name, "_Z", 2) != 0)
    return Name;
  int Failed = 0;
  std::unique_ptr<char, void (*)(void *)> Plain(
      abi::__cxa_demangle(Name, nullptr, nullptr, &Failed), std::free);
  return Failed == 0 && Plain ? Plain.get() : Name;
}

/// A function's name without its result and its parameters.
inline std::string functionName(const char *Linkage) {
  std::string Name = plainName(demangled(Linkage));
  // A parenthesis that opens no name: not "(anonymous namespace)", nor the
  // one of "operator()".
  std::size_t Start = 0, I = 0;
  while (I < Name.size()) {
    if (Name.compare(I, 21, "(anonymous namespace)") == 0) {
      I += 21;
    } else if (Name.compare(I, 8, "operator") == 0) {
      I = std::min(Name.find('(', I + 8 + 2 * (Name[I + 8] == '(')),
                   Name.size());
    } else if (Name[I] == '(') {
      std::size_t End = behindBracket(Name, I);
      if (Name.compare(End, 2, "::") != 0) {
        Name.erase(I);
        break;
      }
      I = End; // a function within a function: f(int)::{lambda()#1}
    } else if (Name[I] == '<' || Name[I] == '{') {
      I = behindBracket(Name, I);
    } else {
      if (Name[I] == ' ')
        Start = I + 1;
      ++I;
    }
  }
  return Name.substr(Start);
}

/// The last two parts of a path.
inline std::string shortPath(std::string_view Path) {
  std::size_t Slash = Path.rfind('/');
  if (Slash != std::string_view::npos && Slash > 0) {
    std::size_t Before = Path.rfind('/', Slash - 1);
    if (Before != std::string_view::npos)
      return std::string(Path.substr(Before + 1));
  }
  return std::string(Path);
}

inline bool isOfSystem(const inmem_place &Place) {
  return !Place.file || std::strncmp(Place.file, "/usr/", 5) == 0 ||
         (Place.function && std::strncmp(Place.function, "_ZNSt", 5) == 0) ||
         (Place.function && std::strncmp(Place.function, "_ZSt", 4) == 0) ||
         std::strstr(Place.file, "/../include/c++/");
}

/// Where the program's own code made the block: "make  src/a.cpp:12".
inline std::string placeName(const inmem_scope_site &Site) {
  if (Site.return_address) {
    const char *Symbol = Site.place_count ? Site.places[0].function : nullptr;
    std::string Name = Symbol ? functionName(Symbol) + " " : "";
    return Name + (Site.module
                       ? shortPath(Site.module)
                             .substr(shortPath(Site.module).rfind('/') + 1)
                       : "(unknown code)");
  }
  if (!Site.place_count)
    return "(code that is no longer loaded)";
  const inmem_place *Best = Site.places;
  for (std::uint32_t I = 0; I < Site.place_count; ++I)
    if (!isOfSystem(Site.places[I])) {
      Best = &Site.places[I];
      break;
    }
  std::string Name = Best->function ? functionName(Best->function) : "?";
  if (Best->file)
    Name += " " + shortPath(Best->file) + ":" + std::to_string(Best->line);
  return Name;
}

/// Whether one of the functions, a linkage name a line, is of a namespace of
/// the mangled name \p Space ("7testing"), or of the standard library made for
/// it.
inline bool isOfNamespace(const std::string &Functions, const char *Space) {
  std::istringstream Lines(Functions);
  for (std::string Name; std::getline(Lines, Name);) {
    std::size_t Start = Name.compare(0, 4, "_ZNK") == 0 ? 4 : 3;
    bool OfStd =
        Name.compare(0, 4, "_ZSt") == 0 || Name.compare(Start, 2, "St") == 0;
    if (Name.compare(0, 3, "_ZN") == 0 &&
        Name.compare(Start, std::strlen(Space), Space) == 0)
      return true;
    if (OfStd && Name.find("N" + std::string(Space)) != Name.npos)
      return true;
  }
  return false;
}

inline std::string typeName(const char *Type) {
  return Type ? plainName(Type) : "(unknown type)";
}

/// '*' any characters, '?' one.
inline bool matchesGlob(std::string_view Glob, std::string_view Text) {
  std::size_t G = 0, T = 0, Star = Glob.npos, Retry = 0;
  while (T < Text.size()) {
    if (G < Glob.size() && Glob[G] == '*') {
      Star = G++;
      Retry = T;
    } else if (G < Glob.size() && (Glob[G] == '?' || Glob[G] == Text[T])) {
      ++G;
      ++T;
    } else if (Star != Glob.npos) {
      G = Star + 1;
      T = ++Retry;
    } else {
      return false;
    }
  }
  return Glob.find_first_not_of('*', G) == Glob.npos;
}

inline void hide(void *P) { __asm__ volatile("" : : "r"(P) : "memory"); }

/// Asks the compiler what it calls T: an allocation of one, unseen.
template <class T> __attribute__((noinline)) std::uint64_t askTypeId() {
  if (!inmem_ignored_type)
    return 0;
  Unseen Hidden;
  T *P = static_cast<T *>(std::malloc(sizeof(T)));
  hide(P);
  std::uint64_t Id = inmem_ignored_type();
  std::free(P);
  return Id;
}

/// For messages.
template <class T> std::string nameOf() {
  std::string_view Text = __PRETTY_FUNCTION__;
  std::size_t Start = Text.find("T = ") + 4;
  return plainName(std::string(Text.substr(Start, Text.rfind(']') - Start)));
}

} // namespace detail

/// The number under which T appears in scopes; 0 if the file that asks is not
/// instrumented.
template <class T> std::uint64_t typeId() {
  static const std::uint64_t Id = detail::askTypeId<T>();
  return Id;
}

/// Counts of blocks and requested bytes.
struct Counts {
  std::uint64_t blocks = 0, bytes = 0;     ///< allocated
  std::uint64_t frees = 0, freedBytes = 0; ///< by the scope's thread, any block
  std::int64_t live = 0, liveBytes = 0;    ///< at the end
  std::int64_t peakBytes = -1;             ///< -1: not known
  std::uint64_t lives = 0; ///< that began and ended in the scope
  std::chrono::nanoseconds longest{0}, sum{0}; ///< of those
  std::chrono::nanoseconds age{0};             ///< of the oldest still alive

  Counts() = default;
  explicit Counts(const inmem_scope_counts &C)
      : blocks(C.allocations), bytes(C.allocated_bytes), frees(C.frees),
        freedBytes(C.freed_bytes), live(C.live), liveBytes(C.live_bytes),
        peakBytes(C.peak_bytes), lives(C.lives), longest(C.longest_ns),
        sum(C.sum_ns), age(C.age_ns) {}

  Counts &operator+=(const Counts &O) {
    blocks += O.blocks;
    bytes += O.bytes;
    frees += O.frees;
    freedBytes += O.freedBytes;
    live += O.live;
    liveBytes += O.liveBytes;
    peakBytes = peakBytes < 0 || O.peakBytes < 0 ? -1 : peakBytes + O.peakBytes;
    lives += O.lives;
    longest = std::max(longest, O.longest);
    sum += O.sum;
    age = std::max(age, O.age);
    return *this;
  }
};

struct TypeCounts : Counts {
  std::string name;      ///< as one would write it
  std::string canonical; ///< as clang spells it; empty: unknown
  std::uint64_t id = 0;
};

struct SiteCounts : Counts {
  std::string type;
  std::uint64_t typeId = 0;
  std::string place;     ///< of the program's own code
  std::string functions; ///< all of the place's, linkage names, one a line
  const void *returnAddress = nullptr; ///< of code without instrumentation
  std::string module;                  ///< of such code
};

/// What happened in a scope. Cheap to copy.
class Allocations {
public:
  /// False: nothing is known, and all counts are 0.
  bool exact() const { return Status == INMEM_SCOPE_OK; }
  const char *whyNot() const { return detail::reasonOf(Status); }

  /// False if there are blocks, but no type is known of any.
  bool anyTypeKnown() const {
    return blocks() == 0 ||
           std::any_of(types().begin(), types().end(),
                       [](const TypeCounts &T) { return T.id != 0; });
  }
  /// False with clock=events, which measures lives in allocated bytes.
  bool livesAreInTime() const {
    return !inmem_scope_lives_in_ns || inmem_scope_lives_in_ns();
  }

  const Counts &total() const { return Data->Total; }
  std::uint64_t blocks() const { return total().blocks; }
  std::uint64_t bytes() const { return total().bytes; }
  std::int64_t live() const { return total().live; }
  std::int64_t peakBytes() const { return total().peakBytes; }

  const std::vector<TypeCounts> &types() const { return Data->Types; }
  const std::vector<SiteCounts> &sites() const { return Data->Sites; }

  /// Blocks that hold objects of T, or arrays of them.
  template <class T> Counts of() const { return ofId(typeId<T>()); }
  /// Those of all types whose name matches \p Glob ('*', '?').
  Counts of(std::string_view Glob) const {
    Counts Sum;
    Sum.peakBytes = 0;
    for (const TypeCounts &T : types())
      if (detail::matchesGlob(Glob, T.name) ||
          detail::matchesGlob(Glob, T.canonical))
        Sum += T;
    return Sum;
  }
  Counts ofId(std::uint64_t Id) const {
    for (const TypeCounts &T : types())
      if (T.id == Id && Id)
        return T;
    return {};
  }

  /// Only the sites that \p Keep takes, and what they add up to; types' peaks
  /// are then unknown.
  template <class Predicate> Allocations where(Predicate Keep) const {
    Unseen Hidden;
    auto Part = std::make_shared<Contents>();
    for (const SiteCounts &S : sites()) {
      if (!Keep(S))
        continue;
      Part->Sites.push_back(S);
      Part->Total += S;
      auto It =
          std::find_if(Part->Types.begin(), Part->Types.end(),
                       [&](const TypeCounts &T) { return T.id == S.typeId; });
      if (It == Part->Types.end()) {
        TypeCounts New;
        New.name = S.type;
        New.id = S.typeId;
        It = Part->Types.insert(It, New);
      }
      *It += S;
    }
    Part->sort();
    return Allocations(std::move(Part), Status);
  }

  /// One line: "3 blocks, 72 bytes, 2 still alive".
  std::string summary() const {
    Unseen Hidden;
    if (!exact())
      return std::string("unknown allocations: ") + whyNot();
    const Counts &T = total();
    std::string Text = T.blocks == 0 ? "no allocations"
                                     : number(T.blocks, "block") + ", " +
                                           number(T.bytes, "byte");
    if (T.live != 0)
      Text += ", " + std::to_string(T.live) +
              (T.live > 0 ? " still alive" : " more than were freed");
    return Text;
  }

  /// The summary, then types and sites, \p Most of each, the largest first.
  std::string text(std::size_t Most = 10) const {
    Unseen Hidden;
    std::string Text = summary() + "\n";
    append(Text, "type", types(), Most,
           [](const TypeCounts &T) { return T.name; });
    append(Text, "made by", sites(), Most,
           [](const SiteCounts &S) { return S.type + "  " + S.place; });
    return Text;
  }

  friend std::ostream &operator<<(std::ostream &Out, const Allocations &A) {
    Unseen Hidden;
    return Out << A.text();
  }
  /// For GoogleTest.
  friend void PrintTo(const Allocations &A, std::ostream *Out) {
    Unseen Hidden;
    *Out << A.text();
  }

private:
  friend class AllocationScope;

  struct Contents {
    Counts Total;
    std::vector<TypeCounts> Types;
    std::vector<SiteCounts> Sites;

    /// One row for each type and place: a function that is inlined in many
    /// places, or whose statement allocates twice, is one to its reader.
    void merge() {
      std::vector<SiteCounts> Merged;
      for (SiteCounts &S : Sites) {
        auto It = std::find_if(
            Merged.begin(), Merged.end(), [&](const SiteCounts &M) {
              return M.typeId == S.typeId && M.place == S.place;
            });
        if (It == Merged.end())
          Merged.push_back(std::move(S));
        else
          *It += S;
      }
      Sites = std::move(Merged);
    }

    void sort() {
      auto Sort = [](auto &Rows, auto NameOf) {
        std::sort(Rows.begin(), Rows.end(), [=](const auto &A, const auto &B) {
          if (A.bytes != B.bytes)
            return A.bytes > B.bytes;
          return A.blocks != B.blocks ? A.blocks > B.blocks
                                      : NameOf(A) < NameOf(B);
        });
      };
      Sort(Types, [](const TypeCounts &T) -> auto & { return T.name; });
      Sort(Sites, [](const SiteCounts &S) -> auto & { return S.place; });
    }
  };

  Allocations(std::shared_ptr<const Contents> Data, int Status)
      : Data(std::move(Data)), Status(Status) {}

  static std::string number(std::uint64_t N, const char *What) {
    return std::to_string(N) + " " + What + (N == 1 ? "" : "s");
  }

  template <class Rows, class Name>
  static void append(std::string &Text, const char *Title, const Rows &All,
                     std::size_t Most, Name NameOf) {
    std::size_t Shown = 0, Left = 0;
    for (const auto &Row : All) {
      if (Row.blocks == 0)
        continue;
      if (Shown == Most) {
        ++Left;
        continue;
      }
      char Line[64];
      if (Shown++ == 0) {
        std::snprintf(Line, sizeof Line, "  %8s %10s %6s  ", "blocks", "bytes",
                      "live");
        Text += std::string(Line) + Title + "\n";
      }
      std::snprintf(Line, sizeof Line, "  %8llu %10llu %6lld  ",
                    static_cast<unsigned long long>(Row.blocks),
                    static_cast<unsigned long long>(Row.bytes),
                    static_cast<long long>(Row.live));
      Text += Line + NameOf(Row) + "\n";
    }
    if (Left)
      Text += "  ... " + std::to_string(Left) + " more\n";
  }

  std::shared_ptr<const Contents> Data;
  int Status;
};

enum class Follow {
  Nothing,  ///< counts only: costs nothing between start and end
  EachBlock ///< lives, leaks and peaks of types too
};

/// Whose allocations a scope or budget is about.
struct Subject {
  std::uintptr_t id = 0;
};
constexpr Subject thisThread{0}, allThreads{INMEM_ALL_THREADS};
/// std::thread's native_handle().
inline Subject oneThread(pthread_t Thread) {
  return {static_cast<std::uintptr_t>(Thread)};
}

/// Counts from its construction to end(), or to its destruction. Scopes nest,
/// in any order. One of a single thread that is used from another one throws
/// std::logic_error (without exceptions: aborts with the message).
class AllocationScope {
public:
  /// Of the calling thread, if it is not said otherwise. One of all threads, or
  /// of another one, may be used from any.
  explicit AllocationScope(Follow What = Follow::Nothing,
                           Subject Whose = thisThread)
      : Status(detail::possible()), Owner(gettid()) {
    if (Status != INMEM_SCOPE_OK)
      return;
    Scope = inmem_scope_begin(What == Follow::EachBlock ? INMEM_SCOPE_OBSERVE
                                                        : INMEM_SCOPE_COUNT,
                              Whose.id);
    if (!Scope)
      Status = INMEM_SCOPE_INCOMPLETE;
  }
  /// Of all threads.
  static AllocationScope ofAllThreads(Follow What = Follow::Nothing) {
    return AllocationScope(What, allThreads);
  }
  /// Of a given one: std::thread's native_handle().
  static AllocationScope ofThread(pthread_t Thread,
                                  Follow What = Follow::Nothing) {
    return AllocationScope(What, oneThread(Thread));
  }

  ~AllocationScope() {
    if (Scope && inmem_scope_free(Scope) == INMEM_SCOPE_WRONG_THREAD)
      std::fprintf(stderr, "inmem: %s\n", wrongThread("destroyed").c_str());
  }
  AllocationScope(const AllocationScope &) = delete;
  AllocationScope &operator=(const AllocationScope &) = delete;

  /// False: nothing is known, all counts are 0, whyNot() says why.
  bool exact() const { return Status == INMEM_SCOPE_OK; }
  const char *whyNot() const { return detail::reasonOf(Status); }

  /// The totals so far; allocates nothing.
  Counts counts() const {
    inmem_scope_counts C = {};
    if (Scope)
      check(inmem_scope_read(Scope, &C), "read");
    return Counts(C);
  }
  std::uint64_t blocks() const { return counts().blocks; }
  std::uint64_t bytes() const { return counts().bytes; }

  /// All that is known so far, by type and by site.
  Allocations allocations() const {
    Unseen Hidden;
    auto Data = std::make_shared<Allocations::Contents>();
    if (Scope) {
      Data->Total = counts();
      check(inmem_scope_types(Scope, addType, &Data->Types), "read");
      check(inmem_scope_sites(Scope, addSite, &Data->Sites), "read");
      Data->merge();
      Data->sort();
    }
    return Allocations(std::move(Data), Status);
  }

  /// Follow::EachBlock only: blocks that uninstrumented code of the file in
  /// which \p Code lies makes from now on do not count.
  void leaveOut(const void *Code) {
    if (Scope)
      check(inmem_scope_leave_out(Scope, Code), "used");
  }

  /// Stops counting. allocations() and counts() stay as they are.
  Allocations end() {
    stop();
    return allocations();
  }
  void stop() {
    if (Scope)
      check(inmem_scope_end(Scope), "ended");
  }

private:
  std::string wrongThread(const char *Act) const {
    Unseen Hidden;
    return "an allocation scope of thread " + std::to_string(Owner) + " was " +
           Act + " by thread " + std::to_string(gettid());
  }
  void check(int Result, const char *Act) const {
    if (Result == INMEM_SCOPE_WRONG_THREAD)
      detail::fail(wrongThread(Act));
    if (Result != INMEM_SCOPE_OK)
      Status = Result;
  }
  static void addType(const inmem_scope_type *T, void *Types) {
    TypeCounts New;
    static_cast<Counts &>(New) = Counts(T->counts);
    New.name = detail::typeName(T->type);
    New.canonical = T->type ? T->type : "";
    New.id = T->type_id;
    static_cast<std::vector<TypeCounts> *>(Types)->push_back(std::move(New));
  }
  static void addSite(const inmem_scope_site *S, void *Sites) {
    SiteCounts New;
    static_cast<Counts &>(New) = Counts(S->counts);
    New.type = detail::typeName(S->type);
    New.typeId = S->type_id;
    New.place = detail::placeName(*S);
    for (std::uint32_t I = 0; I < S->place_count; ++I)
      if (S->places[I].function)
        New.functions += std::string(S->places[I].function) + "\n";
    New.returnAddress = S->return_address;
    New.module = S->module ? S->module : "";
    static_cast<std::vector<SiteCounts> *>(Sites)->push_back(std::move(New));
  }

  mutable int Status;
  pid_t Owner;
  inmem_scope *Scope = nullptr;
};

/// What \p Work, or meanwhile all threads, allocate, followed block by block.
template <class Function>
Allocations allocationsOf(Function &&Work, Subject Whose = thisThread) {
  AllocationScope Scope(Follow::EachBlock, Whose);
  std::forward<Function>(Work)();
  return Scope.end();
}

//===-- Budgets ------------------------------------------------------------===

constexpr std::uint64_t noLimit = INMEM_NO_LIMIT;

namespace detail {
/// Ends what inmem_ignore_begin began.
struct Resume {
  ~Resume() {
    if (inmem_ignore_end)
      inmem_ignore_end();
  }
};
} // namespace detail

/// Thrown by the allocation that goes over a budget; the block was not made.
class budget_exceeded : public std::bad_alloc {
public:
  /// To be thrown with the thread's allocations ignored, so that the exception
  /// is unseen; the temporary ends that before it is on its way.
  budget_exceeded(std::shared_ptr<const std::string> Text,
                  const detail::Resume &)
      : Text(std::move(Text)) {}
  const char *what() const noexcept override { return Text->c_str(); }

private:
  std::shared_ptr<const std::string> Text;
};

/// An allocation that goes over a budget.
struct Excess {
  std::string what;             ///< "blocks" or "bytes"
  std::string limited;          ///< the type that the limit is for; empty: all
  std::uint64_t limit, reached; ///< reached: with this allocation
  std::string type;             ///< of the block
  std::string place;            ///< of the program's own code
  std::uint64_t size;

  /// "an allocation of 24 bytes (Foo) by make  a.cpp:3 goes over ..."
  std::string message() const {
    return "an allocation of " + std::to_string(size) +
           (size == 1 ? " byte (" : " bytes (") + type + ") by " + place +
           (limit == 0 ? std::string(", where none is allowed")
                       : ": " + std::to_string(reached) + " " + what +
                             ", the budget is " + std::to_string(limit)) +
           (limited.empty() ? "" : " of type " + limited);
  }
};

enum class OnExcess {
  Throw, ///< budget_exceeded; where it cannot pass: as Report
  Abort, ///< a message with the stack on stderr, then std::abort
  Report ///< a message on stderr when the budget's scope ends
};

/// What to do at an excess: one of the above, or a function, which is called
/// at the allocation, may not throw, and whose own allocations are unseen; with
/// more than one thread, by several at once.
class Action {
public:
  Action(OnExcess Kind) : Kind(Kind) {}
  template <class Function, class = decltype(std::declval<Function &>()(
                                std::declval<const Excess &>()))>
  Action(Function Callback) : Callback(std::move(Callback)) {}

  OnExcess Kind = OnExcess::Report;
  std::function<void(const Excess &)> Callback;
};

/// A limit on blocks of one type; made by limit<T>().
struct TypeLimit {
  std::uint64_t id = 0;
  const char *name = "";
  std::uint64_t bytes = noLimit, objects = noLimit;
};

namespace detail {
template <class T> const char *storedNameOf() {
  static const std::string *const Name = [] {
    Unseen Hidden;
    return new std::string(nameOf<T>());
  }();
  return Name->c_str();
}
} // namespace detail

/// At most so many blocks of T, or so many bytes in them.
template <class T>
TypeLimit limit(std::uint64_t Objects, std::uint64_t Bytes = noLimit) {
  return {typeId<T>(), detail::storedNameOf<T>(), Bytes, Objects};
}

/// Up to eight, kept in place.
class TypeLimits {
public:
  TypeLimits() = default;
  TypeLimits(std::initializer_list<TypeLimit> All) {
    if (All.size() > kMost)
      detail::fail("a budget limits at most 8 types");
    for (const TypeLimit &L : All)
      Limits[Count++] = {L.id, L.name, L.bytes, L.objects, 0, 0};
  }
  inmem_type_limit *data() { return Limits; }
  std::uint32_t size() const { return Count; }

private:
  static constexpr std::size_t kMost = 8;
  inmem_type_limit Limits[kMost] = {};
  std::uint32_t Count = 0;
};

namespace detail {

inline _Unwind_Reason_Code printFrame(_Unwind_Context *Context, void *Data) {
  auto *State = static_cast<int *>(Data);
  int Before = 0;
  auto Address = _Unwind_GetIPInfo(Context, &Before) - !Before;
  Dl_info Info = {}, Runtime = {};
  bool Known = dladdr(reinterpret_cast<void *>(Address), &Info) != 0;
  dladdr(reinterpret_cast<void *>(&inmem_scope_begin), &Runtime);
  // Numbered from the first frame below the runtime's.
  if (*State < 0) {
    if (Known && Info.dli_fbase == Runtime.dli_fbase)
      *State = 0;
    return _URC_NO_REASON;
  }
  if (*State == 0 && Known && Info.dli_fbase == Runtime.dli_fbase)
    return _URC_NO_REASON;
  std::string Name =
      Info.dli_sname ? functionName(Info.dli_sname) : std::string("?");
  std::fprintf(stderr, "    #%-2d %s (%s+0x%zx)\n", (*State)++, Name.c_str(),
               Known ? Info.dli_fname : "?",
               static_cast<std::size_t>(
                   Address - reinterpret_cast<std::uintptr_t>(Info.dli_fbase)));
  return *State > 60 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

inline void printStack() {
  int State = -1;
  _Unwind_Backtrace(printFrame, &State);
}

/// A budget that is in force from its construction to its destruction.
class ActiveBudget {
public:
  ActiveBudget(std::uint64_t Bytes, std::uint64_t Blocks, TypeLimits *Types,
               const Action *What, const char *File, int Line,
               Subject Whose = thisThread)
      : What(What), File(File), Line(Line), Owner(gettid()) {
    Budget.bytes = Bytes;
    Budget.blocks = Blocks;
    Budget.types = Types ? Types->data() : nullptr;
    Budget.type_count = Types ? Types->size() : 0;
    Budget.act = act;
    Budget.data = this;
#ifdef INMEM_HAS_EXCEPTIONS
    Budget.throws = !What->Callback && What->Kind == OnExcess::Throw;
#endif
    Status = inmem_budget_begin_for ? inmem_budget_begin_for(&Budget, Whose.id)
                                    : kNotInstrumented;
  }
  ~ActiveBudget() {
    if (Status != INMEM_SCOPE_OK)
      return;
    Unseen Hidden;
    if (inmem_budget_end(&Budget) == INMEM_SCOPE_WRONG_THREAD) {
      std::fprintf(stderr,
                   "inmem: a budget of thread %d was destroyed by thread %d\n",
                   static_cast<int>(Owner), static_cast<int>(gettid()));
      std::abort(); // its memory goes, and its thread would still use it
    }
    if (Reported)
      std::fprintf(stderr, "inmem: budget of %s:%d: %s%s\n",
                   shortPath(File).c_str(), Line, First->c_str(),
                   others().c_str());
  }
  ActiveBudget(const ActiveBudget &) = delete;
  ActiveBudget &operator=(const ActiveBudget &) = delete;

  const inmem_budget &counters() const { return Budget; }
  int status() const { return Status; }
  void check() {
    std::shared_ptr<const std::string> Text;
    {
      std::lock_guard<std::mutex> Lock(Reports);
      if (!Reported)
        return;
      Reported = 0;
      Text = First;
    }
#ifdef INMEM_HAS_EXCEPTIONS
    if (inmem_ignore_begin)
      inmem_ignore_begin();
    throw budget_exceeded(std::move(Text), Resume());
#else
    fail(*Text);
#endif
  }

private:
  std::string others() const {
    return Reported == 1
               ? ""
               : " (and " + std::to_string(Reported - 1) + " more like it)";
  }

  static void act(inmem_budget *B, const inmem_excess *E) {
    auto &Self = *static_cast<ActiveBudget *>(B->data);
    std::shared_ptr<const std::string> Text;
    {
      const Excess X = {E->what,    E->type ? E->type : "", E->limit,
                        E->reached, typeName(E->site.type), placeName(E->site),
                        E->size};
      if (Self.What->Callback)
        return Self.What->Callback(X);
      std::string Message = X.message();
      if (E->why_not_thrown)
        Message += std::string("; ") + E->why_not_thrown;
      Text = std::make_shared<const std::string>(std::move(Message));
    }
    if (Self.What->Kind == OnExcess::Abort) {
      std::fprintf(stderr, "inmem: %s (%s:%d)\n", Text->c_str(),
                   shortPath(Self.File).c_str(), Self.Line);
      printStack();
      std::abort();
    }
#ifdef INMEM_HAS_EXCEPTIONS
    if (E->may_throw)
      throw budget_exceeded(std::move(Text), Resume());
#endif
    std::lock_guard<std::mutex> Lock(Self.Reports);
    if (Self.Reported++ == 0)
      Self.First = std::move(Text);
  }

  inmem_budget Budget = {};
  const Action *What;
  const char *File;
  int Line;
  pid_t Owner;
  int Status;
  std::mutex Reports; ///< several threads may go over at once
  std::uint64_t Reported = 0;
  std::shared_ptr<const std::string> First;
};

} // namespace detail

/// A limit on what the thread (or .thread = inmem::allThreads) allocates while
/// this lives:
///   inmem::AllocationBudget budget{.bytes = 4096, .objects = 10,
///                                  .types = {inmem::limit<Foo>(2)}};
/// "objects" are blocks. What is freed meanwhile still counts as used. Budgets
/// nest; of several that an allocation exceeds the innermost acts.
struct AllocationBudget {
  std::uint64_t bytes = noLimit, objects = noLimit;
  TypeLimits types = {};
  Action onExcess = OnExcess::Throw;
  Subject thread = thisThread;
  const char *file = __builtin_FILE();
  int line = __builtin_LINE();
  detail::ActiveBudget active{bytes, objects, &types, &onExcess,
                              file,  line,    thread};

  /// False: there is no runtime, or it records nothing: no limit is enforced.
  bool enforced() const { return active.status() == INMEM_SCOPE_OK; }
  std::uint64_t usedBytes() const { return active.counters().used_bytes; }
  std::uint64_t usedObjects() const { return active.counters().used_blocks; }
  /// How many allocations went over.
  std::uint64_t excesses() const { return active.counters().excesses; }
  /// Throws budget_exceeded if one went over where no exception could pass;
  /// then the end of the scope does not report it again.
  void check() { active.check(); }
};

/// No allocation by this thread while this lives. See INMEM_NO_ALLOCATION.
class NoAllocation {
public:
  explicit NoAllocation(Action What = OnExcess::Abort,
                        const char *File = __builtin_FILE(),
                        int Line = __builtin_LINE())
      : What(std::move(What)),
        Active(noLimit, 0, nullptr, &this->What, File, Line) {}

private:
  Action What;
  detail::ActiveBudget Active;
};

} // namespace inmem

#define INMEM_JOIN_(A, B) A##B
#define INMEM_JOIN(A, B) INMEM_JOIN_(A, B)
/// The statement that follows runs while an object Type(arguments...) lives. An
/// else after it cannot be meant for it.
#define INMEM_WITH(Type, ...)                                                  \
  switch (0)                                                                   \
  case 0:                                                                      \
  default:                                                                     \
    if (const Type INMEM_JOIN(inmemWith, __LINE__)(__VA_ARGS__); true)
/// From here to the end of the block an allocation by this thread aborts the
/// program, with the site and the stack on stderr:  INMEM_NO_ALLOCATION;
#define INMEM_NO_ALLOCATION                                                    \
  const ::inmem::NoAllocation INMEM_JOIN(inmemNoAllocation, __LINE__)

#endif
