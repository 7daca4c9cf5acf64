// SPDX-License-Identifier: MIT
#include "node/agent/reach/told_address.h"

#include <chrono>
#include <filesystem>
#include <sstream>

#include "node/identity/private_file.h"

// The address that this node tells others, kept in a file of one line (address, reason, port), so
// that a node which begins anew tells at once what it told before, and others need not learn it
// again. It is a hint: what cannot be read, or was written for another port, counts as nothing.
namespace dunlin::node {
namespace {

constexpr std::size_t kBytesMax = 256;
/// What others said is for the process that begins anew because of it.
constexpr std::chrono::minutes kSeenFor{1};

std::string path_in(const std::string& directory) {
  return directory + "/address";
}

bool is_recent(const std::string& path) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return !error && std::filesystem::file_time_type::clock::now() - written < kSeenFor;
}

}  // namespace

std::optional<OwnAddressChoice> remembered_address(
    const std::string& directory, std::uint16_t port) {
  const auto text = read_private_file(path_in(directory), 0022, kBytesMax);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  std::string address;
  std::string reason;
  unsigned bound = 0;
  // What was learned for another port says nothing about this one.
  if (!(words >> address >> reason >> bound) || bound != port) return std::nullopt;
  const auto parsed = overlay::parse_address(address, 0);
  if (!parsed || parsed->port == 0 || parsed->is_any()) return std::nullopt;
  if (reason == to_string(Reason::seen)) {
    if (!is_recent(path_in(directory))) return std::nullopt;
    return OwnAddressChoice{*parsed, Reason::seen};
  }
  return OwnAddressChoice{*parsed, Reason::kept};
}

Result<void> remember_address(
    const std::string& directory, const OwnAddressChoice& choice, std::uint16_t port) {
  const std::string text = overlay::to_string(choice.address) + " " +
      std::string(to_string(choice.reason)) + " " + std::to_string(port) + "\n";
  return write_private_file(path_in(directory), text, true);
}

}  // namespace dunlin::node
