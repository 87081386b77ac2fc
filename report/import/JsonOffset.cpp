//===- JsonOffset.cpp - Positions of values in a JSON text ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/import/Offsets.h"

#include <fmt/format.h>
#include <iterator>

namespace inmem::report {

namespace {

/// The position of \p Node in \p Root, counting values in a parser's order.
size_t numberOf(const Json &Root, const Json &Node) {
  std::vector<std::pair<Json::const_iterator, Json::const_iterator>> Path;
  size_t Number = 0;
  const Json *At = &Root;
  while (At != &Node) {
    if (At->is_structured())
      Path.emplace_back(At->cbegin(), At->cend());
    while (!Path.empty() && Path.back().first == Path.back().second)
      Path.pop_back();
    if (Path.empty())
      break; // Node is not in the tree
    At = &*Path.back().first++;
    ++Number;
  }
  return Number;
}

/// Records how far a parser has read.
class Cursor {
public:
  // NOLINTBEGIN(readability-identifier-naming): names of the standard
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;
  // NOLINTEND(readability-identifier-naming)

  Cursor(std::string_view Of, size_t Start, size_t &Position)
      : Text(Of), At(Start), Read(&Position) {}
  const char &operator*() const { return Text[At]; }
  Cursor &operator++() {
    *Read = ++At;
    return *this;
  }
  bool operator==(const Cursor &Other) const { return At == Other.At; }

private:
  std::string_view Text;
  size_t At;
  size_t *Read;
};

/// Stops at the value with a number, and records where it begins.
class ValueFinder : public nlohmann::json_sax<Json> {
public:
  ValueFinder(std::string_view Of, size_t Number) : Text(Of), Left(Number) {}

  size_t find() {
    Json::sax_parse(Cursor(Text, 0, Read), Cursor(Text, Text.size(), Ignored),
                    this);
    return Began;
  }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t &) override {
    return value();
  }
  bool string(string_t &) override { return value(); }
  bool binary(binary_t &) override { return value(); }
  bool start_object(std::size_t) override { return value(); }
  bool start_array(std::size_t) override { return value(); }
  bool end_object() override { return passed(); }
  bool end_array() override { return passed(); }
  bool key(string_t &) override { return passed(); }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return false;
  }

private:
  bool passed() {
    Before = Read;
    return true;
  }
  bool value() {
    // The parser has also read the character after a number.
    Began = std::min(Text.find_first_not_of(" \t\r\n,:", Before), Text.size());
    passed();
    return Left-- > 0;
  }

  std::string_view Text;
  size_t Left;
  size_t Read = 0, Ignored = 0;
  size_t Before = 0; ///< the end of the preceding text
  size_t Began = 0;
};

std::string_view textOf(const trace::Buffer &File) {
  return {reinterpret_cast<const char *>(File.bytes().data()),
          File.bytes().size()};
}

} // namespace

size_t offsetOf(std::string_view Text, const Json &Root, const Json &Node) {
  return ValueFinder(Text, numberOf(Root, Node)).find();
}

std::string shownJson(const Json &Value) {
  if (Value.is_structured()) // dump() recurses, and the depth is unlimited
    return Value.is_array() ? "an array" : "an object";
  std::string Text = Value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (Text.size() > 60)
    Text = Text.substr(0, 57) + "...";
  return Text;
}

const Json &memberOf(const Json &Object, const char *Name) {
  const auto At = Object.find(Name);
  if (At == Object.end())
    throw WrongJson{&Object, fmt::format("member \"{}\"", Name), "it",
                    "nothing"};
  return *At;
}

const Json &arrayIn(const Json &Object, const char *Name) {
  const Json &Value = memberOf(Object, Name);
  if (!Value.is_array())
    throw WrongJson{&Value, fmt::format("member \"{}\"", Name), "an array",
                    shownJson(Value)};
  return Value;
}

uint64_t numberIn(const Json &Object, const char *Name) {
  const Json &Value = memberOf(Object, Name);
  if (!Value.is_number_unsigned())
    throw WrongJson{&Value, fmt::format("member \"{}\"", Name),
                    "a number of 0 or more", shownJson(Value)};
  return Value.get<uint64_t>();
}

std::string textIn(const Json &Object, const char *Name) {
  const Json &Value = memberOf(Object, Name);
  if (!Value.is_string())
    throw WrongJson{&Value, fmt::format("member \"{}\"", Name), "a string",
                    shownJson(Value)};
  return Value.get<std::string>();
}

trace::Status parseJson(const trace::Buffer &File, const char *Kind,
                        const std::function<void(const Json &)> &Read) {
  const std::string_view Text = textOf(File);
  Json Root;
  try {
    Root = Json::parse(Text.begin(), Text.end());
    Read(Root);
  } catch (const Json::parse_error &E) {
    const uint64_t At = E.byte ? E.byte - 1 : 0;
    return trace::Status::at(File.name(), At, Kind, "JSON",
                             At < Text.size() ? "something else"
                                              : "the end of the file");
  } catch (const WrongJson &W) {
    return trace::Status::at(File.name(), offsetOf(Text, Root, *W.At), W.What,
                             W.Expected, W.Found);
  }
  return {};
}

} // namespace inmem::report
