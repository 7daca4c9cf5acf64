// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <sys/types.h>
#include <vector>

// Finds out by /proc alone which processes belong together, for machines without usable cgroups.
namespace dunlin::node {

/// The children of a process, exited but unreaped ones among them.
std::vector<pid_t> children_of(pid_t parent);

/// `root` and all processes below it.
std::vector<pid_t> descendants_of(pid_t root);

/// True if this process sees others in /proc: only then their descendants are found.
bool sees_processes();

/// True if a process has not ended.
bool is_alive(pid_t process);

/// True if `process` is `root` or below it. False if it is gone: ask is_alive() after.
bool descends_from(pid_t process, pid_t root);

/// The bytes of memory that a process keeps resident; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

/// The processes of a task with the main process `main`, alive or not: its descendants, and orphans
/// (this process is their reaper) of its session or with DUNLIN_SLOT=`slot` in their first
/// environment. `others` are children of this process that belong to other tasks. Dead processes
/// are left out.
std::vector<pid_t> task_processes(pid_t main, std::uint32_t slot, std::span<const pid_t> others);

}  // namespace dunlin::node
