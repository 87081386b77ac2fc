//===- InitCommand.cpp - inmem init ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a file, or a block between two marks, that lets a project build with
// inmem in a separate folder. Undo removes only what was added.
//
//===----------------------------------------------------------------------===//
#include "InitLibraries.h"
#include "cli/Command.h"
#include "cli/Output.h"
#include "live/Preload.h"
#include "report/formats/Json.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace inmem::tools {

namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr const char *kBegin = "# >>> inmem init\n";
constexpr const char *kEnd = "# <<< inmem init\n";
constexpr const char *kPreset = "inmem";

/// A kind of project: how to recognise it, the lines to add, and the commands
/// to type.
struct Builder {
  const char *Name;
  std::vector<std::string> Marks; ///< recognised by any of these files
  /// Files that its builds create, here or in a subfolder.
  std::vector<std::string> Traces;
  std::string File; ///< file to create or add a block to
  std::string Text; ///< empty: JSON, see presets()
  std::string Then;
  bool Executable = false;
  /// Its files may belong to another kind, which takes precedence: `configure`
  /// creates a Makefile, and projects keep one for convenience.
  bool Secondary = false;
  std::vector<std::string> Flags = {}; ///< compiler flags
};

/// A compiler as a make variable's value, for the shell that runs recipes. \p
/// InFlags: it is part of a list of variables, which make splits at blanks.
std::string makeValue(const std::string &Compiler, bool InFlags) {
  if (Compiler.find_first_of(" \t\"'\\$#&();<>|*?[]{}`~!") == std::string::npos)
    return Compiler;
  std::string Out;
  for (const char C : shellQuoted(Compiler)) {
    if (C == '$') // flags are expanded twice here and once in the make below
      Out += InFlags ? "$$$$$$$" : "$";
    if (C == '#' || (InFlags && (C == ' ' || C == '\\')))
      Out += '\\';
    Out += C;
  }
  return Out;
}

/// Runs configure with the compilers. configure and its makefiles split names
/// at blanks, so a path with a blank gets a link without one in the build
/// folder.
std::string configureScript(const std::string &C, const std::string &Cxx,
                            const std::string &Flags) {
  const bool Splits = C.find_first_of(" \t\n") != std::string::npos;
  return (Splits ? "ln -sf " + shellQuoted(C) + " " + shellQuoted(Cxx) +
                       " .\nexec \"${0%/*}/configure\" "
                       "CC=\"$PWD/inmem-clang" +
                       Flags + "\" CXX=\"$PWD/inmem-clang++" + Flags + "\""
                 : "exec \"${0%/*}/configure\" CC=" + shellQuoted(C + Flags) +
                       " CXX=" + shellQuoted(Cxx + Flags)) +
         " \"$@\"\n";
}

std::string makeText(const std::string &C, const std::string &Cxx,
                     const std::vector<std::string> &Flags) {
  std::string Words, InFlags;
  for (const std::string &Flag : Flags) {
    Words += " " + Flag;
    InFlags += "\\ " + Flag;
  }
  return "# make -f inmem.mk builds with inmem.\n"
         "override CC := " +
         makeValue(C, false) + Words +
         "\noverride CXX := " + makeValue(Cxx, false) + Words +
         "\n# As if typed, so that a make of this one obeys, too.\n"
         "MAKEOVERRIDES += CC=" +
         makeValue(C, true) + InFlags + " CXX=" + makeValue(Cxx, true) +
         InFlags + "\n";
}

std::string mesonText(const std::string &C, const std::string &Cxx,
                      const std::vector<std::string> &Flags) {
  std::string Binaries = "[binaries]\nc = '" + C + "'\ncpp = '" + Cxx + "'\n";
  if (Flags.empty())
    return Binaries;
  const std::string List = fmt::format("['{}']", fmt::join(Flags, "', '"));
  return Binaries + "[built-in options]\nc_args = " + List +
         "\ncpp_args = " + List + "\n";
}

std::string bazelText(const std::string &C,
                      const std::vector<std::string> &Flags) {
  std::string Out =
      "build:inmem " +
      (C.find(' ') == std::string::npos ? "--repo_env=CC=" + C
                                        : shellQuoted("--repo_env=CC=" + C)) +
      "\n";
  for (const std::string &Flag : Flags)
    Out += "build:inmem --copt=" + Flag + "\n";
  return Out;
}

