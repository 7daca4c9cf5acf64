// SPDX-License-Identifier: MIT
#include "sim/study/trials.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "config/text.h"
#include "sim/study/trial_names.h"

namespace dunlin::sim {
std::vector<Trial> trials_of(const Study& study) {
  std::vector<Trial> trials;
  TrialNames names(study);
  const auto combinations = planned_combinations(study.plan);
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    const std::uint32_t runs = study.runs.empty() ? study.plan.replications : study.runs.at(i);
    for (std::uint64_t run = 1; run <= runs; ++run) {
      Trial& trial = trials.emplace_back();
      trial.combination = i;
      trial.run = run;
      // The settings of a combination come last, and so override those for all trials.
      trial.settings = study.settings;
      const Settings varied = full_settings(study.plan, combinations[i]);
      trial.settings.insert(trial.settings.end(), varied.begin(), varied.end());
      trial.output = study.folder + "/trials/" + names.of(trial.settings, run);
    }
  }
  return trials;
}

std::vector<std::string> command_of(
    const Study& study, const Trial& trial, const std::string& program) {
  std::vector<std::string> words = {program, "run", study.file};
  for (const auto& setting : trial.settings) words.insert(words.end(), {"--set", setting});
  words.insert(words.end(),
      {"--RngRun", std::to_string(trial.run), "--quiet", "--no-plots", "--json", trial.output});
  return words;
}

std::string shell_command_of(const Study& study, const Trial& trial, const std::string& program) {
  std::string text;
  for (const auto& word : command_of(study, trial, program)) {
    text += (text.empty() ? "" : " ") + config::shell_word(word);
  }
  return text;
}

std::size_t other_results(const Study& study, const std::vector<Trial>& trials) {
  std::set<std::string> ours;
  for (const Trial& trial : trials) ours.insert(std::filesystem::path(trial.output).filename());
  std::size_t count = 0;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(study.folder + "/trials", code)) {
    const auto& path = entry.path();
    if (path.extension() == ".json" && !ours.contains(path.filename())) ++count;
  }
  return count;
}

bool is_done(const Trial& trial) {
  std::ifstream in(trial.output);
  return in && nlohmann::json::accept(in);
}

}  // namespace dunlin::sim
