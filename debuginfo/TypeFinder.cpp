//===- TypeFinder.cpp - Which of a block's possible types it is -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/TypeFinder.h"

#include "debuginfo/FrameFacts.h"

#include <algorithm>
#include <tuple>

namespace inmem::debuginfo {

struct TypeFinder::Program {
  explicit Program(ProgramFile &File) : Facts(File) {}
  FactReader Facts;
};

TypeFinder::TypeFinder(ProgramFiles &Of) : Files(Of) {}
TypeFinder::~TypeFinder() = default;

TypeFinder::Program *TypeFinder::programOf(const CallAddress &Call) {
  ProgramFile *File = Files.open(Call.Path, Call.BuildId);
  if (!File)
    return nullptr;
  auto &Known = Programs[File];
  if (!Known)
    Known = std::make_unique<Program>(*File);
  return Known.get();
}

namespace {

/// How well a type's size agrees with blocks.
enum class Fit : uint8_t {
  No,       ///< the type is larger, or a different one
  Unknown,  ///< the type's size is unknown
  Part,     ///< blocks are larger
  Elements, ///< blocks hold several objects, or one with a flexible array
  Exact
};

Fit fitOf(const Evidence &E, BlockSizes S) {
  if (E.Rule == FoundBy::Exception)
    return Fit::Exact;
  if (E.Size == 0)
    return E.OnlyExact ? Fit::No : Fit::Unknown;
  if (S.areOneEach(E.Size))
    return Fit::Exact;
  if (E.OnlyExact)
    return Fit::No;
  const uint64_t Mean = S.Blocks ? S.Bytes / S.Blocks : 0;
  if (E.OpenEnd && Mean >= *E.OpenEnd)
    return Fit::Elements;
  if (Mean < E.Size)
    return Fit::No;
  // A block that is larger than a class with a vtable belongs to a derived
  // class.
  if (E.Polymorphic)
    return Fit::No;
  return S.areEachFilledBy(E.Size) ? Fit::Elements : Fit::Part;
}

int weightOf(FoundBy Rule) {
  switch (Rule) {
  case FoundBy::Exception:
    return 7;
  case FoundBy::Vtable:
    return 6;
  case FoundBy::Constructor:
    return 5;
  case FoundBy::Variable:
  case FoundBy::Result:
  case FoundBy::Member:
    return 3;
  case FoundBy::Parameter:
    return 2;
  default:
    return 1;
  }
}

struct Choice {
  const Evidence *What = nullptr;
  Fit HowWell = Fit::No;
  bool MayBeFolded = false;
  int64_t Header = 0;
  bool IsFolded = false;
};

/// True if \p A is more likely than \p B, which was found before.
bool isBetter(const Choice &A, const Choice &B) {
  if (!B.What)
    return true;
  const auto Rank = [](const Choice &C) {
    return std::tuple(C.HowWell, weightOf(C.What->Rule),
                      C.What->Class.has_value());
  };
  // Among classes of the block's size, one that begins with another is more
  // likely, because constructors of bases and of first members run, too.
  if (A.HowWell == Fit::Exact && B.HowWell == Fit::Exact && A.What->Class &&
      B.What->Class && A.What->Name != B.What->Name) {
    if (beginsWith(*A.What->Class, *B.What->Class))
      return true;
    if (beginsWith(*B.What->Class, *A.What->Class))
      return false;
  }
  if (Rank(A) != Rank(B))
    return Rank(A) > Rank(B);
  // The last vtable is the most derived class's.
  if (A.What->Rule == FoundBy::Vtable)
    return true;
  return A.HowWell == Fit::Part && A.What->Size > B.What->Size;
}

/// True if \p One, a member of a union, is the only member that fits.
bool isOnlyFit(const FrameFacts &F, const Evidence &One, BlockSizes Sizes) {
  return std::ranges::all_of(F.All, [&](const Evidence &E) {
    // An array whose elements have destructors begins with their number.
    const bool Fits =
        fitOf(E, Sizes) >= Fit::Elements && !(F.OfArrayNew && E.HasDestructor);
    return E.Alternatives != One.Alternatives || E.IsBytes ||
           Fits == (E.Name == One.Name);
  });
}

/// The best of a function's types for blocks of these sizes.
Choice bestOf(const FrameFacts &F, BlockSizes Sizes, int64_t Header) {
  BlockSizes Rest = Sizes;
  Rest.Bytes -= std::min<uint64_t>(Rest.Bytes,
                                   static_cast<uint64_t>(Header) * Rest.Blocks);
  Choice Best;
  for (const Evidence &E : F.All) {
    if (E.Alternatives != 0 && !isOnlyFit(F, E, Rest))
      continue;
    const Choice One{&E, fitOf(E, Rest), F.MayBeFolded && !F.IsUnique, Header,
                     F.IsFolded};
    if (!E.IsBytes && One.HowWell != Fit::No && isBetter(One, Best))
      Best = One;
  }
  return Best;
}

bool names(const FrameFacts &F, const std::string &Name) {
  return std::ranges::any_of(F.All, [&](const Evidence &E) {
    return E.Name == Name && E.Rule != FoundBy::Symbol;
  });
}

/// True if a function and its caller belong to one template with different
/// arguments: the function's code is shared with another instance.
bool contradicts(const FrameFacts &Inner, const FrameFacts &Outer) {
  if (Inner.Classes.empty() || !Outer.IsInMember)
    return false;
  const std::string &Class = Inner.Classes.back();
  const std::string &Other = Outer.Classes.front();
  const bool IsNested =
      Other.starts_with(Class) && Other.substr(Class.size(), 2) == "::";
  return Other != Class && !IsNested &&
         Other.substr(0, Other.find('<')) == Class.substr(0, Class.find('<'));
}

/// True if the caller is the program's own code and has a function of the same
/// class inlined.
bool confirms(const FrameFacts &Inner, const FrameFacts &Outer) {
  return Outer.IsUnique && !Inner.Classes.empty() &&
         std::ranges::find(Outer.Classes, Inner.Classes.back()) !=
             Outer.Classes.end();
}

/// The argument of the inner function's class that the outer function's class
/// replaces. Empty if there is none.
std::string argumentInstead(const std::string &Type, const std::string &Inner,
                            const std::string &Outer) {
  const auto First = [](const std::string &Class) {
    const size_t Open = Class.find('<');
    if (Open == std::string::npos)
      return std::string();
    int Depth = 0;
    for (size_t I = Open + 1; I < Class.size(); ++I) {
      const char C = Class[I];
      if (Depth == 0 && (C == ',' || C == '>'))
        return Class.substr(Open + 1, I - Open - 1);
      Depth += (C == '<' || C == '(') - (C == '>' || C == ')');
    }
    return std::string();
  };
  return First(Inner) == Type ? First(Outer) : std::string();
}

/// True for a parameter's characters of a block that is stored, unless more
/// says the same: functions that copy or scan text often take other characters
/// than those of the pointer that is kept.
bool mayBeCast(const FrameFacts &F, const Evidence &Of) {
  return F.IsStored && Of.Rule == FoundBy::Parameter && Of.Name != "char" &&
         std::ranges::none_of(F.All, [&](const Evidence &E) {
           return E.Rule != FoundBy::Parameter && E.Name == Of.Name;
         });
}

/// The functions that hold a block, innermost first.
struct Holders {
  std::vector<const FrameFacts *> Frames;
  std::vector<int64_t> Headers;      ///< each frame's pointer: offset in block
  const FrameFacts *Outer = nullptr; ///< the last frame's caller, if known

