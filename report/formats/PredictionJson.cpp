//===- PredictionJson.cpp - Predictions, right and wrong, as JSON ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/JsonParts.h"

namespace inmem::report {

Json printPredictionsJson(const PredictionCheck &Checked,
                          const std::vector<std::string> &Notes) {
  const auto Sum = [](const PredictionSum &H) {
    return Json{
        {"contexts", H.Contexts}, {"blocks", H.Blocks}, {"bytes", H.Bytes}};
  };
  Json Contexts = Json::array();
  for (const PredictedContext &C : Checked.Contexts) {
    Json Frames = Json::array();
    for (const CodeFrame &F : Checked.framesOf(C))
      Frames.push_back({{"function", F.Function},
                        {"line_offset", F.LineOffset},
                        {"column", F.Column},
                        {"inlined", F.Inlined}});
    Contexts.push_back({{"frames", Frames},
                        {"predicted", nameOf(C.Predicted)},
                        {"was", nameOf(C.Lifetimes.lifetimeClass())},
                        {"held", C.held()},
                        {"blocks", C.Lifetimes.Blocks},
                        {"bytes", C.Lifetimes.Bytes}});
  }
  return {{"held", Sum(Checked.Kept)},
          {"missed", Sum(Checked.Missed)},
          {"unknown", Sum(Checked.Unknown)},
          {"held_share", Checked.share()},
          {"notes", Notes},
          {"contexts", Contexts}};
}

} // namespace inmem::report
