//===- Sheet.cpp - A report while it is written, line by line -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Sheet.h"

#include <algorithm>

namespace inmem::report {

void Sheet::line(std::string_view Of) {
  Text += Of;
  Text += '\n';
}

void Sheet::title(std::string_view Of) {
  line("");
  line(paint(S, Paint::Bold, cutEnd(S, Of, S.Width)));
}

void Sheet::wrapped(const std::vector<std::string> &Parts, unsigned Indent,
                    Paint Color) {
  std::string Line(Indent, ' ');
  size_t Used = Indent;
  bool First = true;
  for (const std::string &Part : Parts) {
    const std::string Fit =
        cutEnd(S, Part, S.Width > Indent ? S.Width - Indent : 1);
    const size_t Own = displayWidth(Fit);
    if (!First && Used + 3 + Own > S.Width) {
      line(paint(S, Color, Line));
      Line.assign(Indent, ' ');
      Used = Indent;
      First = true;
    }
    if (!First) {
      Line += dot(S);
      Used += 3;
    }
    Line += Fit;
    Used += Own;
    First = false;
  }
  line(paint(S, Color, Line));
}

void Sheet::paragraph(std::string_view Of, size_t Indent, std::string_view Lead,
                      Paint Color) {
  const size_t Room = S.Width > Indent + 2 ? S.Width - Indent : 2;
  const std::string Whole = printable(S, Of);
  std::string Before(Lead);
  Before.resize(Indent, ' ');
  std::string_view Rest = Whole;
  while (!Rest.empty()) {
    size_t Cut = Rest.size();
    if (displayWidth(Rest) > Room) {
      // The last space before which the text fits.
      Cut = Rest.rfind(' ');
      while (Cut != std::string_view::npos && Cut > 0 &&
             displayWidth(Rest.substr(0, Cut)) > Room)
        Cut = Rest.rfind(' ', Cut - 1);
      if (Cut == std::string_view::npos || Cut == 0)
        Cut = std::min(Rest.find(' '), Rest.size());
    }
    line(paint(S, Color, Before + cutEnd(S, Rest.substr(0, Cut), Room)));
    Before.assign(Indent, ' ');
    Rest.remove_prefix(Cut);
    while (Rest.starts_with(' '))
      Rest.remove_prefix(1);
  }
}

void Sheet::table(const Table &Of, unsigned Indent) {
  Text += Of.render(S, Indent);
}

void Sheet::more(size_t Rest, std::string_view What, std::string_view With,
                 std::string_view Hint, unsigned Indent) {
  if (Rest > 0)
    line(moreRows(S, Rest, What, With, Hint, Indent));
}

void Sheet::moveBack(size_t Last, size_t To) {
  std::rotate(Text.begin() + static_cast<ptrdiff_t>(To),
              Text.begin() + static_cast<ptrdiff_t>(Last), Text.end());
}

} // namespace inmem::report
