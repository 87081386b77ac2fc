// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct LogLine {
  char Text[10];
};
LogLine *Last;

__attribute__((noinline)) void logLine() { Last = new LogLine; }
