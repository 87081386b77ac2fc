//===- LibrarySignatures.cpp - the C library's functions by type ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/LibrarySignatures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace inmem {

StringRef librarySignature(StringRef Name) {
  static const StringMap<StringRef> Map = {
      {"malloc", "pz"},
      {"calloc", "pzz"},
      {"realloc", "ppz"},
      {"reallocarray", "ppzz"},
      {"aligned_alloc", "pzz"},
      {"memalign", "pzz"},
      {"valloc", "pz"},
      {"pvalloc", "pz"},
      {"posix_memalign", "iLzz"},
      {"free", "vp"},
      {"strdup", "cc"},
      {"__strdup", "cc"},
      {"strndup", "ccz"},
      {"__strndup", "ccz"},
      {"wcsdup", "ww"},
      {"asprintf", "iCc."},
      {"__asprintf", "iCc."},
      {"__asprintf_chk", "iCic."},
      {"vasprintf", "iCcp"},
      {"__vasprintf_chk", "iCicp"},
      {"getline", "sCZp"},
      {"getdelim", "sCZip"},
      {"__getdelim", "sCZip"},
      {"realpath", "ccc"},
      {"__realpath_chk", "cccz"},
      {"canonicalize_file_name", "cc"},
      {"getcwd", "ccz"},
      {"__getcwd_chk", "cczz"},
      {"get_current_dir_name", "c"},
      {"tempnam", "ccc"},
      {"__cxa_demangle", "cccZp"},
      {"scandir", "icLpp"},
      {"scandir64", "icLpp"},
  };
  return Map.lookup(Name);
}

bool isReplaceable(StringRef Name) {
  static constexpr StringRef kNames[] = {
      "malloc",        "calloc",         "realloc", "free",
      "aligned_alloc", "posix_memalign", "memalign"};
  return is_contained(kNames, Name);
}

static bool fits(char Letter, const Type &T) {
  switch (Letter) {
  case 'v':
    return T.isVoidTy();
  case 'i':
    return T.isIntegerTy(32);
  case 'z':
  case 's':
    return T.isIntegerTy(64);
  default:
    return T.isPointerTy();
  }
}

bool hasLibrarySignature(StringRef Name, const FunctionType &Type) {
  StringRef Signature = librarySignature(Name);
  if (Signature.empty())
    return true;
  if (Signature.consume_back(".") != Type.isVarArg() ||
      Signature.size() != Type.getNumParams() + 1 ||
      !fits(Signature[0], *Type.getReturnType()))
    return false;
  return all_of(enumerate(Type.params()), [&](const auto &Parameter) {
    return fits(Signature[Parameter.index() + 1], *Parameter.value());
  });
}

} // namespace inmem
