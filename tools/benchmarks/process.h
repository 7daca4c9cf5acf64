// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace dunlin::bench {

/// A program and its arguments; the program is looked up in PATH.
using Command = std::vector<std::string>;

/// Starts a child process. Throws std::runtime_error if it cannot be started.
pid_t spawn(const Command& command,
    const std::string& stdin_file = "/dev/null",
    const std::string& stdout_file = "/dev/null");
/// The exit status of a child, 128 + signal if it was killed.
int wait_for(pid_t child);
/// Runs a command to its end. Throws if its status is not 0.
void run(const Command& command, const std::string& stdin_file = "/dev/null");
/// The standard output of a command. Throws if its status is not 0.
std::string output_of(const Command& command);

/// Seconds that `run(command)` takes.
double seconds_of(const Command& command, const std::string& stdin_file = "/dev/null");

/// The children of `parent`, and theirs.
std::vector<pid_t> descendants_of(pid_t parent);
/// Processor time used so far.
std::chrono::duration<double> cpu_of(pid_t process);
/// Resident memory, in bytes.
double resident_of(pid_t process);

/// Empty if there is none.
std::string read_file(const std::string& path);

}  // namespace dunlin::bench
