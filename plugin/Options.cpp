//===- Options.cpp - parses -fplugin-arg-inmem-NAME=VALUE -----------------===//
#include "Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace inmem {

Options &Options::current() {
  static Options Current;
  return Current;
}

bool Options::isNamedAllocator(StringRef Name) const {
  return any_of(Allocators,
                [Name](const GlobPattern &Glob) { return Glob.match(Name); });
}

namespace {

struct OptionRow {
  StringRef Name;
  StringRef Values; ///< for the message
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

bool setAllocators(StringRef Value, Options &Result) {
  SmallVector<StringRef, 8> Names;
  Value.split(Names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Name : Names) {
    // The driver's argument strings live as long as the compilation.
    Expected<GlobPattern> Glob = GlobPattern::create(Name.trim());
    if (!Glob) {
      consumeError(Glob.takeError());
      return false;
    }
    Result.Allocators.push_back(std::move(*Glob));
  }
  return !Names.empty();
}

constexpr OptionRow kOptions[] = {
    {"objects", "off, heap, count, lifetime", setObjects},
    {"system-objects", "on, off", setSystemObjects},
    {"trivial-objects", "on, off", setTrivialObjects},
    {"allocators", "names or globs of functions, separated by commas", setAllocators},
};

} // namespace

std::string parseOption(StringRef Argument, Options &Result) {
  auto [Name, Value] = Argument.split('=');
  for (const OptionRow &Row : kOptions) {
    if (Row.Name != Name)
      continue;
    if (Row.Set(Value, Result))
      return {};
    return ("bad value '" + Twine(Value) + "' for plugin option 'inmem-" + Name +
            "'; valid: " + Row.Values)
        .str();
  }
  std::string Message =
      ("unknown plugin option 'inmem-" + Twine(Name) + "'; valid:").str();
  for (const OptionRow &Row : kOptions)
    Message += (" " + Twine(Row.Name)).str() +
               (&Row == std::end(kOptions) - 1 ? "" : ",");
  return Message;
}

} // namespace inmem
