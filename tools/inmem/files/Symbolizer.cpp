//===- Symbolizer.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/Symbolizer.h"

#include "inmem/abi.h"
#include "report/model/CallStacks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <vector>

namespace inmem::tools {

namespace {

/// A function's linkage name; empty if it has none.
std::string linkageNameOf(Dwarf_Die *Die) {
  Dwarf_Attribute Attribute;
  for (const unsigned Kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(Die, Kind, &Attribute))
      if (const char *Name = dwarf_formstring(&Attribute))
        return Name;
  return {};
}

std::string nameOf(Dwarf_Die *Die) {
  std::string Name = linkageNameOf(Die);
  if (Name.empty())
    Name = debuginfo::ownName(*Die);
  return Name;
}

/// As nameOf(), but qualified if gcc writes no linkage name: for functions of
/// types in anonymous namespaces.
std::string nameOf(Dwarf_Die *Die, debuginfo::TypeNames &Names) {
  std::string Name = linkageNameOf(Die);
  return Name.empty() ? Names.functionName(*Die) : Name;
}

uint32_t numberOf(Dwarf_Die *Die, unsigned Kind) {
  Dwarf_Attribute Attribute;
  Dwarf_Word Value = 0;
  if (!dwarf_attr(Die, Kind, &Attribute) ||
      dwarf_formudata(&Attribute, &Value) != 0)
    return 0;
  return static_cast<uint32_t>(Value);
}

/// \p Name with the unit's compilation directory prepended, if missing: libdw
/// keeps names from relative include directories relative.
std::string withDirectory(Dwarf_Die *Unit, const std::string &Name) {
  Dwarf_Attribute Attribute;
  const char *Directory = dwarf_attr(Unit, DW_AT_comp_dir, &Attribute)
                              ? dwarf_formstring(&Attribute)
                              : nullptr;
  if (Name.empty() || Name[0] == '/' || !Directory || !*Directory)
    return Name;
  const std::string Prefix = std::string(Directory) + '/';
  return Name.starts_with(Prefix) ? Name : Prefix + Name;
}

} // namespace

Symbolizer::Symbolizer(std::vector<std::string> DebugFolders)
    : Files(std::move(DebugFolders)) {
  Files.onProblem([](const std::string &Problem) {
    std::fprintf(stderr, "inmem: %s\n", Problem.c_str());
  });
}

std::optional<report::SourceLocation>
Symbolizer::resolve(std::string_view ModulePath, std::string_view BuildId,
                    uint64_t Base, uint64_t Offset) {
  (void)Base; // unused: Offset is relative to it, as in the file
  std::vector<report::SourceLocation> Locations =
      expand(ModulePath, BuildId, Offset);
  if (Locations.empty())
    return std::nullopt;
  // Combine the function that the linker knows with the line of the innermost
  // code.
  report::SourceLocation Out = std::move(Locations.back());
  Out.File = Locations.front().File;
  Out.Line = Locations.front().Line;
  Out.Column = Locations.front().Column;
  return Out;
}

std::vector<report::SourceLocation>
Symbolizer::expand(std::string_view ModulePath, std::string_view BuildId,
                   uint64_t Offset) {
  std::vector<report::SourceLocation> Out;
  debuginfo::ProgramFile *M = Files.open(ModulePath, BuildId);
  if (!M)
    return Out;
  M->trim();
  const auto *Symbol = M->symbolAt(Offset);
  report::SourceLocation At;
  Dwarf_Die *Unit = M->unitAt(Offset);
  if (Unit)
    if (const auto Line = M->linesOf(*Unit).at(Offset))
      At = {{}, withDirectory(Unit, Line->File), Line->Number, Line->Column};
  debuginfo::UnitFunctions *Functions = Unit ? &M->functionsOf(Unit) : nullptr;
  std::vector<Dwarf_Die> Scopes;
  if (Functions)
    Scopes = Functions->scopesAt(Offset);
  for (; !Scopes.empty(); Scopes.pop_back()) {
    Dwarf_Die &Scope = Scopes.back();
    At.Function = nameOf(&Scope, M->names());
    if (dwarf_tag(&Scope) == DW_TAG_subprogram)
      break;
    Out.push_back(std::move(At));
    At = {{},
          withDirectory(Unit, M->linesOf(Functions->unit())
                                  .file(numberOf(&Scope, DW_AT_call_file))),
          numberOf(&Scope, DW_AT_call_line),
          numberOf(&Scope, DW_AT_call_column)};
  }
  if (Symbol)
    At.Function = Symbol->Name;
  // A function's start represents its tail call, which is elsewhere in it, so
  // code inlined at the start is unrelated.
  if (Symbol && Symbol->Start == Offset)
    Out.clear();
  if (!At.Function.empty() || !At.File.empty())
    Out.push_back(std::move(At));
  return Out;
}

uint64_t Symbolizer::lowestAddress(std::string_view ModulePath,
                                   std::string_view BuildId) {
  debuginfo::ProgramFile *M = Files.open(ModulePath, BuildId);
  Elf *File = M ? M->elf() : nullptr;
  size_t Count = 0;
  uint64_t Lowest = ~uint64_t{0};
  if (!File || elf_getphdrnum(File, &Count) != 0)
    return 0;
  for (size_t I = 0; I < Count; ++I) {
    GElf_Phdr Header;
    if (gelf_getphdr(File, static_cast<int>(I), &Header) &&
        Header.p_type == PT_LOAD)
      Lowest = std::min(Lowest, Header.p_vaddr & ~uint64_t{4095});
  }
  return Lowest == ~uint64_t{0} ? 0 : Lowest;
}

std::vector<report::SourceLocation>
Symbolizer::improve(std::string_view ModulePath, std::string_view BuildId,
                    uint64_t Offset, std::span<const trace::Frame> Known) {
  // Ignore the outermost frame: its name comes from the symbol table.
  bool Lacks = false;
  for (size_t I = 0; I + 1 < Known.size(); ++I)
    Lacks |= !Known[I].Function.starts_with("_");
  debuginfo::ProgramFile *M = Files.open(ModulePath, BuildId);
  Dwarf_Die *Unit = M ? M->unitAt(Offset) : nullptr;
  if (!Unit || !(Lacks || M->functionsOf(Unit).isSplit()))
    return {};
  auto Found = expand(ModulePath, BuildId, Offset);
  if (Found.size() == Known.size() &&
      std::equal(Found.begin(), std::prev(Found.end()), Known.begin(),
                 [](const report::SourceLocation &A, const trace::Frame &B) {
                   return A.Function == B.Function;
                 }))
    return {};
  return Found;
}

/// The calls that led to an uninstrumented site, innermost first. \param Nodes
/// receives the number of each call's node on the site's stack, or else among
/// the site's calls
static std::vector<debuginfo::CallAddress>
callsOf(const trace::Trace &T, const trace::Site &S,
        std::vector<uint16_t> &Nodes) {
  std::vector<debuginfo::CallAddress> Out;
  uint16_t Node = 0;
  const auto Add = [&](uint32_t Module, uint64_t Offset) {
    const trace::Module &M = T.module(Module);
    if (M.Path.empty())
      return false;
    if (!report::isRuntime(M)) {
      Out.push_back({M.Path, M.BuildId, Offset});
      Nodes.push_back(Node);
    }
    return true;
  };
  if (S.ModuleOffset == 0 || !Add(S.Module, S.ModuleOffset - 1))
    return Out;
  for (uint32_t Id = S.Stack; Id != 0; ++Node) {
    const trace::Stack &N = T.stack(Id);
    const trace::Address &A = T.address(N.Address);
    const bool IsSite = Out.size() == 1 && A.Module == S.Module &&
                        A.Offset == S.ModuleOffset - 1;
    if (IsSite)
      Nodes.front() = Node;
    // A function that is missing on the stack made a tail call and returns its
    // callee's result.
    else if (!(N.Flags & trace::kStackTailCall) && !Add(A.Module, A.Offset))
      break;
    Id = N.Parent;
  }
  if (S.Stack == 0)
    for (const trace::CallerCall &C : T.callsOf(S)) {
      const bool IsSite =
          C.Module == S.Module && C.Offset == S.ModuleOffset - 1;
      if (!IsSite && !Add(C.Module, C.Offset))
        break;
      ++Node;
    }
  return Out;
}

std::optional<trace::SiteType> Symbolizer::typeOf(const trace::Trace &T,
                                                  const trace::Entry &E) {
  // Rows of an instrumented program must not depend on the installed debug
  // packages of libraries.
  if (T.Header.Flags & trace::kFlagInstrumented)
    return std::nullopt;
  std::vector<uint16_t> Nodes;
  const trace::Site &S = T.site(E.Site);
  const auto Found =
      Types.find(callsOf(T, S, Nodes), {E.Totals.Allocations, E.Totals.Bytes});
  if (!Found)
    return std::nullopt;
  using Source = trace::TypeSource;
  const auto Rule = static_cast<trace::FoundRule>(Found->Rule);
  const auto Passed = static_cast<uint16_t>(
      S.Stack == 0 ? Nodes[Found->Place] + 1
                   : (Found->Passed ? Nodes[Found->Passed] : 0));
  return trace::SiteType{Found->Name, Found->Size,
                         Found->Name.empty()                ? Source::None
                         : Found->Certain                   ? Source::Certain
                         : Rule == trace::FoundRule::Symbol ? Source::Symbol
                                                            : Source::Inferred,
                         Rule, Passed};
}

/// INMEM_SECTION_LINES contains "linkage name, blank, line, NUL" for each
/// function.
static void addNotedLines(Elf *File,
                          std::vector<std::pair<std::string, uint32_t>> &Out) {
  size_t Names = 0;
  if (!File || elf_getshdrstrndx(File, &Names) != 0)
    return;
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr Header;
    if (!gelf_getshdr(S, &Header))
      continue;
    const char *Name = elf_strptr(File, Names, Header.sh_name);
    const Elf_Data *Data = elf_rawdata(S, nullptr);
    if (!Name || std::string_view(Name) != INMEM_SECTION_LINES || !Data)
      continue;
    std::string_view Rest(static_cast<const char *>(Data->d_buf), Data->d_size);
    while (!Rest.empty()) {
      const std::string_view One = Rest.substr(0, Rest.find('\0'));
      Rest.remove_prefix(std::min(One.size() + 1, Rest.size()));
      const size_t Blank = One.rfind(' ');
      if (Blank != std::string_view::npos)
        Out.emplace_back(
            One.substr(0, Blank),
            static_cast<uint32_t>(std::strtoul(
                std::string(One.substr(Blank)).c_str(), nullptr, 10)));
    }
  }
}

