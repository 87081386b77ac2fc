//===- LibraryRules.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/LibraryRules.h"

#include "debuginfo/TemplateArguments.h"
#include "plugin/LibraryFolderNames.h"

#include <algorithm>
#include <dwarf.h>

namespace inmem::debuginfo {

namespace {

std::string_view withoutArguments(std::string_view Name) {
  return Name.substr(0, Name.find('<'));
}

/// The member type \p Name of a class; none if the class has no such type.
std::optional<Dwarf_Die> memberType(Dwarf_Die Class, std::string_view Name) {
  for (Dwarf_Die Child : childrenOf(Class))
    if (dwarf_tag(&Child) == DW_TAG_typedef && ownName(Child) == Name)
      return Child;
  return std::nullopt;
}

bool isOneOf(std::string_view Name,
             std::initializer_list<std::string_view> Names) {
  return std::ranges::find(Names, Name) != Names.end();
}

/// The element of an array type, or the type itself.
std::optional<Dwarf_Die> elementOf(std::optional<Dwarf_Die> Type) {
  auto Plain = stripped(Type);
  if (Plain && dwarf_tag(&*Plain) == DW_TAG_array_type)
    return referenceOf(*Plain, DW_AT_type);
  return Type;
}

/// The type that \p Function, or the class that it is a member of, allocates.
std::optional<Dwarf_Die> typeOfFunction(TypeNames &Names, Dwarf_Die Function) {
  const Dwarf_Die Declared = declarationOf(Function);
  const std::string_view Name = withoutArguments(ownName(Declared));
  const auto Argument = [&](Dwarf_Die Of) -> std::optional<Dwarf_Die> {
    const auto Found = Names.typeArgument(Of, 0);
    return Found ? *Found : std::nullopt;
  };
  if (const auto Class = Names.classAround(Declared)) {
    const std::string Template = Names.templateName(*Class);
    if (isOneOf(Name, {"allocate", "allocate_at_least"})) {
      if (isOneOf(Template,
                  {"std::__new_allocator", "std::allocator",
                   "__gnu_cxx::new_allocator", "__gnu_cxx::malloc_allocator"}))
        return Argument(*Class);
      if (Template == "std::allocator_traits") {
        const auto Allocator = stripped(Argument(*Class));
        return Allocator ? Argument(*Allocator) : std::nullopt;
      }
      // Any class that meets the Allocator requirements.
      return memberType(*Class, "value_type");
    }
    // In the library, _M_create() ends in a jump to operator new.
    if (isOneOf(Template, {"std::basic_string", "std::__cxx11::basic_string"}))
      return isOneOf(Name,
                     {"_M_create", "_M_construct", "_M_mutate", "_M_assign"})
                 ? Argument(*Class)
                 : std::nullopt;
    if (isOneOf(Template, {"std::_Function_base::_Base_manager",
                           "std::any::_Manager_external"}))
      return Argument(*Class);
    return std::nullopt;
  }
  // The arguments of the instance, not of a declaration.
  const auto Origin = referenceOf(Function, DW_AT_abstract_origin);
  const std::string Whole = Names.functionName(Function);
  if (isOneOf(withoutArguments(Whole),
              {"std::make_unique", "std::make_unique_for_overwrite",
               "std::get_temporary_buffer",
               "std::__detail::__get_temporary_buffer", "absl::make_unique",
               "std::__libcpp_allocate"}))
    return elementOf(Argument(Origin.value_or(Function)));
  return std::nullopt;
}

} // namespace

bool isLibraryFunction(TypeNames &Names, Dwarf_Die Function) {
  return isLibraryName(Names.functionName(Function));
}

bool isLibraryHeader(std::string_view Path) {
  for (const std::string_view Folder : {"/usr/include/", "/usr/local/include/",
                                        "/opt/", "/nix/store/", "/gnu/store/"})
    if (Path.starts_with(Folder))
      return true;
  for (size_t At = 0; At < Path.size();) {
    const size_t End = std::min(Path.find('/', At), Path.size());
    if (End < Path.size() && isNameOfLibraries(Path.substr(At, End - At)))
      return true;
    At = End + 1;
  }
  return false;
}

bool isLibraryName(std::string_view Name) {
  for (const std::string_view Library :
       {"std::", "__gnu_cxx::", "__cxxabiv1::", "operator new"})
    if (Name.starts_with(Library))
      return true;
  return false;
}

bool returnsItsArgument(std::string_view Import) {
  for (const std::string_view Name :
       {"memset", "memcpy", "memmove", "strcpy", "strncpy", "strcat",
        "__memset_chk", "__memcpy_chk", "__strcpy_chk", "__strncpy_chk"})
    if (Import == Name)
      return true;
  return false;
}

bool neverReturns(std::string_view Import) {
  for (const std::string_view Name :
       {"abort", "exit", "_exit", "__cxa_throw", "__cxa_rethrow",
        "_Unwind_Resume", "__stack_chk_fail", "_ZSt9terminatev",
        "__assert_fail", "__cxa_throw_bad_array_new_length"})
    if (Import == Name)
      return true;
  return Import.starts_with("_ZSt") && Import.find("__throw_") != Import.npos;
}

namespace {

/// Corrects the type of an allocator's function by the functions that it is
/// inlined into: the allocator's, and a container's.
void correct(TypeNames &Names, std::span<const Dwarf_Die> Around,
             LibraryType &Of) {
  std::string Known = Names.name(Of.Type);
  std::string_view Family = kAllocator;
  for (size_t I = Around.size(); I-- > 0;) {
    const auto Class = Names.classAround(declarationOf(Around[I]));
    if (!Class || !isLibraryFunction(Names, Around[I]))
      return;
    const ContainerBlocks By = blocksOfContainer(Names.name(Class));
    if (By.Family.empty() || (Family != kAllocator && By.Family != Family))
      return;
    Family = By.Family;
    if (By.Types.size() == 1 && By.Types.front() != Known)
      Of.Instead = Known = By.Types.front();
  }
}

} // namespace

std::optional<LibraryType> libraryType(TypeNames &Names,
                                       std::span<const Dwarf_Die> Scopes) {
  for (size_t I = Scopes.size(); I-- > 0;) {
    if (const auto Type = typeOfFunction(Names, Scopes[I])) {
      LibraryType Out{Type, {}};
      correct(Names, Scopes.first(I), Out);
      return Out;
    }
    if (!isLibraryFunction(Names, Scopes[I]))
      return std::nullopt;
  }
  return std::nullopt;
}

namespace {

/// The part of \p Text from \p At, which follows a '<', to the closing bracket;
/// with \p First, only the first argument.
std::string_view argumentsAt(std::string_view Text, size_t At, bool First) {
  int Depth = 0;
  for (size_t I = At; I < Text.size(); ++I) {
    const char C = Text[I];
    if (Depth == 0 && (C == '>' || (First && C == ',')))
      return Text.substr(At, I - At);
    Depth += (C == '<' || C == '(') - (C == '>' || C == ')');
  }
  return {};
}

} // namespace

std::string typeOfSymbol(const std::string &Demangled) {
  if (isOneOf(Demangled,
              {"strdup", "__strdup", "strndup", "__strndup", "vasprintf",
               "__vasprintf_internal", "getdelim", "__getdelim", "getcwd",
               "__getcwd", "realpath", "__realpath"}))
    return "char";
  // Functions that only allocate, or make room in a buffer. Allocations inside
  // them, such as an element constructor's, are separate calls.
  static constexpr std::pair<std::string_view, std::string_view> kFunctions[] =
      {{"std::__new_allocator<", ">::allocate("},
       {"__gnu_cxx::new_allocator<", ">::allocate("},
       {"std::_Vector_base<", ">::_M_allocate("},
       {"std::_Vector_base<", ">::_M_create_storage("},
       {"std::vector<", ">::_M_default_append("},
       {"std::vector<", ">::reserve("},
       {"std::basic_string<", ">::_Rep::_S_create("},
       {"std::__cxx11::basic_string<", ">::_M_create("},
       {"std::__cxx11::basic_string<", ">::_M_construct<char const*>("},
       {"std::__cxx11::basic_string<", ">::_M_construct<char*>("},
       {"std::__cxx11::basic_string<", ">::_M_assign("},
       {"std::__cxx11::basic_string<", ">::_M_mutate("}};
  for (const auto &[Class, Function] : kFunctions) {
    size_t At = Demangled.find(Class);
    if (At != 0 && (At == std::string::npos || Demangled[At - 1] != ' '))
      continue;
    At += Class.size();
    const std::string_view All = argumentsAt(Demangled, At, false);
    if (!All.empty() && std::string_view(Demangled)
                            .substr(At + All.size())
                            .starts_with(Function))
      return canonicalText(argumentsAt(Demangled, At, true));
  }
  return {};
}

} // namespace inmem::debuginfo
