// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// What runs on the hosts: plain POSIX sh, with the tools of coreutils and, where there is one, of
// systemd. Each step is the common part, and a part of its own behind it.
namespace dunlin::cli::remote {

/// Functions of all steps. They read the variables that remote_script() sets.
extern const std::string_view kCommon;
/// Functions of the steps that start an agent.
extern const std::string_view kStarting;

extern const std::string_view kProbe;
extern const std::string_view kPutProgram;
extern const std::string_view kPutKey;
extern const std::string_view kStart;
extern const std::string_view kRestart;
extern const std::string_view kStop;
extern const std::string_view kRemove;

}  // namespace dunlin::cli::remote
