//===- ArgumentFiles.h ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that a command line takes from files.
#ifndef INMEM_TOOLS_WRAPPER_ARGUMENTFILES_H
#define INMEM_TOOLS_WRAPPER_ARGUMENTFILES_H

#include "Request.h"

namespace inmem::wrapper {

/// The arguments in the order in which the driver \p Clang sees them, with
/// words of response files (@FILE) and of configuration files (--config=FILE)
/// among them. For study only: clang itself gets the files.
Args openArgumentFiles(const Args &Given, const std::string &Clang);

} // namespace inmem::wrapper

#endif
