//===- FieldLayout.cpp - Sizes of classes with fewer fields ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/RuleFacts.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

uint64_t alignTo(uint64_t Bytes, uint64_t Align) {
  return (Bytes + Align - 1) / Align * Align;
}

uint64_t sizeWithout(const TypeResult &T,
                     const std::function<bool(const FieldResult &)> &Removed) {
  const uint64_t ClassAlign = std::max<uint64_t>(1, T.Align.value_or(1));
  uint64_t End = 0, Align = 1, Before = 0;
  for (const FieldResult &F : T.Fields) {
    if (F.Padding || Removed(F))
      continue;
    const uint64_t First = F.FirstBit / 8,
                   Bytes = (F.FirstBit % 8 + F.Bits + 7) / 8;
    const uint64_t All = First | Bytes | ClassAlign;
    uint64_t Own = All & (~All + 1);
    // A field of a base keeps its distance from the field before.
    if (F.Kind == INMEM_FIELD_BITFIELD || !F.Of.empty()) {
      End += First >= Before ? First - Before : 0;
      Own = 1;
      Align = ClassAlign;
    }
    End = alignTo(End, Own) + Bytes;
    Align = std::max(Align, Own);
    Before = First + Bytes;
  }
  return alignTo(End, std::min(Align, ClassAlign));
}

bool overlap(const std::vector<FieldResult> &Fields) {
  uint64_t End = 0;
  for (const FieldResult &F : Fields) {
    if (F.FirstBit < End)
      return true;
    End = F.FirstBit + F.Bits;
  }
  return false;
}

/// The template arguments of \p Name.
static std::vector<std::string_view> argumentsOf(std::string_view Name) {
  std::vector<std::string_view> Out;
  const size_t Open = Name.find('<');
  if (Open == std::string_view::npos || Name.back() != '>')
    return Out;
  size_t Begin = Open + 1, Depth = 0;
  for (size_t I = Begin; I < Name.size(); ++I) {
    const char C = Name[I];
    if ((C == ',' && Depth == 0) || I + 1 == Name.size()) {
      while (Begin < I && Name[Begin] == ' ')
        ++Begin;
      Out.push_back(Name.substr(Begin, I - Begin));
      Begin = I + 1;
    }
    Depth += C == '<' || C == '(';
    Depth -= C == '>' || C == ')';
  }
  return Out;
}

uint64_t objectsInNode(std::string_view Node, std::string_view Class) {
  constexpr std::string_view kNodes[] = {
      "std::_Rb_tree_node<", "std::_List_node<", "std::_Fwd_list_node<",
      "std::__detail::_Hash_node<", "std::_Sp_counted_ptr_inplace<"};
  const auto Begins = [](std::string_view Text, std::string_view With) {
    return Text.substr(0, With.size()) == With;
  };
  if (std::none_of(std::begin(kNodes), std::end(kNodes),
                   [&](std::string_view Each) { return Begins(Node, Each); }))
    return 0;
  const auto Arguments = argumentsOf(Node);
  if (Arguments.empty())
    return 0;
  std::vector<std::string_view> Parts{Arguments[0]};
  if (Begins(Arguments[0], "std::pair<"))
    Parts = argumentsOf(Arguments[0]);
  uint64_t Found = 0;
  for (std::string_view Part : Parts) {
    constexpr std::string_view kConst = "const ";
    if (Begins(Part, kConst))
      Part.remove_prefix(kConst.size());
    Found += Part == Class;
  }
  return Found;
}

std::string listOf(const std::vector<const FieldResult *> &Fields) {
  constexpr size_t kMost = 3;
  const size_t Named = Fields.size() > kMost + 1 ? kMost : Fields.size();
  std::string Text;
  for (size_t I = 0; I < Named; ++I) {
    const bool Last = I > 0 && I + 1 == Fields.size();
    Text += (I == 0 ? "" : Last ? " and " : ", ") + Fields[I]->Name;
  }
  if (Named < Fields.size())
    Text += fmt::format(" and {} others", Fields.size() - Named);
  return Text;
}

} // namespace inmem::report
