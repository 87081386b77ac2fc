// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of a parser, in GoogleTest.
#include <chrono>
#include <inmem/gtest.h>
#include <string>
#include <vector>
using namespace std::chrono_literals;
struct Filter {
  void process(const std::vector<float> &, int) {}
} filter;
struct Foo {};
std::vector<float> samples(512);
std::string text;
void parse(const std::string &) {}
SNIPPET
