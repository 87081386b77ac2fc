//===- LibraryCode.h - Code and blocks of libraries -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_LIBRARYCODE_H
#define INMEM_REPORT_MODEL_LIBRARYCODE_H

#include "report/model/Profile.h"

namespace inmem::report {

// UserLocations.cpp: The caller of library code.

/// The innermost frame in the user's code, or null.
const SourceLocation *userFrame(const Profile &P, const StackResult &R);

/// True if a site's own location is in the C or C++ library, which allocates
/// for its callers.
bool isInLibrary(const SiteResult &S);

/// True if it is in such a library, and the caller is unknown.
inline bool isCallerUnknown(const SiteResult &S) {
  return !S.Caller && isInLibrary(S);
}

/// The location to show: the caller's if it is known, otherwise the site's own.
/// Valid as long as the site.
inline const SourceLocation &locationOf(const SiteResult &S) {
  return S.Caller ? *S.Caller : S.Where;
}

// LibraryMemory.cpp: The runtime libraries' own blocks.

/// Name of the blocks that the libraries keep for themselves.
inline constexpr std::string_view kLibraryMemory = "(C and C++ library)";

/// True for blocks that the C and C++ libraries keep for themselves in each
/// process: libstdc++'s emergency pool for exceptions, the C library's buffers
/// of its streams and the loader's tables. They stay allocated by design and
/// are not leaks.
bool isLibraryMemory(const Profile &P, const SiteResult &S);
/// As above, for a block of \p Bytes that \p Function allocated. \p Path is its
/// source file, or its module.
bool isLibraryBlock(std::string_view Path, std::string_view Function,
                    uint64_t Bytes);

/// True if a function allocates memory from which it serves blocks without
/// calling an allocator. \returns the option that makes these blocks visible;
/// empty for other functions
std::string_view hintForPool(std::string_view Function);

/// Notes for users: functions of the program that allocate at least a twentieth
/// of all bytes for callers that do not name a type, and the flags to compile
/// with.
std::vector<std::string> hintsForWrappers(const Profile &P);

} // namespace inmem::report

#endif
