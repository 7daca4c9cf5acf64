// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <uv.h>

#include "node/loop/wakeup.h"
#include "node/task/task_inputs.h"
#include "node/warden/input_protocol.h"

namespace dunlin::node {

/// Which client feeds which task of this node. The warden holds the ends of pipes and terminals;
/// here it is known that a task without a client does not wait for ever.
class FedTasks final : public TaskInputs {
 public:
  /// Tasks are named by the numbers that the warden knows them by; 0 is none.
  struct Calls {
    std::function<std::uint64_t(const sched::TaskId&, sched::AttemptNumber)> find;
    std::function<void(const warden::Feed&)> feed;
    std::function<void(const warden::Resize&)> resize;
    std::function<void(std::uint64_t)> end;  ///< The task is to be ended.
  };

  /// The client of a task comes as soon as it hears where the task runs, or not at all.
  static constexpr sched::Duration kClientWithin = std::chrono::seconds(60);

  /// `node` is named in errors.
  FedTasks(
      uv_loop_t& loop, std::string node, Calls calls, sched::Duration client_within = kClientWithin)
      : loop_(loop),
        node_(std::move(node)),
        calls_(std::move(calls)),
        client_within_(client_within),
        late_(loop, [this] { end_without_clients(); }) {}

  /// What is known of the input of a task as it is taken in charge.
  enum class Past : std::uint8_t {
    none,      ///< This agent starts it, and a client is to come.
    lost,      ///< An earlier agent started it, and its client may have had more to give.
    complete,  ///< Likewise, but the warden says that all was given: no client needs to come.
  };
  /// A client is to feed that task.
  void expect(std::uint64_t id, Past past);
  /// The warden says how much a task has taken.
  void on_fed(const warden::Fed& fed);
  /// The task has ended. If that is because it had no client any more, `report` says so from here
  /// on, whatever it said.
  void conclude(std::uint64_t id, sched::Report& report);
  /// All tasks are lost.
  void clear() { inputs_.clear(); }

  Result<void> attach(const sched::TaskId& task, std::uint32_t attempt) override;
  void detach(const sched::TaskId& task, std::uint32_t attempt) override;
  void feed(
      const sched::TaskId& task, std::uint32_t attempt, std::string_view data, bool end) override;
  void resize(const sched::TaskId& task,
      std::uint32_t attempt,
      std::uint16_t rows,
      std::uint16_t columns) override;
  State state(const sched::TaskId& task, std::uint32_t attempt) const override;

 private:
  struct Input {
    Past past = Past::none;
    /// It has a client, or had one: there is no second.
    bool attached = false;
    bool ended = false;  ///< All of it was sent.
    /// It was told to end for want of its client.
    bool hung_up = false;
    std::uint64_t taken = 0;
    /// It reads no more.
    bool closed = false;
    sched::Time due{};  ///< A client must have come by then.
    /// No client feeds it, and more is to come.
    bool waits() const { return !attached && !ended && !hung_up; }
  };
  using Inputs = std::map<std::uint64_t, Input>;

  Inputs::iterator find(const sched::TaskId& task, std::uint32_t attempt);
  /// Ends a task that will not get all of its input.
  void hang_up(Inputs::iterator input);
  /// Ends tasks whose client did not come in time.
  void end_without_clients();
  /// Has the next one that waits for a client looked at when its time has come.
  void watch();

  uv_loop_t& loop_;
  std::string node_;
  Calls calls_;
  sched::Duration client_within_;
  Inputs inputs_;
  Wakeup late_;
};

}  // namespace dunlin::node