std::vector<Builder> builders(const std::vector<std::string> &Flags = {}) {
  const std::string Bin = (installPrefix() / "bin").string();
  const std::string C = Bin + "/inmem-clang", Cxx = Bin + "/inmem-clang++";
  std::string Words;
  for (const std::string &Flag : Flags)
    Words += " " + Flag;
  std::string Make = makeText(C, Cxx, Flags);
  std::error_code Error;
  for (const char *Name : {"GNUmakefile", "makefile", "Makefile"})
    if (fs::exists(Name, Error)) {
      Make += std::string("include ") + Name + "\n";
      break;
    }
  return {
      {"CMake",
       {"CMakeLists.txt"},
       {"CMakeCache.txt"},
       "CMakeUserPresets.json",
       "",
       "cmake --preset inmem && cmake --build --preset inmem",
       false,
       false,
       Flags},
      {"Meson",
       {"meson.build"},
       {"meson-info", "meson-private"},
       "inmem.ini",
       mesonText(C, Cxx, Flags),
       "meson setup --native-file inmem.ini build-inmem && meson compile -C "
       "build-inmem"},
      {"Bazel",
       {"MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"},
       {"bazel-out", "bazel-bin"},
       ".bazelrc",
       bazelText(C, Flags),
       "bazel build --config=inmem //..."},
      {"autotools",
       {"configure", "configure.ac"},
       {},
       "inmem-configure",
       configureScript(C, Cxx, Words),
       "mkdir build-inmem && cd build-inmem && ../inmem-configure && make",
       true,
       true},
      {"Make",
       {"GNUmakefile", "makefile", "Makefile"},
       {},
       "inmem.mk",
       Make,
       "make clean && make -f inmem.mk",
       false,
       true},
  };
}

std::optional<std::string> wholeText(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(In), {}};
}

/// Text without the block between our marks.
std::string withoutBlock(std::string Text) {
  const size_t Begin = Text.find(kBegin);
  const size_t End =
      Begin == std::string::npos ? Begin : Text.find(kEnd, Begin);
  if (End != std::string::npos)
    Text.erase(Begin, End + std::string_view(kEnd).size() - Begin);
  return Text;
}

/// Removes our presets. \returns true if there were any
bool dropPresets(Json &All) {
  bool Had = false;
  for (const char *Kind : {"configurePresets", "buildPresets"}) {
    const auto List = All.find(Kind);
    if (List == All.end() || !List->is_array())
      continue;
    Json Rest = Json::array();
    for (const Json &One : *List)
      if (One.is_object() && One.value("name", "") == kPreset)
        Had = true;
      else
        Rest.push_back(One);
    if (Rest.empty())
      All.erase(Kind);
    else
      *List = std::move(Rest);
  }
  return Had;
}

void addPresets(Json &All, const std::vector<std::string> &Flags) {
  const fs::path Whole = installPrefix() / "share" / "inmem" / "inmem.cmake";
  Json Cache = Json::object();
  std::error_code Error;
  if (fs::exists(Whole, Error)) {
    Cache["CMAKE_PROJECT_TOP_LEVEL_INCLUDES"] = Whole.string();
  } else { // inmem runs from a build folder
    Cache["CMAKE_C_COMPILER"] =
        (installPrefix() / "bin" / "inmem-clang").string();
    Cache["CMAKE_CXX_COMPILER"] =
        (installPrefix() / "bin" / "inmem-clang++").string();
  }
  Cache["CMAKE_BUILD_TYPE"] = "RelWithDebInfo";
  Cache["CMAKE_EXPORT_COMPILE_COMMANDS"] = true; // for inmem fix
  if (!Flags.empty()) // in addition to $CFLAGS and $CXXFLAGS
    for (const char *Name : {"CMAKE_C_FLAGS_INIT", "CMAKE_CXX_FLAGS_INIT"})
      Cache[Name] = fmt::format("{}", fmt::join(Flags, " "));
  if (!All.contains("version"))
    All["version"] = 3;
  All["configurePresets"].push_back(
      {{"name", kPreset},
       {"displayName", "records allocations with inmem"},
       {"binaryDir", "${sourceDir}/build-inmem"},
       {"cacheVariables", std::move(Cache)}});
  All["buildPresets"].push_back(
      {{"name", kPreset}, {"configurePreset", kPreset}});
}

/// The new text of the file; nullopt to remove it. \param Had set to whether
/// the file contained anything of ours
trace::Result<std::optional<std::string>> changedText(const Builder &B,
                                                      bool Undo, bool &Had) {
  const auto Old = wholeText(B.File);
  if (B.Text.empty()) {
    Json All = Old ? Json::parse(*Old, nullptr, false) : Json::object();
    if (!All.is_object())
      return trace::Status::error(B.File, "is not a JSON object");
    Had = dropPresets(All);
    if (Undo && !Had)
      return Old;
    if (!Undo)
      addPresets(All, B.Flags);
    // If only the version is left, the file was ours and is removed.
    if (Undo && All.size() == 1 && All.contains("version"))
      return std::optional<std::string>();
    return std::optional(All.dump(2) + "\n");
  }
  const std::string Rest = withoutBlock(Old.value_or(""));
  Had = Old && Rest != *Old;
  const std::string Shell = B.Executable ? "#!/bin/sh\n" : "";
  if (Undo)
    return Rest.empty() || Rest == Shell ? std::optional<std::string>()
                                         : std::optional(Rest);
  const std::string Before =
      Rest.empty() || Rest.ends_with('\n') ? Rest : Rest + "\n";
  return std::optional((Before.empty() ? Shell : Before) + kBegin + B.Text +
                       kEnd);
}

