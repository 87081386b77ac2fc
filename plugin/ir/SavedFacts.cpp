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

/// Reads the operands of a node in turn; what is not there, or of another kind,
/// is empty or 0.
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

} // namespace

void saveFacts(Module &M) {
  LLVMContext &Context = M.getContext();
  NamedMDNode *Types = M.getOrInsertNamedMetadata(kTypes);
  for (const auto &Entry : SiteTable::current().types())
    Types->addOperand(write(Context, Entry.second));
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
  NamedMDNode *Saved = M.getNamedMetadata(kOptions);
  if (!Saved)
    return;
  // Modules that were linked into one share the options of the first.
  if (Options &Chosen = Options::current(); Chosen.Arguments.empty())
    for (NodeReader Reader(*Saved->getOperand(0)); !Reader.atEnd();) {
      std::string Argument;
      Reader.get(Argument);
      // They were checked when they were given.
      (void)parseOption(Argument, Chosen);
    }
  if (Options::current().IgnorelistFiles.size() &&
      !Options::current().Ignorelist)
    (void)readIgnorelists(Options::current());
  Saved->eraseFromParent();
}

} // namespace inmem
