//===- Table.cpp - Fitting columns ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Table.h"

#include "report/text/ApartNames.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utf8proc.h>
#include <utility>

namespace inmem::report {

std::string paint(const Style &S, Paint With, std::string_view Text) {
  if (!S.Colour || With == Paint::None || Text.empty())
    return std::string(Text);
  const char *Code = "";
  switch (With) {
  case Paint::None:
    break;
  case Paint::Bold:
    Code = "1";
    break;
  case Paint::Dim:
    Code = "2";
    break;
  case Paint::Cyan:
    Code = "36";
    break;
  case Paint::Yellow:
    Code = "33";
    break;
  case Paint::Red:
    Code = "31";
    break;
  case Paint::Green:
    Code = "32";
    break;
  }
  return std::string("\x1b[") + Code + 'm' + std::string(Text) + "\x1b[0m";
}

namespace {

/// The next code point of Text at At, which is advanced by its bytes; -1 and
/// one byte for invalid UTF-8.
utf8proc_int32_t nextCodePoint(std::string_view Text, size_t &At) {
  utf8proc_int32_t Code = -1;
  const auto Bytes = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t *>(Text.data()) + At,
      static_cast<utf8proc_ssize_t>(Text.size() - At), &Code);
  At += Bytes > 0 ? static_cast<size_t>(Bytes) : 1;
  return Bytes > 0 ? Code : -1;
}

/// Columns of a terminal.
size_t widthOf(utf8proc_int32_t Code) {
  return Code < 0 ? 1 : static_cast<size_t>(utf8proc_charwidth(Code));
}

/// True for characters that control a terminal or are invisible, such as an
/// escape or a change of direction (Unicode's classes Cc, Cf, Cs, Zl and Zp).
bool isControl(utf8proc_int32_t Code) {
  switch (utf8proc_category(Code)) {
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return true;
  default:
    return false;
  }
}

} // namespace

size_t displayWidth(std::string_view Text) {
  size_t Width = 0;
  for (size_t At = 0; At < Text.size();)
    Width += widthOf(nextCodePoint(Text, At));
  return Width;
}

std::string printable(const Style &S, std::string_view Text) {
  std::string Out;
  for (size_t At = 0; At < Text.size();) {
    const size_t Start = At;
    const utf8proc_int32_t Code = nextCodePoint(Text, At);
    if (Code < 0 || isControl(Code) || (Code >= 0x80 && !S.Unicode))
      Out += '?';
    else
      Out += Text.substr(Start, At - Start);
  }
  return Out;
}

std::string cutEnd(const Style &S, std::string_view Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  const std::string_view Gap = S.Unicode ? "…" : "..";
  const size_t Room = Width - std::min(Width, displayWidth(Gap));
  size_t At = 0, Used = 0;
  for (size_t Next = 0; At < Text.size(); At = Next) {
    Used += widthOf(nextCodePoint(Text, Next));
    if (Used > Room)
      break;
  }
  return Room == 0 ? std::string(Width, '.')
                   : std::string(Text.substr(0, At)) + std::string(Gap);
}

static constexpr size_t kGap = 2; // between columns

void Table::column(Column C) {
  using Fitting = std::string (*)(const Style &, std::string_view, size_t);
  const auto *Fit = C.Fit.target<Fitting>();
  if (!C.Apart && Fit && *Fit == shortenName)
    C.Apart = apartNames;
  Columns.push_back(std::move(C));
}

void Table::narrow(Layout &L, size_t TooMuch, bool BelowLeast) const {
  for (; TooMuch > 0; --TooMuch) {
    size_t Widest = Columns.size();
    for (size_t I = 0; I < Columns.size(); ++I)
      if (L.Shown[I] && Columns[I].Flexible &&
          L.Widths[I] > (BelowLeast ? 1 : Columns[I].Narrowest) &&
          (Widest == Columns.size() || L.Widths[I] > L.Widths[Widest]))
        Widest = I;
    if (Widest == Columns.size())
      return;
    --L.Widths[Widest];
  }
}

size_t Table::namesIn(const std::vector<bool> &Shown,
                      const CellRows &Of) const {
  std::set<std::vector<std::string_view>> Names;
  for (const auto &Row : Of) {
    std::vector<std::string_view> Name;
    for (size_t I = 0; I < Columns.size(); ++I)
      if (const Column &C = Columns[I];
          Shown[I] && (C.Names || (C.Importance == 0 && !C.Right)))
        Name.push_back(C.Essential ? C.Essential(Row[I]) : Row[I]);
    Names.insert(std::move(Name));
  }
  return Names.size();
}

