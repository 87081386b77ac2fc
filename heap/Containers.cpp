//===- Containers.cpp - Memory that programs could do without -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Analysis.h"
#include "report/model/TypeFacts.h"

#include <algorithm>
#include <map>

namespace inmem::heap {

void findDuplicates(const Heap &H, Analysis &A) {
  struct Seen {
    uint32_t First;
    uint64_t Copies;
  };
  std::unordered_map<uint64_t, Seen> ByContent;
  auto KeyOf = [&](uint32_t I) {
    return H.Hash[I] ^ H.Size[I] * 0x9E3779B97F4A7C15u;
  };
  for (uint32_t I = 0; I < H.objects(); ++I)
    if (H.Hash[I])
      ++ByContent.try_emplace(KeyOf(I), Seen{I, 0}).first->second.Copies;
  std::vector<Seen> Repeated;
  for (const auto &[Key, S] : ByContent)
    if (S.Copies > 1)
      Repeated.push_back(S);
  std::sort(Repeated.begin(), Repeated.end(),
            [](const Seen &X, const Seen &Y) { return X.First < Y.First; });
  // A reader cannot distinguish the contents of one line.
  using Line = std::tuple<std::string_view, uint64_t, std::string_view,
                          std::string_view, uint32_t>;
  std::map<Line, Duplicate> Sums;
  for (const Seen &S : Repeated) {
    const std::string_view Type = H.typeName(S.First);
    const uint64_t Size = H.Size[S.First];
    const auto Found = H.Sites.find(H.SiteOf[S.First]);
    const auto At =
        Found == H.Sites.end() ? heap::SourceLocation() : Found->second.shown();
    Duplicate &D =
        Sums.try_emplace({Type, Size, At.Function, At.File, At.Line},
                         Duplicate{Type, Size, 0, 0, H.SiteOf[S.First]})
            .first->second;
    D.Copies += S.Copies;
    ++D.Contents;
  }
  for (const auto &[Key, D] : Sums)
    A.Duplicates.push_back(D);
  std::stable_sort(A.Duplicates.begin(), A.Duplicates.end(),
                   [](const Duplicate &X, const Duplicate &Y) {
                     return std::tuple(Y.wasted(), Y.Copies) <
                            std::tuple(X.wasted(), X.Copies);
                   });
}

void findSparse(const Heap &H, Analysis &A) {
  using Group =
      std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Group, Sparse> Sums;
  for (const Container &C : H.Containers) {
    // Hash tables keep a pointer per bucket. With fewer than one element in
    // four buckets, they have more than they need.
    const uint64_t Needed = C.Buckets ? C.Elements * 4 : C.Elements;
    const uint64_t Room = C.Buckets ? C.Buckets : C.Capacity;
    const uint64_t Each = C.Buckets ? sizeof(void *) : C.ElementBytes;
    // It exceeds the whole heap, and only looked like a container.
    if (Room <= Needed || Each == 0 || Room > A.Bytes / Each)
      continue;
    const Group Where = {H.ownerOf(C), H.label(C.Label), H.label(C.Name)};
    Sparse &S = Sums[Where];
    std::tie(S.Owner, S.Field, S.Container) = Where;
    ++S.Containers;
    S.Elements += C.Elements;
    S.Capacity += Room;
    S.Wasted += (Room - Needed) * Each;
  }
  for (const auto &[Key, S] : Sums)
    A.SparseOnes.push_back(S);
  std::stable_sort(
      A.SparseOnes.begin(), A.SparseOnes.end(),
      [](const Sparse &X, const Sparse &Y) { return X.Wasted > Y.Wasted; });
}

/// True if the path \p Label leads to a part of the container at \p Field, or
/// to its elements.
static bool isOf(std::string_view Label, std::string_view Field) {
  if (!Label.starts_with(Field))
    return false;
  const std::string_view Rest = Label.substr(Field.size());
  return Rest.empty() || Rest == "[]";
}

static uint64_t retainedInObject(const Heap &H, const Analysis &A,
                                 const Container &C) {
  const std::string_view Field = H.label(C.Label);
  uint64_t Retained = 0;
  for (uint64_t E = H.FirstEdge[C.Object]; E < H.FirstEdge[C.Object + 1]; ++E)
    if (H.kindOf(E) != EdgeKind::Guess && isOf(H.labelOf(E), Field) &&
        A.Tree.Immediate[H.EdgeTo[E] + 1] == C.Object + 1)
      Retained += A.Retained[H.EdgeTo[E]];
  return Retained;
}

/// \p Held: the roots in each variable that its type describes.
static uint64_t retainedInVariable(const Heap &H, const Analysis &A,
                                   const Container &C,
                                   std::span<const uint64_t> Held) {
  const std::string_view Field = H.label(C.Label);
  std::vector<uint32_t> Objects;
  for (const uint64_t I : Held)
    if (const Root &R = H.Roots[I];
        isOf(H.label(R.Path), Field) && A.Tree.Immediate[R.Object + 1] == 0)
      Objects.push_back(R.Object);
  std::sort(Objects.begin(), Objects.end());
  Objects.erase(std::unique(Objects.begin(), Objects.end()), Objects.end());
  uint64_t Retained = 0;
  for (const uint32_t Object : Objects)
    Retained += A.Retained[Object];
  return Retained;
}

void findCollections(const Heap &H, Analysis &A) {
  constexpr size_t kKept = 1000;
  std::vector<std::vector<uint64_t>> Held(H.Variables.size());
  for (size_t I = 0; I < H.Roots.size(); ++I)
    if (H.Roots[I].Variable && H.Roots[I].Offset == kByType)
      Held[H.Roots[I].Variable - 1].push_back(I);
  const Container *Last = nullptr;
  size_t OfOwner = 0; ///< start of the owner's rows
  for (const Container &C : H.Containers) {
    if (H.label(C.Name).starts_with("std::basic_string"))
      continue;
    if (!Last || Last->Object != C.Object ||
        Last->IsInVariable != C.IsInVariable)
      OfOwner = A.Collections.size();
    Last = &C;
    const std::string_view Field = H.label(C.Label), Name = H.label(C.Name);
    // The labels of an array count as one.
    const auto Same =
        std::find_if(A.Collections.begin() + static_cast<ptrdiff_t>(OfOwner),
                     A.Collections.end(), [&](const Collection &Row) {
                       return Row.Field == Field && Row.Container == Name;
                     });
    if (Same != A.Collections.end())
      Same->Elements += C.Elements;
    else
      A.Collections.push_back({H.ownerOf(C), Field, Name, C.Object, C.Elements,
                               C.IsInVariable
                                   ? retainedInVariable(H, A, C, Held[C.Object])
                                   : retainedInObject(H, A, C)});
  }
  const auto More = [](const Collection &X, const Collection &Y) {
    return std::tuple(Y.Retained, Y.Elements, X.Object) <
           std::tuple(X.Retained, X.Elements, Y.Object);
  };
  const size_t Kept = std::min(kKept, A.Collections.size());
  std::partial_sort(A.Collections.begin(),
                    A.Collections.begin() + static_cast<ptrdiff_t>(Kept),
                    A.Collections.end(), More);
  A.Collections.resize(Kept);
}

void findPadding(const Heap &H, Analysis &A) {
  std::vector<uint64_t> Objects(H.Types.size());
  for (uint32_t I = 0; I < H.objects(); ++I)
    if (H.TypeOf[I]) {
      const uint64_t Size = H.Types[H.TypeOf[I] - 1].Record.Size;
      Objects[H.TypeOf[I] - 1] +=
          Size ? std::max<uint64_t>(1, H.Size[I] / Size) : 0;
    }
  for (size_t I = 0; I < H.Types.size(); ++I) {
    const Type &T = H.Types[I];
    if (Objects[I] == 0)
      continue;
    if (auto Packed = report::packingOf(T.Record, T.Fields))
      A.Paddings.push_back({T.Record.Name, T.Record.Size - Packed->Bytes,
                            Objects[I], std::move(Packed->Order)});
  }
  std::stable_sort(
      A.Paddings.begin(), A.Paddings.end(),
      [](const Padding &X, const Padding &Y) { return X.bytes() > Y.bytes(); });
}

} // namespace inmem::heap
