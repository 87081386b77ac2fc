//===- ImageTest.cpp - Loaded files as their headers tell -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <dlfcn.h>
#include <link.h>

using namespace inmem::rt;

namespace {

uintptr_t addressOf(const void *P) { return reinterpret_cast<uintptr_t>(P); }

struct Search {
  uintptr_t Address;
  Image Found;
  bool Is = false;
};

int visit(struct dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const Image I = Image::of(*Info);
  if (!I.contains(S.Address))
    return 0;
  S.Found = I;
  S.Is = true;
  return 1;
}

#ifdef __GLIBC__
constexpr const char *kLibraryOfC = "libc.so";
#else
constexpr const char *kLibraryOfC = "ld-musl"; // its loader's name
#endif

/// libc's, both ways.
class ImageTest : public ::testing::Test {
protected:
  const uintptr_t Inside = addressOf(dlsym(RTLD_NEXT, "qsort"));
  Image Around;
  Search ByVisit{Inside, {}};

  void SetUp() override {
    ASSERT_TRUE(Image::around(Inside, Around));
    dl_iterate_phdr(visit, &ByVisit);
    ASSERT_TRUE(ByVisit.Is);
  }
};

TEST_F(ImageTest, BothWaysTellTheSame) {
  const Image &Visited = ByVisit.Found;
  EXPECT_EQ(Around.base(), Visited.base());
  EXPECT_STREQ(Around.name(), Visited.name());
  EXPECT_TRUE(Around.isNamed(kLibraryOfC));
  EXPECT_FALSE(Around.isNamed("libm"));
  EXPECT_EQ(Around.span().Start, Visited.span().Start);
  EXPECT_EQ(Around.span().End, Visited.span().End);
  uint8_t A[32] = {}, B[32] = {};
  const uint32_t Bytes = Around.readBuildId(A, sizeof A);
  EXPECT_EQ(Bytes, Visited.readBuildId(B, sizeof B));
  EXPECT_EQ(std::memcmp(A, B, sizeof A), 0);
  EXPECT_EQ(Around.readBuildId(A, 1), 0u) << "there is no room for it";
}

TEST_F(ImageTest, NamesAndAddressesLeadToEachOther) {
  EXPECT_EQ(Around.function("qsort"), dlsym(RTLD_NEXT, "qsort"));
  EXPECT_EQ(Around.function("no such function"), nullptr);
  uint32_t Offset = 0;
  EXPECT_STREQ(Around.symbolAt(Inside + 3, Offset), "qsort");
  EXPECT_EQ(Offset, 3u);
  EXPECT_EQ(Around.symbolAt(Around.base(), Offset), nullptr)
      << "the file's header is no function";
}

TEST_F(ImageTest, SegmentsAreWhereTheyAre) {
  EXPECT_TRUE(Around.contains(Inside));
  EXPECT_FALSE(Around.contains(addressOf(&Around)));
  const AddressRange Dynamic = Around.segmentRange(PT_DYNAMIC);
  EXPECT_TRUE(Around.contains(Dynamic.Start));
  const AddressRange None = Around.segmentRange(PT_SHLIB);
  EXPECT_EQ(None.Start, None.End);
  EXPECT_FALSE(None.contains(0));
}

TEST_F(ImageTest, RelocationsNameWhatTheyImport) {
  Image Own;
  ASSERT_TRUE(Image::around(addressOf(reinterpret_cast<void *>(&visit)), Own));
  bool Imported = false;
  for (const auto &Of : {Own.jumpRelocations(), Own.otherRelocations()})
    for (size_t I = 0; I < Of.Count; ++I)
      Imported |= std::strcmp(Own.nameOf(Of.First[I]), "dl_iterate_phdr") == 0;
  EXPECT_TRUE(Imported);
}

// The kernel maps the executable, and leaves the gaps of its alignment.
TEST_F(ImageTest, AnExecutableWithGapsIsWhole) {
  const uintptr_t Here = addressOf(reinterpret_cast<void *>(&visit));
  Image Own;
  ASSERT_TRUE(Image::around(Here, Own));
  Search Visited{Here, {}};
  dl_iterate_phdr(visit, &Visited);
  ASSERT_TRUE(Visited.Is);
  EXPECT_EQ(Own.span().Start, Visited.Found.span().Start);
  EXPECT_EQ(Own.span().End, Visited.Found.span().End);
  EXPECT_TRUE(Own.contains(Here));
}

TEST(ImageOfNothing, IsFoundNowhere) {
  Image I;
  EXPECT_FALSE(Image::around(16, I));
  EXPECT_EQ(I.function("qsort"), nullptr);
  EXPECT_FALSE(I.contains(0));
}

} // namespace