Table::Layout Table::layOut(const Style &S, unsigned Indent,
                            size_t Dropped) const {
  Layout L;
  L.Shown.assign(Columns.size(), true);
  for (size_t I = 0; I < Columns.size(); ++I) {
    L.Widths.push_back(displayWidth(Columns[I].Title));
    for (const auto &Row : Rows)
      L.Widths[I] = std::max(L.Widths[I], displayWidth(Row[I]));
    if (Columns[I].Widest > 0)
      L.Widths[I] =
          std::min(L.Widths[I],
                   std::max(Columns[I].Widest, displayWidth(Columns[I].Title)));
    // More than a line would not help.
    if (Columns[I].Flexible)
      L.Widths[I] = std::min<size_t>(
          L.Widths[I], std::max<size_t>(S.Width, Columns[I].Narrowest));
  }
  const size_t Room = S.Width > Indent ? S.Width - Indent : 1;
  const auto Needed = [&](bool Least) {
    size_t Sum = 0, Count = 0;
    for (size_t I = 0; I < Columns.size(); ++I)
      if (L.Shown[I]) {
        Sum += Least && Columns[I].Flexible
                   ? std::min(L.Widths[I], Columns[I].Narrowest)
                   : L.Widths[I];
        ++Count;
      }
    return Count == 0 ? 0 : Sum + (Count - 1) * kGap;
  };
  L.Wanted = Needed(true) + Indent;
  std::vector<bool> Kept(Columns.size(), false);
  const auto DropUntilItFits = [&] {
    size_t Left = Dropped;
    while (Needed(true) > Room || Left > 0) {
      Left -= Left > 0;
      size_t Drop = Columns.size();
      for (size_t I = 0; I < Columns.size(); ++I)
        if (L.Shown[I] && !Kept[I] && Columns[I].Importance > 0 &&
            (Drop == Columns.size() ||
             Columns[I].Importance > Columns[Drop].Importance))
          Drop = I;
      if (Drop == Columns.size())
        break;
      L.Shown[Drop] = false;
    }
  };
  DropUntilItFits();
  // Figures are dropped before the columns that distinguish rows.
  for (size_t I = 0; I < Columns.size(); ++I) {
    if (L.Shown[I] || !Columns[I].Names)
      continue;
    std::vector<bool> With = L.Shown;
    With[I] = true;
    if (namesIn(With, Rows) == namesIn(L.Shown, Rows))
      continue;
    Kept[I] = true;
    std::vector<bool> Without =
        std::exchange(L.Shown, std::vector<bool>(Columns.size(), true));
    DropUntilItFits();
    if (Needed(true) > Room) {
      Kept[I] = false;
      L.Shown = std::move(Without);
    }
  }
  for (const bool BelowLeast : {false, true})
    if (const size_t All = Needed(false); All > Room)
      narrow(L, All - Room, BelowLeast);
  return L;
}

/// The start of the file name in a text that ends in a file with its line,
/// because `…872` is not a location. The end of other texts.
static size_t fileIn(std::string_view Text) {
  const size_t Size = Text.size();
  while (Text.ends_with(')') && Text.rfind(" (") != std::string_view::npos)
    Text = Text.substr(0, Text.rfind(" (")); // strip (inlined), (recursive)
  size_t Colon = std::string_view::npos;
  for (size_t At = Text.rfind(':'); // before the line, or line and column
       At != std::string_view::npos && At > 0 && At + 1 < Text.size() &&
       Text.substr(At + 1).find_first_not_of("0123456789") ==
           std::string_view::npos;
       At = Text.rfind(':')) {
    Colon = At;
    Text = Text.substr(0, At);
  }
  if (Colon == std::string_view::npos)
    return Size;
  const size_t Front = Text.find_last_of("/ ");
  return Front == std::string_view::npos ? 0 : Front + 1;
}

