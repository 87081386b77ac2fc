//===- Request.cpp - reads a command line as clang does -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Request.h"

namespace inmem::wrapper {

namespace {

template <size_t N>
bool isOneOf(std::string_view Text, const char *const (&Names)[N]) {
  for (const char *Name : Names)
    if (Text == Name)
      return true;
  return false;
}

/// Options that take the next argument as their value, so that a value is not
/// mistaken for an input file or an option. Superfluous entries do no harm.
constexpr const char *kTakesValue[] = {"-o",
                                       "-I",
                                       "-D",
                                       "-U",
                                       "-L",
                                       "-F",
                                       "-x",
                                       "-T",
                                       "-u",
                                       "-z",
                                       "-e",
                                       "-G",
                                       "-A",
                                       "-B",
                                       "-b",
                                       "-V",
                                       "-include",
                                       "-imacros",
                                       "-include-pch",
                                       "-isystem",
                                       "-isystem-after",
                                       "-iquote",
                                       "-idirafter",
                                       "-iprefix",
                                       "-iwithprefix",
                                       "-iwithprefixbefore",
                                       "-isysroot",
                                       "--sysroot",
                                       "-MF",
                                       "-MT",
                                       "-MQ",
                                       "-MJ",
                                       "-Xclang",
                                       "-Xlinker",
                                       "-Xassembler",
                                       "-Xpreprocessor",
                                       "-Xanalyzer",
                                       "-mllvm",
                                       "-target",
                                       "-arch",
                                       "--param",
                                       "-rpath",
                                       "-install_name",
                                       "-framework",
                                       "-dumpdir",
                                       "-gcc-toolchain",
                                       "--serialize-diagnostics",
                                       "-serialize-diagnostics",
                                       "-working-directory",
                                       "--config",
                                       "--output",
                                       "--language",
                                       "--for-linker",
                                       "--include",
                                       "--include-directory",
                                       "--define-macro",
                                       "--undefine-macro",
                                       "--library-directory",
                                       "-fmodule-name",
                                       "-soname"};

/// Options after which nothing is linked.
constexpr const char *kStopsBeforeLink[] = {"-c",
                                            "-S",
                                            "-E",
                                            "-M",
                                            "-MM",
                                            "-fsyntax-only",
                                            "-emit-ast",
                                            "--analyze",
                                            "--precompile",
                                            "--preprocess",
                                            "--compile",
                                            "--assemble",
                                            "-rewrite-objc",
                                            "-verify-pch",
                                            "-emit-interface-stubs",
                                            "-module-file-info",
                                            "-fmodule-header",
                                            "-extract-api",
                                            "--emit-static-lib",
                                            "-emit-static-lib"};

/// True if -fsanitize= with these checks replaces the allocator.
bool replacesAllocator(std::string_view Checks) {
  for (std::string_view Name : {"address", "thread", "memory", "leak",
                                "hwaddress", "dataflow", "scudo"})
    if (Checks.find(Name) != std::string_view::npos)
      return true;
  return false;
}

#ifdef __aarch64__
#define INMEM_OWN_MACHINE "aarch64"
#else
#define INMEM_OWN_MACHINE "x86_64"
#endif
#ifdef __GLIBC__
constexpr const char *kOwnRuntime = INMEM_OWN_MACHINE "-linux-gnu";
#else
constexpr const char *kOwnRuntime = INMEM_OWN_MACHINE "-linux-musl";
#endif

/// The machine that code for \p Triple runs on, as in folder names; empty if it
/// is not supported.
std::string machineOf(std::string_view Triple) {
  if (Triple.find("linux") == std::string_view::npos ||
      endsWith(Triple, "x32") || endsWith(Triple, "ilp32"))
    return "";
  if (startsWith(Triple, "x86_64"))
    return "x86_64";
  const bool IsArm =
      startsWith(Triple, "aarch64-") || startsWith(Triple, "arm64-");
  return IsArm ? "aarch64" : "";
}

/// True if Linux programs for \p Triple have a C library that the runtime does
/// not work with.
bool hasOtherLibrary(std::string_view Triple) {
  for (std::string_view Name : {"android", "ohos", "uclibc"})
    if (Triple.find(Name) != std::string_view::npos)
      return true;
  return false;
}

void setTarget(std::string_view Triple, Request &Result) {
  const std::string Machine = machineOf(Triple);
  const bool IsMusl = Triple.find("musl") != std::string_view::npos;
  const std::string Runtime = Machine + (IsMusl ? "-linux-musl" : "-linux-gnu");
  Result.OtherTarget = Machine.empty();
  Result.OtherRuntime =
      Machine.empty() || Runtime == kOwnRuntime ? "" : Runtime;
  Result.OtherLibrary.clear();
  if (!Result.OtherTarget && hasOtherLibrary(Triple))
    Result.OtherLibrary = Triple;
}

/// A header given as input is precompiled, not linked.
bool isHeader(std::string_view File) {
  for (std::string_view Suffix :
       {".h", ".H", ".hh", ".hpp", ".hxx", ".hp", ".h++"})
    if (endsWith(File, Suffix))
      return true;
  return false;
}

/// True if these linker words request relocatable output, which leaves the
/// final link for later.
bool asksForRelocatable(std::string_view LinkerWords) {
  while (!LinkerWords.empty()) {
    size_t Comma = LinkerWords.find(',');
    std::string_view Word = LinkerWords.substr(0, Comma);
    if (Word == "-r" || Word == "-i" || Word == "-Ur" ||
        Word == "--relocatable" || Word == "-relocatable")
      return true;
    if (Comma == std::string_view::npos)
      break;
    LinkerWords.remove_prefix(Comma + 1);
  }
  return false;
}

/// \p Linker is a name for -fuse-ld=, or a path.
bool isLld(std::string_view Linker) {
  const size_t Slash = Linker.rfind('/');
  if (Slash != std::string_view::npos)
    Linker.remove_prefix(Slash + 1);
  return Linker.find("lld") != std::string_view::npos;
}

} // namespace

Request study(const Args &Given, const std::string &Clang) {
  Request Result;
  Args Words = openArgumentFiles(Given, Clang);
  bool OptionsEnded = false, Lto = false, Lld = false, LldByPath = false;
  bool ByPath = false;       // --ld-path=, which overrides -fuse-ld=
  std::string_view Language; // -x; empty or `none`: by the file's name
  for (size_t I = 0; I < Words.size(); ++I) {
    std::string_view Arg = Words[I];
    std::string_view Next;
    if (I + 1 < Words.size())
      Next = Words[I + 1];
    if (!OptionsEnded && startsWith(Arg, "@"))
      continue; // a response file that does not exist
    if (OptionsEnded || Arg == "-" || (!Arg.empty() && Arg[0] != '-')) {
      Result.HasInput = true;
      Result.StopsEarly |= Language.empty() || Language == "none"
                               ? isHeader(Arg)
                               : endsWith(Language, "-header");
      continue;
    }
    if (Arg == "--")
      OptionsEnded = true;
    else if (isOneOf(Arg, kStopsBeforeLink) ||
             startsWith(Arg, "-fmodule-header="))
      Result.StopsEarly = true;
    else if (Arg == "-r" || Arg == "--relocatable" ||
             (startsWith(Arg, "-Wl,") && asksForRelocatable(Arg.substr(4))) ||
             ((Arg == "-Xlinker" || Arg == "--for-linker") &&
              asksForRelocatable(Next)))
      Result.Relocatable = true;
    else if (Arg == "-static" || Arg == "--static" || Arg == "-static-pie")
      Result.Static = true;
    else if (Arg == "-shared" || Arg == "--shared")
      Result.Shared = true;
    else if (Arg == "-nostdlib" || Arg == "--no-standard-libraries" ||
             Arg == "-nodefaultlibs")
      Result.NoLibraries = true;
    else if (startsWith(Arg, "-l"))
      Result.HasInput = Result.NamesLibraries = true;
    else if (Arg == "-cc1" || Arg == "-cc1as" || Arg == "-cc1gen-reproducer")
      Result.Inner = true;
    else if (Arg == "-m32" || Arg == "-m16" || Arg == "-mx32" || Arg == "-m64")
      Result.OtherWidth = Arg != "-m64";
    else if (Arg == "--language")
      Language = Next;
    else if (startsWith(Arg, "--language="))
      Language = Arg.substr(11);
    else if (startsWith(Arg, "-x"))
      Language = Arg == "-x" ? Next : Arg.substr(2);
    else if (startsWith(Arg, "-fplugin-arg-inmem-optimize=") ||
             startsWith(Arg, "-fplugin-arg-inmem-place=")) {
      Result.Profile = Arg.substr(Arg.find('=') + 1);
      Result.PassAlone = startsWith(Arg, "-fplugin-arg-inmem-place=");
    } else if (Arg == "-fplugin-arg-inmem-types=table")
      Result.TypesAlone = true;
    else if (Arg == "-flto" || startsWith(Arg, "-flto="))
      Lto = true;
    else if (Arg == "-fno-lto")
      Lto = false;
    else if (startsWith(Arg, "-fuse-ld="))
      Lld = isLld(Arg.substr(Arg.find('=') + 1));
    else if (startsWith(Arg, "--ld-path=")) {
      ByPath = true;
      LldByPath = isLld(Arg.substr(Arg.find('=') + 1));
    } else if (startsWith(Arg, "-fsanitize="))
      Result.Sanitized |= replacesAllocator(Arg.substr(11));
    else if (startsWith(Arg, "--target="))
      setTarget(Arg.substr(9), Result);
    else if (Arg == "-target")
      setTarget(Next, Result);
    if (isOneOf(Arg, kTakesValue))
      ++I;
  }
  Lld = ByPath ? LldByPath : Lld;
  Result.AtLink = Lto && Lld;
  Result.AtOtherLink = Lto && !Lld;
  return Result;
}

} // namespace inmem::wrapper
