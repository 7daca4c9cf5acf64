// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <uv.h>

#include "node/loop/handle.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The path of dunlin-warden: $DUNLIN_WARDEN, beside this program, or ../lib/dunlin of it.
/// `not_found` if it is at none of them.
Result<std::string> find_warden();

/// A warden that this agent has started. It goes on if the agent ends.
class WardenProcess {
 public:
  /// Starts `program` for a warden's `directory`. The one before must have ended.
  Result<void> start(uv_loop_t& loop, const std::string& program, const std::string& directory);
  /// True if one was started and has not been seen to end.
  bool started() const { return pid_ != 0; }
  /// The status as of wait(2) if it has ended since; the loop may not have run meanwhile.
  std::optional<int> take_end();
  /// Waits for its end, `patience_ms` at most, then ends it by force.
  void await_end(int patience_ms);

 private:
  int pid_ = 0;
  Handle<uv_process_t> process_;
};

}  // namespace dunlin::node
