//===- ChromeSnapshot.cpp - Chrome's heap snapshot ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of DevTools' memory panel (V8,
// src/profiler/heap-snapshot-generator): flat arrays of numbers with members
// named by "meta", and strings. Node 0 is the root. An edge names its target by
// the index of its first number.
//
//===----------------------------------------------------------------------===//
#include "heap/SnapshotViews.h"
#include "report/formats/Json.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace inmem::heap {

namespace {

constexpr uint64_t kNodeFields = 7, kObject = 3, kString = 2, kSynthetic = 9;
constexpr uint64_t kElement = 1, kProperty = 2, kWeak = 6;

/// Writes objects as the panel shows them: small ones of one type and holder
/// together.
class ChromeWriter {
public:
  ChromeWriter(const Heap &H, const Analysis &A, size_t Most) : H(H), A(A) {
    choose(Most);
  }

  std::string run() {
    fmt::format_to(
        std::back_inserter(Out),
        R"({{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],)"
        R"("node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string","sliced string","symbol","bigint","object shape"],"string","number","number","number","number","number"],)"
        R"("edge_fields":["type","name_or_index","to_node"],)"
        R"("edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],)"
        R"("trace_function_info_fields":[],"trace_node_fields":[],"sample_fields":[],"location_fields":[]}},)");
    collectEdges();
    fmt::format_to(
        std::back_inserter(Out),
        R"("node_count":{},"edge_count":{},"trace_function_count":0}},)",
        Shown.size() + 1, EdgeCount);
    Out += "\n\"nodes\":[";
    node(kSynthetic, "(roots)", 1, 0, EdgesOf[0].size());
    for (uint32_t I = 0; I < Shown.size(); ++I) {
      const Node &N = Shown[I];
      Out += ",\n";
      node(N.IsText ? kString : kObject, nameOf(N), 2 * I + 3, N.Bytes,
           EdgesOf[I + 1].size());
    }
    Out += "],\n\"edges\":[";
    bool First = true;
    for (const auto &Edges : EdgesOf)
      for (const Edge &E : Edges) {
        fmt::format_to(std::back_inserter(Out), "{}{},{},{}",
                       First ? "" : ",\n", E.Kind, E.Name, E.To * kNodeFields);
        First = false;
      }
    Out += "],\n\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],"
           "\"locations\":[],\n\"strings\":[";
    for (size_t I = 0; I < Strings.size(); ++I)
      Out += (I ? ",\n" : "") +
             report::Json(Strings[I])
                 .dump(-1, ' ', false, report::Json::error_handler_t::replace);
    Out += "]}\n";
    return std::move(Out);
  }

private:
  struct Node {
    std::string_view Name; ///< as in reports
    uint64_t Bytes = 0, Objects = 0;
    bool IsText = false;
  };
  struct Edge {
    uint64_t Kind, Name;
    uint64_t To; ///< node
    bool operator<(const Edge &Other) const {
      return std::tie(To, Kind, Name) <
             std::tie(Other.To, Other.Kind, Other.Name);
    }
  };

  void choose(size_t Most) {
    uint64_t Least = 0;
    if (Most && H.objects() > Most) {
      // The nodes that retain most stay separate.
      std::vector<uint64_t> Sizes = A.Retained;
      std::nth_element(Sizes.begin(),
                       Sizes.begin() + static_cast<ptrdiff_t>(Most),
                       Sizes.end(), std::greater<>());
      Least = Sizes[Most] + 1;
    }
    NodeOf.assign(H.objects(), 0);
    std::map<std::pair<uint32_t, std::string_view>, uint32_t> Together;
    // Holders first, so that the objects they hold can join them.
    for (const uint32_t At : A.Tree.Order) {
      if (At == 0)
        continue;
      const uint32_t I = At - 1;
      uint32_t Number = static_cast<uint32_t>(Shown.size());
      if (A.Retained[I] < Least) {
        const uint32_t Above = A.Tree.Immediate[At];
        const uint32_t Holder = Above ? NodeOf[Above - 1] + 1 : 0;
        Number =
            Together.try_emplace({Holder, A.name(I)}, Number).first->second;
      }
      if (Number == Shown.size())
        Shown.push_back({A.name(I), 0, 0, isCharacter(H.typeName(I))});
      Shown[Number].Bytes += H.Size[I];
      ++Shown[Number].Objects;
      NodeOf[I] = Number;
    }
  }

  /// DevTools groups strings as "(string)", whatever their type's name.
  static bool isCharacter(std::string_view Type) {
    return Type == "char" || Type == "char8_t" || Type == "char16_t" ||
           Type == "char32_t" || Type == "wchar_t";
  }

  uint64_t string(std::string Text) {
    const auto [It, New] = StringNumbers.try_emplace(Text, Strings.size());
    if (New)
      Strings.push_back(std::move(Text));
    return It->second;
  }
  static std::string nameOf(const Node &N) {
    return N.Objects > 1 ? fmt::format("{} x {}", N.Objects, N.Name)
                         : std::string(N.Name);
  }
  void node(uint64_t Kind, std::string Name, uint64_t Id, uint64_t Bytes,
            size_t Edges) {
    fmt::format_to(std::back_inserter(Out), "{},{},{},{},{},0,0", Kind,
                   string(std::move(Name)), Id, Bytes, Edges);
  }

  void collectEdges() {
    std::vector<std::set<Edge>> Found(Shown.size() + 1);
    for (const Root &R : H.Roots) {
      const std::string Where(H.label(R.Where));
      Found[0].insert({kProperty, string(Where.substr(Where.rfind('/') + 1)),
                       uint64_t{NodeOf[R.Object]} + 1});
    }
    for (uint32_t I = 0; I < H.objects(); ++I) {
      if (A.Tree.Immediate[I + 1] == 0 && A.Reaches[I] != Reach::Reachable)
        Found[0].insert(
            {kProperty,
             string(A.Reaches[I] == Reach::Unknown ? "(held by what was not "
                                                     "recorded)"
                                                   : "(leaked)"),
             uint64_t{NodeOf[I]} + 1});
      for (uint64_t E = H.FirstEdge[I]; E < H.FirstEdge[I + 1]; ++E) {
        const uint32_t From = NodeOf[I], To = NodeOf[H.EdgeTo[E]];
        if (From == To)
          continue;
        const std::string Label(H.labelOf(E));
        const uint64_t Kind = H.kindOf(E) == EdgeKind::Weak ? kWeak
                              : Label.empty()               ? kElement
                                                            : kProperty;
        Found[From + 1].insert(
            {Kind, Label.empty() ? 0 : string(Label), uint64_t{To} + 1});
      }
    }
    for (auto &Edges : Found) {
      EdgesOf.emplace_back(Edges.begin(), Edges.end());
      EdgeCount += Edges.size();
      Edges.clear();
    }
  }

  const Heap &H;
  const Analysis &A;
  std::vector<Node> Shown;
  std::vector<uint32_t> NodeOf;
  std::vector<std::vector<Edge>> EdgesOf;
  std::vector<std::string> Strings;
  std::map<std::string, uint64_t> StringNumbers;
  uint64_t EdgeCount = 0;
  std::string Out;
};

} // namespace

std::string chromeOf(const Heap &H, const Analysis &A, size_t Most) {
  return ChromeWriter(H, A, Most).run();
}

} // namespace inmem::heap
