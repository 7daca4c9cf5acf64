// SPDX-License-Identifier: MIT
#include "node/task/placeholders.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "node/command_size.h"

// Placeholders are filled in where a task starts, since only the node which runs it knows them all.
// They are checked where the job is taken, by the same walk over the text, so that the two cannot
// disagree about what a placeholder is.
namespace dunlin::node {
namespace {

struct Known {
  std::string_view name;
  std::string_view PlaceholderValues::* value;
};
constexpr std::array kKnown{
    Known{"TASK_INDEX", &PlaceholderValues::task_index},
    Known{"TASK_COUNT", &PlaceholderValues::task_count},
    Known{"GROUP_INDEX", &PlaceholderValues::group_index},
    Known{"JOB_ID", &PlaceholderValues::job_id},
    Known{"ATTEMPT", &PlaceholderValues::attempt},
    Known{"ENTRY", &PlaceholderValues::entry},
    Known{"NODE", &PlaceholderValues::node},
    Known{"CWD", &PlaceholderValues::cwd},
    Known{"SUBMIT_DIR", &PlaceholderValues::submit_dir},
};

constexpr std::string_view kOpen = "%{";
/// How a text with "%{" in it that is no placeholder is said.
constexpr const char* kCures =
    "write %%{ for these very letters, or --literal (job files: literal = true) for a command "
    "without placeholders";

std::string known_names() {
  std::string names;
  for (const auto& known : kKnown) {
    names += (names.empty() ? "%{" : ", %{") + std::string(known.name) + "}";
  }
  return names;
}

/// Hands the literal stretches of `text` to `literal` and its placeholders to `placeholder`.
template <typename Literal, typename Placeholder>
Result<void> walk(std::string_view text, Literal literal, Placeholder placeholder) {
  const auto whole = text;
  for (;;) {
    const auto begin = text.find(kOpen);
    if (begin == std::string_view::npos) {
      literal(text);
      return {};
    }
    if (begin > 0 && text[begin - 1] == '%') {  // "%%{": the letters themselves.
      literal(text.substr(0, begin - 1));
      literal(kOpen);
      text.remove_prefix(begin + kOpen.size());
      continue;
    }
    literal(text.substr(0, begin));
    const auto end = text.find('}', begin);
    if (end == std::string_view::npos) {
      return failure(ErrorKind::usage,
          "placeholder without a '}' in '" + std::string(whole.substr(0, 200)) + "'; " + kCures);
    }
    const auto name = text.substr(begin + 2, end - begin - 2);
    const auto* found = &kKnown[0];
    while (found != kKnown.data() + kKnown.size() && found->name != name) ++found;
    if (found == kKnown.data() + kKnown.size()) {
      return failure(ErrorKind::usage,
          "unknown placeholder '%{" + std::string(name.substr(0, 64)) + "}'; there are " +
              known_names() + "; " + kCures);
    }
    placeholder(found->value);
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<void> check_placeholders(std::string_view text) {
  return walk(text, [](auto) {}, [](auto) {});
}

// Right also for a text that has "%%{" already: of "%%%{" walk() makes a "%" and the letters "%{".
std::string escape_placeholders(std::string_view text) {
  std::string escaped;
  for (std::size_t begin = 0; (begin = text.find(kOpen)) != std::string_view::npos;) {
    escaped += std::string(text.substr(0, begin)) + "%%{";
    text.remove_prefix(begin + kOpen.size());
  }
  return escaped += text;
}

const Word* shell_script(const std::vector<Word>& command) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"};
  if (command.empty()) return nullptr;
  const std::string_view program = command.front().text;
  const std::string_view name = program.substr(program.rfind('/') + 1);
  if (std::ranges::find(kShells, name) == std::end(kShells)) return nullptr;
  // "-c", or with others: "-ec". The first word that is no option then is the script.
  bool script = false;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view word = command[i].text;
    if (!word.starts_with('-')) return script ? &command[i] : nullptr;
    script = script || (!word.starts_with("--") && word.find('c') != std::string_view::npos);
  }
  return nullptr;
}

bool writes_files(const TaskSpec& spec) {
  const auto is_file = [](const std::string& path) { return !path.empty() && path != "none"; };
  return is_file(spec.stdout_path) || is_file(spec.stderr_path);
}

// At submission, so that a slip is told to its user at once, and not by each of a million tasks.
Result<void> check_placeholders(const TaskSpec& spec, bool entry_is_number) {
  if (spec.literal) return {};
  // A script that travels with the job is no template, and its arguments are no shell's.
  const Word* const script = spec.script.empty() ? shell_script(spec.command) : nullptr;
  // A number cannot hold anything that a shell would run.
  if (script != nullptr && !entry_is_number && script->text.find("%{ENTRY}") != std::string::npos) {
    return failure(ErrorKind::usage,
        "%{ENTRY} in a shell's script would run what a line says: write \"$DUNLIN_ENTRY\" there "
        "(to run each line as a command: eval \"$DUNLIN_ENTRY\")");
  }
  for (const auto& word : words_of(spec)) {
    if (auto checked = check_placeholders(word.text); !checked) return checked;
  }
  for (const auto* text :
      {&spec.directory, &spec.stdin_path, &spec.stdout_path, &spec.stderr_path}) {
    if (auto checked = check_placeholders(*text); !checked) return checked;
  }
  // It would stand for itself.
  if (spec.directory.find("%{CWD}") != std::string::npos) {
    return failure(ErrorKind::usage, "the working directory cannot be given in terms of %{CWD}");
  }
  return {};
}

Result<std::string> fill_placeholders(
    std::string_view text, const PlaceholderValues& values, std::size_t bytes_max) {
  std::string filled;
  const auto append = [&](std::string_view piece) {
    // Beyond the bound nothing is added: a text full of placeholders must not take memory at will.
    if (filled.size() <= bytes_max) filled += piece;
  };
  auto walked = walk(text, append, [&](auto value) { append(values.*value); });
  if (!walked) return tl::unexpected(walked.error());
  if (filled.size() > bytes_max) {
    return failure(ErrorKind::usage,
        "'" + std::string(text.substr(0, 64)) + "' with its placeholders filled in exceeds " +
            std::to_string(bytes_max) + " bytes");
  }
  return filled;
}

}  // namespace dunlin::node
