//===- Rows.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/Rows.h"

#include "fleet/Hash.h"

#include <algorithm>
#include <numeric>

namespace inmem::fleet {

int64_t cell(uint64_t Value) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(Value, kMost));
}

int64_t cell(const std::optional<uint64_t> &Value) {
  return Value ? cell(*Value) : kNull;
}

namespace {

/// How many bytes the UTF-8 character at the start of Text has; 0: it is none.
size_t characterAt(std::string_view Text) {
  const auto Byte = [&](size_t I) {
    return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0u;
  };
  const auto Follows = [&](size_t I) { return (Byte(I) & 0xc0u) == 0x80u; };
  const unsigned First = Byte(0);
  if (First < 0x80)
    return 1;
  if (First >= 0xc2 && First < 0xe0)
    return Follows(1) ? 2 : 0;
  if (First >= 0xe0 && First < 0xf0) {
    const bool Short = First == 0xe0 && Byte(1) < 0xa0;
    const bool Surrogate = First == 0xed && Byte(1) >= 0xa0;
    return Follows(1) && Follows(2) && !Short && !Surrogate ? 3 : 0;
  }
  if (First >= 0xf0 && First < 0xf5) {
    const bool Short = First == 0xf0 && Byte(1) < 0x90;
    const bool Beyond = First == 0xf4 && Byte(1) >= 0x90;
    return Follows(1) && Follows(2) && Follows(3) && !Short && !Beyond ? 4 : 0;
  }
  return 0;
}

std::string asUtf8(std::string_view Text) {
  std::string Out;
  while (!Text.empty()) {
    const size_t Length = characterAt(Text);
    // A terminator ends texts in some readers.
    if (Length == 0 || Text[0] == '\0')
      Out += '?';
    else
      Out += Text.substr(0, Length);
    Text.remove_prefix(std::max<size_t>(Length, 1));
  }
  return Out;
}

bool isPlain(std::string_view Text) {
  return std::ranges::all_of(Text, [](char C) {
    return C != '\0' && static_cast<unsigned char>(C) < 0x80;
  });
}

} // namespace

int64_t TextPool::add(std::string_view Text) {
  const auto Found = Numbers.find(Text);
  if (Found != Numbers.end())
    return Found->second;
  std::string Own = isPlain(Text) ? std::string(Text) : asUtf8(Text);
  if (Own != Text)
    return add(Own);
  Texts.push_back(std::move(Own));
  const auto Number = static_cast<int64_t>(Texts.size()) - 1;
  Numbers.emplace(Texts.back(), Number);
  Bytes += Text.size() + 2 * sizeof(std::string);
  return Number;
}

Rows::Rows(const TableSpec &Of, const TextPool &Pool)
    : Of(&Of), Pool(&Pool), Cells(Of.Columns.size()) {}

void Rows::add(std::initializer_list<int64_t> Row) {
  size_t I = 0;
  for (const int64_t Cell : Row)
    Cells[I++].push_back(Cell);
}

std::string_view Rows::text(size_t Row, size_t Column) const {
  const int64_t Cell = at(Row, Column);
  return Cell == kNull ? std::string_view() : std::string_view((*Pool)[Cell]);
}

std::vector<uint32_t> Rows::sorted() const {
  std::vector<uint32_t> Order(size());
  std::iota(Order.begin(), Order.end(), 0u);
  std::ranges::sort(Order, [&](uint32_t A, uint32_t B) {
    for (const size_t Column : Of->Order) {
      const int64_t Left = at(A, Column), Right = at(B, Column);
      if (Left == Right)
        continue;
      if (Of->Columns[Column].Kind != ColumnKind::Text)
        return Left < Right;
      return text(A, Column) < text(B, Column);
    }
    return A < B;
  });
  return Order;
}

std::string Rows::nameFor(const std::vector<uint32_t> &Order) const {
  Hash128 Hash;
  Hash.add(kSchema);
  Hash.add(Of->Name);
  std::vector<int64_t> Numbers(Order.size());
  for (size_t C = 0; C < Cells.size(); ++C) {
    for (size_t R = 0; R < Order.size(); ++R)
      Numbers[R] = Cells[C][Order[R]];
    if (Of->Columns[C].Kind == ColumnKind::Text) {
      // The number of a text depends on what was added before it.
      std::unordered_map<int64_t, int64_t> Own;
      for (int64_t &Number : Numbers) {
        if (Number == kNull)
          continue;
        const auto [At, New] =
            Own.try_emplace(Number, static_cast<int64_t>(Own.size()));
        if (New)
          Hash.add((*Pool)[Number]);
        Number = At->second;
      }
    }
    Hash.add({reinterpret_cast<const char *>(Numbers.data()),
              Numbers.size() * sizeof Numbers[0]});
  }
  return Hash.hex();
}

} // namespace inmem::fleet
