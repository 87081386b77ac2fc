//===- ApartNames.cpp - Short names that still differ ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/ApartNames.h"

#include "report/text/LocationText.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace inmem::report {
namespace {

/// Further names are cut one by one, because comparing takes the square of a
/// name's tokens.
constexpr size_t kMostTokens = 160, kMostNames = 64;

struct Token {
  std::string_view Text;
  bool Shared = false; ///< in all names
  bool Last = false;   ///< in the last component, or a description after it
  bool Own = false;    ///< bracket around the last component's arguments
  bool Kept = false;
};
using Tokens = std::vector<Token>;

bool isWord(std::string_view Text) {
  const auto C = static_cast<unsigned char>(Text.front());
  return std::isalnum(C) || C == '_' || C == '~' || C >= 0x80;
}
bool opens(std::string_view Text) { return Text == "<" || Text == "("; }
bool closes(std::string_view Text) { return Text == ">" || Text == ")"; }

Tokens tokensOf(std::string_view Name) {
  Tokens Out;
  for (size_t At = 0, End = 0; At < Name.size(); At = End) {
    End = At + 1;
    if (isWord(Name.substr(At)))
      while (End < Name.size() && isWord(Name.substr(End)))
        ++End;
    else if (Name.substr(At, 2) == "::" || Name.substr(At, 2) == ", " ||
             Name.substr(At, 2) == "->")
      ++End;
    Out.push_back({Name.substr(At, End - At)});
  }
  // Pieces of the last component: `Node` of `Table<Key>::Node`, and ` node`.
  size_t Begin = 0;
  int Depth = 0;
  for (size_t I = 0; I < Out.size(); ++I) {
    Depth += opens(Out[I].Text) ? 1 : closes(Out[I].Text) ? -1 : 0;
    if (Depth == 0 && Out[I].Text == "::")
      Begin = I + 1;
  }
  Depth = 0;
  for (size_t I = Begin; I < Out.size(); ++I) {
    Out[I].Own = (opens(Out[I].Text) && Depth == 0) ||
                 (closes(Out[I].Text) && Depth == 1);
    Depth += opens(Out[I].Text) ? 1 : 0;
    Out[I].Last = Depth == 0;
    Depth -= closes(Out[I].Text) ? 1 : 0;
  }
  return Out;
}

/// Positions in A of the longest sequence of tokens that A and B share.
std::vector<size_t> sharedIn(const std::vector<std::string_view> &A,
                             const std::vector<std::string_view> &B) {
  const size_t Row = B.size() + 1;
  std::vector<uint16_t> Longest((A.size() + 1) * Row);
  for (size_t I = A.size(); I-- > 0;)
    for (size_t J = B.size(); J-- > 0;)
      Longest[I * Row + J] =
          A[I] == B[J]
              ? static_cast<uint16_t>(Longest[(I + 1) * Row + J + 1] + 1)
              : std::max(Longest[(I + 1) * Row + J], Longest[I * Row + J + 1]);
  std::vector<size_t> Out;
  for (size_t I = 0, J = 0; I < A.size() && J < B.size();)
    if (A[I] == B[J]) {
      Out.push_back(I++);
      ++J;
    } else if (Longest[(I + 1) * Row + J] >= Longest[I * Row + J + 1]) {
      ++I;
    } else {
      ++J;
    }
  return Out;
}

std::vector<std::string_view> textsOf(const Tokens &Name) {
  std::vector<std::string_view> Out;
  for (const Token &T : Name)
    Out.push_back(T.Text);
  return Out;
}

/// Marks the tokens that all Names have in the same order.
void markShared(std::vector<Tokens> &Names) {
  std::vector<std::string_view> Common = textsOf(Names[0]);
  for (size_t I = 1; I < Names.size(); ++I) {
    std::vector<std::string_view> Left;
    for (const size_t At : sharedIn(Common, textsOf(Names[I])))
      Left.push_back(Common[At]);
    Common = std::move(Left);
  }
  for (Tokens &Name : Names)
    for (const size_t At : sharedIn(textsOf(Name), Common))
      Name[At].Shared = true;
}

/// Keeps brackets around kept tokens, and drops others. \param Flat brackets
/// within brackets are dropped, too
void keepBrackets(Tokens &Name, bool Flat) {
  std::vector<size_t> Open;
  std::vector<bool> Used;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (opens(Name[I].Text)) {
      Open.push_back(I);
      Used.push_back(false);
      Name[I].Kept = false;
    } else if (closes(Name[I].Text)) {
      Name[I].Kept = false;
      if (Open.empty())
        continue;
      Name[Open.back()].Kept = Name[I].Kept =
          (Used.back() && !(Flat && Open.size() > 1)) || Name[Open.back()].Own;
      const bool Any = Used.back();
      Open.pop_back();
      Used.pop_back();
      if (Any && !Used.empty())
        Used.back() = true;
    } else if (Name[I].Kept && !Used.empty()) {
      Used.back() = true;
    }
  }
}