/// A line that reports that a CMakeLists.txt sets its own compiler, which
/// presets and variables cannot change.
std::string fixedCompiler() {
  std::ifstream In("CMakeLists.txt");
  size_t Number = 0;
  for (std::string Line; std::getline(In, Line);) {
    ++Number;
    const size_t Begin = Line.find_first_not_of(" \t");
    if (Begin == std::string::npos)
      continue;
    const std::string_view Code = std::string_view(Line).substr(Begin);
    std::string Start(Code.substr(0, 40));
    std::ranges::transform(Start, Start.begin(), [](unsigned char C) {
      return static_cast<char>(std::toupper(C));
    });
    std::erase(Start, ' ');
    if (Start.starts_with("SET(CMAKE_C_COMPILER") ||
        Start.starts_with("SET(CMAKE_CXX_COMPILER"))
      if (Start.find("COMPILER_") == std::string::npos)
        return "note:   CMakeLists.txt:" + std::to_string(Number) +
               " sets the compiler; take that line out, or nothing is "
               "recorded: " +
               std::string(Code) + "\n";
  }
  return "";
}

/// Writes or removes our part of the file of \p B. \p Had: the file had such a
/// part.
Outcome change(const Builder &B, bool Undo, bool &Had) {
  std::error_code Error;
  const auto Text = changedText(B, Undo, Had);
  if (!Text)
    return Outcome::unreadable(Text.status());
  if (Undo && !Had)
    return {};
  if (!*Text) {
    if (!fs::remove(B.File, Error))
      return {kUnwritable, B.File + ": cannot remove: " + Error.message()};
    std::printf("removed %s\n", B.File.c_str());
    return {};
  }
  if (const auto Done = writeText(B.File, stdout, **Text); !Done.ok())
    return Outcome::unwritable(Done);
  if (B.Executable)
    fs::permissions(B.File,
                    fs::perms::owner_exec | fs::perms::group_exec |
                        fs::perms::others_exec,
                    fs::perm_options::add, Error);
  if (Undo)
    std::printf("took inmem out of %s\n", B.File.c_str());
  return {};
}

Outcome undo() {
  bool Any = false;
  for (const Builder &B : builders()) {
    bool Had = false;
    if (Outcome Done = change(B, /*Undo=*/true, Had); Done.Code != kDone)
      return Done;
    Any |= Had;
  }
  return Any ? Outcome{}
             : Outcome::usage("init --undo: there is nothing of inmem here");
}

/// The file that identifies a kind of project in this folder; empty if there is
/// none.
std::string markOf(const Builder &B, const fs::path &Folder = "") {
  std::error_code Error;
  for (const std::string &Mark : B.Marks)
    if (fs::exists(Folder / Mark, Error))
      return Mark;
  return "";
}

/// The nearest subfolder with a project; empty if there is none nearby.
std::string projectBelow() {
  constexpr int kDeepest = 1;
  const std::vector<Builder> Kinds = builders();
  std::vector<std::pair<int, std::string>> Found;
  std::error_code Error;
  fs::recursive_directory_iterator At(
      ".", fs::directory_options::skip_permission_denied, Error);
  for (; !Error && At != fs::end(At); At.increment(Error)) {
    const fs::path Folder = At->path().lexically_relative(".");
    if (!At->is_directory(Error) || Folder.filename().native()[0] == '.') {
      At.disable_recursion_pending();
      continue;
    }
    if (std::ranges::any_of(Kinds, [&](const Builder &B) {
          return !markOf(B, Folder).empty();
        }))
      Found.emplace_back(At.depth(), Folder.string());
    if (At.depth() == kDeepest)
      At.disable_recursion_pending();
  }
  return Found.empty() ? "" : std::ranges::min(Found).second;
}

/// True if a build of this kind was made here, or in a folder below.
bool wasBuilt(const Builder &B) {
  std::error_code Error;
  const auto In = [&](const fs::path &Folder) {
    return std::ranges::any_of(B.Traces, [&](const std::string &Trace) {
      return fs::exists(fs::symlink_status(Folder / Trace, Error));
    });
  };
  if (In("."))
    return true;
  fs::directory_iterator At(".", fs::directory_options::skip_permission_denied,
                            Error);
  for (; !Error && At != fs::end(At); At.increment(Error))
    if (At->is_directory(Error) && At->path().filename() != "build-inmem" &&
        In(At->path()))
      return true;
  return false;
}

