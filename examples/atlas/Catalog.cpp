// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Catalog.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace atlas {

void Catalog::loadFile(const std::filesystem::path &file,
                       const std::string &list, Kind kind, const char *codeKey,
                       const char *detailKey) {
  std::ifstream in(file);
  if (!in)
    throw std::runtime_error("cannot open " + file.string() +
                             " (Debian package iso-codes)");
  try {
    const nlohmann::json document = nlohmann::json::parse(in);
    for (const nlohmann::json &entry : document.at(list)) {
      Record record{kind, entry.at(codeKey), entry.at("name"),
                    entry.value(detailKey, "")};
      records_.push_back(std::make_shared<Record>(std::move(record)));
    }
  } catch (const nlohmann::json::exception &error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

Catalog Catalog::load(const std::filesystem::path &folder) {
  Catalog catalog;
  catalog.loadFile(folder / "iso_3166-1.json", "3166-1", Country, "alpha_2",
                   "official_name");
  catalog.loadFile(folder / "iso_3166-2.json", "3166-2", Subdivision, "code",
                   "type");
  catalog.loadFile(folder / "iso_639-3.json", "639-3", Language, "alpha_3",
                   "inverted_name");
  catalog.loadFile(folder / "iso_4217.json", "4217", Currency, "alpha_3",
                   "numeric");
  catalog.loadFile(folder / "iso_15924.json", "15924", Script, "alpha_4",
                   "numeric");
  return catalog;
}

} // namespace atlas
