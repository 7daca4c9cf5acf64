// SPDX-License-Identifier: MIT
#include "tools/dunlin/help.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "config/renamed.h"
#include "config/text.h"

// Help, and the sentences for lines that are not understood. CLI11's own messages name our
// variables and hide the word that was wrong, so they are taken apart here: a user reads what was
// typed, what was probably meant, and where the help is. Words of other schedulers are known,
// because people type them first.
namespace dunlin::cli {
namespace {

/// The long names of all flags of a command, with their dashes.
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// With the filter that takes all: without one CLI11 gives only those on the line.
std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const below :
      command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(below->get_name());
  }
  return names;
}

/// What users of other systems type first, and how it is said here.
constexpr std::pair<std::string_view, std::string_view> kTheirWords[] = {{"ps", "dunlin jobs"},
    {"ls", "dunlin jobs"}, {"list", "dunlin jobs"}, {"queue", "dunlin jobs"},
    {"squeue", "dunlin jobs"}, {"qstat", "dunlin jobs"}, {"sinfo", "dunlin nodes"},
    {"info", "dunlin nodes"}, {"members", "dunlin nodes"}, {"server", "dunlin agent"},
    {"start", "dunlin agent"}, {"worker", "dunlin agent"}, {"kill", "dunlin cancel JOB"},
    {"stop", "dunlin cancel JOB"}, {"rm", "dunlin cancel JOB"}, {"delete", "dunlin cancel JOB"},
    {"scancel", "dunlin cancel JOB"}, {"qdel", "dunlin cancel JOB"},
    {"sbatch", "dunlin submit -- COMMAND"}, {"qsub", "dunlin submit -- COMMAND"},
    {"batch", "dunlin submit -- COMMAND"}, {"srun", "dunlin run -- COMMAND"},
    {"exec", "dunlin run -- COMMAND"}, {"inspect", "dunlin job JOB"},
    {"describe", "dunlin job JOB"}, {"show", "dunlin job JOB"}, {"sacct", "dunlin jobs --all"},
    {"history", "dunlin jobs --all"}, {"why", "dunlin explain JOB"}, {"log", "dunlin logs JOB"},
    {"output", "dunlin logs JOB"}, {"tail", "dunlin logs -f JOB"}, {"pause", "dunlin hold JOB"},
    {"resume", "dunlin release JOB"}, {"undrain", "dunlin node drain --off NODE"},
    {"cordon", "dunlin node drain NODE"}, {"drain", "dunlin node drain NODE"},
    {"take-over", "dunlin node take-over NODE.JOB"}, {"uncordon", "dunlin node drain --off NODE"}};

/// The command that was meant by a word that is none; empty if none is known.
std::string our_word(const CLI::App& command, std::string_view word) {
  // Only of `dunlin` itself: below a command such a word may be a job's name.
  if (command.get_parent() != nullptr) return "";
  const auto* const theirs =
      std::ranges::find_if(kTheirWords, [&](const auto& each) { return each.first == word; });
  return theirs == std::end(kTheirWords) ? "" : std::string(theirs->second);
}

/// The words of CLI11 for a word that is missing name our variable, "jobs is required"; users know
/// it by the name in the help: "JOB is missing".
std::string missing_word(const CLI::App& command, const std::string& what) {
  const std::string name = what.substr(0, what.find(' '));
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional() || option->get_name(true) != name) continue;
    return command.get_name() + ": " + option->get_type_name() + " is missing";
  }
  const auto below = commands_of(command);
  if (below.empty()) return what;
  std::string names;
  for (const std::string& each : below) names += (names.empty() ? "" : ", ") + each;
  return command.get_name() + ": say what to do: " + names;
}

