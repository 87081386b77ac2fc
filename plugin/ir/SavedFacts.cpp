//===- SavedFacts.cpp - facts for passes in another process ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/SavedFacts.h"
#include "PluginOptions.h"
#include "SiteTable.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

namespace {

constexpr StringLiteral kTypes = "inmem.types";
constexpr StringLiteral kOptions = "inmem.options";
constexpr StringLiteral kMembers = "inmem.members";
constexpr StringLiteral kAliases = "inmem.aliases";
constexpr StringLiteral kOpaque = "inmem.opaque";

class NodeWriter {
public:
  explicit NodeWriter(LLVMContext &Context) : Context(Context) {}

  NodeWriter &add(StringRef Text) {
    Parts.push_back(MDString::get(Context, Text));
    return *this;
  }
  NodeWriter &add(uint64_t Number) {
    Parts.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt64Ty(Context), Number)));
    return *this;
  }
  NodeWriter &add(MDNode *Node) {
    Parts.push_back(Node);
    return *this;
  }
  MDNode *finish() { return MDNode::get(Context, Parts); }

private:
  LLVMContext &Context;
  SmallVector<Metadata *, 16> Parts;
};

/// Reads the operands of a node in order. A missing operand, or one of another
/// kind, reads as empty or 0.
class NodeReader {
public:
  explicit NodeReader(const MDNode &Node) : Node(Node) {}

  bool atEnd() const { return Next >= Node.getNumOperands(); }
  NodeReader &get(std::string &Text) {
    if (auto *String = dyn_cast_or_null<MDString>(take()))
      Text = String->getString().str();
    return *this;
  }
  template <typename Integer> NodeReader &get(Integer &Number) {
    if (auto *Value = mdconst::dyn_extract_or_null<ConstantInt>(take()))
      Number = static_cast<Integer>(Value->getZExtValue());
    return *this;
  }
  const MDNode *getNode() { return dyn_cast_or_null<MDNode>(take()); }

private:
  Metadata *take() { return atEnd() ? nullptr : Node.getOperand(Next++).get(); }

  const MDNode &Node;
  unsigned Next = 0;
};

MDNode *write(LLVMContext &Context, const TypeInfo &Type) {
  NodeWriter Writer(Context);
  Writer.add(Type.Key).add(Type.Name).add(Type.Id).add(Type.Size);
  Writer.add(Type.Align).add(Type.Flags).add(uint64_t(Type.Ignored));
  for (const FieldInfo &Field : Type.Fields)
    Writer.add(NodeWriter(Context)
                   .add(Field.Name)
                   .add(Field.TypeName)
                   .add(Field.TypeKey)
                   .add(Field.TypeId)
                   .add(Field.Offset)
                   .add(Field.Size)
                   .add(Field.Kind)
                   .add(Field.Bit)
                   .finish());
  return Writer.finish();
}

TypeInfo readType(const MDNode &Node) {
  TypeInfo Type;
  NodeReader Reader(Node);
  Reader.get(Type.Key).get(Type.Name).get(Type.Id).get(Type.Size);
  Reader.get(Type.Align).get(Type.Flags).get(Type.Ignored);
  while (!Reader.atEnd())
    if (const MDNode *Part = Reader.getNode()) {
      FieldInfo Field;
      NodeReader(*Part)
          .get(Field.Name)
          .get(Field.TypeName)
          .get(Field.TypeKey)
          .get(Field.TypeId)
          .get(Field.Offset)
          .get(Field.Size)
          .get(Field.Kind)
          .get(Field.Bit);
      Type.Fields.push_back(std::move(Field));
    }
  return Type;
}

/// Saves the facts that CountAccessesPass needs.
void saveAccesses(Module &M) {
  LLVMContext &Context = M.getContext();
  const SiteTable &Table = SiteTable::current();
  NamedMDNode *Members = M.getOrInsertNamedMetadata(kMembers);
  for (const auto &Entry : Table.functions()) {
    const FunctionFacts &Facts = Entry.second;
    if (Facts.Members.empty() && Facts.Role == FunctionFacts::Other)
      continue;
    NodeWriter Writer(Context);
    Writer.add(Entry.first()).add(Facts.Role);
    for (const MemberFact &Fact : Facts.Members)
      Writer.add(NodeWriter(Context)
                     .add(Fact.Owner->Key)
                     .add(Fact.FirstBit)
                     .add(Fact.Bits)
                     .add(Fact.Line)
                     .add(Fact.Column)
                     .add(Fact.Kinds)
                     .add(uint64_t(Fact.BitField))
                     .finish());
    Members->addOperand(Writer.finish());
  }
  NamedMDNode *Aliases = M.getOrInsertNamedMetadata(kAliases);
  for (const auto &Entry : Table.aliasNames())
    if (Entry.second)
      Aliases->addOperand(NodeWriter(Context)
                              .add(Entry.first())
                              .add(Entry.second->Key)
                              .finish());
  NamedMDNode *Opaque = M.getOrInsertNamedMetadata(kOpaque);
  for (const auto &[Key, Fact] : Table.Opaque)
    Opaque->addOperand(NodeWriter(Context)
                           .add(Fact.Owner->Key)
                           .add(Fact.FirstBit)
                           .add(Fact.Bits)
                           .add(Fact.Where.File)
                           .add(Fact.Where.Line)
                           .add(Fact.Event)
                           .finish());
}

