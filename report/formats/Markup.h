//===- Markup.h - SVG, XML and HTML, written by pugixml -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only writer of markup: a tree of elements with our names and the
// program's texts and values. Nothing is concatenated by hand, so nothing can
// be left unescaped.
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

/// Text that XML 1.0 can hold: UTF-8 as it is, all else becomes `?`. Line
/// breaks are kept.
std::string markupText(std::string_view Text);

/// A new element at the end of \p Parent.
pugi::xml_node addElement(pugi::xml_node Parent, const char *Name,
                          std::initializer_list<Attribute> Attributes = {});
/// As above, with text in it.
pugi::xml_node addElement(pugi::xml_node Parent, const char *Name,
                          std::initializer_list<Attribute> Attributes,
                          std::string_view Text);
/// Our own code, which says the same to a parser of XML and to one of HTML.
void addScript(pugi::xml_node Parent, std::string_view Code);

/// The text of a document; with the XML declaration in front if it is \p Xml,
/// else `<!DOCTYPE html>`.
enum class Dialect { Xml, Html };
std::string written(const pugi::xml_document &Document, Dialect Of,
                    const char *Indent = "");

} // namespace inmem::report

#endif
