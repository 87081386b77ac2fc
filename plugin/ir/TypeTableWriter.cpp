//===- TypeTableWriter.cpp - tables next to generated code ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled without RTTI (plugin/CMakeLists.txt). Some LLVMs, including rustc's,
// export neither the type information nor all virtual functions of the
// handler's base class, and would not load the plugin at all.
#include "Compat.h"
#include "inmem/type_table.h"
#include "ir/TypeTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;

namespace inmem {

#ifdef INMEM_COMPAT_CODE_HANDLERS
namespace {

/// Follows one module's code to its end. To the code's section, it only adds a
/// label after each call.
class TableHandler final : public AsmPrinterHandler {
public:
  explicit TableHandler(AsmPrinter &Printer) : Printer(Printer) {}

  void beginFunction(const MachineFunction *) override {
    Calls.clear();
    Seen.clear();
  }

  void beginInstruction(const MachineInstr *MI) override {
    // A call that ends a function returns to the function's caller, so it has
    // no entry.
    Node = MI->isCall() ? MI->getHeapAllocMarker() : nullptr;
    if (Node)
      Seen.insert(Node);
    Current = Node && !MI->isReturn() ? decodeTypedCall(Node) : std::nullopt;
  }

  void endInstruction() override {
    if (!Current)
      return;
    MCSymbol *Behind = Printer.OutContext.createTempSymbol("inmem_call");
    Printer.OutStreamer->emitLabel(Behind);
    Calls.push_back({Behind, Node, *Current});
    Current.reset();
  }

  void markFunctionEnd() override {}

  void endFunction(const MachineFunction *MF) override {
    dropMerged(MF->getFunction());
    if (Calls.empty())
      return;
    MCStreamer &Out = *Printer.OutStreamer;
    Out.pushSection();
    Out.switchSection(tableFor(*MF));
    for (const Entry &E : Calls) {
      Out.emitSymbolValue(E.Behind, sizeof(uint64_t));
      Out.emitInt64(E.Call.Size);
      Out.emitSymbolValue(textOf(E.Call.Type), sizeof(uint32_t));
      Out.emitSymbolValue(textOf(E.Call.File), sizeof(uint32_t));
      Out.emitInt32(E.Call.Line);
      Out.emitInt32(E.Call.Flags);
    }
    Out.popSection();
    Calls.clear();
  }

  void endModule() override {
    if (Texts.empty())
      return;
    MCStreamer &Out = *Printer.OutStreamer;
    Out.pushSection();
    Out.switchSection(Printer.OutContext.getELFSection(
        INMEM_SECTION_TYPE_NAMES, ELF::SHT_PROGBITS,
        ELF::SHF_MERGE | ELF::SHF_STRINGS, /*EntrySize=*/1));
    for (const auto &[Text, Symbol] : Order) {
      Out.emitLabel(Symbol);
      Out.emitBytes(Text);
      Out.emitInt8(0);
    }
    Out.popSection();
  }

  void setSymbolSize(const MCSymbol *, uint64_t) override {}

private:
  /// Code generation merges or outlines calls with the same instructions. A
  /// merged call represents all of them and has no single type.
  void dropMerged(const Function &F) {
    DenseMap<const MDNode *, SmallPtrSet<const Value *, 2>> Callees;
    for (const Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const MDNode *Of = Call->getMetadata("heapallocsite"))
          Callees[Of].insert(Call->getCalledOperand());
    for (const auto &[Gone, Of] : Callees) {
      const auto Lost = Seen.count(Gone) ? std::nullopt : decodeTypedCall(Gone);
      for (Entry &E : Calls)
        if (Lost && Lost->Type != E.Call.Type &&
            any_of(Of, [&](const Value *V) {
              return Callees[E.Node].count(V) != 0;
            }))
          E.Call = {"", E.Call.File, 0, E.Call.Line, 0};
    }
    erase_if(Calls, [&](const Entry &E) { return !Callees.count(E.Node); });
  }

  /// The section is not loaded, and is dropped with its function, like
  /// .stack_sizes.
  MCSection *tableFor(const MachineFunction &MF) {
    auto &Code = *static_cast<const MCSectionELF *>(MF.getSection());
    unsigned Flags = ELF::SHF_LINK_ORDER;
    StringRef Group;
    if (const MCSymbol *Of = Code.getGroup()) {
      Group = Of->getName();
      Flags |= ELF::SHF_GROUP;
    }
    return Printer.OutContext.getELFSection(
        INMEM_SECTION_TYPE_TABLE, ELF::SHT_PROGBITS, Flags, 0, Group, true,
        Code.getUniqueID(),
        static_cast<const MCSymbolELF *>(Code.getBeginSymbol()));
  }

  MCSymbol *textOf(StringRef Text) {
    auto [At, New] = Texts.try_emplace(Text, nullptr);
    if (New) {
      At->second = Printer.OutContext.createTempSymbol("inmem_text");
      Order.push_back({At->first(), At->second});
    }
    return At->second;
  }

  AsmPrinter &Printer;
  struct Entry {
    MCSymbol *Behind;
    const MDNode *Node;
    TypedCall Call;
  };
  const MDNode *Node = nullptr; ///< the current instruction's
  std::optional<TypedCall> Current;
  std::vector<Entry> Calls;             ///< the current function's calls
  SmallPtrSet<const MDNode *, 16> Seen; ///< nodes at its calls, tail calls too
  StringMap<MCSymbol *> Texts;
  std::vector<std::pair<StringRef, MCSymbol *>> Order; ///< in insertion order
};

/// The target's original state: the registry has no accessor for its printer.
struct HookedTarget {
  Target Before;
};

/// Specific to the architecture: only x86-64 code generation keeps metadata of
/// calls.
HookedTarget &hookedX86() {
  static HookedTarget Hooked;
  return Hooked;
}

void addHandler(AsmPrinter &To, std::unique_ptr<AsmPrinterHandler> Handler) {
#ifdef INMEM_COMPAT_TIMED_HANDLERS
  To.addAsmPrinterHandler(
      {std::move(Handler), "inmem", "Table of types", "inmem", "inmem"});
#else
  To.addAsmPrinterHandler(std::move(Handler));
#endif
}

AsmPrinter *printWithTable(TargetMachine &TM,
                           std::unique_ptr<MCStreamer> &&Out) {
  AsmPrinter *Printer = hookedX86().Before.createAsmPrinter(TM, std::move(Out));
  if (Printer && TM.getTargetTriple().isOSBinFormatELF())
    addHandler(*Printer, std::make_unique<TableHandler>(*Printer));
  return Printer;
}

} // namespace
#endif

PreservedAnalyses TypeTableWriterPass::run(Module &M, ModuleAnalysisManager &) {
  if (!hasTypeTable(M))
    return PreservedAnalyses::all();
#ifdef INMEM_COMPAT_CODE_HANDLERS
  markTypedCalls(M);
  static std::once_flag Once;
  const Triple For = compat::target(M);
  if (For.getArch() == Triple::x86_64)
    std::call_once(Once, [&] {
      std::string Problem;
      const Target *Known = compat::lookupTarget<TargetRegistry>(For, Problem);
      if (!Known)
        return;
      hookedX86().Before = *Known;
      TargetRegistry::RegisterAsmPrinter(*const_cast<Target *>(Known),
                                         printWithTable);
    });
#endif
  return PreservedAnalyses::all();
}

} // namespace inmem
