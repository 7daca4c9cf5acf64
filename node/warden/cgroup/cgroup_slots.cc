// SPDX-License-Identifier: MIT
#include "node/warden/cgroup/cgroup_slots.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

// A cgroup for each slot, made once and limited anew for each task, because making one costs more
// than writing a limit, and most tasks have the limits of the one before. A process that survives
// SIGKILL keeps its directory busy: then the slot goes on under another name, and the old directory
// is removed when the process is gone.
namespace dunlin::node {

CgroupSlots::~CgroupSlots() {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) retire(slot);
  clear_leftovers();
  for (const auto& base : bases_) ::rmdir(base.c_str());
}

Result<CgroupSlots::Slot*> CgroupSlots::make(std::uint32_t number) {
  if (number >= slots_.size()) slots_.resize(number + 1);
  Slot& slot = slots_[number];
  if (slot.made) return &slot;
  slot = {.generation = slot.generation};
  for (const auto& base : bases_) {
    auto directory = base + "/slot-" + std::to_string(number);
    if (slot.generation > 0) directory += "." + std::to_string(slot.generation);
    if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
      return failure_of(errno, "limits: cannot make the cgroup " + directory);
    }
    slot.join_files.push_back(directory + "/" + join_file_);
    slot.directories.push_back(std::move(directory));
  }
  slot.made = true;
  return &slot;
}

Result<void> CgroupSlots::limit(
    std::uint32_t number, const Limits& limits, const std::function<Result<void>(Slot&)>& apply) {
  for (const bool again : {false, true}) {
    const auto slot = make(number);
    if (!slot) return tl::unexpected(slot.error());
    // Each file written costs a call of the kernel, and most tasks of a job have the same limits.
    if ((*slot)->limited && (*slot)->limits == limits) return {};
    auto done = apply(**slot);
    if (done || again) return done;
    retire(number);
  }
  return {};
}

void CgroupSlots::retire(std::uint32_t number) {
  Slot& slot = slots_[number];
  if (!slot.made) return;
  clear_leftovers();
  slot.made = false;
  bool in_use = false;
  for (const auto& directory : slot.directories) {
    // EBUSY: a process is still in it, such as one that survives SIGKILL.
    if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) continue;
    tombstones_.push_back(directory);
    in_use = true;
  }
  // The old name is taken for as long as that lasts, so the next directory has another.
  if (in_use) ++slot.generation;
}

void CgroupSlots::clear_leftovers() {
  std::erase_if(tombstones_, [](const std::string& directory) {
    return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
  });
}

}  // namespace dunlin::node
