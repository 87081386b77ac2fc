// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What README's test tests.
// flags: -lgmock -lgtest -lgtest_main -pthread
#include <list>
#include <memory>
#include <string>
#include <vector>
struct Filter {
  void process(const std::vector<float> &, int) {}
} filter;
struct Node {
  int value;
};
std::vector<float> samples(512);
std::string text = "1";
void parse(const std::string &t) { std::make_unique<Node>().reset(new Node{t[0]}); }
SNIPPET
