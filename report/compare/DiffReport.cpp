//===- DiffReport.cpp - Printers of differences ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/Diff.h"

#include "report/base/Units.h"
#include "report/formats/Json.h"
#include "report/formats/Markup.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"
#include "report/text/ViewReports.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace inmem::report {

namespace {

__int128 change(uint64_t Old, uint64_t New) {
  return static_cast<__int128>(New) - static_cast<__int128>(Old);
}

using Figure = std::optional<uint64_t>;
using Change = std::optional<__int128>;

Change change(const Figure &Old, const Figure &New) {
  return Old && New ? Change(change(*Old, *New)) : std::nullopt;
}
std::string humanBytesDelta(const Change &Of) {
  return Of ? report::humanBytesDelta(*Of) : "?";
}
std::string humanCountDelta(const Change &Of) {
  return Of ? report::humanCountDelta(*Of) : "?";
}

/// A figure of the totals, with its name and its format.
struct TotalRow {
  std::string Name, Old, New, Change, Percent;
  bool Same = false; ///< unchanged or unknown
};

/// `+12 %`; empty if the old figure is 0 or nothing changed.
std::string percentOf(const Figure &Old, const Figure &New) {
  if (!Old || !New || *Old == 0 || *Old == *New)
    return {};
  const double Percent =
      100 * (static_cast<double>(*New) / static_cast<double>(*Old) - 1);
  if (std::abs(Percent) < 0.05)
    return Percent > 0 ? "+<0.1 %" : "-<0.1 %";
  return std::abs(Percent) < 99.95 ? fmt::format("{:+.1f} %", Percent)
                                   : fmt::format("{:+.0f} %", Percent);
}

std::vector<TotalRow> totalRows(const Diff &D) {
  std::vector<TotalRow> Rows;
  const auto Bytes = [&](const char *What, const Figure &Old,
                         const Figure &New) {
    Rows.push_back({What, humanBytes(Old), humanBytes(New),
                    humanBytesDelta(change(Old, New)), percentOf(Old, New),
                    Old == New});
  };
  const auto Blocks = [&](const char *What, const Figure &Old,
                          const Figure &New) {
    Rows.push_back({What, humanCount(Old), humanCount(New),
                    humanCountDelta(change(Old, New)), percentOf(Old, New),
                    Old == New});
  };
  const Counts &Old = D.Old.Median, &New = D.New.Median;
  Bytes("bytes allocated", Old.allocatedBytes(), New.allocatedBytes());
  Blocks("blocks allocated", Old.allocations(), New.allocations());
  Blocks("temporary blocks", Old.temporary(), New.temporary());
  Bytes("bytes still alive", Old.liveBytes(), New.liveBytes());
  if (D.Old.Peak && D.New.Peak)
    Bytes("peak bytes", D.Old.Peak, D.New.Peak);
  return Rows;
}

std::string_view wordOf(const DiffRow &R) {
  return !R.Old.There   ? "new"
         : !R.New.There ? "gone"
         : R.noise()    ? "noise"
                        : "";
}

/// `a.cpp:3`, `a.cpp:3 +2` for three places.
std::string locationsOf(const DiffSide &Side) {
  if (Side.Locations.empty())
    return {};
  const SourceLocation &P = Side.Locations.front();
  std::string Out = P.File;
  if (P.Line != 0)
    Out += fmt::format(":{}", P.Line);
  if (Side.Locations.size() > 1)
    Out += fmt::format(" +{}", Side.Locations.size() - 1);
  return Out;
}

/// The rows of a table that V selects, and the number of the others.
std::vector<const DiffRow *> selected(const std::vector<DiffRow> &All,
                                      const View &V, size_t &More) {
  std::vector<const DiffRow *> Rows;
  More = 0;
  for (const DiffRow &R : All) {
    if (!R.changed() || std::max(R.Old.Median.AllocatedBytes,
                                 R.New.Median.AllocatedBytes) < V.MinBytes)
      continue;
    if (V.Top != 0 && Rows.size() >= V.Top)
      ++More;
    else
      Rows.push_back(&R);
  }
  return Rows;
}

std::string titleOf(const DiffRow &R) {
  return R.Alias.empty() ? simplifyName(R.Name) : R.Alias;
}

/// The change of a row. A figure that no run of a side has is 0 there.
Change peakChange(const DiffRow &R) {
  const auto Of = [](const DiffSide &Side) {
    return Side.There ? Side.Peak : std::optional<uint64_t>(0);
  };
  return change(Of(R.Old), Of(R.New));
}

Json countsOf(const DiffSide &Side) {
  if (!Side.There)
    return nullptr;
  const Counts &C = Side.Median;
  Json Out = {{"allocations", orNull(C.allocations())},
              {"allocated_bytes", orNull(C.allocatedBytes())},
              {"frees", orNull(C.frees())},
              {"freed_bytes", orNull(C.freedBytes())},
              {"live_allocations", orNull(C.liveAllocations())},
              {"live_bytes", orNull(C.liveBytes())},
              {"temporary_allocations", orNull(C.temporary())}};
  if (Side.Peak)
    Out["peak_live_bytes"] = *Side.Peak;
  const auto Range = [](const Spread &S, const Figure &Of) {
    return Of ? Json{S.Min, S.Max} : Json(nullptr);
  };
  Out["range"] = {{"allocations", Range(Side.Blocks, C.allocations())},
                  {"allocated_bytes", Range(Side.Bytes, C.allocatedBytes())},
                  {"live_bytes", Range(Side.LiveBytes, C.liveBytes())}};
  return Out;
}

Json locationsJson(const DiffSide &Side) {
  Json Out = Json::array();
  for (const SourceLocation &P : Side.Locations)
    Out.push_back({{"function", P.Function},
                   {"file", orNull(P.File)},
                   {"line", orNull(P.Line)}});
  return Out;
}

/// Frames of a stack, innermost first; null if this side has none.
Json framesJson(const DiffSide &Side) {
  Json Out = locationsJson(Side);
  std::reverse(Out.begin(), Out.end());
  return Side.There ? Out : Json(nullptr);
}

/// Changes in the sites' locations: moved files and lines show both,
/// `a.cpp:3 → 5` within one file.
std::string locationText(const DiffRow &R, bool Unicode) {
  std::string Old = locationsOf(R.Old);
  std::string New = locationsOf(R.New);
  if (New.empty())
    return Old;
  if (Old.empty() || Old == New)
    return New;
  const SourceLocation &Before = R.Old.Locations.front(),
                       &Now = R.New.Locations.front();
  const bool IsLine = Before.File == Now.File && !Now.File.empty() &&
                      Before.Line != 0 && Now.Line != 0;
  if (IsLine && Before.Line == Now.Line) // only later locations differ
    return New;
  return Old + (Unicode ? " → " : " -> ") +
         (IsLine ? New.substr(Now.File.size() + 1) : New);
}

/// Shortens a location that may have moved. Each side keeps its line.
std::string fitMoved(const Style &S, std::string_view Text, size_t Width) {
  const std::string_view Arrow = S.Unicode ? " → " : " -> ";
  const size_t At = Text.find(Arrow);
  if (displayWidth(Text) <= Width || At == std::string_view::npos)
    return fitPath(S, Text, Width);
  const std::string_view New = Text.substr(At + Arrow.size());
  const size_t Room = Width - std::min(Width - 1, displayWidth(Arrow));
  const size_t Behind = std::min(displayWidth(New), Room / 2);
  return fitPath(S, Text.substr(0, At), std::max<size_t>(Room - Behind, 1)) +
         std::string(Arrow) + fitPath(S, New, std::max<size_t>(Behind, 1));
}

/// The functions of a stack's row, the innermost first.
std::vector<std::string> functionsOf(const DiffRow &R) {
  std::vector<std::string> Out;
  const auto &Locations = R.New.There ? R.New.Locations : R.Old.Locations;
  for (auto P = Locations.rbegin(); P != Locations.rend(); ++P)
    Out.push_back(P->Function);
  return Out;
}

/// One of the three lists of rows.
struct Section {
  By What;
  const char *Name, *Key; ///< name of a row; key of the list in JSON
  const std::vector<DiffRow> &Rows;
  /// Some row has a peak.
  bool Peaks = std::ranges::any_of(
      Rows, [](const DiffRow &R) { return R.New.Peak.has_value(); });
};

/// \param Named types by the names in reports
std::vector<Section> sectionsOf(const Diff &D, const View &V, bool Named) {
  std::vector<Section> Out;
  for (const Section &S :
       {Section{By::Type, "type", "types", Named ? D.Named : D.Types},
        Section{By::Site, "site", "sites", D.Sites},
        Section{By::Stack, "stack", "stacks", D.Stacks}})
    if (V.shows(S.What))
      Out.push_back(S);
  return Out;
}

constexpr std::string_view kStyle =
    "body{font:14px system-ui,sans-serif;margin:2em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}"
    "th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}"
    "th{cursor:pointer;background:#f4f4f4}"
    "td:not(.n),th{white-space:nowrap}"
    "td.n,th.n{text-align:left;min-width:8em;max-width:48em;"
    "overflow-wrap:anywhere}"
    ".up{color:#b00020}.down{color:#0a7a2f}.noise td{color:#888}"
    "code{font-size:90%}";
constexpr std::string_view kScript =
    "document.querySelectorAll('th').forEach(h=>h.onclick=()=>{"
    "const b=h.closest('table').tBodies[0],i=h.cellIndex,"
    "v=r=>{const c=r.cells[i];return c.dataset.v===undefined?c.textContent:"
    "Number(c.dataset.v)},d=h.dataset.d=h.dataset.d==1?-1:1;"
    "[...b.rows].sort((x,y)=>{const p=v(x),q=v(y);"
    "return(p<q?1:p>q?-1:0)*d}).forEach(r=>b.append(r))})";

/// A number's cell, which sorts by value and displays as text.
void addCell(pugi::xml_node Row, const Change &Value, const std::string &Text,
             bool IsChange = false) {
  const double Key = Value ? static_cast<double>(*Value) : 0;
  pugi::xml_node Cell =
      addElement(Row, "td", {{"data-v", fmt::format("{}", Key)}}, Text);
  if (IsChange && Key != 0)
    Cell.append_attribute("class").set_value(Key > 0 ? "up" : "down");
}

void addHtmlTable(pugi::xml_node Body, const Section &Part, const View &V) {
  const bool Sites = Part.What == By::Site, Stacks = Part.What == By::Stack;
  size_t More = 0;
  const auto Rows = selected(Part.Rows, V, More);
  addElement(Body, "h2", {}, "By " + std::string(Part.Name));
  if (Rows.empty()) {
    addElement(Body, "p", {}, "Nothing changed.");
    return;
  }
  pugi::xml_node Whole = addElement(Body, "table");
  pugi::xml_node Titles = addElement(addElement(Whole, "thead"), "tr");
  addElement(Titles, "th", {{"class", "n"}}, Part.Name);
  if (Sites || Stacks)
    addElement(Titles, "th", {{"class", "n"}}, "type");
  if (Sites)
    addElement(Titles, "th", {{"class", "n"}}, "where");
  for (const char *Title :
       {"", "old bytes", "new bytes", "change", "old blocks", "new blocks",
        "change", "live change"})
    addElement(Titles, "th", {}, Title);
  if (Part.Peaks)
    addElement(Titles, "th", {}, "peak change");
  pugi::xml_node Lines = addElement(Whole, "tbody");
  for (const DiffRow *R : Rows) {
    const Counts &Old = R->Old.Median, &New = R->New.Median;
    Style Plain;
    Plain.Unicode = true;
    pugi::xml_node Line = addElement(Lines, "tr");
    if (R->noise())
      Line.append_attribute("class").set_value("noise");
    addElement(addElement(Line, "td", {{"class", "n"}}), "code",
               {{"title", R->Name}},
               Stacks ? stackLine(Plain, functionsOf(*R)) : titleOf(*R));
    if (Sites || Stacks)
      addElement(addElement(Line, "td", {{"class", "n"}}), "code", {},
                 R->Blocks);
    if (Sites)
      addElement(Line, "td", {{"class", "n"}}, locationText(*R, true));
    addElement(Line, "td", {}, wordOf(*R));
    const Change Bytes = change(Old.allocatedBytes(), New.allocatedBytes());
    const Change Blocks = change(Old.allocations(), New.allocations());
    const Change Live = change(Old.liveBytes(), New.liveBytes());
    addCell(Line, Old.allocatedBytes(), humanBytes(Old.allocatedBytes()));
    addCell(Line, New.allocatedBytes(), humanBytes(New.allocatedBytes()));
    addCell(Line, Bytes, humanBytesDelta(Bytes), true);
    addCell(Line, Old.allocations(), humanCount(Old.allocations()));
    addCell(Line, New.allocations(), humanCount(New.allocations()));
    addCell(Line, Blocks, humanCountDelta(Blocks), true);
    addCell(Line, Live, humanBytesDelta(Live), true);
    if (!Part.Peaks)
      continue;
    const Change Peak = peakChange(*R);
    addCell(Line, Peak, humanBytesDelta(Peak), true);
  }
  if (More > 0)
    addElement(Body, "p", {}, fmt::format("and {} more", More));
}

std::string runsText(const Diff &D) {
  return D.OldRuns == 1 && D.NewRuns == 1
             ? ""
             : fmt::format("medians of {} and {} runs", D.OldRuns, D.NewRuns);
}

/// The table of a section, without rows.
Table columnsOf(const Section &Part, const Style &S) {
  const bool Sites = Part.What == By::Site, Stacks = Part.What == By::Stack;
  Table T;
  if (!Stacks)
    T.column({.Title = Part.Name,
              .Right = false,
              .Flexible = true,
              .With = Paint::Bold,
              .Fit = Sites ? fitSignature : shortenName,
              // Lines distinguish overloads.
              .Essential = Sites ? withoutParameters : nullptr});
  else
    T.column({"type", false, false, 0, Paint::Bold});
  if (Sites) {
    T.column({.Title = "where",
              .Right = false,
              .Flexible = true,
              .Importance = 1,
              .Fit = fitMoved,
              .Narrowest = 18,
              .Widest = std::max<size_t>(S.Width / 3, 16),
              .Names = true});
    T.column({.Title = "type",
              .Right = false,
              .Importance = 3,
              .Fit = shortenName,
              .Widest = std::max<size_t>(S.Width / 5, 10),
              .Names = true});
  }
  T.column({"", false, false, 1, Paint::Yellow});
  T.column({"allocated"});
  T.column({"change"});
  T.column({.Title = "", .Importance = 2, .Called = "per cent"});
  T.column({"blocks", true, false, 3});
  T.column({"change", true, false, 4});
  T.column({"live", true, false, 6});
  if (Part.Peaks)
    T.column({"peak", true, false, 5});
  if (Stacks)
    T.column({"stack", false, true, 0, Paint::None, fitStack});
  return T;
}

} // namespace

