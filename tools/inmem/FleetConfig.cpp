//===- FleetConfig.cpp - Use of fleet.toml in commands --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"

#include "cli/Output.h"
#include "fleet/tables/Durable.h"

#include <algorithm>

namespace inmem::tools {

using trace::Result;
using trace::Status;

Result<fleet::FleetConfig> readConfigFile(const std::string &File) {
  if (File.empty())
    return fleet::FleetConfig();
  const auto Text = fleet::readAll(File);
  if (!Text)
    return Text.status();
  return fleet::readConfig(*Text, File);
}

Outcome printRunOptions(const std::string &File, const std::string &Service,
                        const std::vector<std::string> &Labels, bool Exact) {
  if (Service.empty())
    return Outcome::usage("fleet options: expected --service NAME");
  const auto Config = readConfigFile(File);
  if (!Config)
    return Outcome::unreadable(Config.status());
  if (const Status Bad = fleet::checkLabel("service", Service); !Bad.ok())
    return Outcome::usage("--service: " + Bad.str());
  fleet::DefaultLabels Own;
  for (const std::string &Word : Labels) {
    const size_t Equals = std::min(Word.find('='), Word.size());
    const std::string Name = Word.substr(0, Equals);
    const std::string Value = Word.substr(std::min(Equals + 1, Word.size()));
    if (const Status Bad = fleet::checkLabel(Name, Value); !Bad.ok())
      return Outcome::usage("--label: " + Bad.str());
    Own[Name] = Value;
  }
  const std::string Text =
      fleet::optionsFor(*Config, Service, std::move(Own), Exact);
  const Status Done = writeText("", stdout, Text + '\n');
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

} // namespace inmem::tools
