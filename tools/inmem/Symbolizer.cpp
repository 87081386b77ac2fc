//===- Symbolizer.cpp - libdwfl -------------------------------------------===//
#include "Symbolizer.h"

#include <cstring>
#include <elfutils/libdwfl.h>
#include <gelf.h>

namespace inmem::tools {

struct Symbolizer::Impl {
  Dwfl *Session = nullptr;
  Dwfl_Module *Module = nullptr;
  uint64_t Bias = 0; ///< added to the file's addresses

  ~Impl() {
    if (Session)
      dwfl_end(Session);
  }
};

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

/// The module's file, or null if it is not there or not the same build.
Symbolizer::Impl *Symbolizer::open(std::string_view Path,
                                   std::string_view BuildId) {
  const auto [Where, New] = Modules.try_emplace(std::string(Path));
  if (!New)
    return Where->second.get();
  // Where Debian and others keep separate debug files; no network.
  static char *DebugPath = nullptr;
  static const Dwfl_Callbacks kCallbacks = {
      dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
      dwfl_offline_section_address, &DebugPath};
  auto One = std::make_unique<Impl>();
  One->Session = dwfl_begin(&kCallbacks);
  if (!One->Session)
    return nullptr;
  const std::string File(Path);
  One->Module =
      dwfl_report_offline(One->Session, File.c_str(), File.c_str(), -1);
  dwfl_report_end(One->Session, nullptr, nullptr);
  if (!One->Module)
    return nullptr;
  const unsigned char *Bits = nullptr;
  GElf_Addr IdAt = 0;
  const int Length = dwfl_module_build_id(One->Module, &Bits, &IdAt);
  if (!BuildId.empty() && Length > 0 &&
      (static_cast<size_t>(Length) != BuildId.size() ||
       std::memcmp(Bits, BuildId.data(), BuildId.size()) != 0))
    return nullptr; // Rebuilt since.
  GElf_Addr Bias = 0;
  if (!dwfl_module_getelf(One->Module, &Bias))
    return nullptr;
  One->Bias = Bias;
  Where->second = std::move(One);
  return Where->second.get();
}

std::optional<report::Place>
Symbolizer::resolve(std::string_view ModulePath, std::string_view BuildId,
                    uint64_t Base, uint64_t Offset) {
  (void)Base; // Offset counts from there: it is the file's own address.
  Impl *M = open(ModulePath, BuildId);
  if (!M)
    return std::nullopt;
  const GElf_Addr Address = Offset + M->Bias;
  report::Place Out;
  GElf_Off Into = 0;
  GElf_Sym Symbol;
  if (const char *Name = dwfl_module_addrinfo(
          M->Module, Address, &Into, &Symbol, nullptr, nullptr, nullptr))
    Out.Function = Name;
  if (Dwfl_Line *Line = dwfl_module_getsrc(M->Module, Address)) {
    int Number = 0, Column = 0;
    if (const char *File = dwfl_lineinfo(Line, nullptr, &Number, &Column,
                                         nullptr, nullptr)) {
      Out.File = File;
      Out.Line = Number > 0 ? static_cast<uint32_t>(Number) : 0;
      Out.Column = Column > 0 ? static_cast<uint32_t>(Column) : 0;
    }
  }
  if (Out.Function.empty() && Out.File.empty())
    return std::nullopt;
  return Out;
}

} // namespace inmem::tools
