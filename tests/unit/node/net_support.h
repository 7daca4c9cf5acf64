// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>
#include <uv.h>

#include "node/net/keyring.h"

// The common part of the tests of the network.
namespace dunlin::node {

/// A libuv loop that a test turns by hand. It must be the last to go, and proves in going that
/// every handle was closed.
class Loop {
 public:
  Loop() { uv_loop_init(&loop_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    for (int i = 0; i < 100 && uv_run(&loop_, UV_RUN_NOWAIT) != 0; ++i) {
    }
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "a handle was not closed";
  }

  uv_loop_t& get() { return loop_; }

  /// Turns the loop until `done`, for at most `patience`. Returns done().
  bool run_until(const std::function<bool()>& done,
      std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    // A timer keeps the loop from sleeping for ever when nothing comes.
    uv_timer_t* const tick = new uv_timer_t{};
    uv_timer_init(&loop_, tick);
    uv_timer_start(tick, [](uv_timer_t*) {}, 5, 5);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!done() && std::chrono::steady_clock::now() < deadline) uv_run(&loop_, UV_RUN_ONCE);
    uv_close(reinterpret_cast<uv_handle_t*>(tick),
        [](uv_handle_t* handle) { delete reinterpret_cast<uv_timer_t*>(handle); });
    return done();
  }

  void run_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    run_until([end] { return std::chrono::steady_clock::now() >= end; }, 2 * time);
  }

 private:
  uv_loop_t loop_{};
};

/// A cluster named `name` under a key made of `fill`.
inline Keyring test_keyring(char fill = 'a', const std::string& name = "demo") {
  return Keyring::parse("cluster " + name + "\nkey " + std::string(64, fill) + "\n", "test")
      .value();
}

/// One that seals with `first` and opens `second` too.
inline Keyring test_keyring_of_two(char first, char second) {
  return Keyring::parse(
      "cluster demo\nkey " + std::string(64, first) + "\nkey " + std::string(64, second) + "\n",
      "test")
      .value();
}

}  // namespace dunlin::node
