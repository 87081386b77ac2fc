// Intent: functions of the C library that return owned strings are blocks of char, or of wchar_t.
// RUN: %table %s
// MODES: c11 c17
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static void *volatile Sink;
static void keep(void *pointer) { Sink = pointer; }
static int formatted(char **result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}
static int chosen(const struct dirent *entry) { return strcmp(entry->d_name, ".") == 0; }

int main(int argc, char **argv) {
  keep(strdup(argv[0]));
  keep(strndup(argv[0], 3));
  keep(wcsdup(L"wide"));
  char *text = NULL;
  if (asprintf(&text, "%s %d", argv[0], argc) > 0)
    keep(text);
  if (formatted(&text, "%s %d", argv[0], argc) > 0)
    keep(text);
  static char lines[] = "one\ntwo;three\n";
  FILE *in = fmemopen(lines, sizeof lines - 1, "r");
  char *line = NULL, *part = NULL;
  size_t room = 0, part_room = 0;
  if (getline(&line, &room, in) > 0 && getdelim(&part, &part_room, ';', in) > 0)
    keep(line), keep(part);
  fclose(in);
  char *buffer = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&buffer, &size);
  fputs("into memory", out);
  fclose(out);
  keep(buffer);
  keep(realpath("/", NULL));
  keep(getcwd(NULL, 0));
  keep(get_current_dir_name());
  char fixed[PATH_MAX];
  keep(realpath("/", fixed)); // no block
  keep(getcwd(fixed, sizeof fixed));
  struct dirent **entries;
  if (scandir("/", &entries, chosen, alphasort) == 1)
    keep(entries[0]), keep(entries);
}
// What open_memstream makes, only the C library can tell.
// EXPECT: types["dirent *"].allocations == 1 and types["dirent"].allocations == 1
// EXPECT: types["char"].allocations == 9 and all(site.kind == "string" for site in types["char"].sites)
// EXPECT: types["wchar_t"].allocations == 1 and types["wchar_t"].elements == 5
// EXPECT: len(typed) == 4 and not untyped
// ALONE: types["char"].allocations == 9 and types["wchar_t"].allocations == 1
