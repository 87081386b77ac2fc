//===- Symbolizer.h - Names of callers from the modules' files ------------===//
//
// For callers in uninstrumented code whose module exports no symbol: symbol
// table or debug information of the module, found by path and checked by
// build id.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_SYMBOLIZER_H
#define INMEM_TOOLS_SYMBOLIZER_H

#include "report/Profile.h"

#include <map>

namespace inmem::tools {

class Symbolizer : public report::CallerResolver {
public:
  Symbolizer();
  ~Symbolizer() override;
  Symbolizer(const Symbolizer &) = delete;
  Symbolizer &operator=(const Symbolizer &) = delete;

  std::optional<report::Place> resolve(std::string_view ModulePath,
                                       std::string_view BuildId, uint64_t Base,
                                       uint64_t Offset) override;

private:
  struct Impl;
  Impl *open(std::string_view Path, std::string_view BuildId);

  std::map<std::string, std::unique_ptr<Impl>> Modules;
};

} // namespace inmem::tools

#endif