/// The end of the common prefix of Some, at the beginning of a name.
static size_t sharedFront(const std::vector<std::string_view> &Some) {
  size_t End = Some[0].size();
  for (const std::string_view Text : Some)
    End = static_cast<size_t>(
        std::ranges::mismatch(Some[0].substr(0, End), Text).in1 -
        Some[0].begin());
  for (const std::string_view Text : Some)
    End = std::min(End, fileIn(Text));
  while (End > 0 && std::string_view(":< ,(/").find(Some[0][End - 1]) ==
                        std::string_view::npos)
    --End;
  return End;
}

/// True if all brackets that are closed in \p Text are opened in it.
static bool isBalanced(std::string_view Text) {
  int Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '<' || C == '(')
      ++Depth;
    else if (C == ')' || (C == '>' && (I == 0 || Text[I - 1] != '-')))
      if (--Depth < 0)
        return false;
  }
  return true;
}

/// Text that rows share is cut first: `shared_ptr<…sinks::A>` next to
/// `…sinks::B>`. May be wider than Width.
static std::string cutFront(const Style &S, std::string_view Text, size_t Front,
                            size_t Width) {
  const std::string Gap = S.Unicode ? "…" : "..";
  const std::string_view Shared = Text.substr(0, Front);
  std::string Head;
  bool IsWhole = false; // Head is all of the front
  for (const std::string_view End : {" ← ", " <- ", "<"})
    if (const size_t At = Shared.find(End);
        Head.empty() && At != std::string_view::npos) {
      Head = withoutStd(std::string(Shared.substr(0, At + End.size())));
      IsWhole = At + End.size() == Front;
    }
  // The last name of a stack's innermost function, or of a template, is
  // enough.
  if (const size_t Last = Head.rfind("::");
      displayWidth(Head) * 2 > Width && Last != Head.npos)
    Head = Gap + Head.substr(Last + 2);
  if (displayWidth(Head) * 2 > Width)
    Head.clear();
  // `…true>` is not a name.
  if (Head.empty() && !isBalanced(Text.substr(Front)))
    return shortenName(S, Text, Width);
  return Head + (IsWhole && !Head.empty() ? std::string() : Gap) +
         std::string(Text.substr(Front));
}

/// Groups rows that read the same, together with earlier groups that now do.
static std::vector<std::vector<size_t>>
equalRows(const std::vector<std::string> &Texts,
          const std::vector<std::vector<size_t>> &Before) {
  std::map<std::string_view, std::set<size_t>> Equal;
  for (size_t Row = 0; Row < Texts.size(); ++Row)
    Equal[Texts[Row]].insert(Row);
  std::vector<std::vector<size_t>> Out;
  for (auto &[Text, Same] : Equal) {
    for (const auto &Group : Before)
      if (std::ranges::any_of(Group, [&](size_t I) { return Same.count(I); }))
        Same.insert(Group.begin(), Group.end());
    if (Same.size() > 1)
      Out.emplace_back(Same.begin(), Same.end());
  }
  return Out;
}

static size_t distinct(const std::vector<std::string> &Of) {
  return std::set(Of.begin(), Of.end()).size();
}

std::vector<std::string>
Table::madeDistinct(const Style &S, const Column &Of,
                    const std::vector<std::string_view> &Cells,
                    size_t Width) const {
  const size_t Front = sharedFront(Cells);
  std::vector<std::string> Cut;
  bool Whole = true;
  for (const std::string_view Cell : Cells) {
    Cut.push_back(cutFront(S, Cell, Front, Width));
    Whole = Whole && displayWidth(Cut.back()) <= Width;
    // The beginning of a path carries no information.
    if (const size_t Path = Cut.back().find("  /");
        displayWidth(Cut.back()) > Width && Path != std::string::npos)
      Cut.back().resize(Path);
    Cut.back() = cutEnd(S, Cut.back(), Width);
  }
  const size_t Wanted = std::set(Cells.begin(), Cells.end()).size();
  const bool Good = Front > 0 && distinct(Cut) > 1;
  if (Of.Apart && !(Good && Whole && distinct(Cut) == Wanted)) {
    std::vector<std::string> Apart = Of.Apart(S, Cells, Width);
    if (distinct(Apart) > 1 && (!Good || distinct(Apart) >= distinct(Cut)))
      return Apart;
  }
  return Good ? Cut : std::vector<std::string>();
}

/// The spaces before a cell, and the arrow after them: `  → `.
static size_t leadOf(std::string_view Cell) {
  size_t End = std::min(Cell.find_first_not_of(' '), Cell.size());
  for (const std::string_view Arrow : {"→ ", "> "})
    if (Cell.substr(End).starts_with(Arrow))
      End += Arrow.size();
  return End;
}

