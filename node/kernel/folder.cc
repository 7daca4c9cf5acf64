// SPDX-License-Identifier: MIT
#include "node/kernel/folder.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

// Paths below a folder that others may write to. Each step is entered by itself, from the
// descriptor of the step before, and no symbolic link is followed: a user that exchanges a
// directory for a link meanwhile cannot lead a process with more rights elsewhere. Opening blocks
// on nothing, not even a pipe put in a file's place.
namespace dunlin::node {
namespace {

constexpr int kEnter = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

/// `parent` stays open as long as this.
struct Folder::Place {
  std::shared_ptr<const int> held{};
  int parent = -1;
  std::string name{};
};

Folder::Folder(int descriptor)
    : descriptor_(new const int(descriptor), [](const int* held) {
        const int error = errno;  // What a caller is to see of a call before.
        ::close(*held);
        delete held;
        errno = error;
      }) {}

Result<Folder> Folder::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), kEnter);
  if (descriptor < 0) return failure_of(errno, "cannot enter " + path);
  return Folder(descriptor);
}

Folder::Place Folder::place_of(std::string_view name) const {
  std::shared_ptr<const int> held = descriptor_;
  for (auto slash = name.find('/'); slash != name.npos && held; slash = name.find('/')) {
    const std::string step(name.substr(0, slash));
    name.remove_prefix(slash + 1);
    const int inner = ::openat(*held, step.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    held = inner < 0 ? nullptr : Folder(inner).descriptor_;
  }
  return {.held = held, .parent = held ? *held : -1, .name = std::string(name)};
}

Folder Folder::folder(std::string_view name) const {
  const Place at = place_of(name);
  if (at.parent < 0) return {};
  const int inner = ::openat(at.parent, at.name.c_str(), kEnter);
  return inner < 0 ? Folder() : Folder(inner);
}

int Folder::open_file(std::string_view name, int flags, mode_t mode) const {
  const Place at = place_of(name);
  if (at.parent < 0) return -1;
  constexpr int kAlways = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return ::openat(at.parent, at.name.c_str(), flags | kAlways, mode);
}

bool Folder::make_directory(std::string_view name) const {
  const Place at = place_of(name);
  if (at.parent < 0) return false;
  if (::mkdirat(at.parent, at.name.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) return false;
  struct stat found{};
  if (::fstatat(at.parent, at.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISDIR(found.st_mode)) return true;
  errno = ENOTDIR;
  return false;
}

bool Folder::rename(std::string_view from, std::string_view to) const {
  const Place source = place_of(from);
  if (source.parent < 0) return false;
  const Place goal = place_of(to);
  return goal.parent >= 0 &&
      ::renameat(source.parent, source.name.c_str(), goal.parent, goal.name.c_str()) == 0;
}

bool Folder::unlink(std::string_view name) const {
  const Place at = place_of(name);
  return at.parent >= 0 && ::unlinkat(at.parent, at.name.c_str(), 0) == 0;
}

bool Folder::remove_directory(std::string_view name) const {
  const Place at = place_of(name);
  return at.parent >= 0 && ::unlinkat(at.parent, at.name.c_str(), AT_REMOVEDIR) == 0;
}

void Folder::remove_all(std::string_view name) const {
  const Place at = place_of(name);
  if (at.parent >= 0) remove_all(at.parent, at.name.c_str(), 0);
}

void Folder::remove_all(int parent, const char* name, int depth) const {
  if (::unlinkat(parent, name, 0) == 0 || depth >= kDepthMax) return;
  const int inner = ::openat(parent, name, kEnter);
  if (inner < 0) return;
  const Folder entered(inner);
  for (const std::string& each : entered.names()) remove_all(inner, each.c_str(), depth + 1);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

bool Folder::look_at(std::string_view name, struct stat& found) const {
  const Place at = place_of(name);
  return at.parent >= 0 && ::fstatat(at.parent, at.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

std::vector<std::string> Folder::names(std::string_view name) const {
  std::vector<std::string> found;
  const Place at = place_of(name);
  if (at.parent < 0) return found;
  const int listed = ::openat(at.parent, at.name.empty() ? "." : at.name.c_str(), kEnter);
  if (listed < 0) return found;
  DIR* const listing = ::fdopendir(listed);
  if (listing == nullptr) {
    ::close(listed);
    return found;
  }
  while (const dirent* entry = ::readdir(listing)) {
    const std::string_view each = entry->d_name;
    if (each != "." && each != "..") found.emplace_back(each);
  }
  ::closedir(listing);
  return found;
}

}  // namespace dunlin::node
