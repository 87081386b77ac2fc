//===- MassifImport.cpp - Profiles of massif ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads massif's text, as ms_print does. It has the live bytes at some moments,
// and their call trees at a few of them. So blocks and total allocations are
// unknown, and locations come from one snapshot: the one that massif marks as
// the peak. Others may be up to 1 % higher (--peak-inaccuracy).
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "report/import/LineReader.h"
#include "trace/format/Format.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

class MassifReader {
public:
  explicit MassifReader(const trace::Buffer &Of) : In(Of) {}

  trace::Result<Imported> run() {
    if (trace::Status Wrong = readHead(); !Wrong.ok())
      return Wrong;
    while (More)
      if (trace::Status Wrong = readSnapshot(); !Wrong.ok()) {
        if (Snapshots.empty() || !AtEnd)
          return Wrong;
        Out.Cut = true; // whole snapshots before the cut are kept
        break;
      }
    return finish();
  }

private:
  struct Snapshot {
    uint64_t Time = 0, Bytes = 0, StackBytes = 0;
  };

  bool next() {
    const bool Found = In.next(Line);
    AtEnd = !Found || In.endedInLine();
    return Found;
  }

  /// The value of `KEY VALUE` in the current line.
  bool after(std::string_view Key, std::string_view &Value) const {
    if (!Line.starts_with(Key))
      return false;
    Value = Line.substr(Key.size());
    return true;
  }

  trace::Status readHead() {
    std::string_view Value;
    bool Any = false;
    while ((More = next()) && !Line.starts_with('#')) {
      if (after("desc: ", Value))
        Any = true;
      else if (after("cmd: ", Value))
        Out.Command = {std::string(Value)};
      else if (after("time_unit: ", Value))
        Unit = Value == "ms"  ? TimeUnit::Nanoseconds
               : Value == "B" ? TimeUnit::Bytes
                              : TimeUnit::Instructions;
      else
        return In.wrong("no massif file", "'desc:', 'cmd:' or 'time_unit:'");
    }
    if (!Any)
      return In.wrong("no massif file", "a line 'desc: ...'");
    if (!More)
      return In.missing("no massif file", "a snapshot");
    return {};
  }

  /// `KEY=NUMBER` in the next line.
  trace::Status figure(std::string_view Key, uint64_t &Into) {
    std::string_view Value;
    const std::string Wanted = std::string(Key) + "=NUMBER";
    if (!next())
      return In.missing("incomplete snapshot", Wanted);
    if (!after(std::string(Key) + "=", Value) || !takeNumber(Value, Into, 10))
      return In.wrong("snapshot", Wanted);
    return {};
  }

  trace::Status readSnapshot() {
    // The line before it is "#-----------".
    uint64_t Number = 0, Ignored = 0;
    Snapshot S;
    if (trace::Status Wrong = figure("snapshot", Number); !Wrong.ok())
      return Wrong;
    if (!next() || !Line.starts_with('#'))
      return In.wrong("snapshot", "'#-----------'");
    for (const auto &[Key, Into] :
         {std::pair("time", &S.Time), std::pair("mem_heap_B", &S.Bytes),
          std::pair("mem_heap_extra_B", &Ignored),
          std::pair("mem_stacks_B", &S.StackBytes)})
      if (trace::Status Wrong = figure(Key, *Into); !Wrong.ok())
        return Wrong;
    std::string_view Tree;
    if (!next())
      return In.missing("incomplete snapshot", "heap_tree=...");
    if (!after("heap_tree=", Tree) ||
        (Tree != "empty" && Tree != "detailed" && Tree != "peak"))
      return In.wrong("snapshot", "heap_tree=empty, detailed or peak");
    if (Tree != "empty") {
      // The tree of the peak, or of the largest snapshot that has a tree.
      const bool Best = Tree == "peak" || (!HasPeak && S.Bytes >= LocationsOf);
      std::vector<std::pair<uint32_t, uint64_t>> Found;
      if (trace::Status Wrong = readTree(Best, Found); !Wrong.ok())
        return Wrong;
      HasPeak |= Tree == "peak";
      if (Best) {
        Locations = std::move(Found);
        LocationsOf = S.Bytes;
        BestTree = Snapshots.size();
      }
    }
    Snapshots.push_back(S);
    More = next();
    if (More && !Line.starts_with('#'))
      return In.wrong("after a snapshot", "'#-----------'");
    return {};
  }

