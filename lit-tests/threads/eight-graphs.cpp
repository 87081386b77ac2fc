// Intent: eight threads walk and count one object at once, and read one profile: sizes agree with a single walk, nothing races.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan few %}
#include "Inputs/eight.h"
#include <inmem/graph.h>

#include <map>
#include <string>

struct Whole {
  std::map<int, std::string> Names;
  std::vector<std::vector<Job>> Jobs;
};

int main(int Count, char **) {
  Whole W;
  for (int I = 0; I < 200; ++I) {
    W.Names[I] = std::string(static_cast<size_t>(I), 'x');
    W.Jobs.emplace_back(static_cast<size_t>(I % 5));
  }
  const inmem::ObjectProfile Known = inmem::profile(W);
  const auto Size = inmem::deepSize(W), Jobs = Known.countOf("Job");
  const auto Children = Known.root().children().size();
  const auto Text = Known.text(), Json = Known.json();
  REQUIRE(Size == Known.size() && Jobs == 400);
  onEight(Count > 1 ? 10 : 60, [&](unsigned Thread, unsigned Round) {
    makeJobs(50); // the index changes while others look at it
    switch ((Thread + Round) % 5) {
    case 0:
      REQUIRE(inmem::deepSize(W) == Size);
      break;
    case 1:
      REQUIRE(inmem::profile(W).size() == Size);
      break;
    case 2:
      REQUIRE(Known.countOf("Job") == Jobs);
      break;
    case 3:
      REQUIRE(Known.text() == Text);
      REQUIRE(!Known.xml().empty() && !Known.dot().empty());
      break;
    default:
      REQUIRE(Known.json() == Json);
      REQUIRE(Known.filter(inmem::sizeAtLeast(1)).size() == Size);
      REQUIRE(Known.root().children().size() == Children);
    }
  });
}
