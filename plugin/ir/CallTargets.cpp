//===- CallTargets.cpp - targets of a call --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace inmem {

/// C library functions that only access their arguments.
static bool isKnownNotToAllocate(StringRef Name) {
  static const StringSet<> Names = {
      // <string.h>, <strings.h>
      "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy",
      "memrchr", "memset", "rawmemchr", "stpcpy", "stpncpy", "strcasecmp",
      "strcasestr", "strcat", "strchr", "strchrnul", "strcmp", "strcpy",
      "strcspn", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy",
      "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtok",
      "strtok_r", "__memcpy_chk", "__memmove_chk", "__memset_chk",
      "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk",
      "__strncpy_chk",
      // <wchar.h>
      "wcscat", "wcschr", "wcscmp", "wcscpy", "wcscspn", "wcslen", "wcsncat",
      "wcsncmp", "wcsncpy", "wcsnlen", "wcspbrk", "wcsrchr", "wcsspn", "wcsstr",
      "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset",
      // <ctype.h>, <wctype.h>
      "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit",
      "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper",
      "isxdigit", "iswalnum", "iswalpha", "iswdigit", "iswlower", "iswspace",
      "iswupper", "toascii", "tolower", "toupper", "towlower", "towupper",
      "__ctype_b_loc", "__ctype_get_mb_cur_max", "__ctype_tolower_loc",
      "__ctype_toupper_loc",
      // <stdlib.h>
      "abs", "atof", "atoi", "atol", "atoll", "div", "labs", "ldiv", "llabs",
      "strtod", "strtof", "strtol", "strtoll", "strtoul", "strtoull",
      // <math.h>
      "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp",
      "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod", "frexp",
      "hypot", "ldexp", "log", "log10", "log1p", "log2", "modf", "pow", "rint",
      "round", "scalbn", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
      // <errno.h>, <time.h>, <pthread.h>
      "__errno_location", "clock", "clock_gettime", "time",
      "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_self"};
  return Names.contains(Name);
}

bool mayCallByAssembly(const CallBase &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm)
    return false;
  const StringRef Text = Asm->getAsmString();
  if (Text.contains(INMEM_SECTION_CALLS))
    return false;
  // Match the instruction, not part of another word such as syscall; it may
  // have a suffix: callq, blr.
  const Triple Target = compat::target(*Call.getModule());
  const StringRef Name = Target.isAArch64() ? "bl" : "call";
  for (size_t At = Text.find(Name); At != StringRef::npos;
       At = Text.find(Name, At + 1))
    if (At == 0 || !(isAlnum(Text[At - 1]) || Text[At - 1] == '_'))
      return true;
  return false;
}

CallTarget targetOf(const CallBase &Call) {
  if (isa<IntrinsicInst>(Call) || Call.doesNotReturn())
    return {};
  const Function *Callee = Call.isInlineAsm() ? nullptr : directCallee(Call);
  if (!Callee)
    return {.MayAllocate = true};
  if (const HookedFunction *Hooked = hookedCallee(Call))
    return {.MayAllocate = !Hooked->Frees};
  if (!Callee->isDeclaration() && !Callee->isInterposable())
    return {.Body = Callee};
  StringRef Name = Callee->getName();
  Name.consume_front("\01");
  return {.MayAllocate =
              !Callee->isDeclaration() ||
              !(Call.onlyReadsMemory() || isKnownNotToAllocate(Name))};
}

} // namespace inmem
