// SPDX-License-Identifier: MIT
#include "node/program_path.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace dunlin::node {

Result<std::string> find_program(const std::string& name, const char* variable) {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto installed = (here / "../lib/dunlin" / name).lexically_normal();
  std::vector<std::string> candidates{here / name, installed};
  const char* const named = variable != nullptr ? std::getenv(variable) : nullptr;
  if (named != nullptr) candidates = {named};
  std::string places;
  for (const std::string& candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    places += (places.empty() ? "" : " or ") + candidate;
  }
  std::string text = "there is no executable " + places + "; reinstall Dunlin";
  if (variable != nullptr) text += std::string(", or name it in $") + variable;
  return failure(ErrorKind::not_found, std::move(text));
}

}  // namespace dunlin::node
