// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <uv.h>

#include "overlay/time.h"

namespace dunlin::node {

/// The names of users, looked up by libuv's threads and remembered for a while.
class UserNames {
 public:
  using Done = std::function<void(std::string)>;
  /// A name is good for so long: an administrator may give it to another id.
  static constexpr overlay::Duration kKeep = std::chrono::minutes(5);
  /// Names remembered at most.
  static constexpr std::size_t kNamesMax = 4096;

  /// `loop` must outlive this.
  explicit UserNames(uv_loop_t& loop) : loop_(loop) {}
  /// Nothing that is under way calls its `done` any more.
  ~UserNames();
  UserNames(const UserNames&) = delete;
  UserNames& operator=(const UserNames&) = delete;

  /// Calls `done` with the name of `user`: at once if it is remembered, else from the loop. The
  /// name of an id that has none, or that cannot be looked up, is "#1234".
  void find(uid_t user, Done done);
  /// Lookups under way for that user.
  std::size_t waiting(uid_t user) const;

 private:
  struct Request;
  struct Known {
    std::string name;
    std::uint64_t until = 0;  ///< By the loop's clock, ms.
  };
  static void on_found(uv_work_t* work, int status);

  uv_loop_t& loop_;
  std::map<uid_t, Known> known_;
  std::set<Request*> open_;
};

}  // namespace dunlin::node