/// A word's first \p Longest characters. Numbers are not cut.
std::string cutWord(std::string_view Word, size_t Longest,
                    std::string_view Gap) {
  const auto First = static_cast<unsigned char>(Word.front());
  if (Word.size() <= Longest + 1 || !isWord(Word) || std::isdigit(First) ||
      First >= 0x80)
    return std::string(Word);
  return std::string(Word.substr(0, Longest)) + std::string(Gap);
}

/// The kept tokens, with one gap for each run of dropped ones.
std::string textOf(const Tokens &Name, std::string_view Gap, size_t Longest) {
  std::string Out;
  bool Dropped = false;
  const auto EndsInGap = [&] { return Out.ends_with(Gap); };
  for (size_t I = 0; I < Name.size(); ++I) {
    const Token &T = Name[I];
    if (!T.Kept) {
      Dropped = true;
      continue;
    }
    // Separators next to a gap carry no information.
    if (Dropped && !EndsInGap())
      Out += Gap;
    if (!(Dropped && T.Text == "::"))
      Out += T.Shared && T.Last ? std::string(T.Text)
                                : cutWord(T.Text, Longest, Gap);
    Dropped = false;
  }
  if (Dropped && !EndsInGap())
    Out += Gap;
  return Out;
}

/// The part of shared text that is kept next to the distinguishing tokens.
enum class Context { Enclosing, Outer, None };

/// The template around the last component: `Table` of `ns::Table<Key>::Node`.
void keepOuter(Tokens &Name, Context C) {
  int Depth = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    const bool Opens = opens(Name[I].Text);
    if (C == Context::Enclosing
            ? Depth <= 1
            : Depth == 0 && I + 1 < Name.size() && opens(Name[I + 1].Text))
      Name[I].Kept = true;
    if (Opens)
      ++Depth;
    Depth -= closes(Name[I].Text) ? 1 : 0;
  }
}

/// A way to cut names.
struct Way {
  Context Kept;
  bool Flat;                   ///< drops nested brackets
  size_t LeastOfWord;          ///< minimum length of a cut word
  size_t MostApart = SIZE_MAX; ///< distinguishing words to keep
  bool CutEnd = false;         ///< `control…` for `control block`
};

/// Drops a name's distinguishing tokens after the first \p Most words.
void keepApart(Tokens &Name, size_t Most) {
  size_t Words = 0;
  for (Token &T : Name)
    if (!T.Shared && !T.Last) {
      T.Kept = T.Kept && Words < Most;
      Words += isWord(T.Text);
    }
}

/// Drops a description after the arguments, except for its first word.
void dropEnd(Tokens &Name) {
  size_t Words = 0, From = Name.size();
  while (From > 0 && !closes(Name[From - 1].Text))
    --From;
  for (size_t I = From; From > 0 && I < Name.size(); ++I)
    if (isWord(Name[I].Text) ? ++Words > 1 : Words > 0)
      Name[I].Kept = false;
}

std::vector<std::string> textsOf(std::vector<Tokens> Names, const Way &W,
                                 std::string_view Gap, size_t Longest) {
  std::vector<std::string> Out;
  for (Tokens &Name : Names) {
    for (Token &T : Name)
      T.Kept = T.Last || (!T.Shared && T.Text != "::");
    keepApart(Name, W.MostApart);
    if (W.CutEnd)
      dropEnd(Name);
    if (W.Kept != Context::None)
      keepOuter(Name, W.Kept);
    // A comma between two kept words stays.
    for (size_t I = 1; I + 1 < Name.size(); ++I)
      if (Name[I].Text == ", " && Name[I - 1].Kept && Name[I + 1].Kept)
        Name[I].Kept = true;
    keepBrackets(Name, W.Flat);
    for (size_t I = 1; I + 1 < Name.size(); ++I)
      if (Name[I].Text == "::" && Name[I - 1].Kept && Name[I + 1].Kept)
        Name[I].Kept = true;
    Out.push_back(textOf(Name, Gap, Longest));
  }
  return Out;
}

} // namespace

