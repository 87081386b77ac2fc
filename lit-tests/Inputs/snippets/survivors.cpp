// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -std=c++20
#include <malloc.h>
#include <memory_resource>
#include <string>
#include <unordered_map>

struct Session {
  std::pmr::string user;
  char state[200];
};

void moveSurvivors(std::pmr::unordered_map<int, Session *> &sessions) {
SNIPPET
}
