// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded. At the program's end, writes to $METER the peak and the final
// number of bytes that became resident since it was loaded, without pages of
// files.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char Text[8192];
static long long BeforeAll, BeforeFiles;
static pid_t Process;

static void readStatus(void) {
  const int In = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t Got = read(In, Text, sizeof Text - 1);
  close(In);
  Text[Got > 0 ? Got : 0] = 0;
}

static long long figure(const char *Name) {
  const char *At = strstr(Text, Name);
  return At ? atoll(At + strlen(Name)) * 1024 : 0;
}

__attribute__((constructor)) static void begin(void) {
  const int Out = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (write(Out, "5", 1) != 1)
    return;
  close(Out);
  readStatus();
  BeforeAll = figure("\nVmRSS:");
  BeforeFiles = figure("\nRssFile:") + figure("\nRssShmem:");
  Process = getpid();
}

__attribute__((destructor)) static void end(void) {
  const char *Path = getenv("METER");
  if (!Path || getpid() != Process)
    return;
  readStatus();
  const long long Files =
      figure("\nRssFile:") + figure("\nRssShmem:") - BeforeFiles;
  char Line[64];
  const int Length = snprintf(Line, sizeof Line, "%lld %lld\n",
                              figure("\nVmHWM:") - BeforeAll - Files,
                              figure("\nVmRSS:") - BeforeAll - Files);
  const int Out = open(Path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (write(Out, Line, (size_t)Length) != Length)
    abort();
  close(Out);
}
