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

// Instances of one template: their names differ in the middle only.
namespace shop::storage {
struct KeyOfACustomerInTheLongTable {
  int Id;
};
struct NameOfACustomerInTheLongTable {
  char Text[8];
};
template <class T, int Columns> struct TableOfManyCustomersByKey {
  struct Row {
    T Of[Columns];
    Row *Next;
  };
  __attribute__((noinline)) static Row *make() { return new Row(); }
};
template <class T> static void fillTables() {
  for (int I = 0; I < 20; ++I) {
    delete TableOfManyCustomersByKey<T, 1>::make();
    delete TableOfManyCustomersByKey<T, 872>::make();
  }
}
} // namespace shop::storage

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
  shop::storage::fillTables<shop::storage::KeyOfACustomerInTheLongTable>();
  shop::storage::fillTables<shop::storage::NameOfACustomerInTheLongTable>();
  fill(0, kTimes / 2);
  inmem_phase("second");
  std::thread([] { fill(kTimes / 2, kTimes); }).join();
  Names.clear();
}
