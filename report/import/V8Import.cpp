//===- V8Import.cpp - Sampled heap profiles of V8 -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files of `node --heap-prof` and Chromium's developer tools
// (HeapProfiler.SamplingHeapProfile of the Chrome DevTools Protocol): a tree of
// calls, with an estimate of the live bytes of each call.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "report/import/Offsets.h"
#include "trace/format/Format.h"

#include <cmath>

namespace inmem::report {

namespace {

class V8Reader {
public:
  explicit V8Reader(const Json &From) : J(From) {}

  Imported run() {
    if (!J.is_object() || !J.contains("head"))
      throw WrongJson{&J, "no heap profile of V8", "an object with \"head\"",
                      J.is_object() && J.contains("snapshot")
                          ? "a heap snapshot, which has objects and no calls"
                          : shownJson(J)};
    Out.Tool = "v8";
    Out.Unknown = trace::kFlagNoTotals | trace::kFlagNoBlocks |
                  trace::kFlagNoTemporary | trace::kFlagNoPeak |
                  trace::kFlagOfAMoment;
    Out.Notes.push_back("V8 samples what is alive: bytes by place are "
                        "estimates of those alive at the end");
    struct Call {
      const Json *Node;
      uint32_t Caller;
    };
    const Json &Head = J["head"];
    checkObject(Head);
    addSelf(Head, 0);
    std::vector<Call> Left;
    const auto AddChildren = [&](const Json &Node, uint32_t Stack) {
      const Json &All = arrayIn(Node, "children");
      for (auto C = All.rbegin(); C != All.rend(); ++C)
        Left.push_back({&*C, Stack});
    };
    AddChildren(Head, 0);
    while (!Left.empty()) {
      const Call C = Left.back();
      Left.pop_back();
      checkObject(*C.Node);
      const uint32_t Stack = Out.stack(C.Caller, frameOf(*C.Node));
      addSelf(*C.Node, Stack);
      AddChildren(*C.Node, Stack);
    }
    return std::move(Out);
  }

private:
  static void checkObject(const Json &Node) {
    if (!Node.is_object())
      throw WrongJson{&Node, "node of the profile", "an object",
                      shownJson(Node)};
  }

  uint32_t frameOf(const Json &Node) {
    const Json &Call = memberOf(Node, "callFrame");
    if (!Call.is_object())
      throw WrongJson{&Call, "member \"callFrame\"", "an object",
                      shownJson(Call)};
    ImportedLocation At{textIn(Call, "functionName"), textIn(Call, "url"), 0};
    if (At.Function.empty())
      At.Function = "(anonymous)";
    if (At.File.starts_with("file://"))
      At.File.erase(0, 7);
    const Json &Line = memberOf(Call, "lineNumber");
    if (!Line.is_number_integer())
      throw WrongJson{&Line, "member \"lineNumber\"", "a whole number",
                      shownJson(Line)};
    // Numbered from 0; -1 if there is none.
    At.Line = static_cast<uint32_t>(
        std::clamp<int64_t>(Line.get<int64_t>(), -1, UINT32_MAX - 1) + 1);
    return Out.frame({{std::move(At)}, "", std::nullopt});
  }

  void addSelf(const Json &Node, uint32_t Stack) {
    const Json &Size = memberOf(Node, "selfSize");
    const double Bytes = Size.is_number() ? Size.get<double>() : -1;
    if (!(Bytes >= 0) || Bytes > 0x1p53)
      throw WrongJson{&Size, "member \"selfSize\"", "a number of 0 or more",
                      shownJson(Size)};
    const auto Whole = static_cast<uint64_t>(std::llround(Bytes));
    if (Whole == 0)
      return;
    ImportedCounts &C = Out.row(Stack).Sum;
    C.Allocations = 1; // only bytes are known
    C.Bytes += Whole;
  }

  const Json &J;
  Imported Out;
};

} // namespace

trace::Result<Imported> readV8(const trace::Buffer &File) {
  Imported Out;
  if (trace::Status Wrong =
          parseJson(File, "no heap profile of V8",
                    [&](const Json &J) { Out = V8Reader(J).run(); });
      !Wrong.ok())
    return Wrong;
  return Out;
}

} // namespace inmem::report
