//===- CheckReport.cpp - Printers of checks -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/CheckReport.h"

#include "report/formats/Json.h"
#include "report/formats/Markup.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace inmem::report {

namespace {

/// `blocks of Foo: found 100, allowed at most 10 (90 more)`.
std::string sentence(const Verdict &V) {
  const Limit &L = *V.Of;
  if (V.Is == Verdict::Kind::Unknown)
    return fmt::format("{}: not known: {}", L.words(), V.Reason);
  const bool Above = V.Is == Verdict::Kind::Above;
  return fmt::format("{}: found {}, allowed {} {} ({} {}){}", L.words(),
                     exactFigure(L, V.Value.value_or(0)),
                     Above ? "at most" : "at least", exactFigure(L, bound(V)),
                     exactFigure(L, distance(V)), Above ? "more" : "less",
                     L.Because.empty() ? "" : ": " + L.Because);
}

/// True if a file is the user's: inside Root, or relative to it.
bool isInside(std::string_view Root, std::string_view Path) {
  if (Path.empty() || isSystemPath(Path))
    return false;
  if (!Path.starts_with('/'))
    return !Path.starts_with("../");
  while (Root.ends_with('/'))
    Root.remove_suffix(1);
  return Path.starts_with(Root) && Path.substr(Root.size()).starts_with('/') &&
         Path.find("/../") == std::string_view::npos;
}

/// The first contributor with a file that an annotation can point to.
const Contributor *firstInside(const Verdict &V, std::string_view Root) {
  const auto It = std::ranges::find_if(V.From, [&](const Contributor &C) {
    return isInside(Root, C.Where.File);
  });
  return It == V.From.end() ? nullptr : &*It;
}

/// The path of a file relative to Root.
std::string below(std::string_view Root, std::string_view Path) {
  while (Root.size() > 1 && Root.ends_with('/'))
    Root.remove_suffix(1);
  if (!Root.empty() && Path.starts_with(Root) && Path.size() > Root.size() &&
      Path[Root.size()] == '/')
    Path.remove_prefix(Root.size() + 1);
  while (Path.starts_with("./"))
    Path.remove_prefix(2);
  return std::string(Path);
}

/// sentence() with the largest contributor below Root. Without one, with only
/// the function of the largest contributor: its file has no meaning there.
std::string sentenceWithLocation(const Verdict &V, std::string_view Root) {
  const Contributor *First = firstInside(V, Root);
  const bool HasContributor = First != nullptr;
  if (!First && !V.From.empty())
    First = &V.From[0];
  if (!First || (!HasContributor && First->Where.Function.empty()))
    return sentence(V);
  SourceLocation Where = First->Where;
  if (HasContributor)
    Where.File = below(Root, Where.File);
  else
    Where = {Where.Function, {}, 0, 0};
  return sentence(V) +
         fmt::format("; {} by {}",
                     First->Before ? changeOf(*V.Of, *First, false)
                                   : shortFigure(*V.Of, First->Value, false),
                     locationOf(Where));
}

/// RFC 3986. Slashes are not encoded.
std::string uriOf(std::string_view Path) {
  std::string Out = Path.starts_with('/') ? "file://" : "";
  for (const char C : Path) {
    const bool Plain =
        (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
        (C >= '0' && C <= '9') ||
        std::string_view("-._~/+@,=").find(C) != std::string_view::npos;
    if (Plain)
      Out += C;
    else
      Out += fmt::format("%{:02X}", static_cast<unsigned char>(C));
  }
  return Out;
}

/// A location of SARIF.
Json sarifLocation(std::string_view File, uint32_t Line, uint32_t Column,
                   std::string_view Function, std::string_view Message,
                   std::string_view Root) {
  Json Out;
  const std::string Path = below(Root, File);
  Json &Physical = Out["physicalLocation"];
  Physical["artifactLocation"]["uri"] = uriOf(Path);
  if (!Path.starts_with('/'))
    Physical["artifactLocation"]["uriBaseId"] = "SRCROOT";
  if (Line > 0) {
    Physical["region"]["startLine"] = Line;
    if (Column > 0)
      Physical["region"]["startColumn"] = Column;
  }
  if (!Function.empty())
    Out["logicalLocations"] = {
        {{"fullyQualifiedName", Function}, {"kind", "function"}}};
  if (!Message.empty())
    Out["message"]["text"] = Message;
  return Out;
}

Json resultOf(const CheckResult &R, const RunVerdicts &In, const Verdict &V,
              std::string_view Root) {
  const Limit &L = *V.Of;
  Json Out;
  Out["ruleId"] = nameOf(L.What).code();
  Out["level"] = "error";
  Out["message"]["text"] = sentenceWithLocation(V, Root);
  Out["locations"] = Json::array();
  Out["relatedLocations"] = Json::array();
  const auto Described = [&](const Contributor &C) {
    return sarifLocation(
        C.Where.File, C.Where.Line, C.Where.Column, C.Where.Function,
        fmt::format("{}: {}", C.Type, exactFigure(L, C.Value)), Root);
  };
  const Contributor *First = firstInside(V, Root);
  if (First)
    Out["locations"].push_back(Described(*First));
  for (const Contributor &C : V.From)
    if (&C != First && isInside(Root, C.Where.File))
      Out["relatedLocations"].push_back(Described(C));
  if (L.At.Line > 0 && isInside(Root, R.File)) {
    Json Budget =
        sarifLocation(R.File, L.At.Line, L.At.Column, "", "the limit", Root);
    (First ? Out["relatedLocations"] : Out["locations"])
        .push_back(std::move(Budget));
  }
  Out["partialFingerprints"]["limit/v1"] = L.code();
  Out["properties"]["run"] = In.Run;
  return Out;
}

std::string commandEscaped(std::string_view Text, bool Property) {
  std::string Out;
  for (const char C : Text)
    switch (C) {
    case '%':
      Out += "%25";
      break;
    case '\r':
      Out += "%0D";
      break;
    case '\n':
      Out += "%0A";
      break;
    case ':':
      Out += Property ? "%3A" : ":";
      break;
    case ',':
      Out += Property ? "%2C" : ",";
      break;
    default:
      Out += C;
    }
  return Out;
}

std::string_view wordOf(Verdict::Kind Is) {
  switch (Is) {
  case Verdict::Kind::Held:
    return "held";
  case Verdict::Kind::Above:
    return "above";
  case Verdict::Kind::Below:
    return "below";
  case Verdict::Kind::Unknown:
    return "unknown";
  }
  return "";
}

std::string dumped(const Json &J) { return jsonText(J); }

} // namespace

std::string printCheckJson(const CheckResult &R) {
  Json Out;
  Out["schema"] = "inmem-check/1";
  Out["budget"] = orNull(R.File);
  Out["limits"] = R.limits();
  Out["broken"] = R.broken();
  Out["runs"] = Json::array();
  for (const RunVerdicts &Of : R.Runs) {
    Json One = {{"trace", Of.Run}, {"limits", Json::array()}};
    for (const Verdict &V : Of.All) {
      const Limit &L = *V.Of;
      Json Row = {
          {"limit", L.code()},          {"metric", nameOf(L.What).code()},
          {"key", nameOf(L.What).Word}, {"line", orNull(L.At.Line)},
          {"verdict", wordOf(V.Is)},    {"value", orNull(V.Value)},
          {"max", orNull(L.Max)},       {"min", orNull(L.Min)},
          {"matched", V.Matched}};
      if (!V.Reason.empty())
        Row["reason"] = V.Reason;
      if (!L.Because.empty())
        Row["because"] = L.Because;
      Row["from"] = Json::array();
      for (const Contributor &C : V.From)
        Row["from"].push_back(
            {{"type", C.Type == kUnknownType ? Json(nullptr) : orNull(C.Type)},
             {"function", C.Where.Function},
             {"file", C.Where.File},
             {"line", C.Where.Line},
             {"value", C.Value}});
      for (size_t I = 0; I < V.From.size(); ++I)
        if (V.From[I].Before)
          Row["from"][I]["before"] = *V.From[I].Before;
      if (!V.From.empty())
        Row["from_is"] = V.Figure;
      One["limits"].push_back(std::move(Row));
    }
    One["notes"] = Of.Notes;
    Out["runs"].push_back(std::move(One));
  }
  return dumped(Out);
}

std::string printJUnit(const CheckResult &R, std::string_view SourceRoot) {
  pugi::xml_document Document;
  pugi::xml_node Suites =
      addElement(Document, "testsuites",
                 {{"name", "inmem check"},
                  {"tests", std::to_string(R.limits())},
                  {"failures", std::to_string(R.broken())}});
  for (const RunVerdicts &Of : R.Runs) {
    const auto Broken =
        std::count_if(Of.All.begin(), Of.All.end(),
                      [](const Verdict &V) { return !V.holds(); });
    pugi::xml_node Suite = addElement(Suites, "testsuite",
                                      {{"name", Of.Run},
                                       {"tests", std::to_string(Of.All.size())},
                                       {"failures", std::to_string(Broken)},
                                       {"errors", "0"},
                                       {"skipped", "0"},
                                       {"time", "0"}});
    for (const Verdict &V : Of.All) {
      const Limit &L = *V.Of;
      pugi::xml_node Case = addElement(Suite, "testcase",
                                       {{"classname", L.Of.str()},
                                        {"name", nameOf(L.What).code()},
                                        {"time", "0"}});
      if (V.holds())
        continue;
      std::string Text = sentence(V);
      if (const std::string At = where(R, L); !At.empty())
        Text += "\nlimit: " + At;
      for (const Contributor &C : V.From)
        Text += fmt::format("\n{}  {}  {}", exactFigure(L, C.Value), C.Type,
                            locationOf(C.Where));
      addElement(Case, "failure",
                 {{"type", wordOf(V.Is)},
                  {"message", sentenceWithLocation(V, SourceRoot)}},
                 Text);
    }
  }
  return written(Document, Dialect::Xml, "  ");
}

std::string printSarif(const CheckResult &R, std::string_view SourceRoot) {
  Json Out;
  Out["$schema"] = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                   "schemas/sarif-schema-2.1.0.json";
  Out["version"] = "2.1.0";
  Json Run;
  Json Results = Json::array(), Known = Json::array();
  std::set<Metric> Rules;
  for (const RunVerdicts &Of : R.Runs)
    for (const Verdict &V : Of.All) {
      Rules.insert(V.Of->What);
      if (!V.holds())
        Results.push_back(resultOf(R, Of, V, SourceRoot));
    }
  for (const Metric What : Rules)
    Known.push_back(
        {{"id", nameOf(What).code()},
         {"shortDescription",
          {{"text", fmt::format("limit on {}", nameOf(What).Word)}}}});
  Run["tool"]["driver"] = {{"name", "inmem"}, {"rules", std::move(Known)}};
  Run["results"] = std::move(Results);
  if (!SourceRoot.empty())
    Run["originalUriBaseIds"]["SRCROOT"]["uri"] =
        uriOf(SourceRoot) + (SourceRoot.ends_with('/') ? "" : "/");
  Run["columnKind"] = "utf16CodeUnits";
  Out["runs"] = Json::array();
  Out["runs"].push_back(std::move(Run));
  return dumped(Out);
}

/// One annotation for a source line, for all limits that break there.
std::string printGithub(const CheckResult &R, std::string_view SourceRoot) {
  struct Annotation {
    std::string File, Title, Message;
    uint32_t Line = 0;
    std::vector<std::string> More; ///< other limits
  };
  std::vector<Annotation> All;
  for (const RunVerdicts &Of : R.Runs)
    for (const Verdict &V : Of.All) {
      if (V.holds())
        continue;
      const Contributor *First = firstInside(V, SourceRoot);
      std::string File = First                          ? First->Where.File
                         : isInside(SourceRoot, R.File) ? R.File
                                                        : std::string();
      const uint32_t Line = First ? First->Where.Line : V.Of->At.Line;
      const auto Same = std::ranges::find_if(All, [&](const Annotation &A) {
        return !File.empty() && A.File == File && A.Line == Line;
      });
      if (Same != All.end())
        Same->More.push_back(V.Of->words());
      else
        All.push_back({std::move(File),
                       "budget: " + V.Of->words(),
                       sentenceWithLocation(V, SourceRoot),
                       Line,
                       {}});
    }
  std::string Out;
  for (Annotation &A : All) {
    Out += "::error ";
    if (!A.File.empty())
      Out += fmt::format("file={},line={},",
                         commandEscaped(below(SourceRoot, A.File), true),
                         std::max<uint32_t>(A.Line, 1));
    if (!A.More.empty())
      A.Message += fmt::format("; also over: {}", fmt::join(A.More, ", "));
    Out += fmt::format("title={}::{}\n", commandEscaped(A.Title, true),
                       commandEscaped(A.Message, false));
  }
  return Out;
}

} // namespace inmem::report
