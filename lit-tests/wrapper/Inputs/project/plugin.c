// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct part {
  int number[3];
};
struct part *makePart(void) { return malloc(sizeof(struct part)); }
