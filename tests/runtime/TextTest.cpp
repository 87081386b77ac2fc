//===- TextTest.cpp - the runtime's own strlen, strcmp and their kin ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <vector>

// Under names of their own, beside those of the C library.
#define memchr ownFindByte
#define strchr ownFind
#define strcmp ownCompareText
#define strlen ownLength
#define strncmp ownCompareMost
#define strnlen ownLengthMost
#define strrchr ownFindLast
#define strstr ownFindPart
#include "platform/Text.cpp" // NOLINT(bugprone-suspicious-include)
#undef memchr
#undef strchr
#undef strcmp
#undef strlen
#undef strncmp
#undef strnlen
#undef strrchr
#undef strstr

namespace {
/// All texts of up to four of three characters, one of them not ASCII.
std::vector<std::string> texts() {
  std::vector<std::string> Made = {""};
  for (size_t From = 0, Length = 0; Length < 4; ++Length) {
    const size_t End = Made.size();
    for (; From < End; ++From)
      for (const char C : {'a', '/', '\xe9'})
        Made.push_back(Made[From] + C);
  }
  return Made;
}

int signOf(int Value) { return (Value > 0) - (Value < 0); }

TEST(OwnText, MeasuresAndFindsAsTheCLibraryDoes) {
  for (const std::string &Text : texts()) {
    const char *T = Text.c_str();
    EXPECT_EQ(ownLength(T), std::strlen(T)) << Text;
    for (size_t Most = 0; Most < 7; ++Most)
      EXPECT_EQ(ownLengthMost(T, Most), strnlen(T, Most)) << Text;
    for (const int Wanted :
         std::initializer_list<int>{'a', '/', 0xe9, '\xe9', 0, 'z'}) {
      EXPECT_EQ(ownFind(T, Wanted), std::strchr(T, Wanted)) << Text;
      EXPECT_EQ(ownFindLast(T, Wanted), std::strrchr(T, Wanted)) << Text;
      for (size_t Bytes = 0; Bytes <= Text.size() + 1; ++Bytes)
        EXPECT_EQ(ownFindByte(T, Wanted, Bytes), std::memchr(T, Wanted, Bytes))
            << Text;
    }
  }
}

TEST(OwnText, ComparesAndSearchesAsTheCLibraryDoes) {
  const std::vector<std::string> All = texts();
  for (const std::string &A : All)
    for (const std::string &B : All) {
      EXPECT_EQ(signOf(ownCompareText(A.c_str(), B.c_str())),
                signOf(std::strcmp(A.c_str(), B.c_str())))
          << A << ' ' << B;
      EXPECT_EQ(ownFindPart(A.c_str(), B.c_str()),
                std::strstr(A.c_str(), B.c_str()))
          << A << ' ' << B;
      for (size_t Most = 0; Most < 6; ++Most)
        EXPECT_EQ(signOf(ownCompareMost(A.c_str(), B.c_str(), Most)),
                  signOf(std::strncmp(A.c_str(), B.c_str(), Most)))
            << A << ' ' << B << ' ' << Most;
    }
}
} // namespace
