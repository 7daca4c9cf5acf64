// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "overlay/turn.h"
#include "sched/cell/message.h"
#include "sched/turn.h"

namespace dunlin::sim {

/// The ways in which a turn of a peer acts upon the world that others see. References.
struct WorldPorts {
  overlay::Port<overlay::Message>& gossip;
  overlay::Port<sched::Message>& out;
  overlay::Port<sched::cell::Message>& cells;
  sched::Observer& events;
  sched::Executor& executor;
};

/// Such ways that hold back what is done, in its order, until it is taken.
class HeldPorts {
 public:
  using Acts = std::vector<std::function<void()>>;

  /// Acts go on to `world`, of which all must outlive this.
  explicit HeldPorts(const WorldPorts& world) : world_(world) {}
  HeldPorts(const HeldPorts&) = delete;
  HeldPorts& operator=(const HeldPorts&) = delete;

  const WorldPorts& ports() const { return held_; }
  /// Keeps an act behind those that are held already.
  void hold(std::function<void()> act) { acts_.push_back(std::move(act)); }
  /// All that was held back since it was last taken.
  Acts take() { return std::exchange(acts_, {}); }

 private:
  template <typename Message>
  class Sender final : public overlay::Port<Message> {
   public:
    Sender(HeldPorts& all, overlay::Port<Message>& to) : all_(all), to_(to) {}
    // A copy: the message is only borrowed until send() returns.
    void send(const overlay::Endpoint& to, const Message& message) override {
      all_.hold([this, to, message] { to_.send(to, message); });
    }

   private:
    HeldPorts& all_;
    overlay::Port<Message>& to_;
  };

  class Events final : public sched::Observer {
   public:
    explicit Events(HeldPorts& all) : all_(all) {}
    void on(const overlay::Event& event) override {
      all_.hold([this, event] { all_.world_.events.on(event); });
    }
    void on(const sched::Event& event) override {
      all_.hold([this, event] { all_.world_.events.on(event); });
    }

   private:
    HeldPorts& all_;
  };

  class Tasks final : public sched::Executor {
   public:
    explicit Tasks(HeldPorts& all) : all_(all) {}
    void start(const sched::Launch& launch) override {
      all_.hold([this, launch] { all_.world_.executor.start(launch); });
    }
    void kill(
        const sched::TaskId& task, sched::AttemptNumber attempt, sched::Outcome outcome) override {
      all_.hold([=, this] { all_.world_.executor.kill(task, attempt, outcome); });
    }
    void suspend(const sched::TaskId& task, sched::AttemptNumber attempt) override {
      all_.hold([=, this] { all_.world_.executor.suspend(task, attempt); });
    }
    void resume(const sched::TaskId& task, sched::AttemptNumber attempt) override {
      all_.hold([=, this] { all_.world_.executor.resume(task, attempt); });
    }
    void forget(const sched::TaskId& task, sched::AttemptNumber attempt) override {
      all_.hold([=, this] { all_.world_.executor.forget(task, attempt); });
    }
    void try_start() override {
      all_.hold([this] { all_.world_.executor.try_start(); });
    }

   private:
    HeldPorts& all_;
  };

  WorldPorts world_;
  Acts acts_;
  Sender<overlay::Message> gossip_{*this, world_.gossip};
  Sender<sched::Message> out_{*this, world_.out};
  Sender<sched::cell::Message> cells_{*this, world_.cells};
  Events events_{*this};
  Tasks tasks_{*this};
  WorldPorts held_{gossip_, out_, cells_, events_, tasks_};
};

}  // namespace dunlin::sim
