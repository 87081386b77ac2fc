//===- LocationText.cpp - Locations in text -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"

#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"
#include "report/text/ApartNames.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace inmem::report {

/// Between function and file in a location.
constexpr std::string_view kBetween = "  ";

std::string locationText(const Style &S, const SourceLocation &P) {
  const std::string Function = printable(S, shortFunction(P.Function));
  std::string Where = printable(S, P.File);
  if (P.Line != 0 && !Where.empty())
    Where += ':' + std::to_string(P.Line);
  if (Function.empty() || Where.empty())
    return Function.empty() && Where.empty() ? "?" : Function + Where;
  return Function + std::string(kBetween) + Where;
}

std::string lastName(std::string_view Function) {
  std::string Name = bareFunction(Function);
  int Depth = 0;
  size_t From = 0;
  for (size_t At = 0; At + 1 < Name.size(); ++At) {
    Depth += Name[At] == '<' ? 1 : Name[At] == '>' ? -1 : 0;
    if (Depth == 0 && Name.compare(At, 2, "::") == 0)
      From = At + 2;
  }
  Name.erase(0, From);
  // Names such as `operator<<` keep their symbols.
  const size_t Own = Name.starts_with("operator")
                         ? Name.find_first_not_of("<=>", 8)
                         : size_t{0};
  if (const size_t Angle = Name.find('<', Own); Angle != std::string::npos)
    Name.erase(Angle);
  return Name;
}

static constexpr std::string_view kBracket = "  [";

/// The start of brackets that siteText() added; Text's end if there are none.
static size_t bracketOf(std::string_view Text) {
  const size_t At = Text.ends_with(']') ? Text.rfind(kBracket) : Text.size();
  return std::min(At, Text.size());
}

std::string siteText(const Style &S, const SiteResult &R) {
  if (!R.Caller)
    return locationText(S, R.Where);
  std::string Out = locationText(S, *R.Caller);
  if (const std::string By = lastName(R.Where.Function); !By.empty())
    Out += std::string(kBracket) + printable(S, By) + ']';
  return Out;
}

/// Adds \p More's text about a line to each line that occurs more than once in
/// a group, unless the text is the same for all of them.
template <class G, class F>
static void addToEqual(std::vector<std::string> &Lines, G Group, F More) {
  std::map<std::pair<std::string, size_t>, std::vector<size_t>> Equal;
  for (size_t I = 0; I < Lines.size(); ++I)
    Equal[{Lines[I], Group(I)}].push_back(I);
  for (const auto &[Line, Rows] : Equal) {
    const std::string First = More(Rows[0]);
    if (std::ranges::any_of(Rows, [&](size_t I) { return More(I) != First; }))
      for (const size_t I : Rows)
        Lines[I].insert(bracketOf(Lines[I]), More(I));
  }
}

static std::string columnText(uint32_t Column) {
  return Column ? ':' + std::to_string(Column) : std::string();
}

void tellApart(std::vector<std::string> &Lines, const Profile &P,
               const std::vector<const SiteResult *> &Sites) {
  // Numbers of the names of rows: buffers of strings are char, too.
  std::map<std::string, size_t> Numbers;
  std::vector<size_t> Names;
  Names.reserve(Sites.size());
  for (const SiteResult *Site : Sites)
    Names.push_back(Numbers.try_emplace(shownBlocks(P, *Site), Numbers.size())
                        .first->second);
  const auto Type = [&](size_t I) { return Names[I]; };
  addToEqual(Lines, Type, [&](size_t I) {
    const SourceLocation &At = locationOf(*Sites[I]);
    return columnText(At.Line ? At.Column : 0);
  });
  addToEqual(Lines, Type,
             [&](size_t I) { return " (" + Sites[I]->Kind + ')'; });
  addToEqual(Lines, Type, [&](size_t I) {
    const SiteResult &R = *Sites[I];
    return R.Caller
               ? fmt::format(" ({}:{}{})",
                             R.Where.File.substr(R.Where.File.rfind('/') + 1),
                             R.Where.Line, columnText(R.Where.Column))
               : std::string();
  });
  // Rows of one caller that differ only in the library's function keep it.
  std::map<std::pair<std::string, size_t>, size_t> Same;
  for (size_t I = 0; I < Lines.size(); ++I)
    ++Same[{Lines[I].substr(0, bracketOf(Lines[I])), Type(I)}];
  for (size_t I = 0; I < Lines.size(); ++I) {
    const size_t At = bracketOf(Lines[I]);
    if (At < Lines[I].size() && Same[{Lines[I].substr(0, At), Type(I)}] > 1)
      Lines[I].erase(At, 1);
  }
}

void tellAllApart(std::vector<std::string> &Lines,
                  const std::vector<Apart> &From) {
  const auto All = [](size_t) { return size_t{0}; };
  addToEqual(Lines, All, [&](size_t I) { return columnText(From[I].Column); });
  addToEqual(Lines, All, [&](size_t I) { return " (" + From[I].What + ')'; });
}

