//===- DefaultArguments.cpp - Template arguments that need no spelling ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/TemplateArguments.h"

#include "report/names/TypeName.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace inmem::debuginfo {

namespace {

/// More templates whose last parameters have one of the defaults below.
/// Compilers omit these arguments, but gcc's debug information has them. Other
/// templates, such as std::_Vector_base, spell them.
constexpr std::string_view kAlsoWithDefaults[] = {
    "std::priority_queue",
    "std::basic_ios",
    "std::basic_streambuf",
    "std::istreambuf_iterator",
    "std::ostreambuf_iterator",
    "std::match_results",
    "std::__shared_ptr",
    "std::__weak_ptr",
    "std::__shared_count",
    "std::__weak_count",
    "std::_Sp_counted_base",
    "std::__enable_shared_from_this",
    "std::chrono::duration",
    "std::ratio",
    "std::span",
    "std::_Rb_tree"};

/// Operations of the standard library that are containers' defaults.
constexpr std::string_view kOperations[] = {"std::less", "std::hash",
                                            "std::equal_to"};

/// Operations with void as the default argument.
constexpr std::string_view kOfAny[] = {
    "std::less",          "std::less_equal",  "std::greater",
    "std::greater_equal", "std::equal_to",    "std::plus",
    "std::minus",         "std::multiplies",  "std::logical_or",
    "std::logical_and",   "std::not_equal_to"};

constexpr std::string_view kDefaults[] = {
    "std::allocator<",           "std::char_traits<",
    "std::default_delete<",      "std::deque<",
    "__gnu_cxx::_S_atomic",      "std::ratio<1>",
    "18446744073709551615",      "std::regex_traits<",
    "std::istreambuf_iterator<", "std::ostreambuf_iterator<"};

bool isDefault(std::string_view Name, const std::vector<TemplateArgument> &Args,
               bool Library) {
  const std::string &Last = Args.back().Text;
  if (Args.size() < 2 && Name != "std::ratio")
    return false;
  if (Name == "std::ratio")
    return Args.size() == 2 && Last == "1";
  if (Name == "std::_Rb_tree") // its comparison has no default
    return Args.size() == 5 && Last.starts_with("std::allocator<");
  if (Name == "std::priority_queue" && Args.size() == 2 &&
      Last == "std::vector<" + Args[0].Text + '>')
    return true;
  if (Library && !report::hasDefaultArguments(Name) &&
      std::ranges::find(kAlsoWithDefaults, Name) == std::end(kAlsoWithDefaults))
    return false;
  // Compares with the first argument's operation: a map by std::less<> is
  // another type.
  for (const std::string_view Operation : kOperations)
    if (Last.starts_with(Operation) && Last.substr(Operation.size(), 1) == "<")
      return Last.substr(Operation.size() + 1) == Args[0].Text + '>' ||
             Name == "std::priority_queue";
  return std::ranges::any_of(
      kDefaults, [&](std::string_view D) { return Last.starts_with(D); });
}

} // namespace

void dropDefaults(std::string_view Name, std::vector<TemplateArgument> &Args) {
  if (Name == "nlohmann::basic_json") {
    static constexpr std::string_view kJson[] = {
        "std::map", "std::vector",    "std::basic_string<char>",
        "bool",     "long",           "unsigned long",
        "double",   "std::allocator", "nlohmann::adl_serializer"};
    while (!Args.empty() && (Args.size() > std::size(kJson) ||
                             Args.back().Text == kJson[Args.size() - 1]))
      Args.pop_back();
    return;
  }
  if (Args.size() == 1 && Args[0].Text == "void" &&
      std::ranges::find(kOfAny, Name) != std::end(kOfAny))
    return Args.clear();
  if (Name == "nlohmann::detail::output_string_adapter" && Args.size() == 2 &&
      Args[1].Text == "std::basic_string<" + Args[0].Text + '>')
    return Args.pop_back();
  const bool Library = Name.starts_with("std::") ||
                       Name.starts_with("__gnu_cxx::") ||
                       Name.starts_with("boost::");
  while (!Args.empty() && !Args.back().InPack &&
         (Args.back().Default || isDefault(Name, Args, Library)))
    Args.pop_back();
}

bool isInlineNamespace(std::string_view Name) {
  static constexpr std::string_view kNames[] = {
      "__cxx11", "__1", "_V2", "__8", "__ndk1", "__cxx1998", "__2"};
  return std::ranges::find(kNames, Name) != std::end(kNames) ||
         Name.starts_with("json_abi_v");
}

std::string builtinName(std::string_view Name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"long int", "long"},
      {"long unsigned int", "unsigned long"},
      {"long long int", "long long"},
      {"long long unsigned int", "unsigned long long"},
      {"short int", "short"},
      {"short unsigned int", "unsigned short"},
      {"_Bool", "bool"},
      {"__int128 unsigned", "unsigned __int128"},
      {"decltype(nullptr)", "std::nullptr_t"},
      {"complex float", "_Complex float"},
      {"complex double", "_Complex double"},
      {"complex long double", "_Complex long double"},
      {"complex", "_Complex double"}};
  for (const auto &[From, To] : kNames)
    if (Name == From)
      return std::string(To);
  return std::string(Name);
}

