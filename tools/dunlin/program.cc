// SPDX-License-Identifier: MIT
#include "tools/dunlin/program.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "tools/dunlin/grammar_parts.h"
#include "tools/dunlin/help.h"

// A line is read in two passes. The first finds which command it names, so that only that one is
// described; the second reads it. The words of a user's own command are cut off before: CLI11 would
// take some of them for flags of ours.
namespace dunlin::cli {
namespace {

constexpr const char* kFirstSteps =
    "Begin with `dunlin dev`; then, in another terminal, `dunlin run -- echo hello`.";

/// Fails if a flag before the command's name means nothing to that command.
// The program itself has the flags of clients, so CLI11 takes --json before a command that has
// none.
Result<void> check_leading_flags(const CLI::App& app) {
  const CLI::App& command = named_command(app);
  for (const CLI::Option* const option : app.get_options()) {
    const std::string flag = "--" + option->get_lnames().front();
    if (option->count() > 0 && command.get_option_no_throw(flag) == nullptr) {
      return failure(ErrorKind::usage, "no such flag: " + flag + see_help(command));
    }
  }
  return {};
}

}  // namespace

void describe_program(CLI::App& app, Invocation& invocation) {
  app.description("A cluster resource manager with no head node");
  app.name("dunlin");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "dunlin " DUNLIN_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  // None is no error for CLI11: then the help is shown, with a status of its own.
  app.require_subcommand(0, 1);
  app.footer(kFirstSteps);
  // Each command has these flags too, so that they may stand on either side of its name.
  add_client_flags(app, invocation.globals);
}

std::vector<std::string> with_command(std::vector<std::string> words, std::string_view command) {
  if (command.empty() || std::ranges::find(words, "--version") != words.end()) return words;
  CLI::App app;
  Invocation unused;
  describe_program(app, unused);
  // A flag that only the command knows ends the search, and stands where the name would.
  const std::string named = command_name(app, words);
  if (named.empty() || named.starts_with('-')) words.emplace(words.begin(), command);
  return words;
}

Result<void> read_line(
    CLI::App& app, Invocation& invocation, Words words, std::span<const Command> commands) {
  describe_program(app, invocation);
  add_commands(app, invocation, commands, command_name(app, words));
  auto line = cut(app, words);
  if (!line) return tl::unexpected(line.error());
  // Which of both is on the line is not known yet: the other one is not looked at.
  invocation.run.job.command = line->command;
  invocation.submit.job.command = std::move(line->command);
  std::ranges::reverse(line->ours);  // CLI11 takes words in reverse.
  try {
    app.parse(std::move(line->ours));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    return failure(ErrorKind::usage, usage_problem(app, error));
  }
  return check_leading_flags(app);
}

}  // namespace dunlin::cli
