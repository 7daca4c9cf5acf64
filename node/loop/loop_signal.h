// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include "node/loop/handle.h"

namespace dunlin::node {

/// Makes the loop turn, from any thread. Does not keep the loop alive.
class LoopSignal {
 public:
  explicit LoopSignal(uv_loop_t& loop) {
    uv_async_init(&loop, signal_.get(), [](uv_async_t*) {});
    uv_unref(reinterpret_cast<uv_handle_t*>(signal_.get()));
  }

  /// Safe on any thread, for as long as this lives.
  void send() { uv_async_send(signal_.get()); }

 private:
  Handle<uv_async_t> signal_ = make_handle<uv_async_t>();
};

}  // namespace dunlin::node
