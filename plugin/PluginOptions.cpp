//===- PluginOptions.cpp - parses -fplugin-arg-inmem-NAME=VALUE -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PluginOptions.h"
#include "PlacementProfile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace inmem {

Options &Options::current() {
  static Options Current;
  return Current;
}

static bool matchesAny(ArrayRef<GlobPattern> Globs, StringRef Name) {
  return any_of(Globs,
                [Name](const GlobPattern &Glob) { return Glob.match(Name); });
}

bool Options::matchesPath(ArrayRef<GlobPattern> Globs, StringRef Path) {
  if (Globs.empty())
    return false;
  if (matchesAny(Globs, Path))
    return true;
  for (size_t At = Path.find('/'); At != StringRef::npos;
       At = Path.find('/', At + 1))
    if (matchesAny(Globs, Path.substr(At + 1)))
      return true;
  return false;
}

bool Options::isNamedAllocator(StringRef Name) const {
  return matchesAny(Allocators, Name);
}

bool Options::isNamedWrapper(StringRef Name) const {
  return matchesAny(Wrappers, Name);
}

bool Options::isListed(StringRef Prefix, StringRef Name) const {
  return Ignorelist && !Name.empty() &&
         Ignorelist->inSection("inmem", Prefix, Name);
}

/// Drops template arguments: `a::B<int>::C` becomes `a::B::C`, the spelling of
/// sanitizer ignorelists.
static std::string withoutArguments(StringRef Name) {
  std::string Result;
  unsigned Depth = 0;
  for (char C : Name) {
    Depth += C == '<';
    if (Depth == 0)
      Result += C;
    Depth -= C == '>' && Depth > 0;
  }
  return Result;
}

bool Options::ignoresType(StringRef Name) const {
  if (!Include.empty() && !matchesAny(Include, Name))
    return true;
  return !Name.empty() &&
         (matchesAny(Exclude, Name) || isListed("type", Name) ||
          isListed("type", withoutArguments(Name)));
}

