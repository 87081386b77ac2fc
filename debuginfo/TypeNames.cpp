//===- TypeNames.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/TypeNames.h"

#include "debuginfo/TemplateArguments.h"

#include <algorithm>
#include <dwarf.h>

namespace inmem::debuginfo {

/// The type that \p Die refers to: with -fdebug-types-section its definition is
/// in another unit, found by a signature.
static Dwarf_Die defined(Dwarf_Die Die) {
  Dwarf_Attribute Attribute;
  Dwarf_Die Out;
  return dwarf_attr(&Die, DW_AT_signature, &Attribute) &&
                 dwarf_formref_die(&Attribute, &Out)
             ? Out
             : Die;
}

std::optional<Dwarf_Die> referenceOf(Dwarf_Die Die, unsigned Name) {
  Dwarf_Attribute Attribute;
  Dwarf_Die Out;
  if (!dwarf_attr(&Die, Name, &Attribute) ||
      !dwarf_formref_die(&Attribute, &Out))
    return std::nullopt;
  return defined(Out);
}

std::optional<Dwarf_Die> typeOf(Dwarf_Die Die) {
  Dwarf_Attribute Attribute;
  Dwarf_Die Out;
  if (!dwarf_attr_integrate(&Die, DW_AT_type, &Attribute) ||
      !dwarf_formref_die(&Attribute, &Out))
    return std::nullopt;
  return defined(Out);
}

std::optional<uint64_t> numberOf(Dwarf_Die Die, unsigned Name) {
  Dwarf_Attribute Attribute;
  Dwarf_Word Value = 0;
  if (!dwarf_attr_integrate(&Die, Name, &Attribute))
    return std::nullopt;
  if (dwarf_formudata(&Attribute, &Value) == 0)
    return Value;
  if (bool Flag = false; dwarf_formflag(&Attribute, &Flag) == 0)
    return Flag ? std::optional<uint64_t>(1) : std::nullopt;
  Dwarf_Sword Signed = 0;
  if (dwarf_formsdata(&Attribute, &Signed) == 0)
    return static_cast<uint64_t>(Signed);
  return std::nullopt;
}

std::string_view ownName(Dwarf_Die Die) {
  const char *Name = dwarf_diename(&Die);
  return Name ? Name : std::string_view();
}

std::vector<Dwarf_Die> childrenOf(Dwarf_Die Die) {
  std::vector<Dwarf_Die> Out;
  Dwarf_Die Child;
  if (dwarf_child(&Die, &Child) == 0)
    do
      Out.push_back(Child);
    while (dwarf_siblingof(&Child, &Child) == 0);
  return Out;
}

namespace {

/// Longer chains of typedefs do not exist, cycles might.
constexpr unsigned kLongestChain = 64;

bool isTag(std::optional<Dwarf_Die> Type, int Tag) {
  return Type && dwarf_tag(&*Type) == Tag;
}

} // namespace

std::optional<Dwarf_Die> stripped(std::optional<Dwarf_Die> Type) {
  for (unsigned I = 0; Type && I < kLongestChain; ++I)
    switch (dwarf_tag(&*Type)) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
      Type = referenceOf(*Type, DW_AT_type);
      break;
    default:
      return Type;
    }
  return Type;
}

bool isClassType(Dwarf_Die Type) {
  const int Tag = dwarf_tag(&Type);
  return Tag == DW_TAG_class_type || Tag == DW_TAG_structure_type ||
         Tag == DW_TAG_union_type;
}

std::optional<std::optional<Dwarf_Die>> pointee(std::optional<Dwarf_Die> Type,
                                                bool References) {
  Type = stripped(Type);
  if (!isTag(Type, DW_TAG_pointer_type) &&
      !(References && (isTag(Type, DW_TAG_reference_type) ||
                       isTag(Type, DW_TAG_rvalue_reference_type))))
    return std::nullopt;
  return referenceOf(*Type, DW_AT_type);
}

