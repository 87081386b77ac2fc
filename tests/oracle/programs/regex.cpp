// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::regex: automata, sub-matches, replacing.
#include <cstdio>
#include <regex>
#include <string>

int main() {
  std::regex date("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  std::string text;
  for (int i = 10; i < 60; ++i)
    text += "on 20" + std::to_string(i) + "-01-02 something happened; ";
  int found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), date), end; it != end;
       ++it)
    found += (*it)[1].length();
  std::string swapped = std::regex_replace(text, date, "$3.$2.$1");
  std::printf("%d %zu\n", found, swapped.size());
}
