// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <uv.h>

#include "node/loop/handle.h"
#include "node/warden/protocol.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The path of dunlin-warden: $DUNLIN_WARDEN, beside this program, or ../lib/dunlin of it.
/// `not_found` if it is at none of them.
Result<std::string> find_warden();

/// A warden process, and the agent's end of the socket to it.
class WardenLink {
 public:
  struct Events {
    std::function<void(const warden::Exited&)> exited;
    std::function<void(const warden::Freed&)> freed;
    std::function<void(const std::string&)> note;
    std::function<void()> died;  ///< Last. Must not delete the link before it returns.
  };

  /// Starts `program` and waits until it is ready, 5 s at most. `refused` with the warden's words
  /// if it can't do what `hello` asks for.
  static Result<std::unique_ptr<WardenLink>> open(
      uv_loop_t& loop, const std::string& program, const warden::Hello& hello, Events events);
  /// Lets it end, which kills all its tasks, and waits until it has: 15 s at most.
  ~WardenLink();
  WardenLink(const WardenLink&) = delete;
  WardenLink& operator=(const WardenLink&) = delete;

  /// Messages of one iteration of the loop leave together, at its end.
  template <typename Message>
  void send(const Message& message) {
    warden::append_frame(out_, message);
    uv_prepare_start(flush_.get(),
        [](uv_prepare_t* handle) { static_cast<WardenLink*>(handle->data)->flush(); });
  }

  /// The mechanism that the warden uses: "v2", "v1", "rlimit", "none".
  const std::string& limits() const { return limits_; }
  int pid() const { return process_->pid; }

 private:
  explicit WardenLink(Events events) : events_(std::move(events)) {}
  Result<void> start(uv_loop_t& loop, const std::string& program);
  Result<void> greet(const warden::Hello& hello);
  void flush();
  void listen();
  void receive();
  void die();

  Events events_;
  std::string limits_;
  std::string out_;
  warden::FrameReader frames_;
  int socket_ = -1;
  bool dead_ = false;
  bool writing_ = false;  ///< poll_ waits for room, too.
  Handle<uv_process_t> process_;
  Handle<uv_poll_t> poll_;
  Handle<uv_prepare_t> flush_;
};

}  // namespace dunlin::node
