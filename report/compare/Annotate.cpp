//===- Annotate.cpp - A source file with figures in the margin ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/LineFigures.h"

#include "report/base/LineMap.h"
#include "report/base/Units.h"
#include "report/formats/Reports.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

std::string bytesOf(const Counts &C, bool There) {
  return There ? humanBytes(C.allocatedBytes()) : "-";
}

std::string blocksOf(const Counts &C, bool There) {
  return There ? humanCount(C.allocations()) : "-";
}

bool changed(const LineChange &L) {
  return L.Old.AllocatedBytes != L.New.AllocatedBytes ||
         L.Old.Allocations != L.New.Allocations;
}

bool grew(const LineChange &L) {
  return std::pair(L.New.AllocatedBytes, L.New.Allocations) >
         std::pair(L.Old.AllocatedBytes, L.Old.Allocations);
}

/// `gone`, `new`, or the change of bytes or, without one, of blocks.
std::string changeOf(const LineChange &L) {
  if (!L.IsThere)
    return "gone";
  if (!L.WasThere)
    return "new";
  if (!changed(L))
    return "=";
  const auto Of = [](uint64_t Old, uint64_t New) {
    return static_cast<__int128>(New) - static_cast<__int128>(Old);
  };
  return L.Old.AllocatedBytes != L.New.AllocatedBytes
             ? humanBytesDelta(Of(L.Old.AllocatedBytes, L.New.AllocatedBytes))
             : humanCountDelta(Of(L.Old.Allocations, L.New.Allocations)) +
                   " blocks";
}

/// Lines to print, from 1, in order; 0 between two that are not neighbours.
std::vector<uint32_t> shownLines(const AnnotatedFile &Of, size_t Count) {
  std::vector<uint32_t> Out;
  for (uint32_t Line = 1; Line <= Count; ++Line) {
    if (Of.Context) {
      const auto From =
          Of.Lines.lower_bound(Line - std::min(Line, *Of.Context));
      if (From == Of.Lines.end() || From->first > Line + *Of.Context)
        continue;
      if (!Out.empty() && Out.back() + 1 != Line)
        Out.push_back(0);
    }
    Out.push_back(Line);
  }
  return Out;
}

std::string withoutTabs(std::string_view Line) {
  std::string Out;
  for (const char C : Line)
    Out += C == '\t' ? std::string("    ") : std::string(1, C);
  return Out;
}

constexpr size_t kFigure = 9, kChange = 12;

/// The margin of a line: bytes before and now, and the change.
std::string marginOf(const LineChange *L) {
  const auto Cell = [](const std::string &Text, size_t Width) {
    return std::string(Width - std::min(Width, displayWidth(Text)), ' ') + Text;
  };
  if (!L)
    return std::string(2 * (kFigure + 1) + kChange, ' ');
  return Cell(bytesOf(L->Old, L->WasThere), kFigure) + ' ' +
         Cell(bytesOf(L->New, L->IsThere), kFigure) + ' ' +
         Cell(changeOf(*L), kChange);
}

const LineChange *at(const AnnotatedFile &Of, uint32_t Line) {
  const auto Found = Of.Lines.find(Line);
  return Found == Of.Lines.end() ? nullptr : &Found->second;
}

std::string bodyOf(const AnnotatedFile &Of, const Style &S) {
  const std::vector<std::string_view> Text = linesOf(Of.Text);
  std::string Out;
  for (const uint32_t Line : shownLines(Of, Text.size())) {
    if (Line == 0) {
      Out += marginOf(nullptr) + (S.Unicode ? "     ⋮\n" : "     :\n");
      continue;
    }
    const LineChange *L = at(Of, Line);
    const Paint With = !L || !changed(*L) ? Paint::None
                       : grew(*L)         ? Paint::Red
                                          : Paint::Green;
    const std::string Number =
        fmt::format("{:>6} {} ", Line, S.Unicode ? "│" : "|");
    std::string Margin = marginOf(L);
    const size_t Used = displayWidth(Margin) + displayWidth(Number);
    std::string Code = printable(S, withoutTabs(Text[Line - 1]));
    Code = cutEnd(S, Code, S.Width > Used ? S.Width - Used : 1);
    std::string Row =
        fmt::format("{}{}{}", paint(S, With, Margin), Number, Code);
    while (Row.ends_with(' '))
      Row.pop_back();
    (Out += Row) += '\n';
  }
  return Out;
}

} // namespace

std::string annotateText(const AnnotatedFile &Of, const Style &S) {
  std::string Out = paint(S, Paint::Bold, printable(S, Of.Name)) + '\n';
  if (Of.Lines.empty())
    return Out + "no line of this file allocated in either run\n";
  Out += fmt::format("{:>{}} {:>{}} {:>{}}\n", "old", kFigure, "new", kFigure,
                     "change", kChange);
  return Out + bodyOf(Of, S);
}

std::string annotateMarkdown(const AnnotatedFile &Of) {
  constexpr size_t kLongest = 80;
  std::string Out = "### " + markdownCode(Of.Name, kLongest) + "\n\n";
  if (Of.Lines.empty())
    return Out + "No line of this file allocated in either run.\n";
  Out += "| line | old | new | change | blocks | |\n"
         "| --: | --: | --: | --: | --: | --- |\n";
  for (const auto &[Line, L] : Of.Lines)
    Out += fmt::format(
        "| {} | {} | {} | {}{} | {} → {} | {} |\n", Line,
        bytesOf(L.Old, L.WasThere), bytesOf(L.New, L.IsThere),
        !changed(L) ? ""
        : grew(L)   ? "🔺 "
                    : "🔽 ",
        changeOf(L), blocksOf(L.Old, L.WasThere), blocksOf(L.New, L.IsThere),
        markdownCode(L.Blocks.empty() ? std::string() : L.Blocks[0], kLongest) +
            (L.Blocks.size() > 1
                 ? fmt::format(" and {} more", L.Blocks.size() - 1)
                 : std::string()));
  // A fence that is longer than any in the source.
  std::string Fence = "```";
  while (Of.Text.find(Fence) != std::string::npos)
    Fence += '`';
  Style S;
  S.Width = 160;
  return Out + "\n" + Fence + "text\n" + bodyOf(Of, S) + Fence + "\n";
}

} // namespace inmem::report
