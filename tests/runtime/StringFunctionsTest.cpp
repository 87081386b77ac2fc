//===- StringFunctionsTest.cpp - strlen, strcmp and their kin -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <vector>

// Under names of their own, apart from the C library's.
#define memchr ownFindByte
#define strcat ownAppend
#define strchr ownFind
#define strchrnul ownFindOrEnd
#define strcmp ownCompareText
#define strcpy ownCopyText
#define strcspn ownLengthBefore
#define strlen ownLength
#define strncmp ownCompareMost
#define strncpy ownCopyTextMost
#define strnlen ownLengthMost
#define strpbrk ownFindAny
#define strrchr ownFindLast
#define strspn ownLengthOf
#define strstr ownFindPart
#include "platform/StringFunctions.cpp" // NOLINT(bugprone-suspicious-include)
#undef memchr
#undef strcat
#undef strchr
#undef strchrnul
#undef strcmp
#undef strcpy
#undef strcspn
#undef strlen
#undef strncmp
#undef strncpy
#undef strnlen
#undef strpbrk
#undef strrchr
#undef strspn
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
      EXPECT_EQ(ownFindOrEnd(T, Wanted), strchrnul(T, Wanted)) << Text;
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

TEST(OwnText, SpansAndCopiesAsTheCLibraryDoes) {
  const std::vector<std::string> All = texts();
  for (const std::string &A : All)
    for (const std::string &B : All) {
      const char *T = A.c_str(), *Set = B.c_str();
      EXPECT_EQ(ownLengthOf(T, Set), std::strspn(T, Set)) << A << ' ' << B;
      EXPECT_EQ(ownLengthBefore(T, Set), std::strcspn(T, Set)) << A << ' ' << B;
      EXPECT_EQ(ownFindAny(T, Set), std::strpbrk(T, Set)) << A << ' ' << B;
      char Joined[16] = "xxxxxxxxxxxxxxx";
      EXPECT_EQ(ownAppend(ownCopyText(Joined, T), Set), Joined);
      EXPECT_EQ(Joined, A + B);
      EXPECT_EQ(Joined[A.size() + B.size() + 1],
                A.size() + B.size() < 14 ? 'x' : 0);
    }
  for (const std::string &Text : All)
    for (size_t Most = 0; Most < 8; ++Most) {
      char Own[] = "xxxxxxxxx", Theirs[] = "xxxxxxxxx";
      EXPECT_EQ(ownCopyTextMost(Own, Text.c_str(), Most), Own);
      strncpy(Theirs, Text.c_str(), Most); // NOLINT(bugprone-*)
      EXPECT_EQ(std::memcmp(Own, Theirs, sizeof Own), 0) << Text << Most;
    }
}
} // namespace
