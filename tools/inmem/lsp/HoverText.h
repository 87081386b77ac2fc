//===- HoverText.h - Labels, and Markdown on lines and classes --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_LSP_HOVERTEXT_H
#define INMEM_TOOLS_LSP_HOVERTEXT_H

#include "report/compare/LineFigures.h"

namespace inmem::tools {

/// Bytes, blocks, median lifetime and the kind of blocks of a line.
std::string lineLabel(const report::Profile &P,
                      const report::LineFigures &Line);
/// Changes of bytes and blocks of a line between two runs.
std::string changeLabel(const report::LineChange &Line);

/// Figures, lifetimes and callers of a line, by kind of blocks.
std::string lineHover(const report::Profile &P,
                      const report::LineFigures &Line);
/// Changes of a line between two runs.
std::string changeHover(const report::LineChange &Line);
/// The layout of a class, accesses to its fields if counted, and counts of its
/// blocks and objects. \param Type as in a trace of the profile
std::string classHover(const report::Profile &P, const report::TypeResult &T,
                       const trace::Trace &In, const trace::Type &Type);

/// The last name of a class, without template arguments: `Foo` of
/// `app::Foo<int>`; empty for types without one, such as a pointer.
std::string lastNameOf(std::string_view Class);

} // namespace inmem::tools

#endif
