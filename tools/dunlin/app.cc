// SPDX-License-Identifier: MIT
#include "tools/dunlin/app.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/json.h"

namespace dunlin::cli {
namespace {

int report(const Error& error, bool json) {
  if (json)
    print_json_error(error);
  else
    std::fprintf(stderr, "dunlin: %s\n", error.text.c_str());
  return exit_status(error);
}

/// True if `--json` stands among our own words: a line that is not understood is answered in kind.
bool wants_json(int argc, char** argv) {
  return std::any_of(argv + std::min(argc, 1), argv + argc,
      [](const char* word) { return std::string_view(word) == "--json"; });
}

}  // namespace

int run(int argc, char** argv) {
  Invocation invocation;
  CLI::App app("A cluster resource manager with no head node", "dunlin");
  app.set_version_flag("--version", "dunlin " DUNLIN_VERSION);
  app.require_subcommand(0, 1);
  app.footer("Begin with: dunlin dev          then, in another terminal: dunlin run -- echo hello");
  add_commands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return report({ErrorKind::usage, std::string(error.what()) + " (dunlin --help)", 0},
        wants_json(argc, argv));
  }
  if (!invocation.action) {
    std::fputs(app.help().c_str(), stdout);
    return kUsage;
  }
  const auto status = invocation.action();
  if (!status) return report(status.error(), invocation.globals.json);
  // A full disk or a closed pipe must not pass for success.
  if (std::fflush(stdout) != 0 && *status == kSuccess) {
    return report({ErrorKind::io, "cannot write to stdout", 0}, false);
  }
  return *status;
}

}  // namespace dunlin::cli
