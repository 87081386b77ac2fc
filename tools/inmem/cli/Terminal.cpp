//===- Terminal.cpp - Style of text for a terminal ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Terminal.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace inmem::tools {

static bool localeIsUtf8() {
  // The first that is set and not empty counts, as for setlocale().
  for (const char *Name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char *Value = std::getenv(Name); Value && *Value) {
      std::string Text(Value);
      std::transform(Text.begin(), Text.end(), Text.begin(), [](char C) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(C)));
      });
      return Text.find("utf-8") != std::string::npos ||
             Text.find("utf8") != std::string::npos;
    }
  return false;
}

void addColourOption(CommandLine &App, ColourMode &Into,
                     const std::string &Help, const std::string &Names) {
  App.choice(Names, Into,
             {{"auto", ColourMode::Auto},
              {"always", ColourMode::Always},
              {"never", ColourMode::Never}},
             Help)
      .valueName("WHEN")
      .showDefault();
}

report::Style styleFor(int Fd, ColourMode Colour) {
  report::Style S;
  const bool Terminal = Fd >= 0 && isatty(Fd);
  const char *Columns = std::getenv("COLUMNS");
  const long Asked = Columns ? std::strtol(Columns, nullptr, 10) : 0;
  winsize Size{};
  if (Asked > 0)
    S.Width = static_cast<unsigned>(std::clamp(Asked, 40L, 1000L));
  else if (Terminal && ioctl(Fd, TIOCGWINSZ, &Size) == 0 && Size.ws_col > 0)
    S.Width = std::clamp<unsigned>(Size.ws_col, 40, 1000);
  const char *NoColour = std::getenv("NO_COLOR");
  const char *Term = std::getenv("TERM");
  S.Colour =
      Colour == ColourMode::Always ||
      (Colour == ColourMode::Auto && Terminal && !(NoColour && *NoColour) &&
       !(Term && std::string_view(Term) == "dumb"));
  S.Unicode = localeIsUtf8();
  return S;
}

} // namespace inmem::tools
