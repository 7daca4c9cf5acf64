// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <sys/types.h>
#include <vector>

// Which processes belong together, by /proc alone: for machines where no cgroup can tell.
namespace dunlin::node {

/// The children of a process, exited but unreaped ones among them.
std::vector<pid_t> children_of(pid_t parent);

/// `root` and all below it.
std::vector<pid_t> descendants_of(pid_t root);

/// Bytes of memory a process keeps resident; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

/// The processes of a task whose main process is or was `main`: what descends from it, and what was
/// orphaned (this process is the reaper of orphans) and is of its session, or carries
/// DUNLIN_SLOT=`slot` in the environment it was started with. `others` are children of this process
/// that belong to other tasks. Dead processes are left out.
std::vector<pid_t> task_processes(pid_t main, std::uint32_t slot, std::span<const pid_t> others);

}  // namespace dunlin::node
