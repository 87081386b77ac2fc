// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings that are copied to be read: a variable, a parameter by value, and a
// parameter that is given characters.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#ifdef ADVICE
using Copied = std::string_view;
using Taken = const std::string &;
using Given = std::string_view;
#else
using Copied = std::string;
using Taken = std::string;
using Given = const std::string &;
#endif

__attribute__((noinline)) static long
initials(const std::vector<std::string> &Names) {
  long Sum = 0;
  for (const std::string &Name : Names) {
    const Copied Copy = Name;
    Sum += Copy[0] + Copy[Copy.rfind(' ') + 1];
  }
  return Sum;
}

__attribute__((noinline)) static long print(Taken Name) {
  return std::snprintf(nullptr, 0, "%s", Name.c_str());
}

__attribute__((noinline)) static bool isFriend(Given Name) {
  return Name.starts_with("Grace");
}

int main() {
  const std::vector<std::string> Names(
      1000, "Ada, Countess of the county of Lovelace");
  long Sum = 0;
  for (int Round = 0; Round < 10; ++Round) {
    Sum += initials(Names);
    for (const std::string &Name : Names)
      Sum +=
          print(Name) + isFriend("Grace Brewster Murray Hopper, rear admiral");
  }
  std::printf("%ld\n", Sum);
}
