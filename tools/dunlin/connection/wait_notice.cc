// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/wait_notice.h"

#include <algorithm>

// While a command waits for an agent, a person wants to know for what. A script does not, so all of
// it goes to stderr, and lines are few however long it takes.
namespace dunlin::cli {
namespace {

/// What an agent says may hold names that others chose: none of them moves the cursor.
std::string harmless(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  std::ranges::replace_if(text, is_control, '?');
  return text;
}

}  // namespace

void WaitNotice::tell(const std::string& reason) {
  // Whatever comes now is about this reason, and no silence.
  due_ = Clock::time_point::max();
  // A reason that flickers between two words must not fill the screen.
  if (reason == last_ || lines_ >= kLinesMax) return;
  last_ = reason;
  ++lines_;
  std::fprintf(stream_, "dunlin: waiting for %s\n", harmless(reason).c_str());
  // Read while it waits, so it must not stay in a buffer.
  std::fflush(stream_);
}

void WaitNotice::tell_silence() {
  tell("the agent's answer");
}

}  // namespace dunlin::cli
