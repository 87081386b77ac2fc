// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a document, copies, changes, patches and prints it.
#include "cJSON.h"
#include "cJSON_Utils.h"
#include <stdio.h>
#include <stdlib.h>

int main(int Count, char **Arguments) {
  if (Count < 2)
    return 2;
  FILE *File = fopen(Arguments[1], "rb");
  if (!File)
    return 1;
  fseek(File, 0, SEEK_END);
  size_t Size = (size_t)ftell(File);
  rewind(File);
  char *Text = malloc(Size + 1);
  Text[fread(Text, 1, Size, File)] = 0;
  fclose(File);
  cJSON *Document = cJSON_Parse(Text);
  cJSON *Copy = cJSON_Duplicate(Document, 1);
  cJSON_AddNumberToObject(Copy, "count", 3);
  cJSON *Item;
  cJSON_ArrayForEach(Item, cJSON_GetObjectItem(Copy, "items"))
      cJSON_AddItemToObject(Item, "note", cJSON_CreateString("a note on this"));
  cJSON *Patch = cJSONUtils_GeneratePatches(Document, Copy);
  char *Printed = cJSON_Print(Copy);
  printf("%p %d\n", (void *)Printed, cJSON_GetArraySize(Patch));
  free(Printed);
  cJSON_Delete(Patch);
  cJSON_Delete(Copy);
  cJSON_Delete(Document);
  free(Text);
  return 0;
}