uint64_t sizeOf(std::optional<Dwarf_Die> Type) {
  Type = stripped(Type);
  Dwarf_Word Size = 0;
  return Type && dwarf_aggregate_size(&*Type, &Size) == 0 ? Size : 0;
}

Dwarf_Die declarationOf(Dwarf_Die Function) {
  for (unsigned I = 0; I < kLongestChain; ++I) {
    if (const auto Origin = referenceOf(Function, DW_AT_abstract_origin))
      Function = *Origin;
    else if (const auto Completed = referenceOf(Function, DW_AT_specification))
      Function = *Completed;
    else
      break;
  }
  return Function;
}

const UnitScopes &TypeNames::scopesOf(Dwarf_Die Die) {
  if (const UnitScopes *Found = Units.find(Die.cu))
    return *Found;
  Dwarf_Die Unit = {};
  dwarf_diecu(&Die, &Unit, nullptr, nullptr);
  return Units.get(Die.cu, Unit).first;
}

std::string TypeNames::name(std::optional<Dwarf_Die> Type) {
  return declarator(Type, "");
}

std::string TypeNames::pointerTo(Dwarf_Die Pointer, std::string_view Sign,
                                 std::string_view Quals,
                                 const std::string &Inner) {
  std::string Text = std::string(Sign) + std::string(Quals);
  if (!Inner.empty() && !Quals.empty())
    Text += ' ';
  Text += Inner;
  const auto To = referenceOf(Pointer, DW_AT_type);
  const auto Plain = stripped(To);
  if (isTag(Plain, DW_TAG_subroutine_type) || isTag(Plain, DW_TAG_array_type))
    Text = '(' + Text + ')';
  return declarator(To, std::move(Text));
}

std::string TypeNames::arrayOf(Dwarf_Die Array, std::string_view Quals,
                               const std::string &Inner) {
  const auto Element = referenceOf(Array, DW_AT_type);
  std::string Bounds;
  for (const Dwarf_Die &Child : childrenOf(Array)) {
    const auto Count = numberOf(Child, DW_AT_count);
    const auto Last = numberOf(Child, DW_AT_upper_bound);
    Bounds += '[' +
              (Count  ? std::to_string(*Count)
               : Last ? std::to_string(*Last + 1)
                      : std::string()) +
              ']';
  }
  std::string Text;
  if (!Quals.empty())
    Text = std::string(Quals) + ' ';
  return Text + declarator(Element, Inner + Bounds);
}

std::string TypeNames::parameterTypes(Dwarf_Die Function) {
  std::string Text;
  for (const Dwarf_Die &Child : childrenOf(Function)) {
    Dwarf_Die Copy = Child;
    const int Tag = dwarf_tag(&Copy);
    if (Tag == DW_TAG_unspecified_parameters)
      Text += Text.empty() ? "..." : ", ...";
    if (Tag == DW_TAG_formal_parameter && !numberOf(Child, DW_AT_artificial))
      Text += (Text.empty() ? "" : ", ") + name(typeOf(Child));
  }
  return Text;
}

std::string TypeNames::functionType(Dwarf_Die Function,
                                    const std::string &Inner) {
  return declarator(referenceOf(Function, DW_AT_type),
                    Inner + '(' + parameterTypes(Function) + ')');
}