/// For each line of a tree, the row of its parent; 0 for roots, and for all
/// lines if it is not a tree. Rows are counted from 1.
static std::vector<size_t> parentsOf(const std::vector<std::string_view> &Cells,
                                     bool IsTree) {
  std::vector<size_t> Out(Cells.size());
  std::vector<std::pair<size_t, size_t>> Open; // depth, row
  for (size_t I = 0; IsTree && I < Cells.size(); ++I) {
    const size_t Depth = displayWidth(Cells[I].substr(0, leadOf(Cells[I])));
    while (!Open.empty() && Open.back().first >= Depth)
      Open.pop_back();
    Out[I] = Open.empty() ? 0 : Open.back().second;
    Open.emplace_back(Depth, I + 1);
  }
  return Out;
}

std::vector<std::string> Table::fitted(const Style &S, size_t Column,
                                       size_t Width) const {
  const struct Column &Of = Columns[Column];
  std::vector<std::string> Out, Keys;
  std::vector<std::string_view> Whole;
  std::vector<size_t> Leads;
  for (const auto &Row : Rows) {
    const std::string &Cell = Row[Column];
    Whole.emplace_back(Cell);
    Leads.push_back(Of.Tree ? leadOf(Cell) : 0);
    const std::string Lead = Cell.substr(0, Leads.back());
    const size_t Room = Width - std::min(Width, displayWidth(Lead));
    Out.push_back(displayWidth(Cell) > Width && Of.Fit
                      ? Lead + Of.Fit(S, Cell.substr(Lead.size()),
                                      std::max<size_t>(Room, 1))
                      : Cell);
    Out.back() = cutEnd(S, Out.back(), Width);
  }
  if (Of.Level)
    Of.Level(S, Whole, Out, Width);
  if (!Of.Fit)
    return Out;
  const std::vector<size_t> Parents = parentsOf(Whole, Of.Tree);
  std::vector<std::vector<size_t>> Groups;
  // Rows of two groups may read the same after the first step.
  for (int Step = 0; Step < 2; ++Step) {
    Keys = Out;
    for (size_t I = 0; I < Keys.size(); ++I)
      Keys[I] += '\n' + std::to_string(Parents[I]);
    Groups = equalRows(Keys, Groups);
    for (const std::vector<size_t> &Same : Groups) {
      std::vector<std::string_view> Cells;
      Cells.reserve(Same.size());
      const std::string Lead(Whole[Same[0]].substr(0, Leads[Same[0]]));
      for (const size_t I : Same)
        Cells.emplace_back((Of.Essential ? Of.Essential(Whole[I]) : Whole[I])
                               .substr(Leads[I]));
      if (std::set(Cells.begin(), Cells.end()).size() < 2 ||
          Width <= displayWidth(Lead))
        continue;
      std::vector<std::string> Now =
          madeDistinct(S, Of, Cells, Width - displayWidth(Lead));
      for (size_t I = 0; I < Now.size(); ++I)
        Out[Same[I]] = Lead + Now[I];
    }
  }
  return Out;
}

Table::CellRows Table::fittedRows(const Style &S, const Layout &L) const {
  CellRows Cells = Rows;
  for (size_t I = 0; I < Columns.size(); ++I)
    if (L.Shown[I]) {
      std::vector<std::string> Fit = fitted(S, I, L.Widths[I]);
      for (size_t Row = 0; Row < Rows.size(); ++Row)
        Cells[Row][I] = std::move(Fit[Row]);
    }
  return Cells;
}

void Table::widenNames(const Style &S, unsigned Indent, Layout &L,
                       CellRows &Cells) const {
  constexpr size_t kMostRows = 64; // Each try lays out all of them.
  if (Rows.size() > kMostRows || std::ranges::any_of(Columns, &Column::Tree))
    return;
  const size_t Wanted = namesIn(L.Shown, Rows);
  size_t Most = namesIn(L.Shown, Cells);
  const auto CanGo = static_cast<size_t>(std::ranges::count_if(
      Columns, [](const Column &C) { return C.Importance > 1 && !C.Names; }));
  const auto Hidden = static_cast<size_t>(std::ranges::count(L.Shown, false));
  for (size_t Drop = Hidden + 1; Most < Wanted && Drop <= CanGo; ++Drop) {
    Layout Now = layOut(S, Indent, Drop);
    CellRows Fitted = fittedRows(S, Now);
    if (const size_t Names = namesIn(Now.Shown, Fitted); Names > Most) {
      Most = Names;
      L = std::move(Now);
      Cells = std::move(Fitted);
    }
  }
}

