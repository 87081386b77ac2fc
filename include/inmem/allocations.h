// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// allocations.h - the blocks that a scope counted, by type and by site. Part of
// scope.h.
#ifndef INMEM_ALLOCATIONS_H
#define INMEM_ALLOCATIONS_H

#include "detail/allocation_table.h"
#include "detail/names.h"
#include "detail/status.h"
#include "detail/type_id.h"
#include "scope_api.h"
#include "unseen.h" // IWYU pragma: export

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace inmem {

/// Counts of blocks and requested bytes.
struct AllocationCounts {
  uint64_t blocks = 0, bytes = 0;     ///< allocated
  uint64_t frees = 0, freedBytes = 0; ///< by the scope's thread, any block
  int64_t live = 0, liveBytes = 0;    ///< alive at the end
  int64_t peakBytes = -1;             ///< -1 if unknown
  uint64_t lives = 0; ///< blocks allocated and freed in the scope
  std::chrono::nanoseconds longest{0}, sum{0}; ///< longest and total lifetime
  std::chrono::nanoseconds age{0};             ///< age of the oldest live block

  AllocationCounts() = default;
  explicit AllocationCounts(const inmem_scope_counts &C)
      : blocks(C.allocations), bytes(C.allocated_bytes), frees(C.frees),
        freedBytes(C.freed_bytes), live(C.live), liveBytes(C.live_bytes),
        peakBytes(C.peak_bytes), lives(C.lives), longest(C.longest_ns),
        sum(C.sum_ns), age(C.age_ns) {}

  AllocationCounts &operator+=(const AllocationCounts &O) {
    blocks += O.blocks;
    bytes += O.bytes;
    frees += O.frees;
    freedBytes += O.freedBytes;
    live += O.live;
    liveBytes += O.liveBytes;
    peakBytes = peakBytes < 0 || O.peakBytes < 0 ? -1 : peakBytes + O.peakBytes;
    lives += O.lives;
    longest = longest < O.longest ? O.longest : longest;
    sum += O.sum;
    age = age < O.age ? O.age : age;
    return *this;
  }
};

using Counts = AllocationCounts; ///< deprecated name

struct TypeCounts : AllocationCounts {
  std::string name;      ///< spelled as a programmer would
  std::string canonical; ///< clang's spelling; empty if unknown
  uint64_t id = 0;
};

struct SiteCounts : AllocationCounts {
  std::string type;
  uint64_t typeId = 0;
  std::string place;     ///< source location in the program's own code
  std::string functions; ///< linkage names at that location, one per line
  const void *returnAddress = nullptr; ///< set only in uninstrumented code
  std::string module;                  ///< file of that code
};

/// The events of a scope. Cheap to copy; thread-safe to read.
class Allocations {
public:
  /// False if nothing could be counted; all counts are then 0.
  bool exact() const { return Status == INMEM_SCOPE_OK; }
  const char *whyNot() const { return detail::reasonOf(Status); }

  /// False if there are blocks but none has a known type.
  bool anyTypeKnown() const {
    for (const TypeCounts &T : types())
      if (T.id != 0)
        return true;
    return blocks() == 0;
  }
  /// False with clock=events, which measures lifetimes in allocated bytes.
  bool livesAreInTime() const {
    return !inmem_scope_lives_in_ns || inmem_scope_lives_in_ns();
  }

  const AllocationCounts &total() const { return Data->Total; }
  uint64_t blocks() const { return total().blocks; }
  uint64_t bytes() const { return total().bytes; }
  int64_t live() const { return total().live; }
  int64_t peakBytes() const { return total().peakBytes; }

  const std::vector<TypeCounts> &types() const { return Data->Types; }
  const std::vector<SiteCounts> &sites() const { return Data->Sites; }

  /// Blocks that hold objects of T, or arrays of them.
  template <class T> AllocationCounts of() const { return ofId(typeId<T>()); }
  /// Blocks of all types whose name matches \p Glob ('*', '?').
  AllocationCounts of(std::string_view Glob) const {
    AllocationCounts Sum;
    Sum.peakBytes = 0;
    for (const TypeCounts &T : types())
      if (detail::matchesGlob(Glob, T.name) ||
          detail::matchesGlob(Glob, T.canonical))
        Sum += T;
    return Sum;
  }
  AllocationCounts ofId(uint64_t Id) const {
    for (const TypeCounts &T : types())
      if (T.id == Id && Id)
        return T;
    return {};
  }

  /// Keeps the sites for which \p Keep returns true and adds them up again;
  /// peaks by type are then unknown.
  template <class Predicate> Allocations where(Predicate Keep) const {
    Unseen Hidden;
    auto Part = std::make_shared<Contents>();
    for (const SiteCounts &S : sites()) {
      if (!Keep(S))
        continue;
      Part->Sites.push_back(S);
      Part->Total += S;
      auto It = Contents::rowOf(Part->Types, S.typeId);
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
    const AllocationCounts &T = total();
    std::string Text = T.blocks == 0
                           ? "no allocations"
                           : detail::number(T.blocks, "block") + ", " +
                                 detail::number(T.bytes, "byte");
    if (T.live != 0)
      Text += ", " + std::to_string(T.live) +
              (T.live > 0 ? " still alive" : " more than were freed");
    return Text;
  }

  /// The summary, then types and sites, \p Most of each, the largest first.
  std::string text(std::size_t Most = 10) const {
    Unseen Hidden;
    std::string Text = summary() + "\n";
    detail::append(Text, "type", types(), Most,
                   [](const TypeCounts &T) { return T.name; });
    Contents Shown;
    Shown.Sites = sites();
    Shown.merge(true);
    Shown.sort();
    detail::append(Text, "allocated by", Shown.Sites, Most,
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
    AllocationCounts Total;
    std::vector<TypeCounts> Types;
    std::vector<SiteCounts> Sites;
    std::vector<TypeCounts> Named; ///< see addNamed()

    /// Merges rows of equal type and source location: users see a function
    /// inlined into several callers as one location. With \p Shown, rows of
    /// compiled libraries are merged with the program's, which is right for
    /// display but not for leaks: libraries' leaks are not the program's.
    void merge(bool Shown = false) {
      std::vector<SiteCounts> Merged;
      for (SiteCounts &S : Sites) {
        auto It = Merged.begin();
        while (It != Merged.end() &&
               !(It->typeId == S.typeId && It->place == S.place &&
                 (Shown || It->module == S.module)))
          ++It;
        if (It == Merged.end())
          Merged.push_back(std::move(S));
        else
          *It += S;
      }
      Sites = std::move(Merged);
    }

    /// Counts the blocks of a site with a type that the runtime does not know
    /// but detail::typeInLibrary() does.
    void addNamed(const SiteCounts &S) {
      auto Row = rowOf(Named, S.typeId);
      if (Row == Named.end()) {
        Row = Named.emplace(Row);
        Row->name = Row->canonical = S.type;
        Row->id = S.typeId;
      }
      *Row += S;
    }

    /// Moves the counts of addNamed() from the row of unknown type to the rows
    /// of their types. The peak of a row is then unknown, unless the whole row
    /// moves to one new row.
    void moveNamed() {
      const auto Unknown = rowOf(Types, 0);
      if (Named.empty() || Unknown == Types.end())
        return;
      AllocationCounts Rest;
      for (const SiteCounts &S : Sites)
        if (!S.typeId)
          Rest += S;
      if (Rest.blocks == 0 && Rest.frees == 0) {
        if (Named.size() == 1)
          Named[0].peakBytes = Unknown->peakBytes;
        Types.erase(Unknown);
      } else {
        static_cast<AllocationCounts &>(*Unknown) = Rest;
      }
      for (TypeCounts &N : Named) {
        auto Row = rowOf(Types, N.id);
        if (Row == Types.end()) {
          Types.push_back(std::move(N));
        } else {
          *Row += N;
          Row->peakBytes = -1;
        }
      }
    }

    static std::vector<TypeCounts>::iterator
    rowOf(std::vector<TypeCounts> &Rows, uint64_t Id) {
      auto Row = Rows.begin();
      while (Row != Rows.end() && Row->id != Id)
        ++Row;
      return Row;
    }

    void sort() {
      auto Sort = [](auto &Rows, auto NameOf) {
        detail::sortRows(Rows, [=](const auto &A, const auto &B) {
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

  std::shared_ptr<const Contents> Data;
  int Status;
};

} // namespace inmem

#endif
