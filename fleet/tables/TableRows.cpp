//===- TableRows.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/TableRows.h"

#include "fleet/tables/ContentHash.h"

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

/// Length in bytes of the UTF-8 character at the start of Text; 0 if there is
/// none.
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
    // Some readers end texts at a null character.
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

/// The value derived from other cells of a row; kNull if it cannot be stored.
static int64_t derived(const DerivedSpec &D, const int64_t *Row) {
  const int64_t Left = Row[D.Left];
  const int64_t Right = D.How == DerivedSpec::Copy ? 0 : Row[D.Right];
  if (Left == kNull || Right == kNull)
    return kNull;
  int64_t Out = Left;
  return __builtin_sub_overflow(Left, Right, &Out) ? kNull : Out;
}

void Rows::add(std::initializer_list<int64_t> Row) {
  size_t I = 0;
  for (const int64_t Cell : Row)
    Cells[I++].push_back(Cell);
  Order.clear();
  for (const DerivedSpec &D : Of->Derived) {
    if (D.How == DerivedSpec::Product)
      continue; // always stored
    const int64_t Value = derived(D, Row.begin());
    int64_t &Cell = Cells[D.Column].back();
    if (Value == kNull)
      continue;
    if (Cell == Value)
      Cell = kNull;
    else if (Cell == kNull && D.MayBeUnknown)
      Cell = kUnknownCell;
  }
}

std::string_view Rows::text(size_t Row, size_t Column) const {
  const int64_t Cell = at(Row, Column);
  return Cell == kNull ? std::string_view() : std::string_view((*Pool)[Cell]);
}

std::vector<int64_t> Rows::distinct(size_t Column) const {
  const std::vector<int64_t> &All = Cells[Column];
  std::vector<int64_t> Out;
  if (Of->Columns[Column].Kind == ColumnKind::Text) {
    // Numbers of texts are close together. The first mark belongs to kNull.
    int64_t Most = -1;
    for (const int64_t Cell : All)
      Most = std::max(Most, Cell);
    std::vector<uint8_t> Marks(static_cast<size_t>(Most) + 2);
    for (const int64_t Cell : All)
      Marks[static_cast<size_t>(std::max<int64_t>(Cell, -1) + 1)] = 1;
    for (size_t I = 0; I < Marks.size(); ++I)
      if (Marks[I] != 0)
        Out.push_back(I == 0 ? kNull : static_cast<int64_t>(I) - 1);
    return Out;
  }
  for (const int64_t Cell : All)
    if (Out.empty() || Cell != Out.back()) // neighbours mostly share a value
      Out.push_back(Cell);
  std::ranges::sort(Out);
  const auto Rest = std::ranges::unique(Out);
  Out.erase(Rest.begin(), Rest.end());
  return Out;
}

Rows::Ranking Rows::ranks(size_t Column) const {
  const std::vector<int64_t> &Ranked = Cells[Column];
  Ranking Out;
  Out.Of.reserve(Ranked.size());
  const bool Text = Of->Columns[Column].Kind == ColumnKind::Text;
  const auto [Least, Most] = std::ranges::minmax(Ranked);
  const uint64_t Range =
      static_cast<uint64_t>(Most) - static_cast<uint64_t>(Least);
  if (!Text && Range < Ranked.size()) {
    for (const int64_t Cell : Ranked)
      Out.Of.push_back(static_cast<uint32_t>(Cell - Least));
    Out.Count = Range + 1;
    return Out;
  }
  const std::vector<int64_t> Values = distinct(Column);
  std::vector<uint32_t> RankOf(Values.size());
  std::iota(RankOf.begin(), RankOf.end(), 0u);
  if (Text) {
    std::vector<uint32_t> ByText = RankOf;
    std::ranges::sort(ByText, [&](uint32_t A, uint32_t B) {
      const int64_t Left = Values[A], Right = Values[B];
      return Left != kNull && Right != kNull ? (*Pool)[Left] < (*Pool)[Right]
                                             : Left != kNull && Right == kNull;
    });
    for (uint32_t I = 0; I < ByText.size(); ++I)
      RankOf[ByText[I]] = I;
  }
  size_t Last = 0;
  for (const int64_t Cell : Ranked) {
    if (Values[Last] != Cell)
      Last = static_cast<size_t>(std::ranges::lower_bound(Values, Cell) -
                                 Values.begin());
    Out.Of.push_back(RankOf[Last]);
  }
  Out.Count = Values.size();
  return Out;
}

bool Rows::isBefore(size_t A, size_t B) const {
  for (const size_t Column : Of->Order) {
    const int64_t Left = at(A, Column), Right = at(B, Column);
    if (Left == Right)
      continue;
    if (Of->Columns[Column].Kind != ColumnKind::Text)
      return Left < Right;
    if (Left == kNull || Right == kNull)
      return Right == kNull;
    return (*Pool)[Left] < (*Pool)[Right];
  }
  return false;
}

/// A counting sort for each column, from the last to the first: each keeps the
/// order of equal rows.
const std::vector<uint32_t> &Rows::sorted() const {
  if (!Order.empty() || size() == 0)
    return Order;
  Order.resize(size());
  std::iota(Order.begin(), Order.end(), 0u);
  const auto Wrong = [&](uint32_t Row) { return isBefore(Row, Row - 1); };
  if (std::none_of(Order.begin() + 1, Order.end(), Wrong))
    return Order; // sums over sorted rows are already sorted
  std::vector<uint32_t> Next(size());
  for (size_t K = Of->Order.size(); K-- > 0;) {
    const Ranking Ranks = ranks(Of->Order[K]);
    if (Ranks.Count == 1)
      continue;
    std::vector<uint32_t> Starts(Ranks.Count + 1);
    for (const uint32_t Rank : Ranks.Of)
      ++Starts[Rank + 1];
    std::partial_sum(Starts.begin(), Starts.end(), Starts.begin());
    for (const uint32_t Row : Order)
      Next[Starts[Ranks.Of[Row]]++] = Row;
    Order.swap(Next);
  }
  return Order;
}

std::string Rows::nameFor(const std::vector<uint32_t> &By) const {
  Hash128 Hash;
  Hash.add(kSchema);
  Hash.add(Of->Name);
  std::vector<int64_t> Numbers(By.size());
  for (size_t C = 0; C < Cells.size(); ++C) {
    for (size_t R = 0; R < By.size(); ++R)
      Numbers[R] = Cells[C][By[R]];
    if (Of->Columns[C].Kind == ColumnKind::Text) {
      // A text's number depends on the texts added before it.
      std::unordered_map<int64_t, int64_t> Own;
      int64_t Last = kNull, OwnOfLast = kNull; // neighbours often match
      for (int64_t &Number : Numbers) {
        if (Number != Last) {
          Last = OwnOfLast = Number;
          if (Number != kNull) {
            const auto [At, New] =
                Own.try_emplace(Number, static_cast<int64_t>(Own.size()));
            if (New)
              Hash.add((*Pool)[Number]);
            OwnOfLast = At->second;
          }
        }
        Number = OwnOfLast;
      }
    }
    Hash.add({reinterpret_cast<const char *>(Numbers.data()),
              Numbers.size() * sizeof Numbers[0]});
  }
  return Hash.hex();
}

} // namespace inmem::fleet