/// Adds the functions defined in \p Of, including those in nested namespaces
/// and classes.
static void addDefined(Dwarf_Die *Of, unsigned Depth,
                       std::vector<std::pair<std::string, uint32_t>> &Out) {
  constexpr unsigned kDeepest = 64;
  Dwarf_Die Child;
  if (Depth > kDeepest || dwarf_child(Of, &Child) != 0)
    return;
  do {
    const int Tag = dwarf_tag(&Child);
    Dwarf_Attribute Attribute;
    if (Tag == DW_TAG_subprogram) {
      // The line of a declaration differs from the definition's.
      Dwarf_Word Line = 0;
      if (!dwarf_hasattr(&Child, DW_AT_declaration) &&
          dwarf_attr_integrate(&Child, DW_AT_decl_line, &Attribute) &&
          dwarf_formudata(&Attribute, &Line) == 0)
        Out.emplace_back(nameOf(&Child), static_cast<uint32_t>(Line));
    } else if (Tag == DW_TAG_namespace || Tag == DW_TAG_structure_type ||
               Tag == DW_TAG_class_type || Tag == DW_TAG_union_type) {
      addDefined(&Child, Depth + 1, Out);
    }
  } while (dwarf_siblingof(&Child, &Child) == 0);
}

std::vector<std::pair<std::string, uint32_t>>
Symbolizer::firstLines(std::string_view ModulePath, std::string_view BuildId) {
  std::vector<std::pair<std::string, uint32_t>> Out;
  debuginfo::ProgramFile *M = Files.open(ModulePath, BuildId);
  if (!M)
    return Out;
  addNotedLines(M->elf(), Out);
  Dwarf_Addr Bias = 0;
  for (Dwarf_Die *Unit = nullptr;
       (Unit = dwfl_module_nextcu(M->module(), Unit, &Bias));)
    addDefined(Unit, 0, Out);
  return Out;
}

} // namespace inmem::tools
