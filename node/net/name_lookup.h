// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <uv.h>
#include <vector>

#include "node/net/resolve.h"

namespace dunlin::node {

/// Looks names up beside the loop, which goes on meanwhile.
class NameLookup {
 public:
  using Done = std::function<void(Result<std::vector<overlay::Address>>)>;

  explicit NameLookup(uv_loop_t& loop) : loop_(loop) {}
  /// Answers that are still on their way are dropped. The loop ends when the last has come.
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  /// Calls `done` in a later iteration of the loop, or at once if the system refuses. The addresses
  /// are in the system's order of preference; fails as resolve() does.
  void start(const HostAndPort& where, Done done);

 private:
  struct Request;
  static void on_answer(uv_getaddrinfo_t* answered, int status, addrinfo* first);

  uv_loop_t& loop_;
  std::set<Request*> open_;  ///< The loop owns them.
};

}  // namespace dunlin::node
