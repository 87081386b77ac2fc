// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Functions that return memory the caller owns. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void) {
  size_t total = 0;
  for (int i = 1; i < 50; ++i) {
    char *a = strdup("a duplicated string of some length");
    char *b = strndup(a, (size_t)i);
    char *c = NULL;
    if (asprintf(&c, "%s/%d/%s", a, i, b) < 0)
      return 1;
    wchar_t *d = wcsdup(L"wide");
    total += strlen(a) + strlen(b) + strlen(c) + wcslen(d);
    free(a);
    free(b);
    free(c);
    free(d);
  }
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  for (int i = 0; i < 2000; ++i)
    fprintf(memory, "line %d of the stream\n", i);
  fclose(memory);
  FILE *in = fmemopen(text, size, "r");
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, in) > 0)
    total += strlen(line);
  fclose(in);
  free(line);
  free(text);
  char *path = realpath("/", NULL);
  printf("%zu %s\n", total, path);
  free(path);
  return 0;
}
