//===- Symbolizer.cpp - libdwfl -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Symbolizer.h"

#include "inmem/abi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <gelf.h>
#include <vector>

namespace inmem::tools {

namespace fs = std::filesystem;

namespace {

std::string hexOf(std::string_view Bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string Out;
  for (const char C : Bytes) {
    Out += kDigits[static_cast<unsigned char>(C) >> 4];
    Out += kDigits[static_cast<unsigned char>(C) & 15];
  }
  return Out;
}

/// Where a build's file or its debug information may be, other than the path
/// that it was run from, best first: what the user names, the system's tree,
/// and what debuginfod clients have fetched before.
std::vector<std::string> otherPaths(std::string_view BuildId,
                                    const std::vector<std::string> &Folders) {
  std::vector<std::string> Out;
  const std::string Id = hexOf(BuildId);
  if (Id.size() < 4)
    return Out;
  std::vector<std::string> Trees = Folders;
  Trees.emplace_back("/usr/lib/debug");
  for (const std::string &Tree : Trees) {
    const std::string Base =
        Tree + "/.build-id/" + Id.substr(0, 2) + '/' + Id.substr(2);
    Out.push_back(Base + ".debug");
    Out.push_back(Base);
  }
  const auto Variable = [](const char *Name) {
    const char *Value = std::getenv(Name);
    return std::string(Value ? Value : "");
  };
  std::string Cache = Variable("DEBUGINFOD_CACHE_PATH");
  if (Cache.empty()) {
    const std::string Xdg = Variable("XDG_CACHE_HOME");
    Cache = (Xdg.empty() ? Variable("HOME") + "/.cache" : Xdg) +
            "/debuginfod_client";
  }
  Out.push_back(Cache + '/' + Id + "/debuginfo");
  Out.push_back(Cache + '/' + Id + "/executable");
  return Out;
}

/// A DIE's name, the linkage name if it has one.
std::string nameOf(Dwarf_Die *Die) {
  Dwarf_Attribute Attribute;
  for (const unsigned Kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(Die, Kind, &Attribute))
      if (const char *Name = dwarf_formstring(&Attribute))
        return Name;
  const char *Name = dwarf_diename(Die);
  return Name ? Name : "";
}

uint32_t numberOf(Dwarf_Die *Die, unsigned Kind) {
  Dwarf_Attribute Attribute;
  Dwarf_Word Value = 0;
  if (!dwarf_attr(Die, Kind, &Attribute) ||
      dwarf_formudata(&Attribute, &Value) != 0)
    return 0;
  return static_cast<uint32_t>(Value);
}

/// \p Name with the unit's compilation directory in front, unless it is there
/// already: libdw leaves names from relative include directories relative.
std::string withDirectory(Dwarf_Die *Unit, const char *Name) {
  Dwarf_Attribute Attribute;
  const char *Directory = dwarf_attr(Unit, DW_AT_comp_dir, &Attribute)
                              ? dwarf_formstring(&Attribute)
                              : nullptr;
  if (!Name || Name[0] == '/' || !Directory || !*Directory)
    return Name ? Name : "";
  const std::string Prefix = std::string(Directory) + '/';
  return std::string_view(Name).starts_with(Prefix) ? Name : Prefix + Name;
}

/// The file of a DW_AT_call_file.
/// \param Named the unit with the compilation directory
std::string fileOf(Dwarf_Die *Unit, Dwarf_Die *Named, uint32_t Index) {
  Dwarf_Files *Files = nullptr;
  size_t Count = 0;
  if (dwarf_getsrcfiles(Unit, &Files, &Count) != 0 || Index >= Count)
    return {};
  return withDirectory(Named, dwarf_filesrc(Files, Index, nullptr, nullptr));
}

/// The unit that holds the functions: with split debug information that is
/// another file's.
Dwarf_Die unitOfFunctions(Dwarf_Die *Unit) {
  uint8_t Type = 0;
  Dwarf_Die Split = {};
  if (dwarf_cu_info(Unit->cu, nullptr, &Type, nullptr, &Split, nullptr, nullptr,
                    nullptr) == 0 &&
      Type == DW_UT_skeleton && Split.addr)
    return Split;
  return *Unit;
}

/// Adds the function at \p Address and the calls inlined into it there,
/// outermost first. dwarf_getscopes() would not do: it knows no inlined
/// functions that another unit defines, as link-time optimisation makes them.
bool addScopes(Dwarf_Die *Of, Dwarf_Addr Address, unsigned Depth,
               std::vector<Dwarf_Die> &Out) {
  constexpr unsigned kDeepest = 256;
  Dwarf_Die Child;
  if (Depth > kDeepest || dwarf_child(Of, &Child) != 0)
    return false;
  do {
    switch (dwarf_tag(&Child)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
      if (dwarf_haspc(&Child, Address) > 0) {
        Out.push_back(Child);
        addScopes(&Child, Address, Depth + 1, Out);
        return true;
      }
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      if (dwarf_haspc(&Child, Address) > 0 &&
          addScopes(&Child, Address, Depth + 1, Out))
        return true;
      break;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
      if (addScopes(&Child, Address, Depth + 1, Out))
        return true;
      break;
    default:
      break;
    }
  } while (dwarf_siblingof(&Child, &Child) == 0);
  return false;
}

} // namespace

struct Symbolizer::Impl {
  Dwfl *Session = nullptr;
  Dwfl_Module *Module = nullptr;
  uint64_t Bias = 0; ///< added to the file's addresses
  /// Units by the end of each of their ranges, in the file's addresses: not
  /// every compiler writes .debug_aranges.
  struct Range {
    uint64_t Start;
    Dwarf_Die Unit;
  };
  std::map<uint64_t, Range> Units;
  bool HasUnits = false;
  Dwarf_Addr DwarfBias = 0;
  /// A function as the linker knows it, in the session's addresses: libdwfl's
  /// own look-up scans all symbols each time.
  struct Function {
    GElf_Addr Start, End;
    int64_t Rank; ///< of several at one place, the lowest
    const char *Name;
  };
  std::vector<Function> Functions;
  bool HasFunctions = false;

