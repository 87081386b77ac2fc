//===- Config.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/folder/Config.h"

#include "report/base/Units.h"
#include "report/compare/Toml.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

DefaultLabels FleetConfig::labelsOf(std::string_view Service) const {
  DefaultLabels Out = Labels;
  if (const auto Own = Services.find(Service); Own != Services.end())
    for (const auto &[Name, Value] : Own->second.Labels)
      Out[Name] = Value;
  return Out;
}

Status checkLabel(std::string_view Name, std::string_view Value) {
  const auto Plain = [](std::string_view Text) {
    return std::ranges::none_of(Text, [](char C) {
      return C == ',' || C == ':' || C == '=' ||
             static_cast<unsigned char>(C) < ' ';
    });
  };
  std::string Wrong;
  if (Name.empty() || !Plain(Name) || Value.empty() || !Plain(Value))
    Wrong = "name and value without `,`, `:`, `=` and line breaks";
  else if (std::max(Name.size(), Value.size()) > kLongestLabel)
    Wrong = fmt::format("at most {} bytes", kLongestLabel);
  if (Wrong.empty())
    return {};
  return Status::error("",
                       fmt::format("expected a label of {}, found {}=\"{}\"",
                                   Wrong, Name, Value));
}

namespace {

class ConfigParser {
public:
  explicit ConfigParser(const std::string &File) : File(File) {}

  Result<FleetConfig> run(const std::string &Text);

private:
  void fail(const toml::source_region &At, const std::string &What) {
    if (Error.ok())
      Error = Status::error(
          fmt::format("{}:{}:{}", File, At.begin.line, At.begin.column), What);
  }
  /// Null, and an error, unless it is a table.
  const toml::table *tableOf(const toml::key &Key, const toml::node &Node);
  DefaultLabels labels(const toml::table &In, bool OfService);
  ServiceConfig service(const toml::table &In);
  uint64_t sampleBytes(const toml::node &Node);

  std::string File;
  Status Error;
};

const toml::table *ConfigParser::tableOf(const toml::key &Key,
                                         const toml::node &Node) {
  if (!Node.is_table())
    fail(Node.source(), fmt::format("{}: expected a table", Key.str()));
  return Node.as_table();
}

DefaultLabels ConfigParser::labels(const toml::table &In, bool OfService) {
  DefaultLabels Out;
  for (const auto &[Key, Node] : In) {
    const auto *Text = Node.as_string();
    const std::string Name(Key.str());
    if (!Text)
      fail(Node.source(), Name + ": expected a text");
    else if (const Status Bad = checkLabel(Name, Text->get()); !Bad.ok())
      fail(Node.source(), Bad.str());
    else if (OfService && Name == "service")
      fail(Key.source(), "service: a service's labels cannot change its name");
    else
      Out.emplace(Name, Text->get());
  }
  if (Out.size() > kMostLabels)
    fail(In.source(), fmt::format("labels: expected at most {}, found {}",
                                  kMostLabels, Out.size()));
  return Out;
}

uint64_t ConfigParser::sampleBytes(const toml::node &Node) {
  std::optional<uint64_t> Out;
  if (const auto *Number = Node.as_integer(); Number && Number->get() >= 0)
    Out = static_cast<uint64_t>(Number->get());
  else if (const auto *Text = Node.as_string())
    Out = report::parseBytes(Text->get());
  if (!Out)
    fail(Node.source(),
         "sample_bytes: expected a size such as 524288 or \"512 KiB\"");
  return Out.value_or(0);
}

ServiceConfig ConfigParser::service(const toml::table &In) {
  ServiceConfig Out;
  for (const auto &[Key, Node] : In) {
    if (Key == "labels") {
      if (const toml::table *Table = tableOf(Key, Node))
        Out.Labels = labels(*Table, true);
    } else if (Key == "sample_bytes") {
      Out.SampleBytes = sampleBytes(Node);
    } else {
      fail(Key.source(), fmt::format("expected labels or sample_bytes, found "
                                     "\"{}\"",
                                     Key.str()));
    }
  }
  return Out;
}

Result<FleetConfig> ConfigParser::run(const std::string &Text) {
  const toml::parse_result Parsed = toml::parse(Text, File);
  if (!Parsed) {
    fail(Parsed.error().source(), std::string(Parsed.error().description()));
    return Error;
  }
  FleetConfig Out;
  for (const auto &[Key, Node] : Parsed.table()) {
    if (Key != "labels" && Key != "services") {
      fail(Key.source(), fmt::format("expected labels or services, found "
                                     "\"{}\"",
                                     Key.str()));
      continue;
    }
    const toml::table *Table = tableOf(Key, Node);
    if (!Table)
      continue;
    if (Key == "labels") {
      Out.Labels = labels(*Table, false);
      continue;
    }
    for (const auto &[Name, Of] : *Table)
      if (const toml::table *One = tableOf(Name, Of))
        Out.Services.emplace(Name.str(), service(*One));
  }
  if (!Error.ok())
    return Error;
  return Out;
}

} // namespace

Result<FleetConfig> readConfig(const std::string &Text,
                               const std::string &Name) {
  return ConfigParser(Name).run(Text);
}

std::string optionsFor(const FleetConfig &Config, const std::string &Service,
                       DefaultLabels Labels, bool Exact) {
  Labels.insert_or_assign("service", Service);
  Labels.merge(Config.labelsOf(Service));
  std::string Out;
  for (const auto &[Name, Value] : Labels)
    Out += fmt::format("{}{}={}", Out.empty() ? "labels=" : ",", Name, Value);
  const auto Own = Config.Services.find(Service);
  if (!Exact && Own != Config.Services.end() && Own->second.SampleBytes != 0)
    Out += fmt::format(":sample_bytes={}", Own->second.SampleBytes);
  return Out;
}

} // namespace inmem::fleet
