//===- UncountedReads.cpp - reads of objects without counters -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/UncountedReads.h"
#include "Compat.h"

using namespace clang;

namespace inmem {

void UncountedReads::enter(const FunctionDecl *F, bool OnlyCopies) {
  Current = &Bodies[F ? F->getCanonicalDecl() : nullptr];
  Current->OnlyCopies = OnlyCopies;
}

void UncountedReads::addRead(const Path &Of, SourceLocation Loc) {
  if (!Current->OnlyCopies && Of.Bits && !Paths.isLibrary(Of.Owner))
    Current->Reads.push_back({Of, C.location(Loc)});
}

void UncountedReads::addUncounted(const Path &Of, SourceLocation Loc) {
  if (!Current->OnlyCopies && Of.Bits && !Paths.isLibrary(Of.Owner))
    C.Table.addOpaque({Of.Owner, Of.FirstBit, Of.Bits, C.location(Loc),
                       INMEM_OBJECT_FIELD_UNCOUNTED});
}

const TypeInfo *UncountedReads::classOf(QualType Type) {
  const std::optional<Path> Whole = Paths.whole(Type);
  return Whole ? Whole->Owner : nullptr;
}

void UncountedReads::addObject(QualType Type) {
  if (const TypeInfo *Class = classOf(Type))
    Current->Objects.insert(Class);
}

void UncountedReads::addCall(const FunctionDecl &Callee) {
  Current->Calls.insert(Callee.getCanonicalDecl());
}

void UncountedReads::addCallOn(const FunctionDecl &Callee, QualType Type) {
  if (const TypeInfo *Class = classOf(Type))
    Passed[Class].insert(Callee.getCanonicalDecl());
}

const UncountedReads::Classes &UncountedReads::partsOf(const TypeInfo *Of) {
  auto [Found, New] = Parts.try_emplace(Of);
  if (!New)
    return Found->second;
  Classes All;
  llvm::SmallVector<const TypeInfo *, 8> Next{Of};
  while (!Next.empty()) {
    const TypeInfo *Class = Next.pop_back_val();
    if (!All.insert(Class).second)
      continue;
    for (const FieldInfo &Field : Class->Fields)
      if (Field.Kind != INMEM_FIELD_POINTER &&
          Field.Kind != INMEM_FIELD_REFERENCE && !Field.TypeKey.empty())
        if (const TypeInfo *Part = C.Table.findType(Field.TypeKey))
          Next.push_back(Part);
  }
  return Parts[Of] = std::move(All);
}

void UncountedReads::addReadsIn(const Body &In, const Classes &Of) {
  for (const Read &Each : In.Reads)
    if (Of.contains(Each.Of.Owner))
      C.Table.addOpaque({Each.Of.Owner, Each.Of.FirstBit, Each.Of.Bits,
                         Each.Where, INMEM_OBJECT_FIELD_UNCOUNTED});
}

void UncountedReads::finish() {
  for (const auto &[F, In] : Bodies)
    for (const Read &Each : In.Reads)
      C.Table.addOpaque({Each.Of.Owner, Each.Of.FirstBit, Each.Of.Bits,
                         Each.Where, INMEM_OBJECT_FIELD_IN_SOURCE});
  for (const auto &[F, In] : Bodies)
    for (const TypeInfo *Class : In.Objects)
      if (!In.Reads.empty())
        addReadsIn(In, partsOf(Class));
  for (const auto &[Class, Functions] : Passed) {
    const Classes &Of = partsOf(Class);
    llvm::SmallVector<const FunctionDecl *, 16> Next(Functions.begin(),
                                                     Functions.end());
    llvm::DenseSet<const FunctionDecl *> Reached;
    while (!Next.empty()) {
      const FunctionDecl *F = Next.pop_back_val();
      if (!Bodies.count(F) || !Reached.insert(F).second)
        continue;
      const Body &In = Bodies.find(F)->second;
      addReadsIn(In, Of);
      Next.append(In.Calls.begin(), In.Calls.end());
    }
  }
}

} // namespace inmem
