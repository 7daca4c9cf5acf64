// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/host_file.h"

#include <cstddef>
#include <cstdlib>
#include <fstream>

// The parts of a list of hosts that come from this machine: files and variables. All that reads
// them is elsewhere, and needs neither.
namespace dunlin::cli {
namespace {

constexpr std::size_t kHostListBytesMax = 1 << 20;

std::string variable_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> host_list_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kHostListBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return failure(ErrorKind::usage, path + ": no such file that can be read");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kHostListBytesMax) {
    return failure(ErrorKind::usage, path + ": more than 1 MiB: is it a list of hosts?");
  }
  return text;
}

Result<std::vector<LaunchHost>> slurm_allocation() {
  return slurm_hosts(variable_of("SLURM_JOB_NODELIST"));
}

Result<std::vector<LaunchHost>> pbs_allocation() {
  const std::string path = variable_of("PBS_NODEFILE");
  if (path.empty()) {
    return failure(
        ErrorKind::usage, "--pbs: PBS_NODEFILE is not set: call it within a job of PBS (qsub)");
  }
  const auto text = host_list_file(path);
  if (!text) return tl::unexpected(text.error());
  return pbs_hosts(*text);
}

}  // namespace dunlin::cli
