//===- PackingTest.cpp - An order of members without padding --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TypeFacts.h"

#include <gmock/gmock.h>
#include <vector>

using namespace inmem;
using testing::ElementsAre;

namespace {

trace::Field field(std::string_view Name, uint32_t Offset, uint32_t Size,
                   inmem_field_kind Kind = INMEM_FIELD_VALUE) {
  trace::Field F{};
  F.Name = Name;
  F.Offset = Offset;
  F.Size = Size;
  F.Kind = static_cast<uint8_t>(Kind);
  return F;
}

std::optional<report::PackedResult>
packed(uint64_t Size, const std::vector<trace::Field> &Fields) {
  trace::Type T{};
  T.Name = "Particle";
  T.Size = Size;
  T.Align = 8;
  T.Flags = INMEM_TYPE_CLASS;
  T.FieldCount = static_cast<uint32_t>(Fields.size());
  return report::packingOf(T, Fields);
}

} // namespace

TEST(Packing, LargeMembersComeFirst) {
  const auto P = packed(
      24, {field("Alive", 0, 1), field("Mass", 8, 8), field("Visible", 16, 1)});
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Bytes, 16u);
  EXPECT_THAT(P->Order, ElementsAre("Mass", "Alive", "Visible"));
}

TEST(Packing, BasesAndThePointerToTheVtableStayInFront) {
  const auto P =
      packed(40, {field("(vptr)", 0, 8, INMEM_FIELD_VPTR),
                  field("", 8, 8, INMEM_FIELD_BASE), field("Alive", 16, 1),
                  field("Mass", 24, 8), field("Visible", 32, 1)});
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Bytes, 32u);
  EXPECT_THAT(P->Order, ElementsAre("Mass", "Alive", "Visible"));
}

TEST(Packing, WhatHasNoNameCannotMove) {
  EXPECT_FALSE(packed(
      24, {field("", 0, 1), field("Mass", 8, 8), field("Visible", 16, 1)}));
  EXPECT_FALSE(packed(24, {field("Alive", 0, 1, INMEM_FIELD_BITFIELD),
                           field("Mass", 8, 8), field("Visible", 16, 1)}));
}
