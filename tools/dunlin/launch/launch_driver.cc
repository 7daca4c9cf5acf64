// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_driver.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

#include "tools/dunlin/launch/child_process.h"
#include "tools/dunlin/screen/interrupts.h"

// One thread waits for all children of ssh. A command has its time anew whenever bytes move: a
// large program on a slow line is no mute host.
namespace dunlin::cli {
namespace {

using DriverClock = std::chrono::steady_clock;

/// Without a pidfd the end of a child is looked for; with one it is an alarm clock for deadlines.
constexpr std::chrono::milliseconds kChildLooks{100};
/// The masters have so long to end together.
constexpr std::chrono::seconds kMastersEnd{2};
constexpr std::size_t kMastersAtOnce = 64;

/// A command that is under way, or waits for its moment.
struct Running {
  LaunchTask task;
  DriverClock::time_point begin;
  DriverClock::time_point deadline;
  std::unique_ptr<ChildProcess> child;  ///< Empty before `begin`.
  bool timed_out = false;
};

class LaunchDriver {
 public:
  LaunchDriver(LaunchQueue& queue, const SshWay& way, LaunchView& view)
      : queue_(queue),
        way_(way),
        view_(view) {}

  // Until all hosts are done or failed. Returns the signal by which the user ended it, 0 if none.
  Result<int> run() {
    Interrupts interrupts;
    while (!queue_.finished()) {
      if (interrupts.seen()) give_up();
      while (auto task = queue_.next()) {
        const auto begin = DriverClock::now() + task->command.delay;
        running_.push_back({std::move(*task), begin, DriverClock::time_point::max(), {}, false});
      }
      if (auto begun = begin_due(); !begun) return tl::unexpected(begun.error());
      view_.show(queue_.hosts());
      // A stop may have ended all hosts but those under way, which end by themselves.
      wait(interrupts.fd());
      look_after();
    }
    end_masters();
    return interrupts.signal();
  }

 private:
  /// Ctrl-C: what runs is killed, and what has not begun never will. Each host still reports.
  void give_up() {
    queue_.abandon("interrupted: said again, the launch goes on");
    for (auto each = running_.begin(); each != running_.end();) {
      if (each->child) {
        each->child->kill();
        ++each;
      } else {
        queue_.take(each->task.host, {});
        each = running_.erase(each);
      }
    }
  }

  Result<void> begin_due() {
    const auto now = DriverClock::now();
    for (Running& each : running_) {
      if (each.child || each.begin > now) continue;
      const RemoteCommand& command = each.task.command;
      // The script goes by standard input, not as an argument: no other user of the host sees it in
      // `ps`, and it may be longer than an argument.
      auto child = ChildProcess::start(ssh_words(
          way_, queue_.hosts()[each.task.host].host(), {}, script_loader(command.script.size())));
      if (!child) return tl::unexpected(child.error());
      each.child = std::move(*child);
      each.child->feed(command.script, command.payload.empty());
      if (!command.payload.empty()) each.child->feed(command.payload, true);
      each.deadline = now + way_.timeout;
    }
    return {};
  }

  /// Until a child or a signal has something for us, or kChildLooks has passed.
  void wait(int interrupt) {
    std::vector<pollfd> polls;
    polls.push_back({.fd = interrupt, .events = POLLIN, .revents = 0});
    for (const Running& each : running_) {
      if (each.child) each.child->add_polls(polls);
    }
    ::poll(polls.data(), polls.size(), static_cast<int>(kChildLooks.count()));
  }

  void look_after() {
    const auto now = DriverClock::now();
    for (auto each = running_.begin(); each != running_.end();) {
      const auto status = each->child ? look_after(*each, now) : std::nullopt;
      if (!status) {
        ++each;
        continue;
      }
      end(*each, *status);
      each = running_.erase(each);
    }
  }

  /// Its exit status, once it has one.
  std::optional<int> look_after(Running& each, DriverClock::time_point now) {
    // Bytes in either direction are a sign of life.
    if (each.child->step()) each.deadline = now + way_.timeout;
    if (now >= each.deadline && !each.timed_out) {
      each.timed_out = true;
      each.child->kill();
    }
    return each.child->status();
  }

  // The meaning of such an end is for the queue to say; here nothing is read of it.
  void end(const Running& each, int status) {
    const std::size_t host = each.task.host;
    queue_.take(host, {status, each.timed_out, each.child->out(), each.child->err()});
    const HostLaunch& taken = queue_.hosts()[host];
    if (taken.phase() == HostPhase::done || taken.phase() == HostPhase::failed) view_.done(taken);
  }

  /// A master that is left would hold its connection for a minute more.
  void end_masters() {
    if (way_.control.empty()) return;
    const auto& hosts = queue_.hosts();
    for (std::size_t from = 0; from < hosts.size(); from += kMastersAtOnce) {
      std::vector<std::unique_ptr<ChildProcess>> children;
      for (std::size_t i = from; i < std::min(from + kMastersAtOnce, hosts.size()); ++i) {
        if (hosts[i].report().directory.empty()) continue;  // It never answered.
        auto child = ChildProcess::start(ssh_exit_words(way_, hosts[i].host()));
        if (!child) return;
        (*child)->feed({}, true);
        children.push_back(std::move(*child));
      }
      const auto end = DriverClock::now() + kMastersEnd;
      for (const auto& child : children) {
        while (!child->status() && DriverClock::now() < end) {
          std::vector<pollfd> polls;
          child->add_polls(polls);
          ::poll(polls.data(), polls.size(), static_cast<int>(kChildLooks.count()));
          child->step();
        }
      }
    }
  }

  LaunchQueue& queue_;
  const SshWay& way_;
  LaunchView& view_;
  std::list<Running> running_;  ///< A list, since children read from commands in it.
};

}  // namespace

Result<int> drive_launch(LaunchQueue& queue, const SshWay& way, LaunchView& view) {
  return LaunchDriver(queue, way, view).run();
}

}  // namespace dunlin::cli
