// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests in doctest.
#include <inmem/doctest.h>
#include <string>
struct Foo {};
std::string text;
void parse(const std::string &) {}
SNIPPET
