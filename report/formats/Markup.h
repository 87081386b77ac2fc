//===- Markup.h - SVG, XML and HTML, written by pugixml -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only writer of markup: a tree of elements with our names and the
// program's texts and values. No markup is concatenated by hand, so that
// everything is escaped.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_MARKUP_H
#define INMEM_REPORT_MARKUP_H

#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace inmem::report {

using Attribute = std::pair<const char *, std::string_view>;

/// Text that XML 1.0 can hold: valid UTF-8 is kept, all else becomes `?`. Line
/// breaks are kept.
std::string markupText(std::string_view Text);

/// A new element at the end of \p Parent.
pugi::xml_node addElement(pugi::xml_node Parent, const char *Name,
                          std::initializer_list<Attribute> Attributes = {});
/// As above, with text in it.
pugi::xml_node addElement(pugi::xml_node Parent, const char *Name,
                          std::initializer_list<Attribute> Attributes,
                          std::string_view Text);
/// Adds our own code in a form that XML and HTML parsers read alike.
void addScript(pugi::xml_node Parent, std::string_view Code);

/// The text of a document. It begins with the XML declaration for \p Xml, and
/// with `<!DOCTYPE html>` otherwise.
enum class Dialect { Xml, Html };
std::string written(const pugi::xml_document &Document, Dialect Of,
                    const char *Indent = "");

} // namespace inmem::report

#endif
