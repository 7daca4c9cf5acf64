// SPDX-License-Identifier: MIT
#include "sim/command/check_study.h"

#include <algorithm>
#include <string>
#include <vector>

#include "config/text.h"
#include "sim/scenario/advice.h"
#include "sim/scenario/scenario.h"
#include "sim/study/summary.h"

// A plan is words: names of figures, of parameters, and values. Each is read here as its trial will
// read it, so what passes can run, and what cannot run is told at once with its name.
namespace dunlin::sim {
namespace {

/// "; the nearest are a, b, c": there are too many figures to list, and no command lists them.
std::string nearest_of(const std::string& word, std::vector<std::string> names) {
  constexpr std::size_t kShown = 5;
  std::ranges::stable_sort(
      names, {}, [&](const std::string& name) { return config::edit_distance(word, name); });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += (i == 0 ? "; the nearest are " : ", ") + names[i];
  }
  return text + " (all of them: the columns of summary.csv of any sweep)";
}

Result<void> check_figures(const StudyPlan& plan) {
  const auto known = figures();
  std::vector<std::string> wanted = plan.also;
  wanted.push_back(plan.measure);
  for (const auto& measure : wanted) {
    if (std::ranges::find(known, measure, &Figure::name) != known.end()) continue;
    std::vector<std::string> names;
    for (const Figure& figure : known) names.emplace_back(figure.name);
    const std::string meant = advice(measure, names);
    return failure(ErrorKind::usage,
        "no measure '" + measure + "'" +
            (meant.starts_with("; did you mean") ? meant : nearest_of(measure, names)));
  }
  return {};
}

Result<void> check_trial(const Study& study, const Settings& combination) {
  // Anew for each: what one combination sets must not be left for the next.
  auto scenario = parse_scenario(study.text, study.file);
  if (!scenario) return tl::unexpected(scenario.error());
  for (const auto* settings : {&study.settings, &combination}) {
    if (auto set = apply_settings(*scenario, *settings); !set) return set;
  }
  if (auto scaled = apply_scale(*scenario); !scaled) return scaled;
  if (auto valid = validate(*scenario); !valid) return valid;
  if (!records(scenario->network)) return {};
  return failure(ErrorKind::usage,
      "network.pcap, flow_monitor and animation: all runs of a sweep would write the same "
      "files: set them for one run");
}

}  // namespace

Result<void> check_study(const Study& study) {
  if (auto told = check_cases(study.plan); !told) return told;
  if (auto known = check_figures(study.plan); !known) return known;
  for (const auto& planned : planned_combinations(study.plan)) {
    auto sound = check_trial(study, full_settings(study.plan, planned));
    if (!sound) return sound;
  }
  return {};
}

}  // namespace dunlin::sim
