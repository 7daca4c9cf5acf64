// SPDX-License-Identifier: MIT
#include "sim/study/read_plan.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <vector>

#include "overlay/param_entries.h"
#include "sim/scenario/advice.h"

// The section [sweep] of a scenario. Mistakes are told with their line, before any run begins: a
// sweep of hours must not end at a figure that was misspelt.
namespace dunlin::sim {
namespace {

using Text = toml::value<std::string>;

/// Passes each text of a list to `read`, and adds the place to its failures.
template <typename Read>
Result<void> read_list(
    const toml::node& node, const std::string& file, const std::string& expected, Read&& read) {
  const std::string place = place_of(file, node.source());
  const auto* list = node.as_array();
  if (list == nullptr) return wrong(place, expected);
  for (const auto& each : *list) {
    const Text* text = each.as_string();
    if (text == nullptr) return wrong(place, expected);
    const Result<void> done = read(text->get());
    if (!done) return wrong(place_of(file, each.source()), done.error().text);
  }
  return {};
}

/// Returns a function that parses a text and appends the result.
template <typename Item, typename Parse>
auto append_to(std::vector<Item>& items, Parse parse) {
  return [&items, parse](const std::string& text) -> Result<void> {
    auto item = parse(text);
    if (!item) return tl::unexpected(item.error());
    items.push_back(*std::move(item));
    return {};
  };
}

/// Reads "key=a, other=b": values of axes.
Result<std::vector<std::string>> parse_values(const std::string& text) {
  std::vector<std::string> values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.ends_with(',')) word.pop_back();
    if (word.find('=') == std::string::npos) {
      return failure(ErrorKind::usage, "'" + text + "': expected key=a, other=b");
    }
    values.push_back(word);
  }
  if (values.empty()) return failure(ErrorKind::usage, "expected key=a, other=b");
  return values;
}

/// Reads a key whose value is a word.
Result<void> read_word(
    const std::string& name, const Text* text, StudyPlan& plan, const std::string& place) {
  const std::string word = text == nullptr ? "" : text->get();
  const auto set = [&](auto& target, auto parsed) -> Result<void> {
    if (!parsed) return wrong(place, parsed.error().text);
    target = *parsed;
    return {};
  };
  if (name == "design") return set(plan.design, parse_design(word));
  if (name == "picture") return set(plan.picture, parse_picture(word));
  if (name == "until") return set(plan.until, parse_until(word));
  if (name == "cases") {
    if (text == nullptr) return wrong(place, "cases: the name of an axis, as text");
    plan.cases = word;
  } else if (name == "measure") {
    if (text == nullptr) return wrong(place, "measure: the name of a figure, as text");
    plan.measure = word;
  } else if (name == "since") {
    const auto since = overlay::parse_duration(word);
    if (!since) return wrong(place, "since: " + since.error().text);
    plan.since = *since;
  }
  return {};
}

Result<void> read_key(
    const std::string& name, const toml::node& node, StudyPlan& plan, const std::string& file) {
  const std::string place = place_of(file, node.source());
  if (name == "axes") {
    return read_list(node, file, "axes: expected [\"key=a,b,c\", ...]",
        append_to(plan.axes, [](const std::string& text) { return parse_axis(text); }));
  }
  if (name == "also") {
    return read_list(node, file, "also: expected [\"healed_s\", ...]",
        append_to(plan.also, [](const std::string& text) -> Result<std::string> { return text; }));
  }
  if (name == "without") {
    return read_list(node, file, "without: expected [\"key=a, other=b\", ...]",
        append_to(plan.without, parse_values));
  }
  if (name == "with") {
    return read_list(
        node, file, "with: expected [\"key=a, other=b\", ...]", append_to(plan.with, parse_values));
  }
  if (name == "timelines") {
    return read_list(node, file, "timelines: expected [\"dead_links\", ...]",
        append_to(plan.timelines, parse_timeline));
  }
  if (name == "references") {
    return read_list(node, file, "references: expected [\"measure x y what it is\", ...]",
        append_to(plan.references, parse_reference));
  }
  if (name == "replications") {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 || number->get() > 10'000) {
      return wrong(place, "replications: integer, 1 .. 10000");
    }
    plan.replications = static_cast<std::uint32_t>(number->get());
    return {};
  }
  return read_word(name, node.as_string(), plan, place);
}

/// Fails if `setting`, "key=value" of the list `name`, names no axis: it would never apply.
Result<void> check_axis(const StudyPlan& plan,
    const std::string& name,
    const std::string& setting,
    const std::string& place) {
  const std::string key = setting.substr(0, setting.find('='));
  if (std::ranges::count(plan.axes, key, &Axis::key) > 0) return {};
  std::vector<std::string> axes;
  axes.reserve(plan.axes.size());
  for (const Axis& axis : plan.axes) axes.push_back(axis.key);
  return wrong(place, name + ": '" + key + "' is no axis of this sweep" + advice(key, axes));
}

/// Checks that every key of `without`, and the first of each entry of `with`, is an axis.
Result<void> check_axes(const toml::table& table, const StudyPlan& plan, const std::string& file) {
  for (std::size_t i = 0; i < plan.without.size(); ++i) {
    const std::string place = place_of(file, table["without"][i].node()->source());
    for (const std::string& setting : plan.without[i]) {
      if (auto known = check_axis(plan, "without", setting, place); !known) return known;
    }
  }
  for (std::size_t i = 0; i < plan.with.size(); ++i) {
    const std::string place = place_of(file, table["with"][i].node()->source());
    if (auto known = check_axis(plan, "with", plan.with[i].front(), place); !known) return known;
  }
  if (plan.cases.empty()) return {};
  const std::string place = place_of(file, table["cases"].node()->source());
  if (auto known = check_axis(plan, "cases", plan.cases, place); !known) return known;
  if (auto told = check_cases(plan); !told) return wrong(place, told.error().text);
  return {};
}

/// Fails at the first thing wrong, with its place in `file`.
Result<void> read_plan(const toml::table& table, StudyPlan& plan, const std::string& file) {
  const std::vector<std::string> known = {"also", "axes", "cases", "design", "measure", "picture",
      "references", "replications", "since", "timelines", "until", "with", "without"};
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) == known.end()) {
      return wrong(place_of(file, key.source()),
          "unknown key '" + name + "' in [sweep]" + advice(name, known));
    }
    if (auto read = read_key(name, node, plan, file); !read) return read;
  }
  // After all keys: `axes` may stand behind those that name its keys.
  return check_axes(table, plan, file);
}

}  // namespace

Result<StudyPlan> parse_plan(std::string_view toml, const std::string& file) {
  const auto root = parse_toml(toml, file);
  if (!root) return tl::unexpected(root.error());
  StudyPlan plan;
  const toml::table* sweep = (*root)["sweep"].as_table();
  if (sweep == nullptr) return plan;
  if (auto read = read_plan(*sweep, plan, file); !read) return tl::unexpected(read.error());
  return plan;
}

Result<StudyPlan> load_plan(const std::string& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_plan(*text, file);
}

}  // namespace dunlin::sim
