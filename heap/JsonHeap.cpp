//===- JsonHeap.cpp - Schema inmem-heap/1 ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/SnapshotRows.h"
#include "heap/SnapshotViews.h"
#include "report/names/TypeName.h"

#include <algorithm>

namespace inmem::heap {

using namespace report;

namespace {

Json locationJson(const SourceLocation &P) {
  return {{"function", orNull(demangle(P.Function))},
          {"file", orNull(std::string(P.File))},
          {"line", orNull(P.Line)},
          {"column", orNull(P.Column)}};
}

Json text(std::string_view Value) { return orNull(std::string(Value)); }

Json typesOf(const Analysis &A, size_t Top) {
  return arrayOf(A.Types, Top, [](const TypeSum &T) -> Json {
    return {{"type", text(T.Type)},
            {"objects", T.Objects},
            {"bytes", T.Bytes},
            {"retained_bytes", T.Retained}};
  });
}

Json kindsOf(const Analysis &A, size_t Top) {
  return arrayOf(A.Kinds, Top, [&](const KindSum &K) -> Json {
    return {{"name", A.Names[K.Name]},
            {"objects", K.Objects},
            {"bytes", K.Bytes},
            {"retained_bytes", K.Retained}};
  });
}

Json leaksOf(const Heap &H, const Analysis &A, size_t Top) {
  return arrayOf(A.Leaks, Top, [&](const Leak &L) -> Json {
    return withSite({{"type", text(L.Type)},
                     {"name", shownBlocks(H, L.Type, L.Site)},
                     {"objects", L.Objects},
                     {"bytes", L.Bytes},
                     {"retained_bytes", L.Retained},
                     {"verdict", nameOf(L.How)},
                     {"age_ns", orNull(L.AgeNs)}},
                    H, L.Site);
  });
}

Json rootsOf(const Analysis &A, size_t Top) {
  static constexpr const char *kKinds[] = {"global", "stack", "thread_local",
                                           "register"};
  return arrayOf(A.Roots, Top, [](const RootSum &R) -> Json {
    return {{"kind", kKinds[static_cast<size_t>(R.Kind) & 3]},
            {"where", text(R.Where)},
            {"objects", R.Objects},
            {"retained_bytes", R.Retained},
            {"only_from_here_bytes", R.Alone}};
  });
}

/// The objects that retain the most, and the paths to them.
Json largestOf(const Heap &H, const Analysis &A) {
  constexpr size_t kShown = 20;
  std::vector<uint32_t> Objects(H.objects());
  for (uint32_t I = 0; I < H.objects(); ++I)
    Objects[I] = I;
  const size_t Shown = std::min(kShown, Objects.size());
  std::partial_sort(
      Objects.begin(), Objects.begin() + static_cast<ptrdiff_t>(Shown),
      Objects.end(), [&](uint32_t X, uint32_t Y) {
        return std::tuple(A.Retained[Y], X) < std::tuple(A.Retained[X], Y);
      });
  Objects.resize(Shown);
  return arrayOf(Objects, 0, [&](uint32_t I) -> Json {
    return withSite({{"type", text(H.typeName(I))},
                     {"name", A.name(I)},
                     {"address", H.Address[I]},
                     {"bytes", H.Size[I]},
                     {"retained_bytes", A.Retained[I]},
                     {"path", wayText(H, A, I)}},
                    H, H.SiteOf[I]);
  });
}

/// The dominator tree as arrays, one element per node.
Json holdersOf(const Heap &H, const Analysis &A) {
  constexpr uint64_t kSmallest = 2000; ///< 1/kSmallest of all bytes
  Json Out = {{"parent", Json::array()},
              {"name", Json::array()},
              {"objects", Json::array()},
              {"bytes", Json::array()}};
  for (const HeldNode &N : heldByType(H, A, A.Bytes / kSmallest)) {
    Out["parent"].push_back(N.Parent);
    Out["name"].push_back(A.Names.empty() ? "" : A.Names[N.Name]);
    Out["objects"].push_back(N.Objects);
    Out["bytes"].push_back(N.Bytes);
  }
  return Out;
}

/// Aliases of the types in \p Page, by spelling, without types that have none.
Json aliasesIn(const Json &Page) {
  Json Out = Json::object();
  const auto Add = [&Out](const Json &Type) {
    if (!Type.is_string())
      return;
    const std::string Spelling = Type.get<std::string>();
    if (std::string Shown = shownType(Spelling); Shown != Spelling)
      Out[Spelling] = std::move(Shown);
  };
  for (const char *Table : {"types", "leaks", "largest", "collections",
                            "duplicates", "sparse", "padding"})
    for (const Json &Row : Page[Table])
      for (const char *Member : {"type", "owner", "container"})
        if (const auto Found = Row.find(Member); Found != Row.end())
          Add(*Found);
  return Out;
}

Json wholeOf(const Heap &H, const Analysis &A, size_t Top) {
  Json Out = {{"schema", "inmem-heap/1"},
              {"process",
               {{"pid", H.Header.Pid},
                {"taken_unix_ns", H.Header.UnixNs},
                {"pause_ns", H.Header.PauseNs}}},
              {"totals",
               {{"objects", H.objects()},
                {"bytes", A.Bytes},
                {"edges", H.EdgeTo.size()},
                {"reachable_bytes", A.ReachableBytes},
                {"unreachable_bytes",
                 H.isPartial() ? Json() : Json(A.UnreachableBytes)}}}};
  Out["partial"] = whyPartial(H);
  Out["types"] = typesOf(A, Top);
  Out["kinds"] = kindsOf(A, Top);
  Out["leaks"] = leaksOf(H, A, Top);
  Out["duplicates"] =
      arrayOf(A.Duplicates, Top, [&](const Duplicate &D) -> Json {
        return withSite({{"type", text(D.Type)},
                         {"name", shownBlocks(H, D.Type, D.Site)},
                         {"bytes_each", D.Size},
                         {"copies", D.Copies},
                         {"contents", D.Contents},
                         {"wasted_bytes", D.wasted()}},
                        H, D.Site);
      });
  Out["sparse"] = arrayOf(A.SparseOnes, Top, [](const Sparse &S) -> Json {
    return {{"owner", text(S.Owner)},         {"field", text(S.Field)},
            {"container", text(S.Container)}, {"containers", S.Containers},
            {"elements", S.Elements},         {"capacity", S.Capacity},
            {"wasted_bytes", S.Wasted}};
  });
  Out["padding"] = arrayOf(A.Paddings, Top, [](const Padding &P) -> Json {
    return {{"type", text(P.Type)},
            {"bytes_each", P.BytesEach},
            {"objects", P.Objects},
            {"bytes", P.bytes()},
            {"order", P.Order}};
  });
  Out["collections"] =
      arrayOf(A.Collections, Top, [](const Collection &C) -> Json {
        return {{"owner", text(C.Owner)},
                {"field", text(C.Field)},
                {"container", text(C.Container)},
                {"elements", C.Elements},
                {"retained_bytes", C.Retained}};
      });
  Out["roots"] = rootsOf(A, Top);
  Out["largest"] = largestOf(H, A);
  return Out;
}

} // namespace

Json withSite(Json Row, const Heap &H, uint32_t Id) {
  const auto Found = H.Sites.find(Id);
  const bool Known = Found != H.Sites.end();
  Row["site"] = Known ? locationJson(Found->second.Where) : Json();
  if (Known && Found->second.Caller)
    Row["caller"] = locationJson(*Found->second.Caller);
  return Row;
}

std::string jsonOf(const Heap &H, const Analysis &A, size_t Top) {
  return report::jsonText(wholeOf(H, A, Top));
}

Json pageOf(const Heap &H, const Analysis &A) {
  constexpr size_t kRows = 500;
  Json Out = wholeOf(H, A, kRows);
  Out["holders"] = holdersOf(H, A);
  Out["aliases"] = aliasesIn(Out);
  return Out;
}

} // namespace inmem::heap
