// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "node/warden/launch.h"

namespace dunlin::node::warden {

/// Threads that run launches, one each at a time, in the order of a StartQueue. There are four;
/// another one is made when a launch that may run has waited for a tenth of a second, or for less
/// if it is the only one of its user; as many as the queue has places. The threads never end before
/// the process does, because a task is killed when the thread that made it ends.
class SpawnerPool {
 public:
  SpawnerPool();
  ~SpawnerPool();
  SpawnerPool(const SpawnerPool&) = delete;
  SpawnerPool& operator=(const SpawnerPool&) = delete;

  /// Queues a launch, which is run as soon as a thread is free. Never waits.
  void push(std::shared_ptr<Launch> launch);
  /// Takes a launch out of the queue; false if a thread has it already.
  bool withdraw(const Launch& launch);
  /// Notices launches that hang, and makes another thread if the queue stands still. Call it at
  /// deadline().
  void tick(Clock::time_point now);
  /// The time to call tick(); empty if no launch waits for a thread.
  std::optional<Clock::time_point> deadline() const;

 private:
  struct Shared;

  void add_thread();

  std::shared_ptr<Shared> shared_;  ///< The threads hold it, too.
  std::size_t threads_ = 0;
  Clock::time_point grown_{};  ///< The last time that a thread was made.
};

}  // namespace dunlin::node::warden