/// The width of a function without any of its argument lists.
static size_t widthWithoutArguments(std::string_view Name, size_t Gap) {
  size_t Width = 0;
  int Depth = 0;
  for (size_t At = 0; At < Name.size(); ++At) {
    const bool Operator = Name.substr(0, At).ends_with("operator") ||
                          Name.substr(0, At).ends_with("operator<") ||
                          Name.substr(0, At).ends_with("operator-");
    if (Name[At] == '>' && !Operator && Depth > 0)
      Width += --Depth == 0 ? Gap : 0;
    if (Depth == 0 && (static_cast<unsigned char>(Name[At]) & 0xc0) != 0x80)
      ++Width;
    if (Name[At] == '<' && !Operator)
      ++Depth;
  }
  return Width;
}

/// Cuts template arguments if that is enough, and otherwise drops namespaces
/// and classes from the front: `Map<…>::put`, `…Cache::put`.
static std::string shortenFunction(const Style &S, std::string_view Name,
                                   size_t Width) {
  const std::string Gap = S.Unicode ? "…" : "..";
  Name = frontOf(Name);
  for (std::string_view Rest = Name;;) {
    const std::string Mark = Rest.size() < Name.size() ? Gap : std::string();
    const size_t Room = Width - std::min(Width - 1, displayWidth(Mark));
    if (widthWithoutArguments(Rest, displayWidth(Gap)) <= Room)
      return Mark + shortenName(S, Rest, Room);
    int Depth = 0;
    size_t At = 0;
    for (; At + 1 < Rest.size(); ++At) {
      if (Rest[At] == '<' || Rest[At] == '(')
        ++Depth;
      else if (Rest[At] == '>' || Rest[At] == ')')
        --Depth;
      else if (Depth == 0 && Rest[At] == ':' && Rest[At + 1] == ':')
        break;
    }
    if (At + 1 >= Rest.size())
      return Mark + shortenName(S, Rest, Room);
    Rest.remove_prefix(At + 2);
  }
}

std::pair<std::string_view, std::string_view>
splitLocation(std::string_view Text) {
  Text = Text.substr(0, bracketOf(Text));
  const size_t Between = Text.rfind(kBetween);
  if (Between == std::string_view::npos)
    return {Text, {}};
  return {Text.substr(0, Between), Text.substr(Between + kBetween.size())};
}

std::string fitPath(const Style &S, std::string_view Path, size_t Width) {
  if (displayWidth(Path) <= Width)
    return std::string(Path);
  const std::string Gap = S.Unicode ? "…" : "..";
  const size_t Slash = Path.rfind('/') + 1;
  size_t From = Slash;
  for (size_t I = Slash; I-- > 0;)
    if (Path[I] == '/' &&
        displayWidth(Path.substr(I)) + displayWidth(Gap) <= Width)
      From = I; // As many directories as fit.
  if (From < Slash)
    return Gap + std::string(Path.substr(From));
  const std::string_view Base = Path.substr(Slash);
  // The line, and the column after it, matter more than the end of a name.
  size_t Line = Base.size();
  for (size_t At = Base.rfind(':');
       At != std::string_view::npos && At > 0 && At + 1 < Line &&
       Base.substr(At + 1, Line - At - 1).find_first_not_of("0123456789") ==
           std::string_view::npos;
       At = Base.rfind(':', At - 1))
    Line = At;
  const size_t LineWidth = Base.size() - Line;
  if (displayWidth(Base) <= Width || LineWidth + 4 > Width)
    return cutEnd(S, Base, Width);
  return cutEnd(S, Base.substr(0, Line), Width - LineWidth) +
         std::string(Base.substr(Line));
}

std::string fitSignature(const Style &S, std::string_view Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  const auto [Function, Path] = splitLocation(Text);
  std::string Short = shortFunction(Function);
  if (!Path.empty())
    Short += std::string(kBetween) + std::string(Path);
  return fitLocation(S, Short, Width);
}

std::string fitCommand(const Style &S, std::string_view Command, size_t Width) {
  std::string Whole = printable(S, Command);
  if (displayWidth(Whole) <= Width)
    return Whole;
  const std::string More = S.Unicode ? " …" : " ..";
  std::string_view Front = Whole;
  for (size_t At; (At = Front.rfind(' ')) != std::string_view::npos;) {
    Front = Front.substr(0, At);
    if (displayWidth(Front) + displayWidth(More) <= Width)
      return std::string(Front) + More;
  }
  const std::string_view Name = Front.substr(Front.rfind('/') + 1);
  std::string Behind = Front.size() < Whole.size() ? More : std::string();
  if (displayWidth(Name) + displayWidth(Behind) > Width)
    Behind.clear();
  return fitPath(S, Front, Width - displayWidth(Behind)) + Behind;
}

std::string_view withoutBracket(std::string_view Text) {
  return Text.substr(0, bracketOf(Text));
}

/// The start of the text that tellApart() appended to a file and its line.
static size_t additionOf(std::string_view Path) {
  if (!Path.ends_with(')') && !Path.ends_with(']'))
    return Path.size();
  return std::min(std::min(Path.rfind(" ("), Path.rfind(" [")), Path.size());
}

