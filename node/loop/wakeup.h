// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <uv.h>

#include "node/loop/handle.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The loop's clock, in the protocols' terms. libuv caches it, so it is constant during a callback.
inline overlay::Time now(const uv_loop_t& loop) {
  return overlay::Time{std::chrono::milliseconds(uv_now(&loop))};
}

/// The same clock to the nanosecond, as it is at the call: to measure with, not to decide by.
inline overlay::Time precise_now() {
  return overlay::Time{std::chrono::nanoseconds(uv_hrtime())};
}

/// Calls back once, at the time that was set last.
class Wakeup {
 public:
  Wakeup(uv_loop_t& loop, std::function<void()> wake) : loop_(loop), wake_(std::move(wake)) {
    uv_timer_init(&loop, timer_.get());
    timer_->data = this;
  }
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  /// A `when` in the past means the loop's next iteration. kNever cancels.
  void at(overlay::Time when) {
    if (when == overlay::kNever) {
      uv_timer_stop(timer_.get());
      return;
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(when - now(loop_)).count();
    uv_timer_start(
        timer_.get(), [](uv_timer_t* timer) { static_cast<Wakeup*>(timer->data)->wake_(); },
        static_cast<std::uint64_t>(std::max<std::int64_t>(wait, 0)), 0);
  }

 private:
  uv_loop_t& loop_;
  std::function<void()> wake_;
  Handle<uv_timer_t> timer_ = make_handle<uv_timer_t>();
};

}  // namespace dunlin::node
