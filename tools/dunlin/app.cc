// SPDX-License-Identifier: MIT
#include "tools/dunlin/app.h"

#include <cstdio>
#include <span>
#include <string_view>

#include "tools/dunlin/connection/json.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/help.h"

namespace dunlin::cli {
namespace {

constexpr const char* kFirstSteps =
    "Begin with `dunlin dev`; then, in another terminal, `dunlin run -- echo hello`.";

int report(const Error& error, bool json) {
  if (json) {
    print_json_error(error);
  } else {
    std::fprintf(stderr, "dunlin: %s\n", error.text.c_str());
  }
  return exit_status(error);
}

/// The first word that is no flag: the command's name.
std::string_view command_of(std::span<char* const> words) {
  for (const char* const word : words) {
    if (*word != '-') return word;
  }
  return "";
}

/// True if `--json` stands among our own words: a line that is not understood is answered in kind.
bool wants_json(std::span<char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--json") return true;
    if (word == "--") break;
  }
  return false;
}

}  // namespace

int run(int argc, char** argv) {
  const std::span<char* const> words(argv + 1, static_cast<std::size_t>(argc > 1 ? argc - 1 : 0));
  Invocation invocation;
  CLI::App app("A cluster resource manager with no head node", "dunlin");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "dunlin " DUNLIN_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(0, 1);
  add_commands(app, invocation, command_of(words));
  app.footer(kFirstSteps);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return report({ErrorKind::usage, usage_problem(app, error), 0}, wants_json(words));
  }
  if (!invocation.action) {
    std::fputs(app.help().c_str(), stderr);
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
