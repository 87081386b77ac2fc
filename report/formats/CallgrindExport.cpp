//===- CallgrindExport.cpp - A profile for callgrind_annotate -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are allocated bytes and blocks, and bytes alive at the end. The lowest
// function of each path is the type of the blocks.
//
//===----------------------------------------------------------------------===//
#include "report/formats/ExportSamples.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace inmem::report {

namespace {

struct Cost {
  uint64_t Bytes = 0, Blocks = 0, Live = 0;
  void add(const Counts &C) {
    Bytes += C.AllocatedBytes;
    Blocks += C.Allocations;
    Live += C.LiveBytes;
  }
};

/// A function in a file.
using Function = std::pair<std::string, std::string>;

/// Calls of one function from one line of another.
struct Call {
  Function Callee;
  uint32_t CalleeLine = 0, Line = 0;
  bool operator<(const Call &Other) const {
    return std::tie(Line, Callee, CalleeLine) <
           std::tie(Other.Line, Other.Callee, Other.CalleeLine);
  }
};

struct Costs {
  std::map<uint32_t, Cost> Self; ///< by line
  std::map<Call, Cost> Calls;    ///< inclusive
};

class CallgrindWriter {
public:
  explicit CallgrindWriter(const Profile &From) : P(From) {
    for (const ExportSample &S : samplesOf(P))
      add(S);
  }

  std::string write() {
    Cost All;
    All.add(P.Totals);
    std::string Out = fmt::format(
        "# callgrind format\nversion: 1\ncreator: inmem\ncmd: {}\n"
        "positions: line\n"
        "event: Bytes : allocated bytes\nevent: Blocks : allocated blocks\n"
        "event: Live : bytes alive at the end\nevents: Bytes Blocks Live\n"
        "summary: {}\n",
        oneLine(commandOf(P)), text(All));
    for (const auto &[Of, C] : Functions) {
      Out += fmt::format("\nob={}\nfl={}\nfn={}\n", object(Of), file(Of.second),
                         name(Of.first));
      for (const auto &[Line, Own] : C.Self)
        Out += fmt::format("{} {}\n", Line, text(Own));
      for (const auto &[To, Sum] : C.Calls)
        Out += fmt::format("cob={}\ncfi={}\ncfn={}\ncalls={} {}\n{} {}\n",
                           object(To.Callee), file(To.Callee.second),
                           name(To.Callee.first), Sum.Blocks, To.CalleeLine,
                           To.Line, text(Sum));
    }
    return Out;
  }

private:
  static std::string oneLine(std::string_view Text) {
    std::string Line = utf8(Text);
    std::ranges::replace(Line, '\n', ' ');
    return Line;
  }
  static std::string text(const Cost &C) {
    return fmt::format("{} {} {}", C.Bytes, C.Blocks, C.Live);
  }
  /// A name on its first use, its number afterwards.
  static std::string numbered(std::map<std::string, size_t> &Known,
                              const std::string &Name) {
    const auto [At, New] = Known.try_emplace(Name, Known.size() + 1);
    return New ? fmt::format("({}) {}", At->second, oneLine(Name))
               : fmt::format("({})", At->second);
  }
  std::string file(const std::string &Of) {
    return numbered(Files, Of.empty() ? "???" : Of);
  }
  /// The program, or the group of all library code.
  std::string object(const Function &Of) {
    const bool OfLibrary = isLibraryCode({Of.first, Of.second, 0, 0});
    return numbered(Objects,
                    OfLibrary ? std::string(kLibraryModule) : programOf(P));
  }
  std::string name(const std::string &Of) { return numbered(Names, Of); }

  void add(const ExportSample &S) {
    Function Callee = {"type " + std::string(S.Type), ""};
    Functions[Callee].Self[0].add(S.Sum);
    uint32_t CalleeLine = 0;
    // Calls of a recursive function count once per path.
    std::set<std::pair<Function, Call>> Seen;
    for (const SourceLocation &At : S.Chain) {
      const Function Caller = {functionOf(At), At.File};
      const Call Edge = {Callee, CalleeLine, At.Line};
      if (Seen.emplace(Caller, Edge).second)
        Functions[Caller].Calls[Edge].add(S.Sum);
      Callee = Caller;
      CalleeLine = At.Line;
    }
  }

  const Profile &P;
  std::map<Function, Costs> Functions;
  std::map<std::string, size_t> Files, Names, Objects;
};

} // namespace

std::string writeCallgrind(const Profile &P) {
  return CallgrindWriter(P).write();
}

} // namespace inmem::report
