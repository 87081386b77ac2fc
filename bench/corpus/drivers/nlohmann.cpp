// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command line and a document bound to structures: an extreme of template
// use.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using nlohmann::json;

struct Item {
  std::string name;
  double price;
  std::vector<int> values;
  std::map<std::string, double> prices;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Item, name, price, values, prices)

int main(int Count, char **Arguments) {
  CLI::App App{"items"};
  std::string File, Format = "text";
  int Indent = 2;
  std::vector<std::string> Keys;
  App.add_option("file", File, "input")->check(CLI::ExistingFile);
  App.add_option("--format", Format)->check(CLI::IsMember({"text", "json"}));
  App.add_option("-i,--indent", Indent)->check(CLI::Range(0, 8));
  App.add_option("-k,--key", Keys);
  auto *List = App.add_subcommand("list", "lists")->fallthrough();
  bool All = false;
  List->add_flag("--all", All);
  CLI11_PARSE(App, Count, Arguments);
  json Document = json::parse(std::ifstream(File), nullptr, false);
  std::vector<Item> Items;
  for (const json &Value : Document.at("items"))
    if (All || std::find(Keys.begin(), Keys.end(),
                         Value.at("name").get_ref<const std::string &>()) !=
                   Keys.end())
      Items.push_back(Value.get<Item>());
  json Out = Items;
  json Copy = {{"items", Out}, {"count", Items.size()}};
  std::cout << Copy.dump(Indent).size() << " " << json::to_cbor(Copy).size()
            << " " << json::diff(Document, Copy).size() << " "
            << Out.flatten().size() << "\n";
}
