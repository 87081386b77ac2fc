//===- UnitScopes.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/UnitScopes.h"

#include <algorithm>
#include <dwarf.h>

namespace inmem::debuginfo {

namespace {

bool isClass(int Tag) {
  return Tag == DW_TAG_class_type || Tag == DW_TAG_structure_type ||
         Tag == DW_TAG_union_type;
}

bool isScope(int Tag) {
  return isClass(Tag) || Tag == DW_TAG_namespace || Tag == DW_TAG_subprogram ||
         Tag == DW_TAG_enumeration_type;
}

/// Adds the scopes within \p Of, a function, that contain the entry at \p At.
void addWithin(Dwarf_Die Of, Dwarf_Off At, unsigned Depth,
               std::vector<Dwarf_Die> &Out) {
  constexpr unsigned kDeepest = 64;
  Dwarf_Die Child, Last = {};
  if (Depth > kDeepest || dwarf_child(&Of, &Child) != 0)
    return;
  do { // Entries are sorted: the last that begins before At contains it.
    if (dwarf_dieoffset(&Child) >= At)
      break;
    Last = Child;
  } while (dwarf_siblingof(&Child, &Child) == 0);
  if (!Last.addr)
    return;
  if (isScope(dwarf_tag(&Last)))
    Out.push_back(Last);
  addWithin(Last, At, Depth + 1, Out);
}

} // namespace

UnitScopes::UnitScopes(Dwarf_Die Of) : Unit(Of) {
  add(Unit, kNone, ~uint32_t{0}, 0);
  Scopes.shrink_to_fit();
}

Dwarf_Die UnitScopes::entryOf(const Scope &S) const {
  Dwarf_Die Out = {};
  Out.addr = const_cast<void *>(S.Entry);
  Out.cu = Unit.cu;
  return Out;
}

uint32_t UnitScopes::offsetOf(Dwarf_Die Entry) const {
  return static_cast<uint32_t>(dwarf_cuoffset(&Entry));
}

void UnitScopes::add(Dwarf_Die Of, uint32_t Parent, uint32_t End,
                     unsigned Depth) {
  constexpr unsigned kDeepest = 64;
  Dwarf_Die Child;
  if (Depth > kDeepest || dwarf_child(&Of, &Child) != 0)
    return;
  for (bool More = true; More;) {
    const Dwarf_Die Here = Child;
    More = dwarf_siblingof(&Child, &Child) == 0;
    Dwarf_Die Copy = Here;
    const int Tag = dwarf_tag(&Copy);
    if (!isScope(Tag) || dwarf_haschildren(&Copy) <= 0)
      continue;
    const auto Index = static_cast<uint32_t>(Scopes.size());
    Scopes.push_back(
        {Here.addr, offsetOf(Here), More ? offsetOf(Child) : End, Parent});
    if (Tag == DW_TAG_namespace || isClass(Tag))
      add(Here, Index, Scopes[Index].End, Depth + 1);
  }
}

std::vector<Dwarf_Die> UnitScopes::around(Dwarf_Die Die) const {
  std::vector<Dwarf_Die> Out;
  const uint32_t At = offsetOf(Die);
  auto Behind = std::ranges::lower_bound(Scopes, At, {}, &Scope::Begin);
  if (Behind == Scopes.begin())
    return Out;
  auto Index = static_cast<uint32_t>(Behind - Scopes.begin()) - 1;
  while (Index != kNone && At >= Scopes[Index].End)
    Index = Scopes[Index].Parent;
  Dwarf_Die Inner = {};
  if (Index != kNone)
    Inner = entryOf(Scopes[Index]);
  for (; Index != kNone; Index = Scopes[Index].Parent)
    Out.push_back(entryOf(Scopes[Index]));
  std::ranges::reverse(Out);
  if (Inner.addr && dwarf_tag(&Inner) == DW_TAG_subprogram)
    addWithin(Inner, dwarf_dieoffset(&Die), 0, Out);
  return Out;
}

bool UnitScopes::lacksNamespaces(Dwarf_Die Unit) {
  Dwarf_Half Version = 0;
  Dwarf_Die Child;
  if (dwarf_cu_info(Unit.cu, &Version, nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr) != 0 ||
      Version > 2 || dwarf_srclang(&Unit) != DW_LANG_C_plus_plus ||
      dwarf_child(&Unit, &Child) != 0)
    return false;
  do
    if (dwarf_tag(&Child) == DW_TAG_namespace)
      return false;
  while (dwarf_siblingof(&Child, &Child) == 0);
  return true;
}

std::vector<Dwarf_Die> UnitScopes::classes() const {
  std::vector<Dwarf_Die> Out;
  for (const Scope &S : Scopes)
    if (Dwarf_Die Die = entryOf(S); isClass(dwarf_tag(&Die)))
      Out.push_back(Die);
  return Out;
}

} // namespace inmem::debuginfo