/// Calls \p Read with a reader for each node of \p Name, and removes the nodes.
template <typename Function>
void take(Module &M, StringRef Name, Function Read) {
  NamedMDNode *Nodes = M.getNamedMetadata(Name);
  if (!Nodes)
    return;
  for (const MDNode *Node : Nodes->operands()) {
    NodeReader Reader(*Node);
    Read(Reader);
  }
  Nodes->eraseFromParent();
}

/// Restores the facts of saveAccesses(). The types are already restored.
void restoreAccesses(Module &M) {
  SiteTable &Table = SiteTable::current();
  take(M, kMembers, [&](NodeReader &Reader) {
    std::string Name;
    uint8_t Role = FunctionFacts::Other;
    Reader.get(Name).get(Role);
    FunctionFacts &Facts = Table.function(Name);
    Facts.Role = static_cast<FunctionFacts::MemberRole>(Role);
    while (!Reader.atEnd())
      if (const MDNode *Part = Reader.getNode()) {
        std::string Key;
        MemberFact Fact{};
        NodeReader(*Part)
            .get(Key)
            .get(Fact.FirstBit)
            .get(Fact.Bits)
            .get(Fact.Line)
            .get(Fact.Column)
            .get(Fact.Kinds)
            .get(Fact.BitField);
        if ((Fact.Owner = Table.findType(Key)))
          Facts.Members.push_back(Fact);
      }
  });
  take(M, kAliases, [&](NodeReader &Reader) {
    std::string Name, Key;
    Reader.get(Name).get(Key);
    if (const TypeInfo *Type = Table.findType(Key))
      Table.addAliasName(Name, *Type);
  });
  take(M, kOpaque, [&](NodeReader &Reader) {
    std::string Key;
    OpaqueFact Fact{};
    Reader.get(Key).get(Fact.FirstBit).get(Fact.Bits);
    Reader.get(Fact.Where.File).get(Fact.Where.Line).get(Fact.Event);
    if ((Fact.Owner = Table.findType(Key)))
      Table.addOpaque(Fact);
  });
}

} // namespace

void saveFacts(Module &M) {
  LLVMContext &Context = M.getContext();
  NamedMDNode *Types = M.getOrInsertNamedMetadata(kTypes);
  for (const auto &Entry : SiteTable::current().types())
    Types->addOperand(write(Context, Entry.second));
  if (Options::current().Accesses)
    saveAccesses(M);
  if (Options::current().Arguments.empty())
    return;
  NodeWriter Writer(Context);
  for (const std::string &Argument : Options::current().Arguments)
    Writer.add(Argument);
  M.getOrInsertNamedMetadata(kOptions)->addOperand(Writer.finish());
}

void restoreFacts(Module &M) {
  if (NamedMDNode *Types = M.getNamedMetadata(kTypes)) {
    for (const MDNode *Node : Types->operands())
      if (TypeInfo Type = readType(*Node); !Type.Key.empty() && Type.Id)
        SiteTable::current().addType(std::move(Type));
    Types->eraseFromParent();
  }
  restoreAccesses(M);
  NamedMDNode *Saved = M.getNamedMetadata(kOptions);
  if (!Saved)
    return;
  // Modules that were linked into one use the options of the first.
  if (Options &Chosen = Options::current(); Chosen.Arguments.empty())
    for (NodeReader Reader(*Saved->getOperand(0)); !Reader.atEnd();) {
      std::string Argument;
      Reader.get(Argument);
      // The options were checked when they were given.
      (void)parseOption(Argument, Chosen);
    }
  if (Options::current().IgnorelistFiles.size() &&
      !Options::current().Ignorelist)
    (void)readIgnorelists(Options::current());
  Saved->eraseFromParent();
}

} // namespace inmem
