/* C code between a budget and an allocation. */
#include <stdlib.h>

void *throughC(void *(*Function)(void)) {
  void *P = malloc(8); /* not freed if an exception passed */
  void *Result = Function();
  free(P);
  return Result;
}
