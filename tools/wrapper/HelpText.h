//===- HelpText.h - Text of --inmem-help and inmem-clang(1) -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_WRAPPER_HELPTEXT_H
#define INMEM_WRAPPER_HELPTEXT_H

#include <string>
#include <string_view>

namespace inmem::wrapper {

constexpr const char *kAbout =
    "clang, plus what inmem needs. Every argument but --inmem-help\n"
    "is passed on unchanged; the result is used as that of clang.";

struct HelpLine {
  const char *Title;
  const char *Text; ///< %L: the folder with libinmem.so
};

constexpr HelpLine kHelpLines[] = {
    {"INMEM_CLANG", "the environment variable names another build of the clang "
                    "that inmem was built for"},
    {"INMEM_COMPILE_COMMANDS",
     "a file that gets an entry for each source that is compiled: a "
     "compilation database, for inmem fix -p"},
    {"linking adds", "%L/libinmem_rt.so as the first library, and its run "
                     "path"},
    {"  with -static", "%L/libinmem_rt.a and --wrap for the malloc family"},
    {"  with -shared, or -nostdlib and no -l", "only if the code needs it"},
    {"  with -r", "nothing"},
    {"other targets, -m32", "the headers alone; -cc1: nothing"},
    {"with ccache", "CCACHE_EXTRAFILES=%L/libinmem.so lets it notice a new "
                    "plugin"},
    {"plugin options", "-fplugin-arg-inmem-<name>=<value>"},
    {"  optimize=PROFILE", "places blocks by their lifetimes in place of "
                           "recording them"},
    {"  types=table", "instruments nothing: adds a table of types for "
                      "inmem add-types"},
    {"running", "INMEM_OPTIONS=help=1 ./program lists the run-time options"},
    {"then", "inmem report inmem.*.inmem"},
};

/// Text with the folder's name in it.
inline std::string filledIn(std::string_view Text, std::string_view Lib) {
  std::string Out(Text);
  if (const size_t At = Out.find("%L"); At != std::string::npos)
    Out.replace(At, 2, Lib);
  return Out;
}

} // namespace inmem::wrapper

#endif
