//===- StackFrames.cpp - Calls of a stopped thread, by unwinding ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/Tracee.h"

#include <cstdlib>
#include <elfutils/libdwfl.h>

namespace inmem::tools {

struct StackFrames::State {
  Dwfl *Session = nullptr;
  bool IsAttached = false;
  Reader Read;
  const ThreadCopy *Is = nullptr; ///< the thread that is unwound
  std::vector<uint64_t> Found;
  bool IsComplete = true;

  /// A word of its stack, from the copy if that has it.
  bool read(uint64_t From, uint64_t &To) const {
    const uint64_t Index = (From - Is->StackStart) / sizeof To;
    if (From >= Is->StackStart && From % sizeof To == 0 &&
        Index < Is->Stack.size()) {
      To = Is->Stack[Index];
      return true;
    }
    return Read(From, &To, sizeof To) == sizeof To;
  }
};

/// True if the function at \p Pc has an unwind table. Without one, libdwfl
/// guesses from the frame pointer.
static bool hasTable(Dwfl *Session, Dwarf_Addr Pc) {
  Dwfl_Module *Module = dwfl_addrmodule(Session, Pc);
  Dwarf_Addr Bias = 0;
  Dwarf_CFI *Table = Module ? dwfl_module_eh_cfi(Module, &Bias) : nullptr;
  Dwarf_Frame *Frame = nullptr;
  const bool Has = Table && dwarf_cfi_addrframe(Table, Pc - Bias, &Frame) == 0;
  std::free(Frame);
  return Has;
}

StackFrames::StackFrames(pid_t Pid, Reader Read)
    : S(std::make_unique<State>()) {
  static const Dwfl_Callbacks kFiles = {
      dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, nullptr};
  S->Read = std::move(Read);
  S->Session = dwfl_begin(&kFiles);
  if (!S->Session || dwfl_linux_proc_report(S->Session, Pid) != 0 ||
      dwfl_report_end(S->Session, nullptr, nullptr) != 0)
    return;
  static const Dwfl_Thread_Callbacks kThreads = {
      .next_thread =
          [](Dwfl *, void *Of, void **Argument) {
            auto &Is = *static_cast<State *>(Of);
            const bool First = *Argument == nullptr;
            *Argument = Of;
            return First ? Is.Is->Tid : 0;
          },
      .get_thread =
          [](Dwfl *, pid_t, void *Of, void **Argument) {
            *Argument = Of;
            return true;
          },
      .memory_read =
          [](Dwfl *, Dwarf_Addr From, Dwarf_Word *To, void *Of) {
            uint64_t Word = 0;
            const bool Good = static_cast<State *>(Of)->read(From, Word);
            *To = Word;
            return Good;
          },
      .set_initial_registers =
          [](Dwfl_Thread *Thread, void *Of) {
            const auto &Registers = static_cast<State *>(Of)->Is->Registers;
            return dwfl_thread_state_registers(
                Thread, 0, static_cast<unsigned>(Registers.size()),
                Registers.data());
          },
      .detach = nullptr,
      .thread_detach = nullptr};
  S->IsAttached =
      dwfl_attach_state(S->Session, nullptr, Pid, &kThreads, S.get());
}

StackFrames::~StackFrames() {
  if (S->Session)
    dwfl_end(S->Session);
}

std::optional<std::vector<uint64_t>>
StackFrames::returnAddresses(const ThreadCopy &Of) {
  if (!S->IsAttached || Of.Registers.empty())
    return std::nullopt;
  S->Is = &Of;
  S->Found.clear();
  S->IsComplete = true;
  const int Wrong = dwfl_getthread_frames(
      S->Session, Of.Tid,
      [](Dwfl_Frame *Frame, void *Argument) -> int {
        auto &Is = *static_cast<State *>(Argument);
        Dwarf_Addr Pc = 0;
        bool IsActivation = false;
        constexpr size_t kMost = 4096;
        if (!dwfl_frame_pc(Frame, &Pc, &IsActivation) ||
            Is.Found.size() == kMost ||
            !hasTable(Is.Session, IsActivation ? Pc : Pc - 1)) {
          Is.IsComplete = false;
          return DWARF_CB_ABORT;
        }
        if (!Is.Found.empty() || !IsActivation || Pc != Is.Is->Registers.back())
          Is.Found.push_back(Pc);
        return DWARF_CB_OK;
      },
      S.get());
  if (Wrong != 0 || !S->IsComplete)
    return std::nullopt;
  return S->Found;
}

} // namespace inmem::tools
