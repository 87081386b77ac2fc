//===- PprofImport.h - A pprof message as a trace ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_IMPORT_PPROFIMPORT_H
#define INMEM_REPORT_IMPORT_PPROFIMPORT_H

#include "report/import/Imported.h"

namespace inmem::pprof {
class Profile;
}

namespace inmem::report {

/// \param File for the positions in messages
trace::Result<Imported> importPprof(const pprof::Profile &From,
                                    const trace::Buffer &File);

} // namespace inmem::report

#endif
