//===- CallStacks.h - Stacks of traces as functions and lines -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the entries of stacks=N to a profile: code addresses become frames, from
// the trace's symbols or the modules' files, with inlined calls expanded. The
// innermost frames come from the site, which has them without symbols.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_CALLSTACKS_H
#define INMEM_REPORT_CALLSTACKS_H

#include "report/model/CompileFolders.h"
#include "report/model/Profile.h"

#include <functional>
#include <unordered_map>

namespace inmem::report {

/// True if a file is inmem's library, in any form that programs load.
bool isRuntime(const trace::Module &M);

class StackBuilder {
public:
  /// \param Plain demangles a function's name.
  StackBuilder(CallStacks &Into, CallerResolver *Resolver,
               std::function<std::string(std::string_view)> Plain)
      : Out(Into), Resolver(Resolver), Plain(std::move(Plain)) {}

  /// Records how the trace that is added next spells its source files.
  void learnFolders(const trace::Trace &T);
  const CompileFolders &folders() const { return Folders; }
  /// The innermost of \p Frames (outermost first) in the user's code.
  std::optional<SourceLocation> userFrame(const std::vector<uint32_t> &Frames);
  /// The frames that led to site \p S, outermost first.
  std::vector<uint32_t> framesOf(const trace::Trace &T, const trace::Site &S,
                                 const std::vector<SourceLocation> &Chain);
  /// The outermost function at an address, which may be `file+0x12`.
  std::string functionAt(const trace::Trace &T, uint32_t Address);
  /// Replaces frames without a name that call one another by one frame of their
  /// module.
  std::vector<uint32_t> byModule(const std::vector<uint32_t> &Frames);
  /// The frames of one stack.
  std::vector<uint32_t> framesOf(const trace::Trace &T, uint32_t Stack);

private:
  uint32_t nodeOf(const trace::Trace &T, const trace::Site &S,
                  const std::string &Own);
  bool hasJumped(const trace::Trace &T, const trace::Site &S,
                 const std::string &Own);

  /// A code address: frames innermost first, and its function's linkage name,
  /// empty if unknown.
  struct Code {
    std::vector<uint32_t> Frames;
    std::string Linkage;
  };
  const Code &code(const trace::Trace &T, uint32_t Address);
  Code read(const trace::Trace &T, uint32_t Address);
  /// Locations at an address, innermost first, with linkage names.
  const std::vector<SourceLocation> &locationsOf(const trace::Trace &T,
                                                 uint32_t Address);
  uint32_t frame(StackFrame F);
  void addChain(const std::vector<SourceLocation> &Chain, StackFrame::Kind Last,
                std::vector<uint32_t> &Frames);

  CallStacks &Out;
  CallerResolver *Resolver;
  std::function<std::string(std::string_view)> Plain;
  const trace::Trace *Current = nullptr;
  std::unordered_map<uint32_t, Code> Codes; ///< Current's, by address
  std::unordered_map<uint32_t, std::vector<SourceLocation>>
      Locations; ///< keyed as Codes
  CompileFolders Folders;
  std::unordered_map<std::string, uint32_t> Known; ///< frame ids by contents
  std::vector<bool> OfUser; ///< per frame of Out, up to its size: user code?
};

} // namespace inmem::report

#endif
