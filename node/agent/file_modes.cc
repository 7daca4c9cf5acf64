// SPDX-License-Identifier: MIT
#include "node/agent/file_modes.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "node/identity/place_mark.h"
#include "node/kernel/trusted_path.h"

// The database holds the variables of jobs, which may be secrets, and SQLite gives its files the
// mode that the umask of their first agent left. The directory keeps others out; the files are
// closed as well, because they are copied and moved.
// A file of another user is refused: that user could open it again, or change it under the agent.
// So is a directory of another user, however narrow: its owner could make links of what is in it,
// and the agent would write where they lead.
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

std::string cure_of(bool ours, uid_t user, mode_t mode, const std::string& path) {
  return (ours ? "" : "chown " + std::to_string(user) + " " + path + " && ") + "chmod " +
      octal_mode(mode) + " " + path;
}

/// What a file must be.
struct Wanted {
  mode_t forbidden = 0;  ///< Rights that others may not have, ...
  mode_t mode = 0600;    ///< ... and the mode it gets if they have one.
  bool link = false;     ///< It may be a link.
  bool roots = false;    ///< It may be root's, if others have no such rights.
};

/// Sets the mode of `path` if others have rights that are forbidden. Fails if it is another user's.
Result<void> close_file(const std::string& path, const Wanted& wanted, uid_t user, Log& log) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (wanted.link ? 0 : O_NOFOLLOW);
  const int file = ::open(path.c_str(), flags);
  if (file < 0 && errno == ELOOP && !wanted.link) {
    return failure(ErrorKind::refused,
        path + ": is a symbolic link; put the file itself in its place, or mount what it names");
  }
  if (file < 0) return {};  // It cannot be read, or is not there: its own reader tells.
  struct stat found{};
  const bool known = ::fstat(file, &found) == 0;
  const mode_t before = found.st_mode & 07777;
  const bool wide = known && (before & wanted.forbidden) != 0;
  const bool ours = !known || found.st_uid == user;
  const bool fine = ours || (wanted.roots && !wide && found.st_uid == 0);
  const bool closed = wide && ours && ::fchmod(file, wanted.mode) == 0;
  ::close(file);
  const std::string cure = "; run: " + cure_of(ours, user, wanted.mode, path);
  if (!fine && !wide) {
    return failure(ErrorKind::refused,
        path + ": belongs to another user (" + std::to_string(found.st_uid) +
            "), who may change it" + cure);
  }
  if (!wide) return {};
  if (!closed) {
    return failure(ErrorKind::refused,
        path + ": holds secrets, but its mode " + octal_mode(before) + " lets others at it" +
            (ours ? "" : ", and it belongs to another user") + cure);
  }
  log.say(overlay::Level::warn, "mode_repaired",
      {{"file", path}, {"was", octal_mode(before)}, {"is", octal_mode(wanted.mode)},
          {"note", "other users could read it before"}});
  return {};
}

/// The files of an agent in its directory. SQLite makes more of them beside its database, and so
/// does a database that is mended.
std::set<std::string> files_of(const std::string& directory) {
  std::set<std::string> names{"identity", "identity.marks", "lock", "place"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("dunlin.sqlite")) names.insert(name);
  }
  return names;
}

/// The directory and what it holds: its own entries alone, for what is deeper is reached without
/// following links.
Result<void> close_data(const std::string& directory, uid_t user, Log& log) {
  constexpr mode_t kOthers = 0077;
  const Wanted wanted{.forbidden = kOthers, .mode = 0700, .link = true};
  if (auto closed = close_file(directory, wanted, user, log); !closed) return closed;
  if (auto trusted = check_trusted(directory, user, "the data directory"); !trusted) return trusted;
  for (const std::string& name : files_of(directory)) {
    const Wanted file{.forbidden = kOthers};
    if (auto closed = close_file(directory + "/" + name, file, user, log); !closed) return closed;
  }
  for (const char* name : {"output", "output-copies", "tasks", "warden"}) {
    const Wanted inner{.mode = 0700};
    if (auto closed = close_file(directory + "/" + name, inner, user, log); !closed) return closed;
  }
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
  if (auto closed = close_data(directory, user, log); !closed) return closed;
  // A key that others could write may be theirs: its reader refuses it.
  constexpr mode_t kWriters = 0022;
  if (::stat(options.key_file.c_str(), &found) != 0 || (found.st_mode & kWriters) != 0) return {};
  const Wanted key{.forbidden = kStrangers, .link = true, .roots = true};
  if (auto closed = close_file(options.key_file, key, user, log); !closed) return closed;
  return check_trusted(options.key_file, user, "the key file");
}

Result<void> claim_directory(const AgentOptions& options, Log& log, bool& copy) {
  const std::string& directory = options.data_dir;
  const auto original = find_original(directory);
  copy = original.has_value();
  if (!copy) return mark_place(directory);
  const std::string cure =
      "to make this one a node of its own run: dunlin identity --new --data-dir " + directory +
      "; if " + *original + " is of no use any more, remove it, or run the same with --adopt";
  log.say(overlay::Level::error, "identity_cloned",
      {{"twin", *original}, {"stops", "this agent, whose directory is the copy"}, {"cure", cure}});
  return failure(ErrorKind::refused,
      directory + ": is a copy of " + *original +
          ", which has the same identity; two nodes of one identity would take each other's "
          "tasks; " +
          cure);
}

}  // namespace dunlin::node
