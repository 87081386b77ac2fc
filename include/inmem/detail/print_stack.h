// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// print_stack.h - the calling stack on stderr. Part of budget.h.
#ifndef INMEM_DETAIL_PRINT_STACK_H
#define INMEM_DETAIL_PRINT_STACK_H

#include "../scope_api.h"
#include "message.h"
#include "names.h"

#include <string>

namespace inmem::detail {

/// As dladdr() of <dlfcn.h> fills it in.
struct CodeFile {
  const char *file;
  void *base;
  const char *function;
  void *address;
};
extern "C" int inmem_detail_dladdr(const void *, CodeFile *) __asm__("dladdr");

/// As threads_api.h has it; null without the runtime.
extern "C" __attribute__((weak)) std::size_t
inmem_detail_code_name(const void *, char *,
                       std::size_t) __asm__("inmem_code_name");

// As <unwind.h> has them, whose results here are 0 to go on and 5 to end.
extern "C" int inmem_detail_backtrace(int (*)(void *, void *),
                                      void *) __asm__("_Unwind_Backtrace");
extern "C" uintptr_t inmem_detail_address(void *,
                                          int *) __asm__("_Unwind_GetIPInfo");

inline std::string hexadecimal(uintptr_t Value) {
  std::string Out;
  do
    Out.insert(Out.begin(), "0123456789abcdef"[Value % 16]);
  while (Value /= 16);
  return "0x" + Out;
}

/// The function around \p Address, exported as \p Linkage or null; "?" if not
/// even the file's symbol table has it.
inline std::string nameOfCode(uintptr_t Address, const char *Linkage) {
  char Name[1024];
  if (!Linkage && inmem_detail_code_name &&
      inmem_detail_code_name(reinterpret_cast<const void *>(Address), Name,
                             sizeof Name) &&
      std::string(Name).find("+0x") == std::string::npos)
    Linkage = Name;
  return Linkage ? functionName(Linkage) : "?";
}

/// True for a frame of the runtime's. A static program has it in its own file,
/// where names alone distinguish them.
inline bool isOfRuntime(const CodeFile &Of, const std::string &Name) {
  CodeFile Runtime = {}, Header = {};
  inmem_detail_dladdr(reinterpret_cast<void *>(&inmem_scope_begin), &Runtime);
  inmem_detail_dladdr(reinterpret_cast<void *>(&isOfRuntime), &Header);
  if (Of.base != Runtime.base)
    return false;
  if (Runtime.base != Header.base)
    return true;
  for (const char *Ours : {"inmem", "__inmem", "operator new", "malloc"})
    if (Name.rfind(Ours, 0) == 0)
      return true;
  return false;
}

inline int printFrame(void *Context, void *Data) {
  auto *State = static_cast<int *>(Data);
  int Before = 0;
  const uintptr_t Next = inmem_detail_address(Context, &Before);
  if (Next == 0) // above the first function
    return 5;
  const uintptr_t Address = Before ? Next : Next - 1;
  CodeFile Found = {};
  const bool Known =
      inmem_detail_dladdr(reinterpret_cast<void *>(Address), &Found) != 0;
  const std::string Name = nameOfCode(Address, Found.function);
  // Numbered from the first frame below the runtime's.
  if (*State <= 0 && isOfRuntime(Found, Name)) {
    *State = 0;
    return 0;
  }
  if (*State < 0)
    return 0;
  std::string Number = std::to_string((*State)++);
  Number.resize(Number.size() < 2 ? 2 : Number.size(), ' ');
  print("    #" + Number + " " + Name + " (" + (Known ? Found.file : "?") +
        "+" + hexadecimal(Address - reinterpret_cast<uintptr_t>(Found.base)) +
        ")\n");
  return *State > 60 ? 5 : 0;
}

inline void printStack() {
  int State = -1;
  inmem_detail_backtrace(printFrame, &State);
  if (State >= 0)
    return;
  State = 0; // no frame is known to be the runtime's: show all
  inmem_detail_backtrace(printFrame, &State);
}

} // namespace inmem::detail

#endif
