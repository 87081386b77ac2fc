//===- SqlViews.h - A fleet's tables as views of a database -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FLEET_SQLVIEWS_H
#define INMEM_FLEET_SQLVIEWS_H

#include "fleet/folder/Manifest.h"
#include "fleet/query/Duck.h"

namespace inmem::fleet {

/// Opens a database with a view for each table of the newest manifest, and
/// `place_names`. It can read only the fleet's folder. \param Writable files
/// that it may write, for COPY \returns an error if the folder is not a
/// fleet's, or has a later version.
trace::Result<Duck> openFleet(const std::string &Folder, const Limits &Of,
                              const std::vector<std::string> &Writable = {});

/// The statement that makes a table's view from the files of a manifest.
std::string viewOf(const TableSpec &Spec, const FleetFolder &Folder,
                   const Manifest &M);

} // namespace inmem::fleet

#endif
