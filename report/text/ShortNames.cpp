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

/// Keeps the front of Text's argument list that fits into Width: whole words if
/// it has several, otherwise the beginning of one. False if that would have no
/// meaning, or if Text has several lists next to each other.
static bool cutArguments(std::string &Text, std::string_view Gap,
                         size_t Width) {
  constexpr size_t kLeast = 3; // minimum meaningful width
  if (displayWidth(Text) <= Width)
    return true;
  const size_t From = Text.find('<') + 1, To = Text.rfind('>');
  if (From == 0 || To == std::string::npos)
    return false;
  std::string Longest, LongestWhole;
  int Depth = 0;
  for (size_t At = From; At < To && Depth >= 0; ++At) {
    // A cut number is a different number.
    const bool Boundary =
        (static_cast<unsigned char>(Text[At]) & 0xc0) != 0x80 &&
        !(std::isdigit(static_cast<unsigned char>(Text[At])) &&
          std::isdigit(static_cast<unsigned char>(Text[At - 1])));
    const std::string_view Kept =
        std::string_view(Text).substr(From, At - From);
    if (Boundary && Depth == 0 && displayWidth(Kept) >= kLeast) {
      std::string Cut = Text;
      // Two adjacent gaps mean the same as one.
      Cut.replace(At, To - At, Kept.ends_with(Gap) ? std::string_view() : Gap);
      const bool Whole =
          Kept.ends_with(", ") || Text[At] == '<' || Text[At] == ',';
      if (displayWidth(Cut) <= Width)
        (Whole ? LongestWhole : Longest) = std::move(Cut);
    }
    Depth += Text[At] == '<' ? 1 : Text[At] == '>' ? -1 : 0;
  }
  if (!LongestWhole.empty())
    Longest = std::move(LongestWhole);
  if (Depth < 0 || Longest.empty())
    return false;
  Text = std::move(Longest);
  return true;
}

/// Drops namespaces before template arguments until \p Text fits, one at a time
/// from the argument that has most of them: `vector<…detail::Price>`, then
/// `vector<…Price>`.
static void dropInnerQualifiers(std::string &Text, std::string_view Gap,
                                size_t Width) {
  while (displayWidth(Text) > Width) {
    // The start of the argument with the longest qualifiers, and the end of the
    // first of them.
    size_t Best = 0, BestEnd = 0, Longest = 0;
    size_t Start = 0, FirstEnd = 0, Depth = 0;
    for (size_t At = 0; At < Text.size(); ++At) {
      const char C = Text[At];
      if (C == '<' || (C == ',' && Depth > 0)) {
        Depth += C == '<';
        Start = At + (C == '<' ? 1 : 2);
        FirstEnd = 0;
      } else if (C == '>') {
        Depth -= Depth > 0;
        Start = 0; // The next argument follows a comma.
      } else if (C == '(' || C == ')') {
        Start = 0;
      } else if (C == ':' && Start > 0 && At + 2 < Text.size() &&
                 Text[At + 1] == ':') {
        FirstEnd = FirstEnd ? FirstEnd : At + 2;
        if (At + 2 - Start > Longest + Gap.size()) {
          Longest = At + 2 - Start;
          Best = Start;
          BestEnd = FirstEnd;
        }
        ++At;
      }
    }
    if (Longest == 0)
      return;
    Text.replace(Best, BestEnd - Best, Gap);
  }
}

/// Drops the fewest leading namespaces and classes that make it fit:
/// `…Foo::Bar`; all of them if that is not enough.
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

/// Turns `shared_ptr<Foo> object and control block` into `shared_ptr<Foo>
/// object…`: a long description takes the room of the arguments before it.
static void cutSuffix(std::string &Text, std::string_view Gap, size_t Width) {
  const size_t From = Text.rfind("> ");
  if (From == std::string::npos || displayWidth(Text.substr(From)) <= Width / 2)
    return;
  if (const size_t End = Text.find(' ', From + 2); End != std::string::npos)
    Text.replace(End, std::string::npos, Gap);
}

/// Turns `run<true>(int) coroutine frame` into `run<true> coroutine frame`: a
/// function's parameters matter less than its template arguments.
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
  // The mark of an inferred type is always kept.
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
    // The innermost argument list that is not yet a gap; of several, the
    // longest.
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
    // Two std::vector<…> tell less than vector<Point> and vector<Pai…>.
    if (Deepest == 1) {
      std::string Bare = withoutStd(Text);
      dropInnerQualifiers(Bare, Gap, Width);
      // The rest of a description is dropped before the argument's name.
      if (const size_t Rest = Bare.rfind("> "); displayWidth(Bare) > Width &&
                                                Rest != Bare.npos &&
                                                Bare.ends_with(Gap))
        Bare.replace(Rest + 1, Bare.npos, Gap);
      if (cutArguments(Bare, Gap, Width))
        return Bare;
      // `my_std::…` keeps its prefix.
      if (Text.starts_with("std::"))
        Text.erase(0, 5), Best -= 5;
    }
    Text.replace(Best + 1, Length, Gap);
  }
  return Text;
}

} // namespace inmem::report
