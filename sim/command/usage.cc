// SPDX-License-Identifier: MIT
#include "sim/command/usage.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "sim/scenario/advice.h"

namespace dunlin::sim {
namespace {

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

}  // namespace

std::string usage_problem(
    const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const auto named = app.get_subcommands();
  const CLI::App& command = named.empty() ? app : *named.front();
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  const auto plain = std::ranges::find_if_not(words, is_option);
  if (named.empty() && plain != words.end()) {
    return "no such command: " + *plain + advice(*plain, commands_of(app));
  }
  const std::string what = error.what();
  const std::string help =
      " (dunlin-sim" + (named.empty() ? "" : " " + command.get_name()) + " --help)";
  const std::size_t colon = what.find(": ");
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) ||
      colon == std::string::npos) {
    return what + help;
  }
  // CLI11 hides the leftover words once it has failed, but its message ends in them, the last one
  // first. The value of an option that is unknown is left over, too.
  std::istringstream leftover(what.substr(colon + 2));
  const std::vector<std::string> left{std::istream_iterator<std::string>(leftover), {}};
  const auto wrong = std::ranges::find_if(words, [&](const std::string& word) {
    return is_option(word) && std::ranges::find(left, word) != left.end();
  });
  if (wrong == words.end()) return "one word too many: " + left.back() + help;
  const std::string option = wrong->substr(0, wrong->find('='));
  return "no such option: " + option + advice(option, options_of(command));
}

}  // namespace dunlin::sim
