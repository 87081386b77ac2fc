// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locales: libc's and the C++ ones, with facets of our own.
#include <clocale>
#include <cstdio>
#include <iomanip>
#include <locale>
#include <sstream>

struct Grouped : std::numpunct<char> {
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

int main() {
  const char *name = std::setlocale(LC_ALL, "C.UTF-8");
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new Grouped));
  for (int i = 1; i < 100; ++i)
    out << i * 123456 << ' '
        << std::put_time(std::localtime(new std::time_t(i)), "%c") << '\n';
  std::printf("%d %zu\n", name != nullptr, out.str().size());
}
