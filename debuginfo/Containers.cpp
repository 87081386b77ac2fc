//===- Containers.cpp - Allocations of containers, by name ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/TemplateArguments.h"

namespace inmem::debuginfo {

std::vector<std::string> templateArguments(std::string_view Class) {
  std::vector<std::string> Out;
  const size_t Open = Class.find('<');
  if (Open == Class.npos || Class.back() != '>')
    return Out;
  int Depth = 0;
  size_t Begin = Open + 1;
  for (size_t I = Begin; I < Class.size(); ++I) {
    const char C = Class[I];
    if (Depth == 0 && (C == ',' || C == '>')) {
      Out.emplace_back(Class.substr(Begin, I - Begin));
      Begin = I + 2; // after the blank
    }
    Depth += (C == '<' || C == '(') - (C == '>' || C == ')');
    if (Depth < 0 && I + 1 < Class.size())
      return {}; // a member of a class template
  }
  return Out;
}

namespace {

std::string pointerTo(const std::string &Type) {
  return Type + (Type.ends_with('*') ? "*" : " *");
}

struct Rule {
  std::string_view Template, Family;
  unsigned Argument;     ///< index of the template argument it allocates
  std::string_view Node; ///< template of its nodes; empty: elements
};

constexpr Rule kRules[] = {
    {"std::allocator", kAllocator, 0, {}},
    {"std::__new_allocator", kAllocator, 0, {}},
    {"__gnu_cxx::new_allocator", kAllocator, 0, {}},
    {"std::allocator_traits", kAllocator, 0, {}},
    {"__gnu_cxx::__alloc_traits", kAllocator, 0, {}},
    {"std::vector", "vector", 0, {}},
    {"std::_Vector_base", "vector", 0, {}},
    {"std::_Rb_tree", "tree", 1, "std::_Rb_tree_node"},
    {"std::list", "list", 0, "std::_List_node"},
    {"std::_List_base", "list", 0, "std::_List_node"},
    {"std::forward_list", "list", 0, "std::_Fwd_list_node"},
    {"std::_Fwd_list_base", "list", 0, "std::_Fwd_list_node"},
    {"std::deque", "deque", 0, {}},
    {"std::_Deque_base", "deque", 0, {}},
    {"std::basic_string", "string", 0, {}}};

/// Classes between a container and the allocator. Their functions do not
/// determine a type.
constexpr std::string_view kHelpers[] = {"::_Auto_node", "::_Alloc_node",
                                         "::_Reuse_or_alloc_node",
                                         "::_Guard_alloc", "::_Scoped_node"};

} // namespace

ContainerBlocks blocksOfContainer(const std::string &Class) {
  const std::string_view Template =
      std::string_view(Class).substr(0, Class.find('<'));
  for (const Rule &R : kRules) {
    if (Template != R.Template)
      continue;
    ContainerBlocks Out{R.Family, {}};
    for (const std::string_view Helper : kHelpers)
      if (Class.ends_with(Helper))
        return Out;
    std::vector<std::string> Arguments = templateArguments(Class);
    if (Template.ends_with("traits") && !Arguments.empty()) // allocator traits
      Arguments = templateArguments(Arguments.front());
    if (Arguments.size() <= R.Argument)
      return {};
    const std::string &Of = Arguments[R.Argument];
    if (R.Family == "vector" && Of == "bool")
      return Out; // allocates words
    if (R.Node.empty())
      Out.Types.push_back(Of);
    else
      Out.Types.push_back(std::string(R.Node) + '<' + Of + '>');
    if (R.Family == "deque")
      Out.Types.push_back(pointerTo(Of)); // the deque's map
    return Out;
  }
  return {};
}

} // namespace inmem::debuginfo
