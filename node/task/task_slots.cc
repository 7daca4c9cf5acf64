// SPDX-License-Identifier: MIT
#include "node/task/task_slots.h"

#include <cerrno>
#include <filesystem>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "node/ids.h"

// Slots are places where tasks run, by number: each has a directory and, where limits are enforced,
// a cgroup, which are used again and again. The lowest free one is taken, so that there are as few
// as tasks that ever ran at once. Directories that an agent before this one left there go to the
// trash, but for what tasks that still run have.
namespace dunlin::node {

namespace fs = std::filesystem;

namespace {

std::string script_name(std::uint32_t slot) {
  return std::to_string(slot) + ".script";
}

}  // namespace

TaskSlots::TaskSlots(uv_loop_t& loop,
    std::string directory,
    const std::set<std::uint32_t>& taken,
    const Trash::OnError& on_error)
    : directory_(std::move(directory)),
      trash_(loop, directory_ + "/trash", on_error) {
  std::set<std::string> in_use{"trash"};
  for (const std::uint32_t slot : taken) {
    in_use.insert(std::to_string(slot));
    in_use.insert(script_name(slot));
    scripts_.insert(slot);
    // Slots below one in use are free, and none above all of them was ever made.
    while (count_ <= slot) free_.insert(count_++);
    free_.erase(slot);
  }
  std::error_code error;
  // Listed before any is moved: a directory that changes while it is read may skip entries.
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    if (!in_use.contains(entry.path().filename().string())) left.push_back(entry.path());
  }
  for (const auto& path : left) {
    if (auto moved = trash_.take(path); !moved) on_error(moved.error().text);
  }
}

std::uint32_t TaskSlots::take() {
  if (free_.empty()) return count_++;
  // The lowest, so that as few slots as possible are made: each has files and a cgroup of its own.
  return free_.extract(free_.begin()).value();
}

std::string TaskSlots::scratch_path(std::uint32_t slot) const {
  return directory_ + "/" + std::to_string(slot);
}

std::string TaskSlots::script_path(std::uint32_t slot) {
  scripts_.insert(slot);
  return directory_ + "/" + script_name(slot);
}

std::string TaskSlots::own_path() {
  static const char* const base = ::access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
  std::uint64_t name = 0;
  (void)::getrandom(&name, sizeof name, 0);
  return std::string(base) + "/dunlin-" + to_string(overlay::PeerId{name});
}

Result<void> TaskSlots::make_scratch(std::uint32_t slot) const {
  const auto path = scratch_path(slot);
  // It may be there: release() leaves one in which nothing was left.
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failure_of(errno, "cannot make " + path);
}

Result<void> TaskSlots::release(std::uint32_t slot, bool scratch) {
  free_.insert(slot);
  if (scripts_.erase(slot) > 0) ::unlink((directory_ + "/" + script_name(slot)).c_str());
  std::error_code error;
  const auto path = scratch_path(slot);
  // There is none if the task had a directory that its user alone may open.
  // An empty one is left for the next task: most tasks write nothing there, and each move costs the
  // disk a write.
  if (!scratch || !fs::exists(path, error) || fs::is_empty(path, error)) return {};
  return trash_.take(path);
}

}  // namespace dunlin::node