std::string TypeNames::declarator(std::optional<Dwarf_Die> Type,
                                  std::string Inner) {
  bool Const = false, Volatile = false;
  for (unsigned I = 0; Type && I < kLongestChain; ++I) {
    const int Tag = dwarf_tag(&*Type);
    if (Tag == DW_TAG_typedef) {
      // A class without a name takes the name of its typedef.
      const auto To = referenceOf(*Type, DW_AT_type);
      if (To && isClassType(*To) && ownName(*To).empty())
        break;
      Type = To;
    } else if (Tag == DW_TAG_const_type || Tag == DW_TAG_volatile_type ||
               Tag == DW_TAG_restrict_type) {
      Const |= Tag == DW_TAG_const_type;
      Volatile |= Tag == DW_TAG_volatile_type;
      Type = referenceOf(*Type, DW_AT_type);
    } else {
      break;
    }
  }
  const std::string Quals = std::string(Const ? "const" : "") +
                            (Const && Volatile ? " " : "") +
                            (Volatile ? "volatile" : "");
  std::string Base = "void";
  if (Depth > 100)
    return "?";
  ++Depth;
  if (Type) {
    const int Tag = dwarf_tag(&*Type);
    std::string Whole;
    if (Tag == DW_TAG_pointer_type)
      Whole = pointerTo(*Type, "*", Quals, Inner);
    else if (Tag == DW_TAG_reference_type)
      Whole = pointerTo(*Type, "&", Quals, Inner);
    else if (Tag == DW_TAG_rvalue_reference_type)
      Whole = pointerTo(*Type, "&&", Quals, Inner);
    else if (Tag == DW_TAG_ptr_to_member_type)
      Whole = pointerTo(*Type,
                        name(referenceOf(*Type, DW_AT_containing_type)) + "::*",
                        Quals, Inner);
    else if (Tag == DW_TAG_array_type && numberOf(*Type, DW_AT_GNU_vector))
      Base = name(referenceOf(*Type, DW_AT_type)) +
             " __attribute__((vector_size(" + std::to_string(sizeOf(Type)) +
             ")))";
    else if (Tag == DW_TAG_array_type)
      Whole = arrayOf(*Type, Quals, Inner);
    else if (Tag == DW_TAG_subroutine_type)
      Whole = functionType(*Type, Inner);
    else if (Tag == DW_TAG_atomic_type)
      Base = "_Atomic(" + name(referenceOf(*Type, DW_AT_type)) + ')';
    else if (Tag == DW_TAG_base_type || Tag == DW_TAG_unspecified_type)
      Base = builtinName(ownName(*Type));
    else
      Base = tagName(*Type);
    if (!Whole.empty()) {
      --Depth;
      return Whole;
    }
  }
  --Depth;
  std::string Text = Quals + (Quals.empty() ? "" : " ") + Base;
  if (!Inner.empty() && Inner[0] != '[')
    Text += ' ';
  return Text + Inner;
}

const std::string &TypeNames::declaredIn(Dwarf_Die Entry) {
  static const std::string kUnknown;
  Dwarf_Die Unit;
  const auto Number = numberOf(Entry, DW_AT_decl_file);
  return Number && dwarf_diecu(&Entry, &Unit, nullptr, nullptr)
             ? Lines.of(Unit).file(*Number)
             : kUnknown;
}

std::string TypeNames::location(Dwarf_Die Die, bool WithColumn) {
  // Relative to the unit's folder, as on the compiler's command line.
  Dwarf_Die Unit = {};
  dwarf_diecu(&Die, &Unit, nullptr, nullptr);
  Dwarf_Attribute Attribute;
  const char *Folder = dwarf_attr(&Unit, DW_AT_comp_dir, &Attribute)
                           ? dwarf_formstring(&Attribute)
                           : nullptr;
  std::string Out = declaredIn(Die);
  if (Out.empty())
    Out = "?";
  if (Folder && Out.starts_with(std::string(Folder) + '/'))
    Out.erase(0, std::string_view(Folder).size() + 1);
  if (const auto Line = numberOf(Die, DW_AT_decl_line))
    Out += ':' + std::to_string(*Line);
  if (const auto Column = numberOf(Die, DW_AT_decl_column);
      Column && WithColumn)
    Out += ':' + std::to_string(*Column);
  return Out;
}

