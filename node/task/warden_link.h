// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "node/loop/wakeup.h"
#include "node/task/warden_process.h"
#include "node/warden/frames.h"
#include "node/warden/input_protocol.h"
#include "node/warden/protocol.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The agent's end of the socket to a warden: one that lives, or else a new one.
class WardenLink {
 public:
  struct Options {
    std::string program;            ///< Empty: find_warden(), when one must be started.
    std::string directory;          ///< The warden's own: see warden/protocol.h.
    bool service = false;           ///< Another program starts the warden.
    std::uint32_t incarnation = 1;  ///< Of this agent: later than that of any agent before.
    warden::Settings settings;
    std::chrono::milliseconds patience{5000};  ///< For a warden that is to begin or to end.
  };
  /// Called in the turns of the loop, never within a call of the link.
  struct Events {
    std::function<void(const warden::Exited&)> exited;
    std::function<void(const warden::Fed&)> fed;
    std::function<void(const warden::Used&)> used;
    std::function<void(const warden::Freed&)> freed;
    std::function<void(const std::string&)> note;
    std::function<void()> died;  ///< Last. Must not delete the link before it returns.
  };
  /// What a warden has kept of a task that an earlier agent started.
  struct Kept {
    warden::Kept task;
    std::optional<warden::Exited> ended;
  };

  /// Finds the warden of the directory, or starts one, and waits until it has told what it kept.
  /// `refused` with its words if it cannot do what the settings ask for.
  static Result<std::unique_ptr<WardenLink>> open(
      uv_loop_t& loop, const Options& options, Events events);
  /// Ends the warden with all its tasks and waits until it has ended: 15 s at most. After leave()
  /// it only hangs up.
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
  /// The same for what is in no hurry: with the next messages, or within a second.
  void send_later(const warden::Forget& message);
  /// The warden and its tasks go on without this agent.
  void leave() { leaving_ = true; }

  /// The mechanism that the warden uses: "v2", "v1", "rlimit", "none".
  const std::string& limits() const { return limits_; }
  /// True if it runs tasks as other users than its own.
  bool users() const { return users_; }
  /// True if it can suspend tasks.
  bool suspends() const { return suspends_; }
  /// True if it holds tasks to the rates of the disk that they demand.
  bool limits_disk() const { return limits_disk_; }
  /// Likewise, of the network.
  bool limits_net() const { return limits_net_; }
  /// The incarnation of the first agent that this warden served.
  std::uint32_t since() const { return since_; }
  /// What it told at the beginning; the caller takes it.
  std::vector<Kept> take_kept() { return std::exchange(kept_, {}); }

 private:
  enum class Greeted : std::uint8_t { well, ends };

  WardenLink(uv_loop_t& loop, Events events);
  /// Finds a warden that lives, or starts one, and greets it.
  Result<void> find(const Options& options);
  /// `ends` if that warden is of another version, and ends.
  Result<Greeted> greet(const Options& options);
  /// Hears what the warden kept, up to the end of the list.
  Result<void> list(int patience_ms);
  /// The next frame that comes within `patience_ms`.
  Result<warden::FrameReader::Frame> await_frame(int patience_ms);
  /// Closes the socket, and nothing else: the warden lives on.
  void hang_up();
  /// False if the warden did not hang up in time.
  bool await_hang_up();
  void watch();
  /// Has the loop tell of what can be read, and of room where bytes wait for it.
  void listen();
  /// Sends as much as the socket takes.
  void flush();
  void receive();
  /// Tells of all that has come.
  void tell();
  /// The warden hung up, or broke: told once.
  void die();

  uv_loop_t& loop_;
  Events events_;
  std::string limits_;
  bool users_ = false;
  bool suspends_ = false;
  bool limits_disk_ = false;
  bool limits_net_ = false;
  std::uint32_t since_ = 0;
  std::vector<Kept> kept_;
  /// Frames to be sent.
  std::string out_;
  warden::FrameReader frames_;
  int socket_ = -1;
  int pid_ = 0;
  bool dead_ = false;
  bool leaving_ = false;
  bool writing_ = false;  ///< poll_ waits for room, too.
  bool late_ = false;     ///< later_ is set.
  WardenProcess process_;
  Wakeup later_;
  Handle<uv_poll_t> poll_;
  Handle<uv_prepare_t> flush_;
};

}  // namespace dunlin::node
