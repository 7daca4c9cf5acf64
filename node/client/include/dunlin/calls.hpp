// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../dunlin.h"

// A part of dunlin/client.hpp.
namespace dunlin::detail {

/// What a job is to call when it is over. The library calls it by run() once for each time that it
/// was told to.
class Calls : public std::enable_shared_from_this<Calls> {
 public:
  void add(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  /// Each may add more, and may free the job that this belongs to.
  static void run(dunlin_job* /*job*/, void* data) {
    const auto kept = static_cast<Calls*>(data)->shared_from_this();
    std::vector<std::function<void()>> due;
    {
      const std::lock_guard lock(kept->mutex_);
      due.swap(kept->calls_);
    }
    for (const auto& call : due) call();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> calls_;
};

}  // namespace dunlin::detail
