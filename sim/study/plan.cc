// SPDX-License-Identifier: MIT
#include "sim/study/plan.h"

#include <algorithm>
#include <sstream>

#include "overlay/param_entries.h"
#include "sim/measure/health.h"
#include "sim/scenario/advice.h"

// Which runs a study has. All combinations of the axes are made in one order, and those that are
// not wanted are taken out, so the rows of a table keep their order when an axis gets a value more.
namespace dunlin::sim {
namespace {

bool at_centre(const StudyPlan& plan, const Settings& settings, std::size_t axis) {
  return settings[axis] == plan.axes[axis].key + "=" + plan.axes[axis].values.front();
}

/// Axes but the first that are not at their first value.
std::size_t off_centre(const StudyPlan& plan, const Settings& settings) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < settings.size(); ++i) count += at_centre(plan, settings, i) ? 0u : 1u;
  return count;
}

}  // namespace

std::string joined(const Settings& settings, std::string_view if_empty) {
  std::string name;
  for (const auto& each : settings) name += (name.empty() ? "" : ", ") + each;
  return name.empty() ? std::string(if_empty) : name;
}

Result<Axis> parse_axis(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return failure(ErrorKind::usage, "axis '" + std::string(text) + "': " + why);
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return wrong("expected key=a,b,c");
  Axis axis{.key = std::string(text.substr(0, equals)), .values = {}};
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string value(rest.substr(0, comma));
    if (value.empty()) return wrong("an empty value");
    if (std::ranges::find(axis.values, value) != axis.values.end()) {
      return wrong("'" + value + "' stands there twice");
    }
    axis.values.push_back(value);
    if (comma == std::string_view::npos) return axis;
    rest.remove_prefix(comma + 1);
  }
}

Result<Reference> parse_reference(const std::string& text) {
  std::istringstream words(text);
  Reference reference;
  std::string x;
  const bool whole = (words >> reference.measure >> x >> reference.y >> std::ws) &&
      std::getline(words, reference.label);
  const auto number = overlay::parse_number(x);
  if (!whole || (x != "*" && !number)) {
    return failure(
        ErrorKind::usage, "reference '" + text + "': expected: measure x y what it is; x may be *");
  }
  if (x != "*") reference.x = *number;
  return reference;
}

Result<std::string> parse_timeline(const std::string& name) {
  if (health_measure(name) != nullptr || !class_of_timeline(name).empty()) return name;
  std::vector<std::string> known = {"share.CLASS"};
  for (const HealthMeasure& each : health_measures()) known.emplace_back(each.name);
  return failure(ErrorKind::usage,
      "timeline '" + name + "': there is none of that name" + advice(name, known));
}

std::string class_of_timeline(const std::string& name) {
  constexpr std::string_view kShare = "share.";
  return name.starts_with(kShare) ? name.substr(kShare.size()) : "";
}

std::vector<Settings> combinations_of(const std::vector<Axis>& axes) {
  std::vector<Settings> all = {{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : all) {
      for (const std::string& value : axis.values) {
        longer.push_back(settings);
        longer.back().push_back(axis.key + "=" + value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Settings> planned_combinations(const StudyPlan& plan) {
  std::vector<Settings> all = combinations_of(plan.axes);
  std::erase_if(all, [&](const Settings& settings) {
    return std::ranges::any_of(plan.without, [&](const auto& values) {
      return std::ranges::all_of(values, [&](const std::string& value) {
        return std::ranges::find(settings, value) != settings.end();
      });
    });
  });
  if (plan.design == Design::product) return all;
  // A star changes one axis at a time: its runs add up where those of a product multiply, and in
  // exchange it shows no effect that two axes have only together.
  std::erase_if(all, [&](const Settings& settings) { return off_centre(plan, settings) > 1; });
  return all;
}

/// An axis of cases names settings that go together. A case without settings would run as if it
/// were another one, and its row would tell a lie.
Result<void> check_cases(const StudyPlan& plan) {
  const auto axis = std::ranges::find(plan.axes, plan.cases, &Axis::key);
  if (plan.cases.empty() || axis == plan.axes.end()) return {};
  for (const std::string& value : axis->values) {
    const std::string setting = plan.cases + "=" + value;
    const auto tells = [&](const auto& values) { return values.front() == setting; };
    if (std::ranges::any_of(plan.with, tells)) continue;
    return failure(ErrorKind::usage,
        "case '" + setting + "': add to `with` what it sets: \"" + setting + ", key=value\"");
  }
  return {};
}

Settings full_settings(const StudyPlan& plan, const Settings& combination) {
  Settings full = combination;
  // A case is no parameter: its settings take its place.
  std::erase_if(full, [&](const std::string& setting) {
    return !plan.cases.empty() && setting.starts_with(plan.cases + "=");
  });
  for (const auto& values : plan.with) {
    if (std::ranges::find(combination, values.front()) == combination.end()) continue;
    full.insert(full.end(), values.begin() + 1, values.end());
  }
  return full;
}

std::string line_name(const StudyPlan& plan, const Settings& settings) {
  std::string name;
  for (std::size_t i = 1; i < settings.size(); ++i) {
    if (plan.axes[i].values.size() == 1) continue;
    if (plan.design == Design::star && at_centre(plan, settings, i)) continue;
    name += (name.empty() ? "" : ", ") + settings[i];
  }
  return name.empty() && plan.design == Design::star && settings.size() > 1
      ? "all at their first value"
      : name;
}

Result<Design> parse_design(const std::string& word) {
  if (word == "product") return Design::product;
  if (word == "star") return Design::star;
  return failure(ErrorKind::usage, "design '" + word + "'" + advice(word, {"product", "star"}));
}

Result<PictureKind> parse_picture(const std::string& word) {
  const std::vector<std::string> words = {"best", "lines", "heat", "facets"};
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<PictureKind>(found - words.begin());
  return failure(ErrorKind::usage, "picture '" + word + "'" + advice(word, words));
}

Result<double> parse_until(const std::string& text) {
  const auto number = overlay::parse_number(text.substr(0, text.find('%')));
  if (text.ends_with('%') && number && *number >= 0.1 && *number <= 100) return *number / 100;
  return failure(ErrorKind::usage, "until '" + text + "': expected 0.1% .. 100% of the mean");
}

}  // namespace dunlin::sim
