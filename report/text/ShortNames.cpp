//===- ShortNames.cpp - C++ names in few columns --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Table.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace inmem::report {

std::string withoutStd(std::string Text) {
  constexpr std::string_view kStd = "std::";
  for (size_t At = 0; (At = Text.find(kStd, At)) != std::string::npos;)
    if (At == 0 || !(std::isalnum(static_cast<unsigned char>(Text[At - 1])) ||
                     Text[At - 1] == '_' || Text[At - 1] == ':'))
      Text.erase(At, kStd.size());
    else
      At += kStd.size();
  return Text;
}

/// Leaves the front of Text's argument list, as much as fits into Width. False
/// if that would say nothing, or if Text has several lists side by side.
static bool cutArguments(std::string &Text, std::string_view Gap,
                         size_t Width) {
  constexpr size_t kLeast = 3; // columns that say something
  if (displayWidth(Text) <= Width)
    return true;
  const size_t From = Text.find('<') + 1, To = Text.rfind('>');
  if (From == 0 || To == std::string::npos)
    return false;
  std::string Longest;
  int Depth = 0;
  for (size_t At = From; At < To && Depth >= 0; ++At) {
    // A number that is cut is another number.
    const bool Boundary =
        (static_cast<unsigned char>(Text[At]) & 0xc0) != 0x80 &&
        !(std::isdigit(static_cast<unsigned char>(Text[At])) &&
          std::isdigit(static_cast<unsigned char>(Text[At - 1])));
    if (Boundary && Depth == 0 &&
        displayWidth(Text.substr(From, At - From)) >= kLeast) {
      std::string Cut = Text;
      Cut.replace(At, To - At, Gap);
      if (displayWidth(Cut) <= Width)
        Longest = std::move(Cut);
    }
    Depth += Text[At] == '<' ? 1 : Text[At] == '>' ? -1 : 0;
  }
  if (Depth < 0 || Longest.empty())
    return false;
  Text = std::move(Longest);
  return true;
}

/// Drops the fewest namespaces and classes in front that make it fit:
/// `…Foo::Bar`. All of them if that is not enough.
static std::string dropQualifiers(std::string_view Text, std::string_view Gap,
                                  size_t Width) {
  std::string_view Rest = Text;
  int Depth = 0;
  const auto Short = [&] {
    return Rest.size() < Text.size() ? std::string(Gap) + std::string(Rest)
                                     : std::string(Text);
  };
  for (size_t At = 0; At + 2 < Rest.size() && displayWidth(Short()) > Width;
       ++At) {
    const char C = Rest[At];
    Depth += C == '<' || C == '(' ? 1 : C == '>' || C == ')' ? -1 : 0;
    if (Depth == 0 && Rest.substr(At, 2) == "::") {
      Rest.remove_prefix(At + 2);
      At = ~size_t{0}; // Start again from the front.
    }
  }
  return Short();
}

/// `shared_ptr<Foo> object and control block` to `shared_ptr<Foo> object…`: a
/// long description after the arguments takes their room.
static void cutSuffix(std::string &Text, std::string_view Gap, size_t Width) {
  const size_t From = Text.rfind("> ");
  if (From == std::string::npos || displayWidth(Text.substr(From)) <= Width / 2)
    return;
  if (const size_t End = Text.find(' ', From + 2); End != std::string::npos)
    Text.replace(End, std::string::npos, Gap);
}

/// `run<true>(int) coroutine frame` to `run<true> coroutine frame`: a
/// function's parameters say less than its template arguments.
static void dropParameters(std::string &Text) {
  const size_t To = Text.find(") ");
  if (To == std::string::npos)
    return;
  size_t From = To;
  for (int Depth = 0; From > 0; --From) {
    Depth += Text[From] == ')' ? 1 : Text[From] == '(' ? -1 : 0;
    if (Depth == 0)
      break;
  }
  const auto Before = static_cast<unsigned char>(From ? Text[From - 1] : 0);
  if (std::isalnum(Before) || Before == '_' || Before == '>')
    Text.erase(From, To + 1 - From);
}

std::string_view frontOf(std::string_view Name) {
  constexpr size_t kMost = 2048; // bytes
  size_t End = std::min(Name.size(), kMost);
  while (End < Name.size() && End > 0 &&
         (static_cast<unsigned char>(Name[End]) & 0xc0) == 0x80)
    --End;
  return Name.substr(0, End);
}

std::string shortenName(const Style &S, std::string_view Name, size_t Width) {
  // The mark of an inferred type stays, whatever is cut.
  if (Name.starts_with('~') && Width > 1)
    return '~' + shortenName(S, Name.substr(1), Width - 1);
  std::string Text(frontOf(Name));
  const std::string Gap = S.Unicode ? "…" : "..";
  if (Text.size() < Name.size())
    Text += Gap;
  if (displayWidth(Text) > Width)
    dropParameters(Text);
  if (displayWidth(Text) > Width)
    cutSuffix(Text, Gap, Width);
  while (displayWidth(Text) > Width) {
    // The innermost argument list, of those the longest, that is not yet a
    // gap.
    size_t Best = 0, Length = 0, Deepest = 0;
    std::vector<size_t> Open;
    for (size_t I = 0; I < Text.size(); ++I) {
      if (Text[I] == '<') {
        Open.push_back(I);
      } else if (Text[I] == '>' && !Open.empty()) {
        const size_t Own = I - Open.back() - 1, Depth = Open.size();
        if (Own > displayWidth(Gap) &&
            Text.compare(Open.back() + 1, Own, Gap) != 0 &&
            (Depth > Deepest || (Depth == Deepest && Own > Length))) {
          Best = Open.back();
          Length = Own;
          Deepest = Depth;
        }
        Open.pop_back();
      }
    }
    if (Length == 0)
      return cutEnd(S, dropQualifiers(withoutStd(Text), Gap, Width), Width);
    // Two std::vector<…> say less than vector<Point> and vector<Pai…>.
    if (Deepest == 1) {
      std::string Bare = withoutStd(Text);
      if (cutArguments(Bare, Gap, Width))
        return Bare;
      // `my_std::…` keeps its own.
      if (Text.starts_with("std::"))
        Text.erase(0, 5), Best -= 5;
    }
    Text.replace(Best + 1, Length, Gap);
  }
  return Text;
}

} // namespace inmem::report
