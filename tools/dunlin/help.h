// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace dunlin::cli {

/// Help texts of 80 columns, the width of a terminal that nobody widened, that name a flag, its
/// value and its effect, and no more.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kIndent); }

  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  static constexpr std::size_t kIndent = 28;
  static constexpr std::size_t kColumns = 80;
};

/// "no such flag: --cpu (did you mean --cpus?)": the error in a line that could not be read.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error);

/// The command that the parsed line called, or the program itself.
const CLI::App& named_command(const CLI::App& app);

/// " (dunlin jobs --help)".
std::string see_help(const CLI::App& command);

/// "no such command: jbos (did you mean jobs?)": the error for a word that `command` has no use
/// for.
std::string unknown_word(const CLI::App& command, const std::string& as_typed);

/// The command of `app` with the name `name`; null if there is none.
const CLI::App* command_below(const CLI::App& app, std::string_view name);

/// The word of `known` that `word` most likely stands for; empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace dunlin::cli
