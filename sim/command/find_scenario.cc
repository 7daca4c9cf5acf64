// SPDX-License-Identifier: MIT
#include "sim/command/find_scenario.h"

#include <algorithm>
#include <filesystem>

#include "sim/scenario/advice.h"

namespace dunlin::sim {
namespace {

/// The experiments that `cmake --install` puts beside the program.
std::filesystem::path installed_folder() {
  std::error_code code;
  // The program's true place: it may have been called by a link from another folder.
  const auto program = std::filesystem::read_symlink("/proc/self/exe", code);
  return program.parent_path().parent_path() / "share/dunlin/experiments";
}

}  // namespace

std::string experiments_folder() {
  for (const auto& folder : {std::filesystem::path("sim/experiments"), installed_folder()}) {
    if (std::filesystem::is_directory(folder)) return folder.string();
  }
  return DUNLIN_EXPERIMENTS;
}

std::vector<std::string> scenarios_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string scenario_name(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

Result<std::string> find_scenario(const std::string& given, const std::string& folder) {
  if (std::filesystem::is_regular_file(given)) return given;
  std::vector<std::string> names;
  for (const std::string& file : scenarios_in(folder)) {
    names.push_back(scenario_name(file));
    if (given == names.back() || given == names.back() + ".toml") return file;
  }
  if (given.find('/') != std::string::npos) {
    return failure(ErrorKind::usage, given + ": no such file");
  }
  return failure(ErrorKind::usage,
      given + ": no such file, and no such scenario in " + folder + advice(given, names));
}

}  // namespace dunlin::sim