namespace {

struct OptionRow {
  StringRef Name;
  StringRef Values; ///< valid values, for the message
  bool (*Set)(StringRef Value, Options &Result);
};

bool setObjects(StringRef Value, Options &Result) {
  if (Value == "off")
    Result.Objects = ObjectsMode::Off;
  else if (Value == "heap")
    Result.Objects = ObjectsMode::Heap;
  else if (Value == "count")
    Result.Objects = ObjectsMode::Count;
  else if (Value == "lifetime")
    Result.Objects = ObjectsMode::Lifetime;
  else
    return false;
  return true;
}

bool setSystemObjects(StringRef Value, Options &Result) {
  if (Value != "on" && Value != "off")
    return false;
  Result.SystemObjects = Value == "on";
  return true;
}

bool setTrivialObjects(StringRef Value, Options &Result) {
  if (Value != "on" && Value != "off")
    return false;
  Result.TrivialObjects = Value == "on";
  return true;
}

bool setContexts(StringRef Value, Options &Result) {
  if (Value != "on" && Value != "off")
    return false;
  Result.Contexts = Value == "on";
  return true;
}

bool setAccesses(StringRef Value, Options &Result) {
  if (Value != "on" && Value != "off")
    return false;
  Result.Accesses = Value == "on";
  return true;
}

bool setNames(StringRef Value, Options &Result) {
  if (Value != "packed" && Value != "plain")
    return false;
  Result.PackedNames = Value == "packed";
  return true;
}

bool setTypes(StringRef Value, Options &Result) {
  Result.TypeTable = Value == "table";
  return Result.TypeTable;
}

/// Adds the names in \p Value, separated by commas; a comma inside of <> or ()
/// belongs to the name.
bool addGlobs(StringRef Value, std::vector<GlobPattern> &Result) {
  size_t Before = Result.size(), Begin = 0;
  int Depth = 0;
  for (size_t I = 0; I <= Value.size(); ++I) {
    char C = I < Value.size() ? Value[I] : ',';
    Depth += (C == '<' || C == '(') - (C == '>' || C == ')');
    if (C != ',' || (Depth > 0 && I < Value.size()))
      continue;
    StringRef Name = Value.slice(Begin, I).trim();
    Begin = I + 1;
    if (Name.empty())
      continue;
    Expected<GlobPattern> Glob = GlobPattern::create(Name);
    if (!Glob) {
      consumeError(Glob.takeError());
      return false;
    }
    Result.push_back(std::move(*Glob));
  }
  return Result.size() > Before;
}

bool setAllocators(StringRef Value, Options &Result) {
  return addGlobs(Value, Result.Allocators);
}

bool setWrappers(StringRef Value, Options &Result) {
  return addGlobs(Value, Result.Wrappers);
}

bool setLibrary(StringRef Value, Options &Result) {
  return addGlobs(Value, Result.Library);
}

bool setMine(StringRef Value, Options &Result) {
  return addGlobs(Value, Result.Mine);
}

bool setInclude(StringRef Value, Options &Result) {
  return addGlobs(Value, Result.Include);
}

bool setExclude(StringRef Value, Options &Result) {
  return addGlobs(Value, Result.Exclude);
}

/// Files that cannot be read are reported by readIgnorelists().
bool addIgnorelist(StringRef Value, Options &Result) {
  Result.IgnorelistFiles.push_back(Value.str());
  return !Value.empty();
}

/// A file that cannot be read is reported by readProfile().
bool setProfile(StringRef Value, Options &Result) {
  Result.ProfileFile = Value.str();
  return !Value.empty();
}

bool setPlace(StringRef Value, Options &Result) {
  Result.ProfileOption = "place";
  return setProfile(Value, Result);
}

constexpr OptionRow kOptions[] = {
    {"objects", "off, heap, count, lifetime", setObjects},
    {"system-objects", "on, off", setSystemObjects},
    {"trivial-objects", "on, off", setTrivialObjects},
    {"contexts", "on, off", setContexts},
    {"accesses", "on, off", setAccesses},
    {"types", "table", setTypes},
    {"names", "packed, plain", setNames},
    {"allocators", "names or globs of functions, separated by commas",
     setAllocators},
    {"wrappers", "names or globs of functions, separated by commas",
     setWrappers},
    {"library", "globs of source files, separated by commas", setLibrary},
    {"mine", "globs of source files, separated by commas", setMine},
    {"include", "names or globs of types, separated by commas", setInclude},
    {"exclude", "names or globs of types, separated by commas", setExclude},
    {"ignorelist", "a file in the format of a sanitizer special case list",
     addIgnorelist},
    {"optimize", "a profile that inmem optimize wrote", setProfile},
    {"place", "a profile that inmem optimize wrote", setPlace},
};

} // namespace

std::string parseOption(StringRef Argument, Options &Result) {
  Result.Arguments.push_back(Argument.str());
  auto [Name, Value] = StringRef(Result.Arguments.back()).split('=');
  for (const OptionRow &Row : kOptions) {
    if (Row.Name != Name)
      continue;
    if (Row.Set(Value, Result))
      return {};
    return ("bad value '" + Twine(Value) + "' for plugin option 'inmem-" +
            Name + "'; valid: " + Row.Values)
        .str();
  }
  std::string Message =
      ("unknown plugin option 'inmem-" + Twine(Name) + "'; valid:").str();
  for (const OptionRow &Row : kOptions)
    Message += (" " + Twine(Row.Name)).str() +
               (&Row == std::end(kOptions) - 1 ? "" : ",");
  return Message;
}

std::string readIgnorelists(Options &Result) {
  if (Result.IgnorelistFiles.empty())
    return {};
  std::string Problem;
  Result.Ignorelist = SpecialCaseList::create(
      Result.IgnorelistFiles, *vfs::getRealFileSystem(), Problem);
  return Result.Ignorelist ? ""
                           : "plugin option 'inmem-ignorelist': " + Problem;
}

std::string readProfile(Options &Result) {
  if (Result.ProfileFile.empty())
    return {};
  std::string Problem;
  Result.Profile = PlacementProfile::read(Result.ProfileFile, Problem);
  return Result.Profile ? ""
                        : ("plugin option 'inmem-" + Result.ProfileOption +
                           "': " + Problem)
                              .str();
}

} // namespace inmem