/// The kinds of project to set up. If there are several, all that were built
/// here, or else the first. Make and configure come last. \param Only the name
/// of one kind; empty for any
std::vector<Builder> chosen(const std::string &Only,
                            const std::vector<std::string> &Flags) {
  std::vector<Builder> Out;
  for (Builder &B : builders(Flags))
    if (Only.empty() ? !markOf(B).empty() : B.Name == Only)
      Out.push_back(std::move(B));
  if (Only.empty() &&
      std::ranges::any_of(Out, [](const Builder &B) { return !B.Secondary; }))
    std::erase_if(Out, &Builder::Secondary);
  if (Out.size() > 1 && std::ranges::any_of(Out, wasBuilt))
    std::erase_if(Out, [](const Builder &B) { return !wasBuilt(B); });
  else if (Out.size() > 1)
    Out.erase(Out.begin() + 1, Out.end());
  return Out;
}

Outcome init(const std::string &Only, const SourceGlobs &Globs) {
  std::string Served, Notes;
  const std::vector<Builder> Serve = chosen(Only, Globs.options());
  for (const Builder &B : Serve) {
    if (markOf(B).empty())
      return Outcome::usage(fmt::format("init: {}: expected {} in this folder",
                                        B.Name, fmt::join(B.Marks, " or ")));
    bool Had = false;
    if (Outcome Done = change(B, /*Undo=*/false, Had); Done.Code != kDone)
      return Done;
    std::printf("%s: wrote %s\nbuild:  %s\n", B.Name, B.File.c_str(),
                B.Then.c_str());
    if (B.Text.empty())
      Notes += fixedCompiler();
    Served += (Served.empty() ? "" : " and ") + std::string(B.Name);
  }
  if (Served.empty()) {
    const std::string Below = projectBelow();
    return Outcome::usage(
        "init: expected CMakeLists.txt, meson.build, MODULE.bazel, "
        "WORKSPACE, configure or Makefile in this folder" +
        (Below.empty() ? "" : "; " + Below + " has one"));
  }
  for (const Builder &B : builders())
    if (const std::string Mark = markOf(B);
        !Mark.empty() && Only.empty() &&
        std::ranges::find(Serve, std::string_view(B.Name), &Builder::Name) ==
            Serve.end())
      Notes += fmt::format("note:   nothing for {} ({}): this folder has {}; "
                           "see inmem init --for\n",
                           B.Name, Mark, Served);
  for (const std::string &Reason : Globs.Reasons)
    std::printf("%s\n", Reason.c_str());
  std::printf("then:   run the program, and type: inmem report\n"
              "undo:   inmem init --undo\n%s",
              Notes.c_str());
  return {};
}

} // namespace

Action setUpInit(CommandLine &App) {
  const auto Undo = std::make_shared<bool>(false);
  const auto Only = std::make_shared<std::string>();
  const auto Library = std::make_shared<std::string>();
  const auto Mine = std::make_shared<std::string>();
  App.flag("--undo", *Undo, "take back what it has written");
  App.choice("--for", *Only,
             {{"cmake", "CMake"},
              {"meson", "Meson"},
              {"bazel", "Bazel"},
              {"autotools", "autotools"},
              {"make", "Make"}},
             "only for this kind of build: {}")
      .valueName("KIND");
  App.option("--library", *Library,
             "source files of a library, globs separated by commas: also "
             "library=")
      .valueName("GLOBS");
  App.option("--mine", *Mine, "source files that are yours: also mine=")
      .valueName("GLOBS");
  App.footer(
      "Writes what the project needs to be built with inmem in a "
      "folder of its own:\na preset with a compilation database (CMake), "
      "a native file (Meson), a config in\n.bazelrc, inmem-configure "
      "(autotools) or inmem.mk (Make). It changes no other\nfile. If "
      "the folder has several, those are served that were built here "
      "before,\nor else the first of this list; a note names the "
      "rest.\n\nA folder with a licence that is not the project's is a "
      "library's, and a folder such\nas third_party/core with a copy of the "
      "project's own is yours: it writes library=\nand mine= for "
      "them.\n\nExamples:\n"
      "  inmem init\n"
      "  inmem init --library 'contrib/*'\n"
      "  inmem init --for bazel\n"
      "  inmem init --undo");
  return [Undo, Only, Library, Mine]() -> Outcome {
    if (*Undo)
      return undo();
    SourceGlobs Globs = findLibraries(".");
    addGlobs(*Library, Globs.Library);
    addGlobs(*Mine, Globs.Mine);
    return init(*Only, Globs);
  };
}

} // namespace inmem::tools
