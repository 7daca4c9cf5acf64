// SPDX-License-Identifier: MIT
#include "node/agent/file_modes.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

// The database holds the variables of jobs, which may be secrets, and SQLite gives its files the
// mode that the umask of their first agent left. The directory keeps others out; the files are
// closed as well, because they are copied and moved.
// A file of another user is refused: that user could open it again, or change it under the agent.
namespace dunlin::node {
namespace {

std::string octal_mode(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode) & 07777);
  return text;
}

/// True if a directory is for an agent alone: to close /tmp or /var/lib would break the machine.
bool is_data_directory(const std::string& path) {
  std::error_code error;
  for (const char* name : {"/identity", "/identity.marks", "/lock", "/warden", "/dunlin.sqlite"}) {
    if (std::filesystem::exists(path + name, error)) return true;
  }
  return std::filesystem::is_empty(path, error);
}

/// Sets the mode of `path` to `mode` if others have rights of `forbidden`.
Result<void> close_file(
    const std::string& path, mode_t forbidden, mode_t mode, uid_t user, Log& log) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return {};  // It cannot be read, or is not there: its own reader tells.
  struct stat found{};
  const bool known = ::fstat(file, &found) == 0;
  const mode_t before = found.st_mode & 07777;
  const bool wide = known && (before & forbidden) != 0;
  const bool ours = found.st_uid == user;
  const bool closed = wide && ours && ::fchmod(file, mode) == 0;
  ::close(file);
  if (!wide) return {};
  if (!closed) {
    const std::string cure = (ours ? "" : "chown " + std::to_string(user) + " " + path + " && ") +
        "chmod " + octal_mode(mode) + " " + path;
    return failure(ErrorKind::refused,
        path + ": holds secrets, but its mode " + octal_mode(before) + " lets others at it" +
            (ours ? "" : ", and it belongs to another user") + "; run: " + cure);
  }
  log.say(overlay::Level::warn, "mode_repaired",
      {{"file", path}, {"was", octal_mode(before)}, {"is", octal_mode(mode)},
          {"note", "other users could read it before"}});
  return {};
}

}  // namespace

Result<void> close_files(const AgentOptions& options, uid_t user, Log& log) {
  constexpr mode_t kOthers = 0077;
  // A service's own group commonly may read its key; it may not change it.
  constexpr mode_t kStrangers = 0027;
  const std::string& directory = options.data_dir;
  struct stat found{};
  const bool wide = ::stat(directory.c_str(), &found) == 0 && (found.st_mode & kOthers) != 0;
  if (wide && !is_data_directory(directory)) {
    return failure(ErrorKind::refused,
        directory +
            ": other users may read it, and it holds other things than an agent's; choose "
            "another --data-dir");
  }
  if (auto closed = close_file(directory, kOthers, 0700, user, log); !closed) return closed;
  for (const char* name :
      {"dunlin.sqlite", "dunlin.sqlite-wal", "dunlin.sqlite-shm", "identity", "identity.marks"}) {
    const auto path = directory + "/" + name;
    if (auto closed = close_file(path, kOthers, 0600, user, log); !closed) return closed;
  }
  // A key that others could write may be theirs: its reader refuses it.
  constexpr mode_t kWriters = 0022;
  if (::stat(options.key_file.c_str(), &found) != 0 || (found.st_mode & kWriters) != 0) return {};
  return close_file(options.key_file, kStrangers, 0600, user, log);
}

}  // namespace dunlin::node