  const FrameFacts *above(size_t I) const {
    return I + 1 < Frames.size() ? Frames[I + 1] : Outer;
  }
  bool anyNames(const std::string &Name) const {
    return std::ranges::any_of(
        Frames, [&](const FrameFacts *F) { return names(*F, Name); });
  }
};

/// The type by the library function that allocates. Its name is empty if that
/// function is of another library, too.
FoundType chooseByLibrary(const Holders &H, BlockSizes Sizes) {
  const FrameFacts &Leaf = *H.Frames.front();
  const FrameFacts *Caller = H.above(0);
  const Evidence &L = *Leaf.Library;
  FoundType Out{L.Name, L.Size, FoundBy::Library, false};
  if (Leaf.LibraryIsOutOfLine && Caller && contradicts(Leaf, *Caller)) {
    Out.Name =
        argumentInstead(L.Name, Leaf.Classes.back(), Caller->Classes.front());
    return Out;
  }
  const bool Agrees = H.anyNames(L.Name);
  const Choice Other = bestOf(Leaf, Sizes, 0);
  if (!Agrees && Other.What && Other.HowWell >= Fit::Elements &&
      Other.What->Class && L.Size != 0)
    return {Other.What->Name, Other.What->Size, Other.What->Rule, false};
  Out.Certain = Agrees && (!Leaf.MayBeFolded || Leaf.IsUnique ||
                           (Caller && confirms(Leaf, *Caller)));
  return Out;
}

/// True if code outside the folded function \p At says what \p E says, or if
/// \p E cannot be another function's.
bool isNamedOutside(const Holders &H, size_t At, const Evidence &E) {
  if (E.Rule == FoundBy::Vtable || E.Rule == FoundBy::Exception)
    return true;
  for (size_t I = 0; I < H.Frames.size(); ++I)
    if (I != At && !H.Frames[I]->IsFolded && names(*H.Frames[I], E.Name))
      return true;
  return H.Outer && names(*H.Outer, E.Name);
}

/// The type, by the functions that have the block. \param At gets the number of
/// the function with the evidence
std::optional<FoundType> choose(const Holders &H, BlockSizes Sizes,
                                size_t &At) {
  const auto &[Frames, Headers, Outer] = H;
  const FrameFacts &Leaf = *Frames.front();
  if (Leaf.Library && !Leaf.Library->IsBytes &&
      (Leaf.Library->Size == 0 || Sizes.areFilledBy(Leaf.Library->Size))) {
    FoundType Out = chooseByLibrary(H, Sizes);
    return Out.Name.empty() ? std::nullopt : std::optional(std::move(Out));
  }

  // A cast makes an object of the characters: the array is the block.
  if (Leaf.OfArrayNew)
    for (const Evidence &E : Leaf.All)
      if (E.IsBytes && E.Size == 1 && E.Rule == FoundBy::Variable)
        return FoundType{E.Name, 1, FoundBy::Bytes, false};

  Choice Best;
  for (size_t I = 0; I < Frames.size(); ++I) {
    const Choice One = bestOf(*Frames[I], Sizes, Headers[I]);
    if (One.What &&
        (!Best.What || One.HowWell > Best.HowWell ||
         // Folded code has the types of another caller's blocks.
         (One.HowWell == Fit::Exact && Best.MayBeFolded &&
          Best.What->Rule != FoundBy::Vtable &&
          One.What->Name != Best.What->Name && One.What->Class &&
          Best.What->Class &&
          // Its first member's constructor runs, too.
          ((Best.IsFolded && One.What->Rule != FoundBy::Constructor) ||
           !beginsWith(*Best.What->Class, *One.What->Class))))) {
      Best = One;
      At = I;
    }
  }
  if (Best.What && Best.IsFolded && !isNamedOutside(H, At, *Best.What))
    Best.What = nullptr;
  // An allocator of characters may make room for an object. A pointer whose
  // type does not fit exactly belongs to another block, in code that many
  // callers share.
  if (Leaf.Library && Best.What && Best.HowWell != Fit::Exact &&
      weightOf(Best.What->Rule) < weightOf(FoundBy::Constructor))
    Best.What = nullptr;
  if (Best.What) {
    FoundType Out{Best.What->Name, Best.What->Size, Best.What->Rule, false};
    const bool Exact = Best.HowWell == Fit::Exact && Best.Header == 0;
    const FrameFacts *Caller = H.above(At);
    const bool Confirmed = !Best.MayBeFolded || (Caller && Caller->IsUnique &&
                                                 names(*Caller, Out.Name));
    // A class that adds nothing to its base may have no constructor here.
    const bool Agrees =
        Best.What->Polymorphic ||
        std::ranges::any_of(Frames, [&](const FrameFacts *F) {
          return std::ranges::any_of(F->All, [&](const Evidence &E) {
            return E.Name == Out.Name && E.Rule != FoundBy::Constructor;
          });
        });
    if (Best.What->Rule == FoundBy::Exception)
      Out.Certain = true;
    else if (Best.What->Rule == FoundBy::Vtable)
      Out.Certain = Exact;
    else if (Best.What->Rule == FoundBy::Constructor)
      Out.Certain = Exact && Confirmed && Agrees;
    if (Best.Header > 0 && Best.What->Rule != FoundBy::Exception) {
      Out.Name +=
          " behind a header of " + std::to_string(Best.Header) + " bytes";
      Out.Size = 0;
    }
    return Out;
  }
  if (Leaf.Library)
    return FoundType{Leaf.Library->Name, Leaf.Library->Size, FoundBy::Library,
                     names(Leaf, Leaf.Library->Name) &&
                         (!Leaf.MayBeFolded || Leaf.IsUnique)};
  for (size_t I = 0; I < Frames.size(); ++I)
    for (const Evidence &E : Frames[I]->All)
      if (E.IsBytes && E.Size == 1 && !mayBeCast(*Frames[I], E)) {
        At = I;
        return FoundType{E.Name, 1, FoundBy::Bytes, false};
      }
  return std::nullopt;
}

/// The call, among \p Count, in the function that has the program's line. The
/// last ones may return an object that another function makes. A function
/// without a result may also keep the block and leave its address in the result
/// register, so that its code seems to return it.
size_t placeOf(const std::vector<const FrameFacts *> &Frames, size_t Count,
               size_t TypeAt) {
  size_t Place = Count - 1;
  while (Place > TypeAt && Place <= Frames.size()) {
    const FrameFacts &Inner = *Frames[Place - 1];
    const bool Keeps = Inner.HasNoResult && !Inner.StoredTo && !Inner.IsLibrary;
    const bool IsOwn = Inner.Returned && (Inner.HasConstantSize ||
                                          !(Inner.HandsOut || Inner.IsLibrary));
    if (!Keeps && !IsOwn)
      break;
    --Place;
  }
  return Place;
}

} // namespace

/// The type of a block that Rust's library allocates. The library's functions
/// need not return the block.
std::optional<FoundType>
TypeFinder::findInRust(std::span<const CallAddress> Calls) {
  for (size_t I = 0; I < Calls.size(); ++I) {
    Program *P = programOf(Calls[I]);
    const FrameFacts *F = P ? &P->Facts.factsOf(Calls[I].Offset, 0) : nullptr;
    if (F && F->IsRustLibrary && !F->Library)
      continue;
    if (!F || !F->Library || !F->InRust)
      break;
    FoundType Out{F->Library->Name, F->Library->Size, FoundBy::Library, false};
    Out.Place = Calls.size() - 1;
    return Out;
  }
  return std::nullopt;
}

std::optional<FoundType> TypeFinder::find(std::span<const CallAddress> Calls,
                                          BlockSizes Sizes) {
  if (Sizes.Blocks == 0)
    return std::nullopt;
  for (const auto &[File, One] : Programs) {
    One->Facts.trim();
    File->trim();
  }
  if (auto InRust = findInRust(Calls))
    return InRust;
  Holders H;
  auto &Frames = H.Frames;
  int64_t Offset = 0;
  for (const CallAddress &Call : Calls) {
    Program *P = programOf(Call);
    if (!P)
      break;
    const auto StoredTo = Frames.empty() || Frames.back()->Returned
                              ? std::nullopt
                              : Frames.back()->StoredTo;
    const FrameFacts &F = P->Facts.factsOf(Call.Offset, Offset, StoredTo);
    if (!Frames.empty() && !Frames.back()->Returned && !StoredTo) {
      H.Outer = &F;
      break;
    }
    Frames.push_back(&F);
    H.Headers.push_back(Offset);
    if (F.Returned)
      Offset = *F.Returned;
  }
  if (Frames.empty())
    return std::nullopt;
  size_t At = 0;
  std::optional<FoundType> Out = choose(H, Sizes, At);
  // If no caller is known, only the function itself can be shown.
  size_t Passed = 0;
  while (Passed < Frames.size() && Frames[Passed]->HandsOut)
    ++Passed;
  if (Passed > 0 && Passed < Calls.size()) {
    if (!Out)
      Out.emplace();
    Out->Passed = Passed;
  }
  if (const size_t Place = placeOf(Frames, Calls.size(), At);
      Place + 1 < Calls.size() || Out) {
    if (!Out)
      Out.emplace();
    Out->Place = Place;
  }
  return Out;
}

} // namespace inmem::debuginfo
