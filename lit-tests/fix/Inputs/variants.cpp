// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several builds of a project would do: it reads from a file which edits they have.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <string>

static void *volatile Hidden;

int main() {
  std::set<std::string> Has;
  std::ifstream In("variant");
  for (std::string Word; In >> Word;)
    Has.insert(Word);
  int Blocks = 7000;
  for (const char *Word : {"Helps", "Peaks", "Slow", "Fails", "Prints", "Exits", "Joined", "Loud", "Alone", "Apart"})
    Blocks -= Has.count(Word) ? 500 : 0;
  for (int I = 0; I < Blocks; ++I) {
    Hidden = std::malloc(64);
    std::free(Hidden);
  }
  for (int I = 0; I < 1000; ++I) {
    Hidden = std::malloc(Has.count("Bytes") ? 16 : 24);
    std::free(Hidden);
  }
  if (Has.count("Peaks")) {
    Hidden = std::malloc(10 << 20);
    std::free(Hidden);
  }
  const auto Begin = std::clock();
  while (Has.count("Slow") && std::clock() - Begin < CLOCKS_PER_SEC / 2) {
  }
  std::puts(Has.count("Prints") ? "something else" : "a result");
  return Has.count("Exits") ? 3 : 0;
}
