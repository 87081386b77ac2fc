//===- Diff.cpp - Matching and printing differences -----------------------===//
#include "Diff.h"

#include "TypeName.h"
#include "Units.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace inmem::report {

namespace {

__int128 change(uint64_t Old, uint64_t New) {
  return static_cast<__int128>(New) - static_cast<__int128>(Old);
}

__int128 absolute(__int128 Value) { return Value < 0 ? -Value : Value; }

void sortRows(std::vector<DiffRow> &Rows) {
  const auto Size = [](const DiffRow &R) {
    return absolute(change(R.Old.AllocatedBytes, R.New.AllocatedBytes));
  };
  std::sort(Rows.begin(), Rows.end(), [&](const DiffRow &A, const DiffRow &B) {
    return Size(A) != Size(B) ? Size(A) > Size(B)
                              : std::tie(A.Name, A.Type) <
                                    std::tie(B.Name, B.Type);
  });
}

bool changed(const DiffRow &R) {
  return R.InOld != R.InNew || R.Old.Allocations != R.New.Allocations ||
         R.Old.AllocatedBytes != R.New.AllocatedBytes ||
         R.Old.LiveBytes != R.New.LiveBytes;
}

nlohmann::ordered_json countsOf(const Counts &C) {
  return {{"allocations", C.Allocations},
          {"allocated_bytes", C.AllocatedBytes},
          {"frees", C.Frees},
          {"freed_bytes", C.FreedBytes},
          {"live_allocations", C.LiveAllocations},
          {"live_bytes", C.LiveBytes},
          {"temporary_allocations", C.Temporary}};
}

} // namespace

Diff compare(const Profile &Old, const Profile &New) {
  Diff D;
  D.LifeUnit = New.LifeUnit;
  D.Old = Old.Totals;
  D.New = New.Totals;
  D.OldPeak = Old.PeakLiveBytes;
  D.NewPeak = New.PeakLiveBytes;
  std::map<std::string, DiffRow> Types, Sites;
  const auto Gather = [&](const Profile &P, bool IsNew) {
    for (const TypeResult &T : P.Types) {
      if (T.Sum.Allocations == 0 && T.Sum.CarriedAllocations == 0)
        continue;
      DiffRow &R = Types[T.Name.value_or("")];
      R.Name = T.Name.value_or("(unknown type)");
      R.Alias = T.Alias;
      (IsNew ? R.InNew : R.InOld) = true;
      (IsNew ? R.New : R.Old).add(T.Sum);
      (IsNew ? R.NewP50 : R.OldP50) = T.Life.P50;
    }
    for (const SiteResult &S : P.Sites) {
      const std::string Type = P.Types[S.Type].Name.value_or("");
      DiffRow &R = Sites[S.Where.Function + '\n' + S.Where.File + '\n' +
                         S.Kind + '\n' + Type];
      R.Name = S.Where.Function +
               (S.Where.File.empty() ? "" : "  " + S.Where.File);
      R.Type = Type;
      (IsNew ? R.InNew : R.InOld) = true;
      (IsNew ? R.New : R.Old).add(S.Sum);
    }
  };
  Gather(Old, false);
  Gather(New, true);
  for (auto &[Key, Row] : Types)
    D.Types.push_back(std::move(Row));
  for (auto &[Key, Row] : Sites)
    D.Sites.push_back(std::move(Row));
  sortRows(D.Types);
  sortRows(D.Sites);
  return D;
}

std::string printDiffText(const Diff &D, const View &V, const Style &S) {
  std::string Out;
  Table Sums;
  Sums.column({"", false, true});
  for (const char *Title : {"old", "new", "change"})
    Sums.column({Title});
  const auto Bytes = [&](const char *What, uint64_t Old, uint64_t New) {
    Sums.row({What, humanBytes(Old), humanBytes(New),
              humanBytesDelta(change(Old, New))});
  };
  const auto Blocks = [&](const char *What, uint64_t Old, uint64_t New) {
    Sums.row({What, humanCount(Old), humanCount(New),
              humanCountDelta(change(Old, New))});
  };
  Bytes("bytes allocated", D.Old.AllocatedBytes, D.New.AllocatedBytes);
  Blocks("blocks allocated", D.Old.Allocations, D.New.Allocations);
  Blocks("temporary blocks", D.Old.Temporary, D.New.Temporary);
  Bytes("bytes still alive", D.Old.LiveBytes, D.New.LiveBytes);
  if (D.OldPeak && D.NewPeak)
    Bytes("peak bytes", *D.OldPeak, *D.NewPeak);
  Out += Sums.render(S);
  const auto Rows = [&](const char *Title, const std::vector<DiffRow> &All) {
    Table T;
    T.column({Title, false, true, 0, Paint::Bold});
    T.column({"", false, false, 1, Paint::Yellow});
    T.column({"bytes"});
    T.column({"change"});
    T.column({"blocks", true, false, 2});
    T.column({"change", true, false, 2});
    T.column({"live", true, false, 3});
    size_t Shown = 0, More = 0;
    for (const DiffRow &R : All) {
      if (!changed(R) || std::max(R.Old.AllocatedBytes, R.New.AllocatedBytes) <
                             V.MinBytes)
        continue;
      if (V.Top != 0 && Shown >= V.Top) {
        ++More;
        continue;
      }
      ++Shown;
      T.row({printable(S, R.Alias.empty() ? simplifyName(R.Name) : R.Alias),
             !R.InOld   ? "new"
             : !R.InNew ? "gone"
                        : "",
             humanBytes(R.New.AllocatedBytes),
             humanBytesDelta(
                 change(R.Old.AllocatedBytes, R.New.AllocatedBytes)),
             humanCount(R.New.Allocations),
             humanCountDelta(change(R.Old.Allocations, R.New.Allocations)),
             humanBytesDelta(change(R.Old.LiveBytes, R.New.LiveBytes))});
    }
    if (T.empty())
      return;
    Out += '\n' + T.render(S);
    if (More > 0)
      Out += paint(S, Paint::Dim,
                   shorten(S, "  and " + std::to_string(More) +
                                  " more (--top 0 shows all)",
                           S.Width)) +
             '\n';
  };
  if (V.shows(By::Type))
    Rows("type", D.Types);
  if (V.shows(By::Site))
    Rows("site", D.Sites);
  return Out;
}

std::string printDiffJson(const Diff &D, const View &V) {
  using Json = nlohmann::ordered_json;
  Json Out;
  Out["schema"] = "inmem-diff/1";
  Out["totals"] = {{"old", countsOf(D.Old)}, {"new", countsOf(D.New)}};
  const auto Rows = [&](const char *Key, const char *Name,
                        const std::vector<DiffRow> &All) {
    Out[Key] = Json::array();
    for (const DiffRow &R : All) {
      if (!changed(R))
        continue;
      Json Row;
      Row[Name] = R.Name;
      if (Key == std::string_view("sites"))
        Row["type"] = R.Type.empty() ? Json(nullptr) : Json(R.Type);
      Row["old"] = R.InOld ? countsOf(R.Old) : Json(nullptr);
      Row["new"] = R.InNew ? countsOf(R.New) : Json(nullptr);
      Out[Key].push_back(std::move(Row));
    }
  };
  if (V.shows(By::Type))
    Rows("types", "type", D.Types);
  if (V.shows(By::Site))
    Rows("sites", "site", D.Sites);
  return Out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace inmem::report
