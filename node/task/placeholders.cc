// SPDX-License-Identifier: MIT
#include "node/task/placeholders.h"

#include <array>

namespace dunlin::node {
namespace {

struct Known {
  std::string_view name;
  std::string_view PlaceholderValues::* value;
};
constexpr std::array kKnown{
    Known{"TASK_INDEX", &PlaceholderValues::task_index},
    Known{"TASK_COUNT", &PlaceholderValues::task_count},
    Known{"JOB_ID", &PlaceholderValues::job_id},
    Known{"ATTEMPT", &PlaceholderValues::attempt},
    Known{"ENTRY", &PlaceholderValues::entry},
    Known{"NODE", &PlaceholderValues::node},
    Known{"CWD", &PlaceholderValues::cwd},
    Known{"SUBMIT_DIR", &PlaceholderValues::submit_dir},
};

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
    const auto begin = text.find("%{");
    literal(text.substr(0, begin));
    if (begin == std::string_view::npos) return {};
    const auto end = text.find('}', begin);
    if (end == std::string_view::npos) {
      return failure(ErrorKind::usage,
          "placeholder without a '}' in '" + std::string(whole.substr(0, 200)) + "'");
    }
    const auto name = text.substr(begin + 2, end - begin - 2);
    const auto* found = &kKnown[0];
    while (found != kKnown.data() + kKnown.size() && found->name != name) ++found;
    if (found == kKnown.data() + kKnown.size()) {
      return failure(ErrorKind::usage,
          "unknown placeholder '%{" + std::string(name.substr(0, 64)) + "}'; there are " +
              known_names());
    }
    placeholder(found->value);
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<void> check_placeholders(std::string_view text) {
  return walk(text, [](auto) {}, [](auto) {});
}

Result<void> check_placeholders(const TaskSpec& spec) {
  for (const auto& word : spec.command) {
    if (auto checked = check_placeholders(word.text); !checked) return checked;
  }
  for (const auto* text :
      {&spec.directory, &spec.stdin_path, &spec.stdout_path, &spec.stderr_path}) {
    if (auto checked = check_placeholders(*text); !checked) return checked;
  }
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
