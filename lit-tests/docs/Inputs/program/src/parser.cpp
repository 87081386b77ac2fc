// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parser that is not as frugal as its test wants.
#include <inmem/gtest.h>
#include <memory>
#include <string>
#include <vector>

struct Foo {
  double Value[3];
};
static std::vector<std::unique_ptr<Foo>> Kept;

__attribute__((noinline)) static char *allocate(size_t Size) {
  return new char[Size];
}

static void parse(const std::string &Text) {
  std::unique_ptr<char[]> Room(allocate(Text.size()));
  for (int I = 0; I < 3; ++I)
    Kept[I] = std::make_unique<Foo>();
}

TEST(Parser, IsFrugal) {
  std::string text(100, 'x');
  Kept.resize(3);
  EXPECT_THAT(inmem::allocationsOf([&] { parse(text); }), testing::AllOf(inmem::Bytes(testing::Le(1)), inmem::Blocks(testing::Le(1))));
}
