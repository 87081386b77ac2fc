//===- CopyTest.cpp - the runtime's own memcpy, memset and memcmp ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

// Under names of their own, apart from the C library's.
#define memcpy ownCopy
#define memmove ownMove
#define memset ownSet
#define memcmp ownCompare
#define bcmp ownDiffers
#include "platform/Memory.cpp" // NOLINT(bugprone-suspicious-include)
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef bcmp

namespace {
constexpr size_t kLargest = 1100; // past where another loop takes over
constexpr size_t kAround = 16;

std::string pattern(size_t Bytes) {
  std::string Made(Bytes, '\0');
  for (size_t I = 0; I < Bytes; ++I)
    Made[I] = static_cast<char>(I * 131 + I / 251);
  return Made;
}

TEST(Copy, CopiesEachSizeAndAlignmentAndNothingAround) {
  const std::string Source = pattern(kLargest + kAround);
  for (size_t Bytes = 0; Bytes <= kLargest; ++Bytes)
    for (size_t Offset = 0; Offset < 9; Offset += Bytes < 80 ? 1 : 3) {
      std::string Target(kLargest + 2 * kAround, '#');
      std::string Expected = Target;
      Expected.replace(kAround, Bytes, Source, Offset, Bytes);
      EXPECT_EQ(ownCopy(&Target[kAround], &Source[Offset], Bytes),
                &Target[kAround]);
      ASSERT_EQ(Target, Expected) << Bytes << " bytes from " << Offset;
    }
}

TEST(Copy, MovesEitherWayWithinOneText) {
  constexpr size_t kMost = 60;
  for (size_t Bytes = 0; Bytes <= kMost; ++Bytes)
    for (size_t From = 0; From < kMost; From += 3)
      for (size_t To = 0; To < kMost; ++To) {
        std::string Text = pattern(2 * kMost), Expected = Text;
        std::memmove(&Expected[To], &Expected[From], Bytes);
        EXPECT_EQ(ownMove(&Text[To], &Text[From], Bytes), &Text[To]);
        ASSERT_EQ(Text, Expected) << Bytes << " bytes from " << From;
      }
}

TEST(Copy, SetsEachSizeAndNothingAround) {
  for (size_t Bytes = 0; Bytes <= kLargest; ++Bytes)
    for (const int Value : {0, 0x7f, 0xa5, -1, 0x1c3}) {
      std::string Target(kLargest + 2 * kAround, '#');
      std::string Expected = Target;
      Expected.replace(kAround + 1, Bytes, Bytes, static_cast<char>(Value));
      EXPECT_EQ(ownSet(&Target[kAround + 1], Value, Bytes),
                &Target[kAround + 1]);
      ASSERT_EQ(Target, Expected) << Bytes << " bytes of " << Value;
    }
}

TEST(Copy, ComparesAsUnsignedBytesUpToTheFirstDifference) {
  const std::string Source = pattern(100);
  for (size_t Bytes = 0; Bytes <= Source.size(); ++Bytes) {
    EXPECT_EQ(ownCompare(Source.data(), std::string(Source).data(), Bytes), 0);
    for (size_t At = 0; At < Bytes; ++At) {
      std::string Other = Source;
      Other[At] = static_cast<char>(Other[At] ^ 0x80);
      if (At + 1 < Bytes)
        Other[At + 1] = static_cast<char>(Other[At + 1] ^ 0x80);
      const int Said = ownCompare(Source.data(), Other.data(), Bytes);
      const int Right = std::memcmp(Source.data(), Other.data(), Bytes);
      ASSERT_EQ(Said < 0, Right < 0) << Bytes << " bytes, " << At;
      ASSERT_NE(Said, 0);
      ASSERT_NE(ownDiffers(Source.data(), Other.data(), Bytes), 0);
    }
  }
}
} // namespace
