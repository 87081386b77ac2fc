//===- Question.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/Question.h"

#include "fleet/tables/Durable.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

static bool isWord(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) != 0 || C == '_';
}

/// Reads `:top integer 20 rows`.
static std::optional<QuestionParameter> parseParameter(std::string_view Line) {
  std::istringstream In{std::string(Line.substr(1))};
  QuestionParameter Out;
  std::string Type, Default;
  if (!(In >> Out.Name >> Type >> Default) ||
      (Type != "integer" && Type != "text"))
    return std::nullopt;
  Out.Integer = Type == "integer";
  if (Default != "-")
    Out.Default = Default;
  std::getline(In >> std::ws, Out.Help);
  return Out;
}

Result<Question> parseQuestion(const std::string &Name,
                               const std::string &Text) {
  Question Out;
  Out.Name = Name;
  std::istringstream In(Text);
  std::string Line;
  while (std::getline(In, Line)) {
    if (!Line.starts_with("-- ")) {
      Out.Sql += Line + '\n';
      continue;
    }
    const std::string_view Comment = std::string_view(Line).substr(3);
    if (!Comment.starts_with(':')) {
      if (Out.Help.empty() && !Comment.starts_with("SPDX-"))
        Out.Help = Comment;
      continue;
    }
    auto Parameter = parseParameter(Comment);
    if (!Parameter)
      return Status::error(Name + ".sql",
                           "expected `-- :name integer|text default help`, "
                           "found `" +
                               Line + '`');
    Out.Parameters.push_back(std::move(*Parameter));
  }
  if (Out.Help.empty())
    return Status::error(Name + ".sql", "has no line of help");
  return Out;
}

Result<std::vector<Question>> storedQuestions(const fs::path &Folder) {
  std::vector<fs::path> Files;
  std::error_code Error;
  for (const auto &File : fs::directory_iterator(Folder, Error))
    if (File.path().extension() == ".sql")
      Files.push_back(File.path());
  if (Error)
    return Status::error(Folder.string(), "cannot be read: " + Error.message());
  std::ranges::sort(Files);
  std::vector<Question> Out;
  for (const fs::path &File : Files) {
    const auto Text = readAll(File);
    if (!Text)
      return Text.status();
    auto Q = parseQuestion(File.stem().string(), *Text);
    if (!Q)
      return Q.status();
    Out.push_back(std::move(*Q));
  }
  return Out;
}

/// The end of the token at Start if it is quoted text, a quoted name or a
/// comment; Start otherwise.
static size_t endOfQuoted(std::string_view Sql, size_t Start) {
  const auto After = [&](std::string_view End, size_t From) {
    const size_t At = Sql.find(End, From);
    return At == std::string_view::npos ? Sql.size() : At + End.size();
  };
  if (Sql[Start] == '\'' || Sql[Start] == '"')
    return After(Sql.substr(Start, 1), Start + 1);
  if (Sql.substr(Start, 2) == "--")
    return After("\n", Start);
  if (Sql.substr(Start, 2) == "/*")
    return After("*/", Start + 2);
  return Start;
}

std::string withDollars(std::string_view Sql) {
  std::string Out;
  for (size_t I = 0; I < Sql.size();) {
    if (const size_t End = endOfQuoted(Sql, I); End > I) {
      Out += Sql.substr(I, End - I);
      I = End;
      continue;
    }
    const bool Name = Sql[I] == ':' && I + 1 < Sql.size() &&
                      isWord(Sql[I + 1]) &&
                      std::isdigit(static_cast<unsigned char>(Sql[I + 1])) == 0;
    const bool Cast = I > 0 && Sql[I - 1] == ':';
    Out += Name && !Cast ? '$' : Sql[I];
    ++I;
  }
  return Out;
}

static std::optional<int64_t> asInteger(const std::string &Text) {
  int64_t Out = 0;
  const char *End = Text.data() + Text.size();
  const auto [At, Error] = std::from_chars(Text.data(), End, Out);
  return Error == std::errc() && At == End && !Text.empty() ? std::optional(Out)
                                                            : std::nullopt;
}

Result<std::vector<Parameter>>
valuesFor(const Question &Q, const std::vector<std::string> &Words) {
  std::vector<std::pair<std::string, std::string>> Given;
  for (const std::string &Word : Words) {
    const size_t Equals = Word.find('=');
    if (Equals == std::string::npos || Equals == 0)
      return Status::error("", "--param: expected name=value, found '" + Word +
                                   "'");
    Given.emplace_back(Word.substr(0, Equals), Word.substr(Equals + 1));
  }
  std::vector<Parameter> Out;
  if (Q.Name.empty()) {
    for (const auto &[Name, Value] : Given) {
      const auto Number = asInteger(Value);
      if (Number)
        Out.push_back({Name, *Number});
      else
        Out.push_back({Name, Value});
    }
    return Out;
  }
  for (const auto &[Name, Value] : Given)
    if (std::ranges::find(Q.Parameters, Name, &QuestionParameter::Name) ==
        Q.Parameters.end())
      return Status::error("", "--param: " + Q.Name + " has no parameter '" +
                                   Name + "'");
  for (const QuestionParameter &P : Q.Parameters) {
    std::optional<std::string> Value = P.Default;
    for (const auto &[Name, Text] : Given)
      if (Name == P.Name)
        Value = Text;
    if (!Value)
      return Status::error("", Q.Name + " needs --param " + P.Name + "=… (" +
                                   P.Help + ")");
    if (!P.Integer) {
      Out.push_back({P.Name, *Value});
      continue;
    }
    const auto Number = asInteger(*Value);
    if (!Number)
      return Status::error("", "--param " + P.Name +
                                   ": expected a number, found '" + *Value +
                                   "'");
    Out.push_back({P.Name, *Number});
  }
  return Out;
}

} // namespace inmem::fleet
