// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Shape {
  double corners[8];
};
Shape *makeShape();
