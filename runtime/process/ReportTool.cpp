//===- ReportTool.cpp - report --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/End.h"

#include "platform/Files.h"
#include "platform/Image.h"
#include "platform/Message.h"
#include "platform/Process.h"
#include "state/TracePath.h"

#include <string.h>

extern char **environ; // NOLINT(readability-identifier-naming): libc's

namespace inmem::rt {

namespace {

/// The tool is in <prefix>/bin next to our <prefix>/lib; otherwise PATH is
/// searched.
const char *findTool(PathBuilder &Name, const char *Buffer) {
  Image Library;
  const auto Here = reinterpret_cast<uintptr_t>(&runReportTool);
  if (Image::around(Here, Library) && *Library.name()) { // "": the program
    Name.add(Library.name());
    const char *Slash = strrchr(Library.name(), '/');
    Name.cut(Slash ? static_cast<size_t>(Slash - Library.name()) : 0);
    // Only the prefix of <prefix>/lib, so that the path reads well.
    const char *Last = strrchr(Buffer, '/');
    if (Last && strcmp(Last, "/lib") == 0)
      Name.cut(static_cast<size_t>(Last - Buffer));
    else
      Name.add("/..");
    Name.add("/bin/inmem");
    if (Name.ok() && isExecutable(Buffer))
      return Buffer;
  }
  return "inmem";
}

bool startsWith(const char *Text, const char *Prefix) {
  return strncmp(Text, Prefix, strlen(Prefix)) == 0;
}

constinit bool StartedOnTerminal = false, InPath = false;

/// Sets InPath if `inmem` alone runs the tool.
void lookAlongPath(const char *Path) {
  char Buffer[1200];
  for (const char *At = Path; *At && !InPath;) {
    const size_t Length = strcspn(At, ":");
    PathBuilder Name(Buffer, sizeof Buffer);
    for (size_t I = 0; I < Length; ++I)
      Name.add(At[I]);
    Name.add("/inmem");
    InPath = Length > 0 && Name.ok() && isExecutable(Buffer);
    At += Length + (At[Length] == ':');
  }
}

/// A quotation mark for the shell, if the word needs one.
const char *quoteOf(const char *Word) {
  return strpbrk(Word, " \t\"$&();*?<>|`#~![]{}\\") ? "'" : "";
}

} // namespace

void lookForTerminal() {
  StartedOnTerminal = isTerminal(2);
  if (StartedOnTerminal)
    withEnvironmentVariable("CI", [](const char *Value) {
      StartedOnTerminal = !*Value || strcmp(Value, "false") == 0;
    });
}

void nameTraceOnTerminal(const char *Trace) {
  if (!StartedOnTerminal || MayBeSandboxed || !isTerminal(2))
    return;
  StartedOnTerminal = false;
  char Folder[1024];
  currentFolder(Folder, sizeof Folder);
  if (Folder[0] && startsWith(Trace, Folder) && Trace[strlen(Folder)] == '/')
    Trace += strlen(Folder) + 1;
  char NextToRuntime[1200];
  PathBuilder Name(NextToRuntime, sizeof NextToRuntime);
  withEnvironmentVariable("PATH", lookAlongPath);
  const char *Tool = InPath ? "inmem" : findTool(Name, NextToRuntime);
  Message()
      .text("trace in ")
      .text(Trace)
      .text("; read it with: ")
      .text(quoteOf(Tool))
      .text(Tool)
      .text(quoteOf(Tool))
      .text(" report ")
      .text(quoteOf(Trace))
      .text(Trace)
      .text(quoteOf(Trace))
      .emit();
}

void runReportTool(const char *Trace, const char *Where) {
  // Drop our variables: the tool must neither be recorded nor preload the
  // program's libraries.
  constexpr size_t kMost = 4096;
  static char *Environment[kMost];
  size_t Count = 0;
  for (char **E = environ; E && *E && Count < kMost - 1; ++E)
    if (!startsWith(*E, "INMEM_OPTIONS=") && !startsWith(*E, "LD_PRELOAD="))
      Environment[Count++] = *E;
  Environment[Count] = nullptr;
  char NextToRuntime[1200];
  PathBuilder Name(NextToRuntime, sizeof NextToRuntime);
  const char *Tool = findTool(Name, NextToRuntime);
  const char *Arguments[] = {Tool, "report", Trace, nullptr};
  const bool ToStderr = strcmp(Where, "stderr") == 0;
  if (int Error =
          runProgram(Arguments, Environment, ToStderr ? nullptr : Where))
    Message()
        .text("cannot run '")
        .text(Tool)
        .text("' for report=: ")
        .error(Error)
        .emit();
}

} // namespace inmem::rt
