// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

Shape *makeShape() { return new Shape(); }
