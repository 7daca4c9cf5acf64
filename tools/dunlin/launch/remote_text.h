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

/// Looks, and changes nothing: machine, room, what is there, whether an agent lives.
extern const std::string_view kProbe;
/// Takes one program from standard input: whole and sound, or not at all.
extern const std::string_view kPutProgram;
/// Takes the key from standard input. A key that is there already is never replaced.
extern const std::string_view kPutKey;
/// Starts an agent unless one lives, and waits until it answers and, if it was told contacts, knows
/// another node.
extern const std::string_view kStart;
/// Has the agent make room for one of the new programs. Its tasks run on.
extern const std::string_view kRestart;
/// Ends the agent, and its tasks unless they may end by themselves.
extern const std::string_view kStop;
/// Removes the directory, if a launch has made it and no agent lives there.
extern const std::string_view kRemove;

}  // namespace dunlin::cli::remote
