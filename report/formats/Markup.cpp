//===- Markup.cpp - SVG, XML and HTML, written by pugixml -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Markup.h"

#include "report/text/Table.h"

#include <algorithm>

namespace inmem::report {

std::string markupText(std::string_view Text) {
  // U+FFFE and U+FFFF are valid UTF-8, but XML does not allow them.
  constexpr std::string_view kNoCharacters = "\xef\xbf";
  std::string Out;
  for (size_t At = 0; At <= Text.size();) {
    const size_t End = std::min(Text.find('\n', At), Text.size());
    Out += printable(Style{}, Text.substr(At, End - At));
    if (End < Text.size())
      Out += '\n';
    At = End + 1;
  }
  for (size_t At = 0; (At = Out.find(kNoCharacters, At)) != std::string::npos;
       ++At)
    if (At + 2 < Out.size() && (Out[At + 2] == '\xbe' || Out[At + 2] == '\xbf'))
      Out.replace(At, 3, "?");
  return Out;
}

pugi::xml_node addElement(pugi::xml_node Parent, const char *Name,
                          std::initializer_list<Attribute> Attributes) {
  pugi::xml_node Out = Parent.append_child(Name);
  for (const auto &[Key, Value] : Attributes)
    Out.append_attribute(Key).set_value(markupText(Value).c_str());
  return Out;
}

pugi::xml_node addElement(pugi::xml_node Parent, const char *Name,
                          std::initializer_list<Attribute> Attributes,
                          std::string_view Text) {
  pugi::xml_node Out = addElement(Parent, Name, Attributes);
  Out.append_child(pugi::node_pcdata).set_value(markupText(Text).c_str());
  return Out;
}

void addScript(pugi::xml_node Parent, std::string_view Code) {
  // To HTML, the marks of CDATA are part of the script, so they are in
  // comments.
  pugi::xml_node Out = Parent.append_child("script");
  Out.append_child(pugi::node_pcdata).set_value("//");
  Out.append_child(pugi::node_cdata)
      .set_value(("\n" + std::string(Code) + "\n//").c_str());
}

std::string written(const pugi::xml_document &Document, Dialect Of,
                    const char *Indent) {
  struct Writer final : pugi::xml_writer {
    std::string Out;
    void write(const void *Data, size_t Size) override {
      Out.append(static_cast<const char *>(Data), Size);
    }
  } W;
  unsigned Flags = pugi::format_indent | pugi::format_no_declaration;
  if (Of == Dialect::Html) {
    // In HTML, empty elements have end tags.
    Flags |= pugi::format_no_empty_element_tags;
    W.Out = "<!DOCTYPE html>\n";
  } else {
    W.Out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  }
  Document.save(W, Indent, Flags, pugi::encoding_utf8);
  return std::move(W.Out);
}

} // namespace inmem::report
