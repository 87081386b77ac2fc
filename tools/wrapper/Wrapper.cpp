//===- Wrapper.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in compilers inmem-clang and inmem-clang++.
//
// Executes (execv) the clang that this inmem was built for, with the user's
// arguments unchanged. Around them are the arguments for instrumentation: the
// plugin for every compilation, the runtime for every link. docs: --inmem-help
// prints the added arguments.
//
// Its own exit codes: 0 for --inmem-help, 2 if it cannot run a clang.

#include "HelpText.h"
#include "Request.h"
#include "Toolchain.h"
#include "inmem/abi.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace inmem::wrapper;

namespace {

// --- Arguments to add
// ---------------------------------------------------------

void append(Args &To, std::initializer_list<std::string> More) {
  To.insert(To.end(), More);
}

/// Passes words to the linker one by one, since paths may contain commas.
void appendLinker(Args &To, std::initializer_list<std::string> Words) {
  for (const std::string &Word : Words)
    append(To, {"-Xlinker", Word});
}

/// A static program has no dynamic symbols to interpose. Instead, the linker
/// redirects the C allocator, and the ends of threads and of the process, to
/// the runtime's __wrap_ functions. Operators are only forced to be linked: the
/// hooks call them, and the malloc in them is wrapped.
void appendWraps(Args &To) {
#define INMEM_WRAP(Name)                                                       \
  if (!startsWith(#Name, "_Z"))                                                \
    appendLinker(To, {"--wrap=" #Name});                                       \
  else if (kLanguage.Cxx)                                                      \
    appendLinker(To, {"-u", #Name});
  INMEM_ALLOCATING_FUNCTIONS(INMEM_WRAP)
  INMEM_FREEING_FUNCTIONS(INMEM_WRAP)
  INMEM_STATIC_WRAPPED_FUNCTIONS(INMEM_WRAP)
#undef INMEM_WRAP
}

/// The folder contains only our headers, so that no other header of the
/// installation becomes visible.
std::string headerOption(const Toolchain &Tools) {
  return "-idirafter" + Tools.Headers;
}

/// The file to link a program with: the runtime without the functions that it
/// interposes, so that the linker resolves these as in a plain build.
std::string sharedRuntime(const std::string &Lib) {
  const std::string Link = Lib + "/libinmem_rt.link.so";
  return access(Link.c_str(), R_OK) == 0 ? Link : Lib + "/libinmem_rt.so";
}

/// Arguments before the user's. The runtime is the first input, so that it
/// becomes the first DT_NEEDED, before libstdc++, libc and any allocator whose
/// functions it wraps. An executable keeps it even if it does not refer to it,
/// since its libraries may.
Args addedBefore(const Request &User, const Toolchain &Tools) {
  const std::string &Lib = Tools.Lib;
  // The second flag handles inputs without an AST: bitcode, and -save-temps,
  // for which clang runs the passes in a separate process. For that process,
  // the first flag stores the facts in the module.
  Args Added = {"--start-no-unused-arguments", "-fplugin=" + Tools.Plugin,
                "-fpass-plugin=" + Tools.Plugin};
  // Keep source locations in the IR without debug sections, as the plugin
  // itself does on newer clangs: any -Rpass keeps them, and this one matches no
  // pass. Also, 16 and 17 ignore the plugin's setting that destructors have no
  // aliases, but only separate functions can be counted.
  if (Tools.Major < 18)
    append(Added, {"-Rpass=inmem-keeps-locations", "-Xclang",
                   "-mno-constructor-aliases"});
  if (User.linksWhatMayNotNeedUs()) {
    // addedAfter() puts the runtime after inputs that may refer to it.
  } else if (User.links() && User.Static) {
    appendWraps(Added);
    appendLinker(Added, {"--push-state", "--whole-archive",
                         Lib + "/libinmem_rt.a", "--pop-state"});
  } else if (User.links()) {
    appendLinker(Added, {"--push-state", "--no-as-needed", sharedRuntime(Lib),
                         "--pop-state"});
  }
  Added.push_back("--end-no-unused-arguments");
  return Added;
}

/// Arguments after the user's. The folder of our headers is searched last, so
/// that a project's own inmem/ folder takes precedence. Our run path follows
/// the user's own, so that libraries are found in theirs first. Outputs that
/// may not need the runtime get it here, because only then does the linker know
/// whether it is needed.
Args addedAfter(const Request &User, const Toolchain &Tools) {
  const std::string &Lib = Tools.Lib;
  Args Added = {"--start-no-unused-arguments", headerOption(Tools),
                "--end-no-unused-arguments"};
  if (User.isForeign() || !User.links())
    return Added;
  if (User.Static) {
    if (User.linksWhatMayNotNeedUs())
      appendLinker(Added, {Lib + "/libinmem_rt.a"});
    return Added;
  }
  if (User.linksWhatMayNotNeedUs())
    appendLinker(Added, {"--push-state", "--as-needed", sharedRuntime(Lib),
                         "--pop-state"});
  appendLinker(Added, {"-rpath", Lib});
  return Added;
}

/// Arguments that optimize=PROFILE adds before the user's: the plugin, whose
/// passes assign classes to allocations, and LLVM's own use of the profile.
/// Both find sites by debug information; the user's own -g comes later and
/// takes precedence.
Args optimizingBefore(const Request &User, const Toolchain &Tools) {
  Args Added = {"--start-no-unused-arguments", "-fplugin=" + Tools.Plugin,
                "-fpass-plugin=" + Tools.Plugin, "-gmlt"};
  if (Tools.Major < 18)
    append(Added, {"-Rpass=inmem-keeps-locations"});
  if (User.hintsAtLink(Tools.Major))
    append(Added, {"-flto=thin", "-fdebug-info-for-profiling",
                   "-fmemory-profile-use=" + User.Profile, "-mllvm",
                   "-memprof-ave-lifetime-cold-threshold=0",
                   // Inlining before the profile is read leaves code that later
                   // passes simplify less.
                   "-mllvm", "-disable-preinline"});
  Added.push_back("--end-no-unused-arguments");
  return Added;
}

void addSharedLibrary(Args &To, const std::string &Lib) {
  appendLinker(To, {"--push-state", "--as-needed", Lib + "/libinmem_place.so",
                    "--pop-state", "-rpath", Lib});
}

/// Arguments that optimize=PROFILE adds to a link. A program gets the whole
/// library, because only the link itself creates references to it. A shared
/// object relies on the program's copy.
Args optimizingAfter(const Request &User, const Toolchain &Tools) {
  const std::string &Lib = Tools.Lib;
  Args Added;
  if (!User.links())
    return Added;
  if (User.hintsAtLink(Tools.Major)) {
    append(Added, {"-fuse-ld=lld"});
    if (!User.Shared)
      for (const char *Word :
           {"-enable-memprof-context-disambiguation", "-optimize-hot-cold-new",
            "-supports-hot-cold-new"})
        appendLinker(Added, {"-mllvm", Word});
  }
  if (User.Shared) {
    addSharedLibrary(Added, Lib);
  } else if (User.Static) {
    for (const char *Name :
         {"malloc", "calloc", "realloc", "reallocarray", "free", "memalign",
          "aligned_alloc", "posix_memalign", "malloc_usable_size"})
      appendLinker(Added, {std::string("--wrap=") + Name});
    // The hinted operators refer to these only weakly, for C programs.
    if (kLanguage.Cxx)
      for (const char *Name :
           {"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
            "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
            "_ZnwmSt11align_val_tRKSt9nothrow_t",
            "_ZnamSt11align_val_tRKSt9nothrow_t"})
        appendLinker(Added, {"-u", Name});
    appendLinker(Added, {"--push-state", "--whole-archive",
                         Lib + "/libinmem_place_wrap.a", "--pop-state"});
  } else {
    appendLinker(Added, {"--push-state", "--whole-archive",
                         Lib + "/libinmem_place.a", "--pop-state"});
  }
  return Added;
}

/// Nothing is instrumented with optimize=PROFILE. A sanitizer's allocator is
/// incompatible with ours, so such a program is compiled as without the
/// profile.
void optimize(const Request &User, const Toolchain &Tools, Args &Before,
              Args &After) {
  const std::string &Lib = Tools.Lib;
  After = {"--start-no-unused-arguments", headerOption(Tools),
           "--end-no-unused-arguments"};
  if (User.isForeign())
    return;
  if (User.Sanitized) {
    Before = {"-fplugin=" + Tools.Plugin};
    // Objects compiled without the sanitizer call the library, which places
    // nothing if another malloc is in use.
    if (User.links() && !User.Static)
      addSharedLibrary(After, Lib);
    return;
  }
  Before = optimizingBefore(User, Tools);
  const Args Link = optimizingAfter(User, Tools);
  After.insert(After.end(), Link.begin(), Link.end());
}

/// Nothing is instrumented with types=table, and no runtime is linked. If the
/// link generates the code, lld loads the passes, too.
void tabulate(const Request &User, const Toolchain &Tools, Args &Before,
              Args &After) {
  After = {"--start-no-unused-arguments", headerOption(Tools),
           "--end-no-unused-arguments"};
  if (User.isForeign())
    return;
  Before = {"--start-no-unused-arguments", "-fplugin=" + Tools.Plugin};
  if (Tools.Major < 18)
    append(Before, {"-Rpass=inmem-keeps-locations"});
  if (User.AtOtherLink && User.links())
    fail("types=table: with -flto the link generates the code, and of all "
         "linkers lld alone can load the plugin: add -fuse-ld=lld");
  if (User.AtLink && User.links())
    appendLinker(Before,
                 {"--load-pass-plugin=" + Tools.Lib + "/libinmem-ir.so"});
  Before.push_back("--end-no-unused-arguments");
}

/// Code for another machine or C library is linked with its runtime. Without
/// one, it is compiled as for any other target.
void chooseRuntime(Request &User, Toolchain &Tools) {
  if (User.OtherRuntime.empty() || !User.OtherLibrary.empty())
    return;
  const std::string Runtime = runtimeIn(User.OtherRuntime, Tools.Lib);
  if (Runtime.empty())
    User.OtherTarget = true;
  else
    Tools.Lib = Runtime;
}

/// Warns in one line that a program for another C library will not record.
void warn(const Request &User, const std::string &Lib) {
  if (User.Inner || !User.HasInput)
    return;
  if (!User.OtherLibrary.empty())
    std::fprintf(stderr,
                 "%s: nothing is recorded: inmem needs glibc or musl, and the "
                 "target is %s\n",
                 kLanguage.Name, User.OtherLibrary.c_str());
  else if (User.OtherTarget && endsWith(User.OtherRuntime, "-musl"))
    std::fprintf(stderr,
                 "%s: nothing is recorded: there is no runtime in %s/%s\n",
                 kLanguage.Name, Lib.c_str(), User.OtherRuntime.c_str());
}

void printHelp(const Toolchain &Tools) {
  const std::string &Lib = Tools.Lib;
  std::printf("%s: %s\n\n%-19s %s\n%-19s", kLanguage.Name, kAbout,
              "becomes:", Tools.Clang.c_str(), "compiling adds:");
  for (const std::string &Arg : addedBefore(Request(), Tools))
    if (!endsWith(Arg, "-no-unused-arguments"))
      std::printf(" %s", Arg.c_str());
  std::printf(" %s\n", headerOption(Tools).c_str());
  for (const HelpLine &L : kHelpLines)
    std::printf("%-19s %s\n", (std::string(L.Title) + ':').c_str(),
                filledIn(L.Text, Lib).c_str());
}

} // namespace

int main(int Argc, char **Argv) {
  Args Given(Argv + 1, Argv + Argc);
  Toolchain Tools = findToolchain();
  for (const std::string &Arg : Given)
    if (Arg == "--inmem-help") {
      printHelp(Tools);
      return 0;
    }

  Request User = study(Given, Tools.Clang);
  chooseRuntime(User, Tools);
  if (!User.Inner)
    noteCommand(Given, Tools.Clang);
  Args Command = {Tools.Clang};
  if (Tools.NamedByUser)
    Command.push_back(kLanguage.DriverMode);
  Args Before, After;
  warn(User, Tools.Lib);
  if (!User.Inner && !Given.empty()) {
    if (!User.isForeign() && !User.optimizes() && !User.TypesAlone)
      Before = addedBefore(User, Tools);
    After = addedAfter(User, Tools);
    if (User.optimizes())
      optimize(User, Tools, Before, After);
    else if (User.TypesAlone)
      tabulate(User, Tools, Before, After);
  }
  Command.insert(Command.end(), Before.begin(), Before.end());
  // After "--", clang treats every word as a file, so ours are inserted before
  // it.
  bool Placed = false;
  for (const std::string &Arg : Given) {
    if (Arg == "--" && !Placed) {
      Command.insert(Command.end(), After.begin(), After.end());
      Placed = true;
    }
    Command.push_back(Arg);
  }
  if (!Placed)
    Command.insert(Command.end(), After.begin(), After.end());

  std::vector<char *> Raw;
  for (std::string &Arg : Command)
    Raw.push_back(Arg.data());
  Raw.push_back(nullptr);
  execv(Raw[0], Raw.data());
  fail("cannot run " + Tools.Clang + ": " + std::strerror(errno));
}