std::vector<std::string> apartNames(const Style &S,
                                    const std::vector<std::string_view> &Names,
                                    size_t Width) {
  const std::string_view Gap = S.Unicode ? "…" : "..";
  std::vector<std::string> Cut;
  Cut.reserve(Names.size());
  for (const std::string_view Name : Names)
    Cut.push_back(cutEnd(S, shortenName(S, Name, Width), Width));
  std::vector<std::string> Bare; // owns the tokens' text
  Bare.reserve(Names.size());
  std::vector<Tokens> Split;
  for (size_t I = 0; I < std::min(Names.size(), kMostNames); ++I) {
    Bare.push_back(withoutStd(std::string(frontOf(Names[I]))));
    Split.push_back(tokensOf(Bare.back()));
    if (Split.back().empty() || Split.back().size() > kMostTokens)
      return Cut;
  }
  if (Split.size() < 2)
    return Cut;
  markShared(Split);
  const auto Compared = static_cast<ptrdiff_t>(Split.size());
  const size_t Wanted =
      std::set(Names.begin(), Names.begin() + Compared).size();
  size_t Most = std::set(Cut.begin(), Cut.begin() + Compared).size();
  std::vector<std::string> Best = Cut;
  for (const Way &W :
       {Way{Context::Enclosing, false, 16}, Way{Context::Outer, true, 16},
        Way{Context::Outer, true, 5}, Way{Context::Outer, true, 5, 2},
        Way{Context::Outer, true, 5, 1}, Way{Context::Outer, true, 4, 1, true},
        Way{Context::None, true, 1}, Way{Context::None, true, 1, 1, true}})
    for (size_t Longest = 64; Longest >= W.LeastOfWord;
         Longest = Longest * 3 / 4) {
      const std::vector<std::string> Now = textsOf(Split, W, Gap, Longest);
      const auto Fits = [&](const std::string &Text) {
        return displayWidth(Text) <= Width;
      };
      const size_t Different = std::set(Now.begin(), Now.end()).size();
      if (Different <= Most || !std::ranges::all_of(Now, Fits))
        continue;
      Most = Different;
      std::ranges::copy(Now, Best.begin());
      if (Most == Wanted)
        return Best;
    }
  return Best;
}

std::vector<std::string> shortNames(const Style &S,
                                    const std::vector<std::string> &Names,
                                    size_t Width) {
  std::vector<std::string> Out;
  std::map<std::string, std::vector<size_t>> Equal;
  for (size_t I = 0; I < Names.size(); ++I) {
    Out.push_back(shortenName(S, Names[I], Width));
    Equal[Out.back()].push_back(I);
  }
  for (const auto &[Text, Same] : Equal) {
    std::vector<std::string_view> Whole;
    for (const size_t I : Same)
      Whole.emplace_back(Names[I]);
    if (std::set(Whole.begin(), Whole.end()).size() < 2)
      continue;
    std::vector<std::string> Apart = apartNames(S, Whole, Width);
    for (size_t I = 0; I < Same.size(); ++I)
      Out[Same[I]] = std::move(Apart[I]);
  }
  return Out;
}

std::vector<std::string>
apartLocations(const Style &S, const std::vector<std::string_view> &Locations,
               size_t Width) {
  constexpr size_t kBetween = 2, kLeast = 8;
  std::vector<std::string_view> Functions;
  std::vector<std::string> Files;
  size_t Longest = 0;
  for (const std::string_view Text : Locations) {
    const auto [Function, Path] = splitLocation(Text);
    Functions.push_back(Function);
    Files.push_back(Path.empty()
                        ? std::string()
                        : "  " + std::string(Path.substr(Path.rfind('/') + 1)));
    Longest = std::max(Longest, displayWidth(Files.back()));
  }
  std::vector<std::string> Out;
  if (Longest + kLeast + kBetween > Width) {
    for (const std::string_view Text : Locations)
      Out.push_back(fitLocation(S, Text, Width));
    return Out;
  }
  Out = apartNames(S, Functions, Width - Longest);
  for (size_t I = 0; I < Out.size(); ++I)
    Out[I] += Files[I];
  return Out;
}

} // namespace inmem::report
