//===- RecordsTest.cpp - Each field of a record is in a report ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/ProfileOf.h"
#include "report/formats/Reports.h"
#include "report/text/TextReport.h"
#include "support/SampleTrace.h"
#include "trace/text/TextFields.h"

#include <fmt/format.h>
#include <set>

using namespace inmem::report;
using namespace inmem::test;
using inmem::trace::Form;
using inmem::trace::Member;

namespace {

/// Results that reports have in findings alone, or not in text.
std::string unprinted(const Profile &P) {
  std::string Out;
  for (const StringCopy &C : P.StringCopies)
    Out += fmt::format("{} {}:{}:{} {} {} {} {}\n", C.Where.Function,
                       C.Where.File, C.Where.Line, C.Where.Column, C.Name,
                       C.Key, C.Kind, C.Flags);
  for (const TypeResult &T : P.Types) {
    Out += fmt::format("{}\n", T.Id);
    if (T.Objects)
      for (const ObjectSite &S : T.Objects->Sites)
        Out += fmt::format("{}:{}\n", S.Where.Line, S.Where.Column);
  }
  for (const RuleResult &R : P.Rules)
    Out += fmt::format("{} {}\n", R.Rule, R.Allocations);
  for (const SiteResult &S : P.Sites)
    Out += fmt::format("{}\n", S.Key);
  return Out;
}

/// All results of a trace's text; or why there are none.
std::string resultsOf(const std::string &Text) {
  const auto Bytes = inmem::trace::assemble(Text);
  if (!Bytes)
    return Bytes.status().str();
  const auto All = readBytes(*Bytes);
  if (!All)
    return All.status().str();
  const auto P = buildProfile(*All);
  if (!P)
    return P.status().str();
  View V;
  V.Top = 0;
  for (const ByName &B : byNames())
    V.Tables.push_back(B.What);
  return printText(*P, V, {}) + printJson(*P, V) + unprinted(*P);
}

/// Values unlike \p Old that a word of the text form may have.
std::vector<std::string> othersThan(const Member &M, const std::string &Old) {
  std::vector<std::string> Out;
  switch (M.As) {
  case Form::Word:
  case Form::Words:
    for (const inmem::trace::Name &N : M.Names)
      if (N.Text != Old)
        Out.emplace_back(N.Text);
    return Out;
  case Form::Text:
  case Form::Chars:
    return {"\"changed\""};
  case Form::Hex:
    return {"0x7777"};
  default:
    return {Old == "1" ? "2" : "1", "77"};
  }
}

/// \p Text with another value of \p Key on the line [Begin, End).
std::string with(const std::string &Text, size_t Begin, size_t End,
                 const Member &M, size_t Choice) {
  std::string Line = Text.substr(Begin, End - Begin);
  const std::string Word = fmt::format(" {}=", M.Key);
  size_t At = Line.find(Word);
  std::string Old;
  if (At == std::string::npos) {
    At = Line.size();
  } else {
    const size_t From = At + Word.size();
    const size_t To = Line[From] == '"'
                          ? Line.find('"', From + 1) + 1
                          : std::min(Line.find(' ', From), Line.size());
    Old = Line.substr(From, To - From);
    Line.erase(At, To - At);
  }
  const auto Others = othersThan(M, Old);
  if (Choice >= Others.size())
    return {};
  Line.insert(At, Word + Others[Choice]);
  return Text.substr(0, Begin) + Line + Text.substr(End);
}

/// The sample with a type for a site without instrumentation.
std::string withFoundType() {
  std::string Text = kSample;
  const size_t Line = Text.find("  site id=5 ");
  Text.insert(Text.find('\n', Line) + 1,
              "  found-type site=5 source=certain rule=vtable size=8 "
              "name=\"Found\"\n");
  return Text;
}

/// True if results change with the value of a field of a line of \p Kind.
bool isReported(std::string_view Kind, const Member &M) {
  for (const std::string &Text :
       {std::string(kSample), std::string(kEverything), withFoundType()}) {
    const std::string Before = resultsOf(Text);
    const std::string Starts = fmt::format("\n  {} ", Kind);
    for (size_t At = 0; (At = Text.find(Starts, At)) != Text.npos; ++At)
      for (size_t Choice = 0;; ++Choice) {
        const std::string Other =
            with(Text, At + 1, Text.find('\n', At + 1), M, Choice);
        if (Other.empty())
          break;
        if (resultsOf(Other) != Before)
          return true;
      }
  }
  return false;
}

TEST(Records, EachFieldIsInAReport) {
  const std::set<std::string> Elsewhere = {
      "found-type passed",  // with stacks: lit-tests/tools/found-types.test
      "object key",         // objects=lifetime: ObjectsTest.cpp
      "site symbol-offset", // of dumps
      "source flags",       // opaque fields: lit-tests/fields/traps.cpp
      "source file",        // of `inmem fix`: tools/inmem/live/FixRequest.cpp
      "source hash",        // as above
      "thread start",       // of dumps; reports have ThreadLifetime::Start
      "type flags",         // findings on padding: PackingTest.cpp
  };
  std::set<std::string> Found;
  for (const std::string_view Kind : {"type", "site", "thread", "object",
                                      "string-copy", "source", "found-type"})
    for (const Member &M : inmem::trace::recordShape(Kind)->Members)
      if (!isReported(Kind, M))
        Found.insert(fmt::format("{} {}", Kind, M.Key));
  EXPECT_EQ(Found, Elsewhere);
}

} // namespace
