//===- TextsTest.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names as the plugin packs them are read as they were; damaged ones are none.
#include "registry/Texts.h"
#include "state/ThreadState.h"

#include "plugin/ir/TextPacker.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace inmem;
using namespace inmem::rt;

namespace {

/// A record's member, and the packed texts of its unit behind it.
class Unit {
public:
  explicit Unit(const std::vector<std::string> &Texts) {
    std::string Plain;
    for (const std::string &Text : Texts)
      Plain.append(Text.c_str(), Text.size() + 1);
    const std::string Packed = packText(Plain);
    Bytes = Packed.size();
    Words.resize(1 + Texts.size() + 3 + Packed.size() / sizeof(uint32_t) + 1);
    for (size_t I = 0; I < Texts.size(); ++I)
      Words[1 + I] =
          static_cast<uint32_t>(INMEM_PACKED_TEXT | (Texts.size() - I) << 8);
    uint32_t *Header = &Words[1 + Texts.size()];
    Header[0] = static_cast<uint32_t>(Texts.size());
    Header[1] = static_cast<uint32_t>(Plain.size());
    Header[2] = static_cast<uint32_t>(Packed.size());
    std::memcpy(Header + 3, Packed.data(), Packed.size());
    Head = reinterpret_cast<inmem_packed_texts *>(Header);
  }
  const char *text(size_t I) {
    auto &Member = reinterpret_cast<int32_t &>(Words[0]);
    Member = static_cast<int32_t>((I + 1) * sizeof(uint32_t));
    Guarded G(Thread);
    return textAt(Member);
  }
  inmem_packed_texts &head() { return *Head; }
  char *steps() { return reinterpret_cast<char *>(Head + 1); }
  size_t Bytes = 0;

private:
  std::vector<uint32_t> Words;
  inmem_packed_texts *Head = nullptr;
};

void forgetTexts() {
  Guarded G(Thread);
  forgetPackedTexts();
}

std::vector<std::string> names(const std::string &Class, unsigned Count) {
  std::vector<std::string> Names;
  for (unsigned I = 0; I < Count; ++I)
    Names.push_back("library::detail::" + Class + "<std::vector<int>, " +
                    std::to_string(I) + ">::push_back");
  return Names;
}

TEST(Texts, ArePlainOrPacked) {
  static const struct {
    int32_t Member;
    char Text[12];
  } Plain = {sizeof(int32_t), "a::B"}, None = {0, "unused"};
  EXPECT_STREQ(textAt(Plain.Member), "a::B");
  EXPECT_EQ(textAt(None.Member), nullptr);
  const auto Names = names("Items", 300);
  Unit U(Names);
  EXPECT_LT(U.Bytes, 300u * 10);
  for (size_t I = Names.size(); I-- > 0;)
    ASSERT_EQ(U.text(I), Names[I]);
}

TEST(Texts, StayWhereTheyAreAndAreSharedByUnits) {
  const auto Names = names("Shared", 20);
  Unit A(Names), B(Names);
  const char *First = A.text(7);
  for (unsigned I = 0; I < 100; ++I) {
    Unit Other(names("Other" + std::to_string(I), 300));
    ASSERT_STREQ(Other.text(299),
                 names("Other" + std::to_string(I), 300)[299].c_str());
    forgetTexts(); // the next one may be at its address
  }
  EXPECT_STREQ(First, Names[7].c_str());
  EXPECT_EQ(A.text(7), First);
  EXPECT_EQ(B.text(7), First);
}

TEST(Texts, OfALibraryAtTheAddressOfAnotherAreItsOwn) {
  const auto Old = names("Old", 10), New = names("New", 10);
  Unit U(Old), Next(New);
  EXPECT_EQ(U.text(3), Old[3]);
  ASSERT_LE(Next.Bytes, U.Bytes + 8);
  forgetTexts();
  std::memcpy(&U.head(), &Next.head(), sizeof(inmem_packed_texts) + Next.Bytes);
  EXPECT_EQ(U.text(3), New[3]);
}

TEST(Texts, OfAnyBytesArePacked) {
  std::mt19937 Random(57);
  std::vector<char> To(INMEM_PACKED_MOST);
  for (unsigned Round = 0; Round < 60; ++Round) {
    std::string Plain;
    const unsigned Letters = 1 + Round % 7 * 40, Size = Random() % 3000 + 1;
    while (Plain.size() < Size)
      Plain.push_back(static_cast<char>(Random() % Letters));
    if (Round % 3 == 0) // long repetitions, which overlap with their source
      Plain += Plain + std::string(5000, 'x') + Plain;
    Plain.push_back(0);
    const std::string Packed = packText(Plain);
    std::vector<uint32_t> Words(3 + Packed.size() / 4 + 1);
    auto *Head = reinterpret_cast<inmem_packed_texts *>(Words.data());
    *Head = {1, static_cast<uint32_t>(Plain.size()),
             static_cast<uint32_t>(Packed.size())};
    std::memcpy(Head + 1, Packed.data(), Packed.size());
    ASSERT_TRUE(unpackTexts(*Head, To.data()));
    ASSERT_EQ(Plain.compare(0, Plain.size(), To.data(), Plain.size()), 0);
  }
}

TEST(Texts, ThatAreDamagedNeverLeaveTheirRoom) {
  std::mt19937 Random(57);
  unsigned Refused = 0;
  for (unsigned Round = 0; Round < 2000; ++Round) {
    Unit U(names("Damaged", 12));
    U.steps()[Random() % U.Bytes] = static_cast<char>(Random());
    if (Round % 4 == 0)
      U.head().bytes = Random() % (2 * INMEM_PACKED_MOST);
    std::vector<char> To(INMEM_PACKED_MOST + 64, 'x');
    Refused += !unpackTexts(U.head(), To.data());
    for (size_t I = INMEM_PACKED_MOST; I < To.size(); ++I)
      ASSERT_EQ(To[I], 'x');
  }
  EXPECT_GT(Refused, 500u);
}

} // namespace
