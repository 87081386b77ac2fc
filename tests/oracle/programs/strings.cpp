// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings below and above the small-string size, joined, cut and converted.
#include <cstdio>
#include <sstream>
#include <string>

int main() {
  std::string all;
  for (int i = 0; i < 500; ++i) {
    std::string one =
        "a line that does not fit the small buffer " + std::to_string(i);
    all += one.substr(i % 30) + '\n';
    std::string other = one;
    other.reserve(300 + i);
    other.insert(5, one);
    all.append(other, 0, 20);
  }
  std::wstring wide(100, L'w');
  std::u32string wider(100, U'u');
  std::istringstream lines(all);
  std::size_t total = 0;
  for (std::string line; std::getline(lines, line);)
    total += line.size();
  std::ostringstream out;
  out << total << ' ' << wide.size() << ' ' << wider.size() << ' ' << 3.25;
  std::puts(out.str().c_str());
}
