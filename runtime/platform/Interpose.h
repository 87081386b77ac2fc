//===- Interpose.h - Functions that ours hide -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_INTERPOSE_H
#define INMEM_RUNTIME_INTERPOSE_H

namespace inmem::rt {

/// A symbol of the next library in search order, which one of ours hides.
struct NextSymbol {
  const char *Name;
  void *Found; ///< null: not looked up yet, or not found

  void *find();
};
/// Looks up all symbols that are declared with the macros below. The loader
/// allocates if one does not exist.
void findNextSymbols();

/// The first definition of \p Name in search order, such as a sanitizer's or
/// ours. As find().
void *firstSymbol(const char *Name);

/// The next library's function, which ours hides. All are looked up when the
/// process starts: dlsym takes the loader's lock, which another thread's dlopen
/// holds while it runs constructors, and which stays locked in a child of
/// _Fork.
template <class Function> struct NextFunction : NextSymbol {
  /// Null if not found.
  Function *get() {
    void *Known = __atomic_load_n(&Found, __ATOMIC_RELAXED);
    return reinterpret_cast<Function *>(Known ? Known : find());
  }
};

#define INMEM_NEXT_SYMBOL(Variable, Name)                                      \
  static constinit ::inmem::rt::NextSymbol Variable                            \
      __attribute__((section("inmem_next"), used)) = {Name, nullptr}
#define INMEM_NEXT_FUNCTION(Variable, Name, ...)                               \
  static constinit ::inmem::rt::NextFunction<__VA_ARGS__> Variable             \
      __attribute__((section("inmem_next"), used)) = {{Name, nullptr}}

} // namespace inmem::rt

#endif
