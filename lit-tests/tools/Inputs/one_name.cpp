// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks whose names reports derive in different ways. -DLATER allocates more
// of each.
#include <cstdlib>
#include <cstring>
#include <inmem/inmem.h>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#ifdef LATER
constexpr int kTimes = 300;
#else
constexpr int kTimes = 200;
#endif

namespace shop {
struct Order {
  int Id;
  double Price;
};
} // namespace shop

static std::map<int, std::string> Names;
static std::vector<std::unique_ptr<char[]>> Raw;
static std::unordered_map<std::string, shop::Order> Orders;
static std::vector<shop::Order *> Kept;

static std::string text(int I) {
  return "a text that is too long for the string itself " + std::to_string(I);
}

__attribute__((noinline)) static void fill(int From, int To) {
  for (int I = From; I < To; ++I) {
    Names[I] = text(I);
    Raw.push_back(std::make_unique<char[]>(50));
    Orders[text(I)] = {I, 1.5};
    if (I % 2 == 0)
      Kept.push_back(new shop::Order{I, 2.5});
    else
      delete new shop::Order{I, 2.5};
    std::vector<std::string> Words(3, text(I));
    std::shared_ptr<shop::Order> Shared = std::make_shared<shop::Order>();
    free(strdup(text(I).c_str()));
  }
}

int main() {
  inmem_phase("first");
  fill(0, kTimes / 2);
  inmem_phase("second");
  std::thread([] { fill(kTimes / 2, kTimes); }).join();
  Names.clear();
}