std::string TypeNames::tagName(Dwarf_Die Tag) {
  const auto [Where, New] = Tags.try_emplace(Tag.addr);
  if (!New)
    return Where->second;
  const std::string_view Name = ownName(Tag);
  std::string Out;
  bool Call = false;
  if (Name.empty())
    for (const Dwarf_Die &Child : childrenOf(Tag))
      Call |= ownName(Child) == "operator()";
  if (Name.starts_with("<lambda") || Call) {
    // gcc's column is that of the parameters, and clang writes none.
    Out = "(lambda at " + location(Tag, false) + ')';
  } else if (Name.empty()) {
    const int Kind = dwarf_tag(&Tag);
    Out = std::string("(unnamed ") +
          (Kind == DW_TAG_enumeration_type ? "enum"
           : Kind == DW_TAG_union_type     ? "union"
           : Kind == DW_TAG_class_type     ? "class"
                                           : "struct") +
          " at " + location(Tag, true) + ')';
  } else {
    Out = scopeName(Tag);
    const size_t Open = isClassType(Tag) ? Name.find('<') : Name.npos;
    Out += Name.substr(0, Open);
    const std::string Arguments = arguments(Tag, Out);
    if (!Arguments.empty() || Open == Name.npos)
      Out += Arguments;
    else // a declaration has its arguments only in the name
      Out = canonicalText(scopeName(Tag) + std::string(Name));
  }
  return Tags[Tag.addr] = Out;
}

std::string TypeNames::scopeName(Dwarf_Die Die) {
  std::string Out;
  // A type that completes a declaration has the declaration's scope.
  Dwarf_Attribute Specification;
  Dwarf_Die Declared;
  if (dwarf_tag(&Die) != DW_TAG_subprogram &&
      dwarf_attr(&Die, DW_AT_specification, &Specification) &&
      dwarf_formref_die(&Specification, &Declared))
    Die = Declared;
  const std::vector<Dwarf_Die> Around = scopesOf(Die).around(Die);
  for (size_t I = 0; I < Around.size(); ++I) {
    Dwarf_Die Scope = Around[I];
    const int Tag = dwarf_tag(&Scope);
    if (Tag == DW_TAG_namespace) {
      const std::string_view Name = ownName(Scope);
      if (Name.empty())
        Out += "(anonymous namespace)::";
      else if (!isInlineNamespace(Name) &&
               !numberOf(Scope, DW_AT_export_symbols))
        Out += std::string(Name) + "::";
    } else if (Tag == DW_TAG_subprogram) {
      // Its own scope may be elsewhere: it completes a declaration.
      const Dwarf_Die Function = declarationOf(Scope);
      Out = functionName(Function) + '(' + parameterTypes(Function) + ")::";
    } else if (isClassType(Scope)) {
      Out = tagName(Scope) + "::";
    }
  }
  return Out;
}

const std::string &TypeNames::functionName(Dwarf_Die Function) {
  const Dwarf_Die Declared = declarationOf(Function);
  const auto Known = Functions.find(Declared.addr);
  return Known != Functions.end()
             ? Known->second
             : Functions.try_emplace(Declared.addr, spellFunction(Declared))
                   .first->second;
}

std::string TypeNames::spellFunction(Dwarf_Die Declared) {
  const std::string_view Name = ownName(Declared);
  std::string Out = scopeName(Declared);
  const std::string Arguments = arguments(Declared, {});
  const bool Operator = Name.starts_with("operator");
  Out += Arguments.empty() || Operator ? Name : Name.substr(0, Name.find('<'));
  return Operator ? Out : Out + Arguments;
}

std::string TypeNames::templateName(Dwarf_Die Class) {
  const std::string_view Name = ownName(Class);
  return scopeName(Class) + std::string(Name.substr(0, Name.find('<')));
}

std::optional<Dwarf_Die> TypeNames::classAround(Dwarf_Die Declaration) {
  const std::vector<Dwarf_Die> Around =
      scopesOf(Declaration).around(Declaration);
  if (Around.empty() || !isClassType(Around.back()))
    return std::nullopt;
  return defined(Around.back());
}

