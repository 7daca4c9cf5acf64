// SPDX-License-Identifier: MIT
#include "tools/dunlin/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/dunlin/help.h"
#include "tools/dunlin/jobs/job_flags.h"

// CLI11 changes the words it reads: it takes "[a,b]" for a list of two and drops "[]". A task must
// get exactly the words that its user typed, so they are cut off before CLI11 sees the line. The
// place of the cut depends on which flags take the next word as a value; the descriptions of the
// commands say so, and nothing else needs to know. A flag that they do not know ends the search,
// because the word after it may be its value or the user's command.
namespace dunlin::cli {
namespace {

// A single dash is a word (stdin, mostly), and "--" ends the flags.
bool is_flag(const std::string& word) {
  return word.size() > 1 && word.front() == '-' && word != "--";
}

/// A word that begins with a dash, as `app` understands it.
enum class Flag {
  unknown,
  whole,        ///< All of it is in the word.
  wants_value,  ///< The next word is its value.
  empty_value   ///< "--name=": CLI11 would take the next word all the same.
};

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_min() > 0;
}

Flag read_long(const CLI::App& app, const std::string& word) {
  const std::size_t equals = word.find('=');
  const CLI::Option* const option = app.get_option_no_throw(word.substr(0, equals));
  if (option == nullptr) return Flag::unknown;
  if (!takes_value(*option)) return Flag::whole;
  if (equals == word.npos) return Flag::wants_value;
  return equals + 1 == word.size() ? Flag::empty_value : Flag::whole;
}

/// "-q", "-n5" or "-qn5": flags in one word, until one of them takes the rest as its value.
Flag read_short(const CLI::App& app, const std::string& word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    const CLI::Option* const option = app.get_option_no_throw({'-', word[i]});
    if (option == nullptr) return Flag::unknown;
    if (takes_value(*option)) return i + 1 == word.size() ? Flag::wants_value : Flag::whole;
  }
  return Flag::whole;
}

/// Moves the first word of `rest` to `taken`, if there is one.
void take(Words& rest, std::vector<std::string>& taken) {
  if (rest.empty()) return;
  taken.push_back(rest.front());
  rest = rest.subspan(1);
}

/// Moves flags of `app` with their values from the front of `rest` to `taken`. Stops at a word that
/// is no flag, and at an unknown flag.
void take_flags(const CLI::App& app, Words& rest, std::vector<std::string>& taken) {
  while (!rest.empty() && is_flag(rest.front())) {
    const std::string& word = rest.front();
    const Flag flag = word.starts_with("--") ? read_long(app, word) : read_short(app, word);
    if (flag == Flag::unknown) return;
    take(rest, taken);
    if (flag == Flag::wants_value) take(rest, taken);
    if (flag == Flag::empty_value) {
      taken.back().pop_back();
      taken.emplace_back();
    }
  }
}

bool has_commands(const CLI::App& app) {
  return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
}

bool takes_command(const CLI::App& app) {
  return app.get_option_no_throw(kCommandWords) != nullptr;
}

}  // namespace

std::string command_name(const CLI::App& app, Words words) {
  std::vector<std::string> flags;
  take_flags(app, words, flags);
  return words.empty() ? "" : words.front();
}

Result<CutLine> cut(const CLI::App& app, Words words) {
  CutLine line;
  const CLI::App* called = &app;
  take_flags(*called, words, line.ours);
  while (!words.empty()) {
    const CLI::App* const below = command_below(*called, words.front());
    if (below == nullptr) break;
    called = below;
    take(words, line.ours);
    take_flags(*called, words, line.ours);
  }
  if (words.empty()) return line;
  const std::string& word = words.front();
  const bool wraps = takes_command(*called);
  // Told here, with the nearest word: for CLI11 it would be an argument too many.
  if (has_commands(*called) || (wraps && is_flag(word))) {
    return failure(ErrorKind::usage, unknown_word(*called, word));
  }
  auto& rest = wraps ? line.command : line.ours;
  // Only the first: a second one is the user's, and belongs to the command.
  if (wraps && word == "--") words = words.subspan(1);
  rest.insert(rest.end(), words.begin(), words.end());
  return line;
}

}  // namespace dunlin::cli