/// "--priority: Value 900 not in range 0 to 100" and "--sort: x not in {newest,oldest}", as
/// sentences.
std::string refused_value(std::string what) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    const std::size_t at = what.find(from);
    if (at != what.npos) what.replace(at, from.size(), to);
  };
  replace(": Value ", ": ");
  replace(" not in range ", " is not from ");
  const std::size_t list = what.find(" not in {");
  if (list == what.npos || !what.ends_with('}')) return what;
  what.pop_back();
  for (std::size_t at = list; (at = what.find(',', at)) != what.npos; at += 2) {
    what.insert(at + 1, " ");
  }
  replace(" not in {", " is none of ");
  return what;
}

}  // namespace

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0 || option->get_type_name().empty()) return "";
  // A check adds words to the name of the type that only its own error message needs.
  const std::string type = option->get_type_name();
  const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  return " " + type.substr(0, type.find(':')) + (many && option->get_positional() ? "..." : "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  // CLI11 indents the lines after the first.
  return config::wrapped(option->get_description(), kColumns - kIndent, 0);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  std::string line = "  " + command->get_name();
  line.resize(std::max(line.size() + 1, kIndent), ' ');
  return config::wrapped(line + command->get_description(), kColumns, kIndent) + "\n";
}

// As it is to be typed.
std::string see_help(const CLI::App& command) {
  std::string name;
  for (const CLI::App* each = &command; each->get_parent() != nullptr; each = each->get_parent()) {
    name = " " + each->get_name() + name;
  }
  return " (dunlin" + name + " --help)";
}

std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
  // The innermost command: its help is what the user needs.
  const CLI::App& command = named_command(app);
  const std::string what = error.what();
  const std::size_t colon = what.find(": ");
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    return missing_word(command, what) + see_help(command);
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ValidationError)) {
    return refused_value(what) + see_help(command);
  }
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || colon == what.npos)
    return what + see_help(command);
  // CLI11 hides the leftover words once it has failed, but its message ends in them.
  return unknown_word(command, what.substr(colon + 2, what.find(' ', colon + 2) - colon - 2));
}

const CLI::App& named_command(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : named_command(*named.front());
}

std::string unknown_word(const CLI::App& command, const std::string& as_typed) {
  const bool flag = as_typed.starts_with('-');
  // What stands behind "=" is a value, and not misspelt.
  const std::string word = flag ? as_typed.substr(0, as_typed.find('=')) : as_typed;
  const auto renamed =
      flag ? config::renamed_key(word.substr(std::min<std::size_t>(2, word.size()))) : "";
  if (!renamed.empty()) return "no such flag: " + word + renamed;
  const auto known = flag ? flags_of(command) : commands_of(command);
  if (!flag && known.empty()) return "one word too many: " + word + see_help(command);
  if (const auto ours = flag ? "" : our_word(command, word); !ours.empty()) {
    return "no such command: " + word + " (here it is: " + ours + ")";
  }
  const std::string meant = nearest(word, known);
  return (flag ? "no such flag: " : "no such command: ") + word +
      (meant.empty() ? see_help(command) : " (did you mean " + meant + "?)");
}

// By its whole name: what was meant by a part of it nearest() says.
const CLI::App* command_below(const CLI::App& app, std::string_view name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  // The beginning of a longer word was meant to be that word, however much of it is missing.
  constexpr std::size_t kBeginningMin = 3;
  std::string best;
  for (const std::string& each : known) {
    const bool begins =
        word.size() >= kBeginningMin + (word.starts_with("--") ? 2 : 0) && each.starts_with(word);
    if (begins && (best.empty() || each.size() < best.size())) best = each;
  }
  if (!best.empty()) return best;
  const auto bare = [](std::string_view each) {
    return each.substr(std::min(each.find_first_not_of('-'), each.size()));
  };
  const std::string_view typed = bare(word);
  // Of words equally far, the one that begins alike for longer.
  std::size_t far_best = 0;
  std::size_t same_best = 0;
  for (const std::string& each : known) {
    const std::string_view name = bare(each);
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(typed, name).in1 - typed.begin());
    const std::size_t far = config::edit_distance(typed, name);
    // Words that begin alike were meant to be alike; others must be so nearly.
    if (far > (same >= kBeginningMin ? 3 : std::min<std::size_t>(typed.size() / 2, 3))) continue;
    if (!best.empty() && (far > far_best || (far == far_best && same <= same_best))) continue;
    best = each;
    far_best = far;
    same_best = same;
  }
  return best;
}

}  // namespace dunlin::cli
