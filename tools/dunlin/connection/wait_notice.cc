// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/wait_notice.h"

#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

void WaitNotice::tell(const std::string& reason) {
  // Whatever comes now is about this reason, and no silence.
  due_ = Clock::time_point::max();
  if (reason == last_ || lines_ >= kLinesMax) return;
  last_ = reason;
  ++lines_;
  std::fprintf(stream_, "dunlin: waiting for %s\n", printable(reason).c_str());
  std::fflush(stream_);
}

void WaitNotice::tell_silence() {
  tell("the agent's answer");
}

}  // namespace dunlin::cli