  ~Impl() {
    if (Session)
      dwfl_end(Session);
  }
  bool openFile(const std::string &File, std::string_view BuildId,
                const std::string &DebugFolders);
  void findUnits();
  Dwarf_Die *unitAt(uint64_t Address);
  void findFunctions();
  const Function *functionAt(uint64_t Address);
  using Lines = std::vector<std::pair<std::string, uint32_t>>;
  void addNotedLines(Lines &Out);
};

/// Opens a file of the build, or of no known build.
bool Symbolizer::Impl::openFile(const std::string &File,
                                std::string_view BuildId,
                                const std::string &DebugFolders) {
  // Where Debian and others keep separate debug files; with DEBUGINFOD_URLS
  // libdwfl asks those servers too.
  static char *DebugPath = nullptr;
  static std::string SearchPath;
  if (!DebugFolders.empty() && SearchPath != DebugFolders) {
    SearchPath = DebugFolders;
    DebugPath = SearchPath.data();
  }
  static const Dwfl_Callbacks kCallbacks = {
      dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
      dwfl_offline_section_address, &DebugPath};
  std::error_code Error;
  if (!fs::is_regular_file(File, Error))
    return false;
  if (Session)
    dwfl_end(Session);
  Module = nullptr;
  Session = dwfl_begin(&kCallbacks);
  if (!Session)
    return false;
  Module = dwfl_report_offline(Session, File.c_str(), File.c_str(), -1);
  dwfl_report_end(Session, nullptr, nullptr);
  if (!Module)
    return false;
  const unsigned char *Bits = nullptr;
  GElf_Addr IdAt = 0;
  const int Length = dwfl_module_build_id(Module, &Bits, &IdAt);
  if (!BuildId.empty() && Length > 0 &&
      (static_cast<size_t>(Length) != BuildId.size() ||
       std::memcmp(Bits, BuildId.data(), BuildId.size()) != 0))
    return false; // Rebuilt since.
  GElf_Addr FileBias = 0;
  if (!dwfl_module_getelf(Module, &FileBias))
    return false;
  Bias = FileBias;
  return true;
}

void Symbolizer::Impl::findUnits() {
  if (HasUnits)
    return;
  HasUnits = true;
  Dwarf_Die *Unit = nullptr;
  while ((Unit = dwfl_module_nextcu(Module, Unit, &DwarfBias))) {
    Dwarf_Addr Base = 0, Start = 0, End = 0;
    for (ptrdiff_t At = 0;
         (At = dwarf_ranges(Unit, At, &Base, &Start, &End)) > 0;)
      if (Start < End)
        Units[End] = {Start, *Unit};
  }
}

Dwarf_Die *Symbolizer::Impl::unitAt(uint64_t Address) {
  findUnits();
  const auto Found = Units.upper_bound(Address);
  return Found != Units.end() && Found->second.Start <= Address
             ? &Found->second.Unit
             : nullptr;
}

void Symbolizer::Impl::findFunctions() {
  if (HasFunctions)
    return;
  HasFunctions = true;
  const int Count = dwfl_module_getsymtab(Module);
  for (int I = 1; I < Count; ++I) {
    GElf_Sym Symbol;
    GElf_Addr Start = 0;
    GElf_Word Section = SHN_UNDEF;
    const char *Name = dwfl_module_getsym_info(Module, I, &Symbol, &Start,
                                               &Section, nullptr, nullptr);
    const int Type = GELF_ST_TYPE(Symbol.st_info);
    if (!Name || !*Name || Section == SHN_UNDEF ||
        (Type != STT_FUNC && Type != STT_GNU_IFUNC && Type != STT_NOTYPE))
      continue;
    const int Bind = GELF_ST_BIND(Symbol.st_info);
    Functions.push_back({Start, Start + std::max<GElf_Xword>(Symbol.st_size, 1),
                         int64_t{Bind == STB_GLOBAL ? 0
                                 : Bind == STB_WEAK ? 1
                                                    : 2} *
                                 Count +
                             I,
                         Name});
  }
  // After all that begin before, the best of several at one address.
  std::ranges::sort(Functions, [](const auto &A, const auto &B) {
    return A.Start != B.Start ? A.Start < B.Start : A.Rank > B.Rank;
  });
}

/// The innermost function there; null if none is known.
const Symbolizer::Impl::Function *
Symbolizer::Impl::functionAt(uint64_t Address) {
  findFunctions();
  auto Behind =
      std::ranges::upper_bound(Functions, Address, {}, &Function::Start);
  // Functions are hardly ever nested: a few steps find what there is.
  for (int Steps = 0; Steps < 16 && Behind != Functions.begin(); ++Steps)
    if (const Function &F = *--Behind; Address < F.End)
      return &F;
  return nullptr;
}

Symbolizer::Symbolizer(std::vector<std::string> DebugFolders)
    : Folders(std::move(DebugFolders)) {
  for (std::string &Folder : Folders) // libdwfl wants them so
    Folder = fs::absolute(Folder).string();
}
Symbolizer::~Symbolizer() = default;

/// The module's file, or null if neither it nor another of its build is there.
Symbolizer::Impl *Symbolizer::open(std::string_view Path,
                                   std::string_view BuildId) {
  const auto [Where, New] =
      Modules.try_emplace(std::string(Path) + '\n' + hexOf(BuildId));
  if (!New)
    return Where->second.get();
  std::string DebugPath;
  for (const std::string &Folder : Folders)
    DebugPath += (DebugPath.empty() ? "" : ":") + Folder;
  if (!DebugPath.empty())
    DebugPath += ":/usr/lib/debug";
  auto One = std::make_unique<Impl>();
  if (One->openFile(std::string(Path), BuildId, DebugPath)) {
    Where->second = std::move(One);
    return Where->second.get();
  }
  for (const std::string &Other : otherPaths(BuildId, Folders))
    if (One->openFile(Other, BuildId, DebugPath)) {
      Where->second = std::move(One);
      return Where->second.get();
    }
  return nullptr;
}

std::optional<report::SourceLocation>
Symbolizer::resolve(std::string_view ModulePath, std::string_view BuildId,
                    uint64_t Base, uint64_t Offset) {
  (void)Base; // Offset counts from there: it is the file's own address.
  std::vector<report::SourceLocation> Locations =
      expand(ModulePath, BuildId, Offset);
  if (Locations.empty())
    return std::nullopt;
  // The function that the linker knows, with the line of the code itself.
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
  Impl *M = open(ModulePath, BuildId);
  if (!M)
    return Out;
  const Impl::Function *Symbol = M->functionAt(Offset + M->Bias);
  report::SourceLocation At;
  Dwarf_Die *Unit = M->unitAt(Offset);
  if (Dwarf_Line *Line = Unit ? dwarf_getsrc_die(Unit, Offset) : nullptr) {
    int Number = 0, Column = 0;
    dwarf_lineno(Line, &Number);
    dwarf_linecol(Line, &Column);
    At = {{},
          withDirectory(Unit, dwarf_linesrc(Line, nullptr, nullptr)),
          Number > 0 ? static_cast<uint32_t>(Number) : 0,
          Column > 0 ? static_cast<uint32_t>(Column) : 0};
  }
  Dwarf_Die Functions = {};
  std::vector<Dwarf_Die> Scopes;
  if (Unit) {
    Functions = unitOfFunctions(Unit);
    addScopes(&Functions, Offset, 0, Scopes);
  }
  for (; !Scopes.empty(); Scopes.pop_back()) {
    Dwarf_Die &Scope = Scopes.back();
    At.Function = nameOf(&Scope);
    if (dwarf_tag(&Scope) == DW_TAG_subprogram)
      break;
    Out.push_back(std::move(At));
    At = {{},
          fileOf(&Functions, Unit, numberOf(&Scope, DW_AT_call_file)),
          numberOf(&Scope, DW_AT_call_line),
          numberOf(&Scope, DW_AT_call_column)};
  }
  if (Symbol)
    At.Function = Symbol->Name;
  // A function's start represents its tail call, which is elsewhere in it:
  // what is inlined at the start has no part in that.
  if (Symbol && Symbol->Start == Offset + M->Bias)
    Out.clear();
  if (!At.Function.empty() || !At.File.empty())
    Out.push_back(std::move(At));
  return Out;
}

/// INMEM_SECTION_LINES: "linkage name, blank, line, NUL" for each.
void Symbolizer::Impl::addNotedLines(Lines &Out) {
  GElf_Addr Ignored = 0;
  Elf *File = dwfl_module_getelf(Module, &Ignored);
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

/// Adds the functions that \p Of holds, in namespaces and classes too.
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
      // A declaration's line is not the definition's.
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
  Impl::Lines Out;
  Impl *M = open(ModulePath, BuildId);
  if (!M)
    return Out;
  M->addNotedLines(Out);
  Dwarf_Addr Bias = 0;
  for (Dwarf_Die *Unit = nullptr;
       (Unit = dwfl_module_nextcu(M->Module, Unit, &Bias));)
    addDefined(Unit, 0, Out);
  return Out;
}

} // namespace inmem::tools