std::optional<std::optional<Dwarf_Die>>
TypeNames::typeArgument(Dwarf_Die Template, size_t Index) {
  for (const Dwarf_Die &Child : childrenOf(Template)) {
    Dwarf_Die Copy = Child;
    const int Tag = dwarf_tag(&Copy);
    if (Tag == DW_TAG_template_type_parameter && Index-- == 0)
      return referenceOf(Child, DW_AT_type);
    if (Tag == DW_TAG_GNU_template_parameter_pack)
      for (const Dwarf_Die &Element : childrenOf(Child))
        if (Index-- == 0)
          return referenceOf(Element, DW_AT_type);
  }
  return std::nullopt;
}

std::string TypeNames::valueArgument(Dwarf_Die Parameter) {
  const auto Type = stripped(typeOf(Parameter));
  const auto Value = numberOf(Parameter, DW_AT_const_value);
  if (!Value)
    return std::string(ownName(Parameter));
  if (isTag(Type, DW_TAG_enumeration_type)) {
    const bool Scoped = numberOf(*Type, DW_AT_enum_class).has_value();
    for (const Dwarf_Die &Child : childrenOf(*Type))
      if (numberOf(Child, DW_AT_const_value) == Value)
        return (Scoped ? tagName(*Type) + "::" : scopeName(*Type)) +
               std::string(ownName(Child));
    return '(' + tagName(*Type) + ')' + std::to_string(*Value);
  }
  const auto Encoding =
      Type ? numberOf(*Type, DW_AT_encoding).value_or(0) : uint64_t{0};
  if (Encoding == DW_ATE_boolean)
    return *Value ? "true" : "false";
  if (Encoding == DW_ATE_signed || Encoding == DW_ATE_signed_char)
    return std::to_string(static_cast<int64_t>(*Value));
  const uint64_t Size = sizeOf(Type);
  return std::to_string(
      Size > 0 && Size < 8 ? *Value & ((uint64_t{1} << Size * 8) - 1) : *Value);
}

std::string TypeNames::arguments(Dwarf_Die Template, const std::string &Name) {
  std::vector<TemplateArgument> Args;
  bool Any = false;
  const auto Add = [&](Dwarf_Die One, bool InPack) {
    switch (dwarf_tag(&One)) {
    case DW_TAG_template_type_parameter:
      Args.push_back({name(referenceOf(One, DW_AT_type)),
                      numberOf(One, DW_AT_default_value).has_value(), InPack});
      return true;
    case DW_TAG_template_value_parameter:
      Args.push_back({valueArgument(One),
                      numberOf(One, DW_AT_default_value).has_value(), InPack});
      return true;
    case DW_TAG_GNU_template_template_param: {
      Dwarf_Attribute Attribute;
      const char *Text = dwarf_attr(&One, DW_AT_GNU_template_name, &Attribute)
                             ? dwarf_formstring(&Attribute)
                             : nullptr;
      Args.push_back({canonicalText(Text ? Text : ""),
                      numberOf(One, DW_AT_default_value).has_value(), InPack});
      return true;
    }
    default:
      return false;
    }
  };
  for (const Dwarf_Die &Child : childrenOf(Template)) {
    Dwarf_Die Copy = Child;
    if (dwarf_tag(&Copy) == DW_TAG_GNU_template_parameter_pack) {
      Any = true;
      for (const Dwarf_Die &Element : childrenOf(Child))
        Add(Element, true);
    } else {
      Any |= Add(Child, false);
    }
  }
  if (!Any)
    return {};
  if (!Name.empty())
    dropDefaults(Name, Args);
  std::string Out = "<";
  for (const TemplateArgument &A : Args)
    Out += (Out.size() > 1 ? ", " : "") + A.Text;
  return Out + '>';
}

} // namespace inmem::debuginfo
