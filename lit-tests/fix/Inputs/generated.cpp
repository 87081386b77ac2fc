// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by a program for a test. DO NOT EDIT.
#include <vector>
void generated(std::vector<int> &Out) {
  Out.push_back(1); // finding: vector-regrowth=64 -> generated code
}
