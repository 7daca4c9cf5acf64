// SPDX-License-Identifier: MIT
#include "sim/study/trials.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "config/text.h"
#include "sim/fields.h"

namespace dunlin::sim {
namespace {

std::string lines_of(const Settings& settings) {
  std::string text;
  for (const auto& each : settings) text += each + '\n';
  return text;
}

std::string name_of(const Study& study, const Settings& settings, std::uint64_t run) {
  const std::string all = std::string(DUNLIN_VERSION "\n") + study.text + '\n' +
      lines_of(settings) + std::to_string(run);
  std::array<char, 32> name;
  std::snprintf(
      name.data(), name.size(), "%016llx.json", static_cast<unsigned long long>(hash_of(all)));
  return name.data();
}

}  // namespace

std::vector<Trial> trials_of(const Study& study) {
  std::vector<Trial> trials;
  const auto combinations = planned_combinations(study.plan);
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    for (std::uint64_t run = 1; run <= study.plan.replications; ++run) {
      Trial& trial = trials.emplace_back();
      trial.combination = i;
      trial.run = run;
      trial.settings = study.settings;
      const Settings varied = full_settings(study.plan, combinations[i]);
      trial.settings.insert(trial.settings.end(), varied.begin(), varied.end());
      trial.output = study.folder + "/trials/" + name_of(study, trial.settings, run);
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

bool is_done(const Trial& trial) {
  std::ifstream in(trial.output);
  return in && nlohmann::json::accept(in);
}

}  // namespace dunlin::sim