  /// ` n2: 500 0x401136: f(int) (a.c:3)`, in order of the tree.
  trace::Status readTree(bool Keep,
                         std::vector<std::pair<uint32_t, uint64_t>> &Into) {
    struct Node {
      uint64_t ChildrenLeft;
      uint32_t Stack;
    };
    std::vector<Node> Path;
    do {
      if (!next())
        return In.missing("incomplete tree", "the places below");
      std::string_view Rest = Line;
      const size_t Depth = std::min(Rest.find_first_not_of(' '), Rest.size());
      Rest.remove_prefix(Depth);
      uint64_t Children = 0, Size = 0;
      if (Depth != Path.size() || !Rest.starts_with('n'))
        return In.wrong("place in a tree", "'nCHILDREN: BYTES PLACE'");
      Rest.remove_prefix(1);
      const size_t Colon = std::min(Rest.find(": "), Rest.size());
      std::string_view Count = Rest.substr(0, Colon);
      Rest.remove_prefix(std::min(Colon + 2, Rest.size()));
      if (!takeNumber(Count, Children, 10) || !takeNumber(Rest, Size, 10))
        return In.wrong("place in a tree", "'nCHILDREN: BYTES PLACE'");
      uint32_t Stack = 0;
      if (Keep && Depth > 0)
        Stack = locationIn(Rest);
      if (Depth > 0)
        --Path.back().ChildrenLeft;
      Frames.resize(Depth);
      if (Depth > 0)
        Frames[Depth - 1] = Stack;
      if (Children == 0 && Keep && Size > 0)
        Into.push_back({stackOf(), Size});
      Path.push_back({Children, Stack});
      while (!Path.empty() && Path.back().ChildrenLeft == 0)
        Path.pop_back();
    } while (!Path.empty());
    return {};
  }

  uint32_t locationIn(std::string_view Text) {
    if (Text.starts_with("0x"))
      return Out.frame(valgrindFrame(Text));
    ImportedFrame Many; // "in 3 places, all below massif's threshold (1.00%)"
    Many.Locations.push_back({"(" + std::string(Text) + ")", "", 0});
    return Out.frame(Many);
  }

  /// The stack at the current depth of the tree.
  uint32_t stackOf() {
    uint32_t Stack = 0;
    for (size_t I = Frames.size(); I > 0; --I)
      Stack = Out.stack(Stack, Frames[I - 1]);
    return Stack;
  }

  trace::Result<Imported> finish() {
    Out.Tool = "massif";
    Out.Unit = Unit;
    Out.Unknown =
        trace::kFlagNoTotals | trace::kFlagNoBlocks | trace::kFlagNoTemporary;
    const Snapshot Last = Snapshots.back();
    uint64_t Stacks = 0;
    for (const Snapshot &S : Snapshots) {
      Out.PeakBytes = std::max(Out.PeakBytes, S.Bytes);
      Stacks = std::max(Stacks, S.StackBytes);
    }
    if (Unit == TimeUnit::Nanoseconds)
      Out.DurationNs = toNs(Last.Time);
    if (Out.PeakBytes == 0 && Stacks > 0) {
      Out.Unknown |= trace::kFlagNoFrees | trace::kFlagNoPeak;
      Out.Notes.push_back(
          fmt::format("massif measured stacks, at most {} bytes, and nothing "
                      "of the heap",
                      Stacks));
      return std::move(Out);
    }
    for (const Snapshot &S : Snapshots)
      Out.Moments.push_back({toNs(S.Time), {}, S.Bytes});
    addNotes();
    addRows(Last.Bytes);
    return std::move(Out);
  }

  void addNotes() {
    std::string Of = "are those at the peak";
    if (Locations.empty())
      Of = "are not known";
    else if (LocationsOf < Out.PeakBytes)
      Of = fmt::format("come from {} with {} bytes, and the most was {}",
                       HasPeak ? "the snapshot that massif marks as the peak,"
                               : "the largest snapshot that has them,",
                       LocationsOf, Out.PeakBytes);
    Out.Notes.push_back("massif knows what was alive, not what was allocated: "
                        "bytes by place " +
                        Of);
  }

  void addRows(uint64_t LeftBytes) {
    const bool LastIsTree =
        !Locations.empty() && BestTree == Snapshots.size() - 1;
    for (const auto &[Stack, Bytes] : Locations) {
      ImportedRow &R = Out.row(Stack);
      R.Sum.Allocations = 1;
      R.Sum.Bytes += Bytes;
      R.AtPeak += Bytes;
      if (!LastIsTree) {
        R.Sum.Frees = 1;
        R.Sum.FreedBytes += Bytes;
      }
    }
    if (!LastIsTree && LeftBytes > 0) {
      // The file does not show which code allocated it.
      Out.Unknown |= trace::kFlagNoLiveBySite;
      ImportedRow &Rest = Out.row(0);
      Rest.Sum.Allocations = 1;
      Rest.Sum.Bytes = LeftBytes;
    }
  }

  /// Nanoseconds, or the number in the other unit.
  uint64_t toNs(uint64_t Time) const {
    constexpr uint64_t kPerMs = 1000000;
    return Unit == TimeUnit::Nanoseconds
               ? std::min(Time, UINT64_MAX / kPerMs) * kPerMs
               : Time;
  }

  Lines In;
  std::string_view Line;
  Imported Out;
  bool More = true;   ///< a snapshot's first line was read
  bool AtEnd = false; ///< at or after an unfinished last line
  bool HasPeak = false;
  TimeUnit Unit = TimeUnit::Instructions; ///< massif's default
  std::vector<Snapshot> Snapshots;
  /// The best tree's stacks with their bytes, and the sum.
  std::vector<std::pair<uint32_t, uint64_t>> Locations;
  uint64_t LocationsOf = 0;
  size_t BestTree = 0;
  std::vector<uint32_t> Frames; ///< path to the current node of the tree
};

} // namespace

trace::Result<Imported> readMassif(const trace::Buffer &File) {
  return MassifReader(File).run();
}

} // namespace inmem::report