std::string printDiffText(const Diff &D, const View &V, const Style &S) {
  std::string Out;
  if (const std::string Runs = runsText(D); !Runs.empty())
    Out += paint(S, Paint::Dim, Runs) + '\n';
  Table Sums;
  constexpr size_t kLabel = 16; // fits `temporary blocks`
  Sums.column({"", false, true, 0, Paint::None, cutEnd, kLabel});
  Sums.column({"old", true, false, 1});
  for (const char *Title : {"new", "change"})
    Sums.column({Title});
  Sums.column({"", true, false, 2});
  for (const TotalRow &R : totalRows(D))
    Sums.row({R.Name, R.Old, R.New, R.Change, R.Percent});
  Out += Sums.render(S);
  bool AnyRow = false;
  for (const Section &Part : sectionsOf(D, V, true)) {
    const bool Sites = Part.What == By::Site, Stacks = Part.What == By::Stack;
    Table T = columnsOf(Part, S);
    size_t More = 0;
    for (const DiffRow *R : selected(Part.Rows, V, More)) {
      const Counts &Old = R->Old.Median, &New = R->New.Median;
      std::vector<std::string> Cells = {
          printable(S, Stacks ? R->Blocks : titleOf(*R))};
      if (Sites) {
        Cells.push_back(printable(S, locationText(*R, S.Unicode)));
        Cells.push_back(printable(S, R->Blocks));
      }
      Cells.insert(
          Cells.end(),
          {std::string(wordOf(*R)), humanBytes(New.allocatedBytes()),
           humanBytesDelta(change(Old.allocatedBytes(), New.allocatedBytes())),
           percentOf(Old.allocatedBytes(), New.allocatedBytes()),
           humanCount(New.allocations()),
           humanCountDelta(change(Old.allocations(), New.allocations())),
           humanBytesDelta(change(Old.liveBytes(), New.liveBytes()))});
      if (Part.Peaks)
        Cells.push_back(humanBytesDelta(peakChange(*R)));
      if (Stacks)
        Cells.push_back(stackLine(S, functionsOf(*R)));
      T.row(std::move(Cells));
    }
    if (Stacks && Part.Rows.empty())
      Out += "\nno call stacks in these traces (record with stacks=16)\n";
    if (T.empty())
      continue;
    AnyRow = true;
    Out += '\n' + T.render(S);
    if (More > 0)
      Out += moreRows(S, More, "row") + '\n';
  }
  if (!AnyRow)
    Out += std::ranges::all_of(totalRows(D), &TotalRow::Same)
               ? "\nnothing changed\n"
               : "\nnothing else changed\n";
  return Out;
}