/// Shortens ` (file:line)` or ` [function]` to Width.
static std::string fitAddition(const Style &S, std::string_view Text,
                               size_t Width) {
  constexpr size_t kAround = 3;
  if (displayWidth(Text) <= Width || Width <= kAround)
    return std::string(Text);
  const std::string_view Inner = Text.substr(2, Text.size() - kAround);
  const std::string Cut = Text.ends_with(')')
                              ? fitPath(S, Inner, Width - kAround)
                              : cutEnd(S, Inner, Width - kAround);
  return std::string(Text.substr(0, 2)) + Cut + Text.back();
}

/// fitLocation() for a line without brackets.
static std::string fitFunctionAndPath(const Style &S, std::string_view Function,
                                      std::string_view Path, size_t Width) {
  constexpr size_t kLeast = 8; // columns for the function name
  const size_t Room = Width > kBetween.size() ? Width - kBetween.size() : 1;
  const size_t Name = displayWidth(Function);
  const size_t Base = displayWidth(Path.substr(Path.rfind('/') + 1));
  if (Function.empty() || Base + std::min(Name, kLeast) > Room)
    return fitPath(S, Path, Width);
  // A path's end matters most, so its directories are dropped first. The
  // function may keep half of the room.
  const std::string Where =
      fitPath(S, Path, std::max(Room - std::min(Room * 3 / 5, Name), Base));
  const size_t Left = Room - std::min(Room, displayWidth(Where));
  const std::string Short =
      Name <= Left ? std::string(Function) : shortenFunction(S, Function, Left);
  return Short + std::string(kBetween) + Where;
}

std::string fitLocation(const Style &S, std::string_view Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  Text = withoutBracket(Text);
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  const auto [Function, Path] = splitLocation(Text);
  if (Path.empty())
    return shortenFunction(S, Text, Width);
  const size_t End = additionOf(Path);
  const std::string Addition = fitAddition(S, Path.substr(End), Width / 2);
  return fitFunctionAndPath(S, Function, Path.substr(0, End),
                            Width -
                                std::min(Width - 1, displayWidth(Addition))) +
         Addition;
}

/// The number of folders left in a cut path; none if it is whole.
static std::optional<size_t> foldersLeft(std::string_view Whole,
                                         std::string_view Fitted) {
  const auto Slashes = [](std::string_view Text) {
    return static_cast<size_t>(std::ranges::count(Text, '/'));
  };
  if (Whole == Fitted || Slashes(Whole) == 0)
    return std::nullopt;
  return std::max(Slashes(Fitted), size_t{1}) - 1;
}

/// A path's last folders and file, with a mark for the other folders.
static std::string lastFolders(const Style &S, std::string_view Path,
                               size_t Count) {
  size_t From = Path.size();
  for (size_t I = 0; I <= Count && From != Path.npos && From > 0; ++I)
    From = Path.rfind('/', From - 1);
  if (From == Path.npos || From == 0)
    return std::string(Path);
  return (S.Unicode ? "…" : "..") + std::string(Path.substr(From));
}

/// Cuts the paths of fitted lines to equal depth, unless different lines would
/// then read the same.
static void levelPaths(const Style &S,
                       const std::vector<std::string_view> &Lines,
                       std::vector<std::string> &Fitted, size_t Width) {
  const auto PathOf = [](std::string_view Line) {
    const std::string_view Path = splitLocation(Line).second;
    return Path.substr(0, additionOf(Path));
  };
  std::vector<std::optional<size_t>> Left;
  size_t Least = SIZE_MAX;
  for (size_t I = 0; I < Lines.size(); ++I) {
    Left.push_back(foldersLeft(PathOf(Lines[I]), PathOf(Fitted[I])));
    Least = std::min(Least, Left[I].value_or(SIZE_MAX));
  }
  std::vector<std::string> Level = Fitted;
  for (size_t I = 0; I < Lines.size(); ++I) {
    if (Left[I].value_or(0) <= Least)
      continue;
    const auto [Function, Path] = splitLocation(Lines[I]);
    const size_t End = additionOf(Path);
    const std::string Short = lastFolders(S, Path.substr(0, End), Least);
    Level[I] = fitLocation(S,
                           std::string(Function) + std::string(kBetween) +
                               Short + std::string(Path.substr(End)),
                           Width);
  }
  if (std::set(Level.begin(), Level.end()).size() ==
      std::set(Fitted.begin(), Fitted.end()).size())
    Fitted = std::move(Level);
  // Two spaces mark brackets that may be cut. Readers need only one.
  for (std::string &Line : Fitted)
    if (const size_t At = bracketOf(Line); At < Line.size())
      Line.erase(At, 1);
}

Table::Column locationColumn(std::string Title, Paint With, size_t Narrowest,
                             bool Bracketed) {
  return {.Title = std::move(Title),
          .Right = false,
          .Flexible = true,
          .With = With,
          .Fit = fitLocation,
          .Narrowest = Narrowest,
          .Essential = Bracketed ? withoutBracket : nullptr,
          .Level = levelPaths,
          .Apart = apartLocations};
}

} // namespace inmem::report
