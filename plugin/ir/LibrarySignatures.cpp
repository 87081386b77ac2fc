//===- LibrarySignatures.cpp - the C library's functions by type ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/LibrarySignatures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace inmem {

const CAllocator *findCAllocator(StringRef Name) {
  static constexpr CAllocator kAll[] = {
      {"malloc", INMEM_SITE_MALLOC, "pz", {0, -1}, -1, true},
      {"calloc", INMEM_SITE_CALLOC, "pzz", {1, 0}, -1, true},
      {"realloc", INMEM_SITE_REALLOC, "ppz", {1, -1}, -1, true},
      {"reallocarray", INMEM_SITE_REALLOC, "ppzz", {2, 1}, -1, false},
      {"aligned_alloc", INMEM_SITE_ALIGNED, "pzz", {1, -1}, 0, true},
      {"memalign", INMEM_SITE_ALIGNED, "pzz", {1, -1}, 0, true},
      {"valloc", INMEM_SITE_ALIGNED, "pz", {0, -1}, -1, false},
      {"pvalloc", INMEM_SITE_ALIGNED, "pz", {0, -1}, -1, false},
      {"posix_memalign", INMEM_SITE_ALIGNED, "iLzz", {2, -1}, -1, true},
  };
  const CAllocator *Found =
      find_if(kAll, [&](const CAllocator &A) { return A.Name == Name; });
  return Found == std::end(kAll) ? nullptr : Found;
}

bool isReplaceable(StringRef Name) {
  const CAllocator *A = findCAllocator(Name);
  return Name == "free" || (A && A->Replaceable);
}

StringRef unprefixedAllocator(StringRef Name) {
  // Programs bundle jemalloc, mimalloc, tcmalloc or snmalloc with these
  // prefixes.
  for (StringRef Prefix : {"je_", "mi_", "tc_", "sn_"})
    if (Name.consume_front(Prefix))
      return isReplaceable(Name) || findCAllocator(Name) ? Name : StringRef();
  return {};
}

StringRef librarySignature(StringRef Name) {
  if (const CAllocator *A = findCAllocator(Name))
    return A->Signature;
  static const StringMap<StringRef> Map = {
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
