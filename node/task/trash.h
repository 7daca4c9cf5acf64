// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <uv.h>

#include "overlay/result.h"

namespace dunlin::node {

/// Deletes directories in the background: on a thread of the loop's pool, a slice at a time. The
/// loop never waits, however many files there are.
class Trash {
 public:
  using OnError = std::function<void(const std::string&)>;

  /// The entries that one slice deletes at most.
  static constexpr int kSlice = 1000;

  /// `directory` holds what is to be deleted. It is on the file system of what is thrown away, and
  /// made if it is missing; what is in it already is deleted. `on_error` is told, from the loop,
  /// what cannot be deleted.
  Trash(uv_loop_t& loop, std::string directory, OnError on_error);
  /// Stops within one entry's time. The loop must run after.
  ~Trash();
  Trash(const Trash&) = delete;
  Trash& operator=(const Trash&) = delete;

  /// Moves `path` away at once, to be deleted.
  Result<void> take(const std::string& path);
  /// True if all was deleted that can be.
  bool idle() const;

 private:
  struct Work;

  void run();

  uv_loop_t& loop_;
  OnError on_error_;
  std::shared_ptr<Work> work_;  ///< A slice that runs holds it, too.
};

}  // namespace dunlin::node
