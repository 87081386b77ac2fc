// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a script.
#include "wren.h"
#include <stdio.h>
#include <stdlib.h>

static void write(WrenVM *Machine, const char *Text) {
  (void)Machine;
  fputs(Text, stdout);
}

int main(int Count, char **Arguments) {
  FILE *File = Count == 2 ? fopen(Arguments[1], "r") : NULL;
  if (!File)
    return 2;
  char *Text = calloc(1, 1 << 20);
  const size_t Read = fread(Text, 1, (1 << 20) - 1, File);
  fclose(File);
  WrenConfiguration Configuration;
  wrenInitConfiguration(&Configuration);
  Configuration.writeFn = write;
  WrenVM *Machine = wrenNewVM(&Configuration);
  const WrenInterpretResult Result = wrenInterpret(Machine, "main", Text);
  wrenFreeVM(Machine);
  free(Text);
  return Read == 0 || Result != WREN_RESULT_SUCCESS;
}
