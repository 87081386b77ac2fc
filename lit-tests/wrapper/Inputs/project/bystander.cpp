// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

int main() {
  for (int i = 0; i < 5; ++i)
    delete makeShape();
}
