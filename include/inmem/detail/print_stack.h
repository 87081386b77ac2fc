// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// print_stack.h - the calling stack on stderr. Part of budget.h.
#ifndef INMEM_DETAIL_PRINT_STACK_H
#define INMEM_DETAIL_PRINT_STACK_H

#include "../scope_api.h"
#include "message.h"
#include "names.h"

#include <string>

namespace inmem::detail {

/// Same layout as Dl_info of <dlfcn.h>, which dladdr() fills in.
struct CodeFile {
  const char *file;
  void *base;
  const char *function;
  void *address;
};
extern "C" int inmem_detail_dladdr(const void *, CodeFile *) __asm__("dladdr");

/// Declared in threads_api.h; null without the runtime.
extern "C" __attribute__((weak)) std::size_t
inmem_detail_code_name(const void *, char *,
                       std::size_t) __asm__("inmem_code_name");

// Declared in <unwind.h>. The callback returns 0 to continue and 5 to stop.
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

/// The name of the function that contains \p Address, exported as \p Linkage
/// (or null). Returns "?" if even the file's symbol table does not have it.
inline std::string nameOfCode(uintptr_t Address, const char *Linkage) {
  char Name[1024];
  if (!Linkage && inmem_detail_code_name &&
      inmem_detail_code_name(reinterpret_cast<const void *>(Address), Name,
                             sizeof Name) &&
      std::string(Name).find("+0x") == std::string::npos)
    Linkage = Name;
  return Linkage ? functionName(Linkage) : "?";
}

/// True for a frame of the runtime. A static program contains the runtime in
/// its own file, so that only names distinguish them.
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
  // Numbering starts at the first frame after the runtime's.
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