std::string Table::line(const Style &S, const Layout &L, unsigned Indent,
                        const std::vector<std::string> &Cells,
                        bool Title) const {
  std::string Text(Indent, ' ');
  size_t Used = Indent;
  bool First = true;
  for (size_t I = 0; I < Columns.size(); ++I) {
    if (!L.Shown[I])
      continue;
    const size_t Gap = First ? 0 : kGap;
    First = false;
    if (Used + Gap >= S.Width && Used > Indent)
      break;
    const size_t Fits =
        std::min(L.Widths[I], S.Width > Used + Gap ? S.Width - Used - Gap : 1);
    std::string Cell = Cells[I];
    if (displayWidth(Cell) > Fits)
      Cell = !Title && Columns[I].Fit ? Columns[I].Fit(S, Cell, Fits) : Cell;
    Cell = cutEnd(S, Cell, Fits);
    const size_t Own = displayWidth(Cell);
    const size_t Pad = Fits > Own ? Fits - Own : 0;
    Text.append(Gap, ' ');
    if (Columns[I].Right)
      Text.append(Pad, ' ');
    Text += paint(S, Title ? Paint::Dim : Columns[I].With, Cell);
    if (!Columns[I].Right)
      Text.append(Pad, ' ');
    Used += Gap + std::max(Fits, Own);
  }
  Text.erase(Text.find_last_not_of(' ') + 1);
  return Text + '\n';
}

std::string Table::missingColumns(const Style &S, const Layout &L,
                                  unsigned Indent) const {
  std::vector<std::string> Missing;
  for (size_t I = 0; I < Columns.size(); ++I)
    if (!L.Shown[I])
      Missing.push_back(Columns[I].Called.empty() ? Columns[I].Title
                                                  : Columns[I].Called);
  if (Missing.empty())
    return {};
  const std::string More = fmt::format("{} more column{}", Missing.size(),
                                       Missing.size() == 1 ? "" : "s");
  // The most important part of the width.
  std::string Text;
  for (const std::string &Hint :
       {fmt::format("not shown: {} (at {} characters a line)",
                    fmt::join(Missing, ", "), L.Wanted),
        fmt::format("{} (at {} characters a line)", More, L.Wanted),
        fmt::format("{} at width {}", More, L.Wanted),
        fmt::format("wants width {}", L.Wanted)}) {
    Text = fmt::format("{:{}}{} {}", "", Indent, S.Unicode ? "…" : "...", Hint);
    if (displayWidth(Text) <= S.Width)
      break;
  }
  return paint(S, Paint::Dim, cutEnd(S, Text, S.Width)) + '\n';
}

std::string Table::render(const Style &S, unsigned Indent,
                          bool NameMissing) const {
  Layout L = layOut(S, Indent);
  CellRows Cells = fittedRows(S, L);
  widenNames(S, Indent, L, Cells);
  std::vector<std::string> Titles(Columns.size());
  std::ranges::transform(Columns, Titles.begin(), &Column::Title);
  std::string Out = line(S, L, Indent, Titles, true);
  for (const auto &Row : Cells)
    Out += line(S, L, Indent, Row, false);
  if (NameMissing)
    Out += missingColumns(S, L, Indent);
  return Out;
}

std::string moreRows(const Style &S, size_t Rest, std::string_view What,
                     std::string_view With, std::string_view Hint,
                     unsigned Indent) {
  std::string Text = fmt::format("{:{}}{} {} more {}", "", Indent,
                                 S.Unicode ? "…" : "...", Rest, What);
  if (Rest != 1)
    Text += What.ends_with('s') ? "es" : "s";
  for (const std::string &Part :
       {With.empty() ? std::string() : fmt::format(" with {}", With),
        Hint.empty() ? std::string() : fmt::format(" ({})", Hint)})
    if (displayWidth(Text) + displayWidth(Part) <= S.Width)
      Text += Part;
  return paint(S, Paint::Dim, cutEnd(S, Text, S.Width));
}

} // namespace inmem::report