std::string printDiffJson(const Diff &D, const View &V, bool Named) {
  Json Out;
  Out["schema"] = "inmem-diff/1";
  Out["runs"] = {{"old", D.OldRuns}, {"new", D.NewRuns}};
  Out["totals"] = {{"old", countsOf(D.Old)}, {"new", countsOf(D.New)}};
  for (const Section &Part : sectionsOf(D, V, Named)) {
    Out[Part.Key] = Json::array();
    for (const DiffRow &R : Part.Rows) {
      if (!R.changed())
        continue;
      Json Row;
      Row[Part.Name] = R.Name;
      if (Part.What != By::Type)
        Row["type"] = orNull(R.Type);
      Row["name"] = Part.What == By::Type ? titleOf(R) : R.Blocks;
      if (Part.What == By::Site)
        Row["places"] = {{"old", locationsJson(R.Old)},
                         {"new", locationsJson(R.New)}};
      if (Part.What == By::Stack)
        Row["frames"] = {{"old", framesJson(R.Old)},
                         {"new", framesJson(R.New)}};
      Row["noise"] = R.noise();
      Row["old"] = countsOf(R.Old);
      Row["new"] = countsOf(R.New);
      Out[Part.Key].push_back(std::move(Row));
    }
  }
  return jsonText(Out);
}

