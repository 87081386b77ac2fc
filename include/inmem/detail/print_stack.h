// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// print_stack.h - the calling stack on stderr. Part of budget.h.
#ifndef INMEM_DETAIL_PRINT_STACK_H
#define INMEM_DETAIL_PRINT_STACK_H

#include "../scope_api.h"
#include "names.h"

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <unwind.h>

namespace inmem::detail {

inline _Unwind_Reason_Code printFrame(_Unwind_Context *Context, void *Data) {
  auto *State = static_cast<int *>(Data);
  int Before = 0;
  auto Address = _Unwind_GetIPInfo(Context, &Before) - !Before;
  Dl_info Info = {}, Runtime = {};
  bool Known = dladdr(reinterpret_cast<void *>(Address), &Info) != 0;
  dladdr(reinterpret_cast<void *>(&inmem_scope_begin), &Runtime);
  // Numbered from the first frame below the runtime's.
  if (*State < 0) {
    if (Known && Info.dli_fbase == Runtime.dli_fbase)
      *State = 0;
    return _URC_NO_REASON;
  }
  if (*State == 0 && Known && Info.dli_fbase == Runtime.dli_fbase)
    return _URC_NO_REASON;
  std::string Name =
      Info.dli_sname ? functionName(Info.dli_sname) : std::string("?");
  std::fprintf(stderr, "    #%-2d %s (%s+0x%zx)\n", (*State)++, Name.c_str(),
               Known ? Info.dli_fname : "?",
               static_cast<std::size_t>(
                   Address - reinterpret_cast<std::uintptr_t>(Info.dli_fbase)));
  return *State > 60 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

inline void printStack() {
  int State = -1;
  _Unwind_Backtrace(printFrame, &State);
}

} // namespace inmem::detail

#endif
