// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests in Catch2.
#include <inmem/catch2.h>
#include <string>
struct Foo {};
std::string text;
void parse(const std::string &) {}
SNIPPET
