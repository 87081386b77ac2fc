// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: formatted output, files, custom buffers, locales of streams.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

int main() {
  std::stringstream text;
  for (int i = 0; i < 2000; ++i)
    text << std::setw(8) << i << std::hex << i << std::dec << ' ' << i / 7.0
         << '\n';
  double sum = 0;
  for (std::string word; text >> word;)
    sum += word.size();
  std::ifstream self("/proc/self/stat");
  std::string first;
  self >> first;
  std::ofstream none("/dev/null");
  for (int i = 0; i < 3000; ++i)
    none << "to nowhere " << i << '\n';
  std::cout << sum << ' ' << !first.empty() << std::endl;
  std::cerr << "a line for stderr\n";
}
