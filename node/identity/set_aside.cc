// SPDX-License-Identifier: MIT
#include "node/identity/set_aside.h"

#include <system_error>

namespace dunlin::node {
namespace {

// The identity last: should this end half-way, what is left still names its node.
constexpr const char* kFiles[] = {
    "dunlin.sqlite", "dunlin.sqlite-wal", "dunlin.sqlite-shm", "identity"};
/// It stays as well: the warden of the old agent may live on, and serves no earlier incarnation.
constexpr const char* kMarks = "identity.marks";

}  // namespace

Result<std::filesystem::path> set_aside_identity(
    const std::filesystem::path& directory, std::int64_t unix_seconds) {
  const auto to = directory / ("before-" + std::to_string(unix_seconds));
  bool found = false;
  std::error_code error;
  for (const char* const name : kFiles) {
    if (!std::filesystem::exists(directory / name, error)) continue;
    if (!found) std::filesystem::create_directory(to, error);
    if (!error) std::filesystem::rename(directory / name, to / name, error);
    if (error) return failure_of(error.value(), "cannot move " + (directory / name).string());
    found = true;
  }
  if (found) {
    if (std::filesystem::exists(directory / kMarks, error))
      std::filesystem::copy_file(directory / kMarks, to / kMarks, error);
    if (error) return failure_of(error.value(), "cannot copy " + (directory / kMarks).string());
    return to;
  }
  return failure(ErrorKind::not_found, directory.string() + ": holds no identity of a node");
}

}  // namespace dunlin::node
