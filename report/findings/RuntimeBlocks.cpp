//===- RuntimeBlocks.cpp - Blocks of the runtime libraries ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/RuleFacts.h"

#include "report/names/TypeName.h"

#include <algorithm>
#include <span>

namespace inmem::report {

namespace {

/// Functions of the C library that return a block, or enlarge the caller's.
constexpr std::string_view kHandedOut[] = {"malloc",
                                           "calloc",
                                           "realloc",
                                           "reallocarray",
                                           "memalign",
                                           "aligned_alloc",
                                           "valloc",
                                           "pvalloc",
                                           "posix_memalign",
                                           "strdup",
                                           "strndup",
                                           "wcsdup",
                                           "asprintf",
                                           "vasprintf",
                                           "getline",
                                           "getdelim",
                                           "getwline",
                                           "getcwd",
                                           "get_current_dir_name",
                                           "realpath",
                                           "canonicalize_file_name",
                                           "tempnam",
                                           "open_memstream",
                                           "open_wmemstream",
                                           "scandir",
                                           "backtrace_symbols",
                                           "cuserid",
                                           "getaddrinfo",
                                           "argz_create",
                                           "argz_append"};

/// A static program does not have the library's file. These functions of glibc
/// and of the C++ runtime allocate for their own use.
constexpr std::string_view kOwn[] = {"__alloc_dir",
                                     "opendir",
                                     "fdopendir",
                                     "fopen",
                                     "fopen64",
                                     "_IO_new_fopen",
                                     "fdopen",
                                     "popen",
                                     "_IO_file_doallocate",
                                     "initgroups",
                                     "getgrouplist",
                                     "getpwnam",
                                     "getpwuid",
                                     "getgrnam",
                                     "getgrgid",
                                     "setlocale",
                                     "newlocale",
                                     "tzset",
                                     "__tzset",
                                     "qsort",
                                     "qsort_r",
                                     "glob",
                                     "fts_open",
                                     "regcomp",
                                     "iconv_open",
                                     "dlopen",
                                     "dlerror",
                                     "pthread_create",
                                     "__cxa_allocate_exception",
                                     "__cxa_allocate_dependent_exception",
                                     "__cxa_thread_atexit_impl",
                                     "__cxa_atexit"};

constexpr std::string_view kLibraries[] = {
    "libc.so",  "libc-",   "ld-linux",     "ld-musl", "libpthread",
    "libdl.so", "libnss_", "libresolv.so", "libm.so", "libgcc_s"};

/// Prefixes of such functions.
constexpr std::string_view kOwnPrefixes[] = {
    "_dl_", "__nss_", "_IO_", "_nl_", "__gconv", "__libc_", "_nss_"};

/// A function's name without leading underscores, library prefixes and the
/// suffixes of clones.
std::string_view plainName(std::string_view Name) {
  Name = Name.substr(0, Name.find_first_of(".("));
  for (const std::string_view Prefix : {"__GI_", "_IO_", "__libc_", "__"})
    if (Name.starts_with(Prefix))
      Name.remove_prefix(Prefix.size());
  return Name;
}

bool isAny(std::string_view Name, std::span<const std::string_view> Of) {
  return std::ranges::any_of(Of, [&](std::string_view Each) {
    return Name == Each || plainName(Name) == plainName(Each);
  });
}

bool isOwn(std::string_view Name) {
  return isAny(Name, kOwn) ||
         std::ranges::any_of(kOwnPrefixes, [&](std::string_view Prefix) {
           return Name.starts_with(Prefix);
         });
}

/// True if the line calls a C library function that uses files or databases
/// internally: getgrouplist() reads lines itself.
bool isForOther(const Profile &P, const SiteResult &S) {
  if (!S.Caller || S.Caller->Line == 0)
    return false;
  return std::ranges::any_of(P.Sites, [&](const SiteResult &Other) {
    return Other.Kind == "caller" && Other.Caller == S.Caller &&
           (Other.Where.Function.find("nss_") != std::string::npos ||
            Other.Where.Function == "__fopen_internal" ||
            Other.Where.Function == "getgrouplist" ||
            Other.Where.Function == "initgroups");
  });
}

/// Texts of exceptions are copied with them.
bool makesException(std::string_view Function) {
  return Function.find("__cow_string") != std::string_view::npos ||
         Function.find("__libcpp_refstring") != std::string_view::npos ||
         Function.find("_error::") != std::string_view::npos ||
         Function.find("exception_ptr") != std::string_view::npos ||
         Function.find("_Rep::_S_create") != std::string_view::npos ||
         Function.find("__cxa_allocate_") != std::string_view::npos;
}

} // namespace

bool isRuntimesOwn(const Profile &P, const SiteResult &S) {
  // A frame stays one if the promise has its own operator new.
  const TypeResult &Type = P.Types[S.Type];
  if (S.Kind == "coroutine" ||
      (Type.Name && Type.Name->starts_with("coroutine frame of ")))
    return true;
  const SourceLocation &By = S.Chain.empty() ? S.Where : S.Chain.front();
  const std::string Function = bareFunction(By.Function);
  if (makesException(Function) || makesException(S.Where.Function))
    return true;
  if (S.Kind != "caller")
    return false;
  if (isOwn(Function) || isOwn(S.Where.Function))
    return true;
  if (Type.Name)
    return false; // A type shows that the caller received the block.
  if (isAny(Function, kHandedOut) || isAny(S.Where.Function, kHandedOut))
    return isForOther(P, S);
  const std::string_view Module =
      std::string_view(S.Module).substr(S.Module.rfind('/') + 1);
  return std::ranges::any_of(kLibraries, [&](std::string_view Prefix) {
    return Module.starts_with(Prefix);
  });
}

} // namespace inmem::report
