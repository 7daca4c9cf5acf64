// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// The options that every command takes.
struct Globals {
  AgentAddress agent;
  std::string reconnect = "1m";  ///< How long an agent that goes away is waited for.
  /// Answers and errors as JSON on stdout, for programs.
  bool json = false;
  bool no_colour = false;

  /// stdout and stderr, each as far as it is a terminal: one of them may be a pipe.
  Terminal out() const { return Terminal::of(stdout, no_colour); }
  Terminal err() const { return Terminal::of(stderr, no_colour); }
};

}  // namespace dunlin::cli