namespace {

bool isWord(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

/// Reads a demangler's spelling, arguments first.
class TextReader {
public:
  explicit TextReader(std::string_view From) : Text(From) {}

  std::optional<std::string> run() {
    std::string Out = type(0);
    return Failed || At != Text.size() ? std::nullopt
                                       : std::optional(std::move(Out));
  }

private:
  void skipBlanks() {
    while (At < Text.size() && Text[At] == ' ')
      ++At;
  }

  /// Reads up to a comma or the enclosing level's closing bracket.
  std::string type(unsigned Depth) {
    std::string Out;
    if (Depth > 100)
      Failed = true;
    while (!Failed && At < Text.size()) {
      const char C = Text[At];
      if (C == ',' || C == '>' || C == ')')
        break;
      if (C == '<') {
        arguments(Out, Depth);
      } else if (C == '(') {
        parentheses(Out, Depth);
      } else if (isWord(C)) {
        size_t End = At;
        while (End < Text.size() && isWord(Text[End]))
          ++End;
        const std::string_view Word = Text.substr(At, End - At);
        At = End;
        if (isInlineNamespace(Word) && Text.substr(At).starts_with("::") &&
            Out.ends_with("::"))
          At += 2;
        else
          Out += Word;
      } else if (C == '*' || C == '&') {
        if (!Out.empty() && (isWord(Out.back()) || Out.back() == '>'))
          Out += ' ';
        Out += C;
        ++At;
      } else {
        Out += C;
        ++At;
      }
    }
    while (!Out.empty() && Out.back() == ' ')
      Out.pop_back();
    return constFirst(withBuiltin(std::move(Out)));
  }

  /// gcc's `long unsigned int *` to `unsigned long *`.
  static std::string withBuiltin(std::string Type) {
    constexpr std::string_view kConst = "const ";
    const size_t Begin = Type.starts_with(kConst) ? kConst.size() : 0;
    const size_t End = std::min(Type.find_first_of("*&<(", Begin), Type.size());
    size_t Last = End;
    while (Last > Begin && Type[Last - 1] == ' ')
      --Last;
    const std::string_view Word(&Type[Begin], Last - Begin);
    if (Word.find(' ') != Word.npos)
      Type.replace(Begin, Last - Begin, builtinName(Word));
    return Type;
  }

  void parentheses(std::string &Out, unsigned Depth) {
    static constexpr std::string_view kUnnamed = "(anonymous namespace)";
    if (Text.substr(At).starts_with(kUnnamed)) {
      Out += kUnnamed;
      At += kUnnamed.size();
      return;
    }
    Out += Text[At++];
    while (!Failed) {
      skipBlanks();
      Out += type(Depth + 1);
      if (At >= Text.size() || Text[At] == '>') {
        Failed = true;
        return;
      }
      if (Text[At++] == ')')
        break;
      Out += ", ";
    }
    Out += ')';
  }

  void arguments(std::string &Out, unsigned Depth) {
    ++At;
    size_t Begin = Out.rfind(' ');
    Begin = Begin == std::string::npos ? 0 : Begin + 1;
    const std::string Name = Out.substr(Begin);
    std::vector<TemplateArgument> Args;
    while (!Failed) {
      skipBlanks();
      if (At < Text.size() && Text[At] == '>' && Args.empty()) {
        ++At;
        break;
      }
      Args.push_back({type(Depth + 1), false, false});
      if (At >= Text.size() || Text[At] == ')') {
        Failed = true;
        return;
      }
      if (Text[At++] == '>')
        break;
    }
    dropDefaults(Name, Args);
    Out += '<';
    for (size_t I = 0; I < Args.size(); ++I)
      Out += (I ? ", " : "") + literal(Args[I].Text);
    Out += '>';
  }

  /// `1ul` is 1, `(bool)1` is true.
  static std::string literal(std::string Value) {
    if (Value == "(bool)1")
      return "true";
    if (Value == "(bool)0")
      return "false";
    if (Value == "(__gnu_cxx::_Lock_policy)2")
      return "__gnu_cxx::_S_atomic";
    const size_t Digits = Value.find_first_not_of("0123456789");
    if (Digits != 0 && Digits != std::string::npos &&
        Value.find_first_not_of("ul", Digits) == std::string::npos)
      Value.resize(Digits);
    return Value;
  }

  /// `Foo const*` to `const Foo *`.
  static std::string constFirst(std::string Type) {
    constexpr std::string_view kConst = " const";
    int Depth = 0;
    for (size_t I = 1; I < Type.size(); ++I) {
      const char C = Type[I];
      Depth += (C == '<' || C == '(') - (C == '>' || C == ')');
      if (Depth == 0 && Type.compare(I, kConst.size(), kConst) == 0 &&
          (I + kConst.size() == Type.size() ||
           !isWord(Type[I + kConst.size()]))) {
        Type.erase(I, kConst.size());
        return "const " + Type;
      }
      if (C == '*' || C == '&')
        break;
    }
    return Type;
  }

  std::string_view Text;
  size_t At = 0;
  bool Failed = false;
};

} // namespace

std::string canonicalText(std::string_view Name) {
  return TextReader(Name).run().value_or(std::string(Name));
}

} // namespace inmem::debuginfo
