// SPDX-License-Identifier: MIT
#include "node/kernel/trusted_path.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <deque>
#include <grp.h>
#include <iterator>
#include <optional>
#include <pwd.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "node/kernel/kernel_file.h"

// A process of root that opens a file by a path trusts each user who may change a step of it: one
// that owns a directory on the way can swap the next step for a link, at any time, whatever the
// mode of what lies below. So the way is walked from the root as the kernel walks it, links
// included, and each step must belong to root or to the process' own user. A directory that others
// may write to, such as /tmp, is safe where it is sticky: there, nobody else can take away or
// rename what belongs to root or to this user.
namespace dunlin::node {
namespace {

/// Steps of a path, those of its links included; the kernel follows 40 links.
constexpr int kStepsMax = 1000;

/// The user that files of users without a place in this user namespace seem to belong to; empty if
/// all users have one. Nobody in here can become such a user.
std::optional<uid_t> user_from_outside() {
  const auto map = read_kernel_file("/proc/self/uid_map");
  if (!map) return std::nullopt;
  unsigned long inside = 0;
  unsigned long outside = 0;
  unsigned long count = 0;
  std::istringstream(*map) >> inside >> outside >> count;
  if (inside == 0 && outside == 0 && count == 4'294'967'295) return std::nullopt;
  const auto nobody = leading_number(read_kernel_file("/proc/sys/kernel/overflowuid").value_or(""));
  return nobody ? std::optional(static_cast<uid_t>(*nobody)) : std::nullopt;
}

/// True if the group is of this user alone, as where each user has a group of the same name.
bool is_private_group(gid_t id, uid_t user) {
  const passwd* const entry = ::getpwuid(user);
  if (entry == nullptr || entry->pw_gid != id) return false;
  const std::string name = entry->pw_name;
  const group* const found = ::getgrgid(id);
  if (found == nullptr || name != found->gr_name) return false;
  for (char** member = found->gr_mem; *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  return true;
}

class Walk {
 public:
  Walk(const std::string& path, uid_t user, const std::string& what)
      : path_(path),
        user_(user),
        what_(what),
        outside_(user_from_outside()) {}

  Result<void> run(bool last_too) {
    std::string here;
    if (!path_.starts_with('/')) {
      char directory[PATH_MAX];
      if (::getcwd(directory, sizeof directory) == nullptr) return failure_of(errno, path_);
      push_front(directory);
    }
    push_back(path_);
    here = "/";
    struct stat found{};
    if (::stat("/", &found) != 0) return failure_of(errno, "/");
    for (int steps = 0; steps < kStepsMax; ++steps) {
      if (auto trusted = check_owner(here, found); !trusted) return trusted;
      const bool last = steps_.empty();
      if (S_ISDIR(found.st_mode) && (!last || last_too)) {
        if (auto trusted = check_writers(here, found); !trusted) return trusted;
      }
      if (last) return {};
      const std::string next = join(here, steps_.front());
      steps_.pop_front();
      if (::lstat(next.c_str(), &found) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return {};
        return failure_of(errno, what_ + " " + path_ + ": cannot look at " + next);
      }
      if (auto moved = move_to(here, next, found); !moved) return moved;
    }
    return failure(ErrorKind::refused, what_ + " " + path_ + ": too many symbolic links");
  }

 private:
  static std::string join(const std::string& directory, const std::string& name) {
    if (name == "..") {
      const auto slash = directory.rfind('/');
      return slash == 0 ? "/" : directory.substr(0, slash);
    }
    return directory == "/" ? "/" + name : directory + "/" + name;
  }

  static std::deque<std::string> split(const std::string& path) {
    std::deque<std::string> names;
    std::istringstream stream(path);
    for (std::string name; std::getline(stream, name, '/');) {
      if (!name.empty() && name != ".") names.push_back(name);
    }
    return names;
  }
  void push_back(const std::string& path) { std::ranges::move(split(path), back(steps_)); }
  void push_front(const std::string& path) {
    auto names = split(path);
    std::ranges::move(steps_, back(names));
    steps_ = std::move(names);
  }
  static std::back_insert_iterator<std::deque<std::string>> back(std::deque<std::string>& to) {
    return std::back_inserter(to);
  }

  /// Takes the step to `next`: where that is a link, its steps come first.
  Result<void> move_to(std::string& here, const std::string& next, struct stat& found) {
    if (!S_ISLNK(found.st_mode)) {
      here = next;
      return {};
    }
    if (auto trusted = check_owner(next, found); !trusted) return trusted;
    char target[PATH_MAX];
    const ssize_t size = ::readlink(next.c_str(), target, sizeof target);
    if (size < 0) return failure_of(errno, what_ + " " + path_ + ": cannot read " + next);
    const std::string text(target, static_cast<std::size_t>(size));
    push_front(text);
    if (text.starts_with('/')) here = "/";
    if (::lstat(here.c_str(), &found) != 0) return failure_of(errno, here);
    return {};
  }

  Result<void> check_owner(const std::string& at, const struct stat& found) const {
    const uid_t owner = found.st_uid;
    if (owner == 0 || owner == user_ || owner == outside_) return {};
    const bool self = at == path_;
    return failure(ErrorKind::refused,
        what_ + " " + path_ + (self ? "" : ": " + at) + " belongs to user " +
            std::to_string(owner) + ", who could put another one in its place; run: chown " +
            std::to_string(user_) + " " + at + ", or choose another place");
  }

  Result<void> check_writers(const std::string& at, const struct stat& found) const {
    if ((found.st_mode & S_ISVTX) != 0) return {};
    const bool others = (found.st_mode & S_IWOTH) != 0;
    const bool members = (found.st_mode & S_IWGRP) != 0 && found.st_gid != 0 &&
        !is_private_group(found.st_gid, user_);
    if (!others && !members) return {};
    return failure(ErrorKind::refused,
        what_ + " " + path_ + ": other users may write to " + at +
            ", and so put another one in its place; run: chmod go-w " + at +
            ", or choose another place");
  }

  const std::string& path_;
  uid_t user_;
  const std::string& what_;
  std::optional<uid_t> outside_;
  std::deque<std::string> steps_;  ///< Still to take.
};

}  // namespace

Result<void> check_trusted(const std::string& path, uid_t user, const std::string& what) {
  return Walk(path, user, what).run(false);
}

Result<void> check_trusted_directory(const std::string& path, uid_t user, const std::string& what) {
  return Walk(path, user, what).run(true);
}

}  // namespace dunlin::node