std::string printDiffHtml(const Diff &D, const View &V) {
  pugi::xml_document Document;
  pugi::xml_node Page = addElement(Document, "html", {{"lang", "en"}});
  pugi::xml_node Head = addElement(Page, "head");
  addElement(Head, "meta", {{"charset", "utf-8"}});
  addElement(Head, "title", {}, "inmem diff");
  addElement(Head, "style", {}, kStyle);
  pugi::xml_node Body = addElement(Page, "body");
  addElement(Body, "h1", {}, "inmem diff");
  addElement(Body, "p", {}, runsText(D));
  pugi::xml_node Sums = addElement(Body, "table");
  pugi::xml_node Titles = addElement(addElement(Sums, "thead"), "tr");
  addElement(Titles, "th", {{"class", "n"}}, "");
  for (const char *Title : {"old", "new", "change", ""})
    addElement(Titles, "th", {}, Title);
  pugi::xml_node Lines = addElement(Sums, "tbody");
  for (const TotalRow &R : totalRows(D)) {
    pugi::xml_node Line = addElement(Lines, "tr");
    addElement(Line, "td", {{"class", "n"}}, R.Name);
    for (const std::string &Figure : {R.Old, R.New, R.Change, R.Percent})
      addElement(Line, "td", {}, Figure);
  }
  for (const Section &Part : sectionsOf(D, V, true))
    addHtmlTable(Body, Part, V);
  addScript(Body, kScript);
  return written(Document, Dialect::Html);
}

} // namespace inmem::report
