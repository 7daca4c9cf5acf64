// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "web/agent/problem.h"

namespace dunlin::web {

class Answers;
class Upstream;

/// What a topic is about, as its name says it.
struct TopicName {
  enum class Kind { jobs, nodes, status, job, events, log };

  Kind kind = Kind::jobs;
  std::string job;         ///< Of `job` and `log`.
  std::string node;        ///< Of `events`; empty: the gateway's own agent.
  std::uint32_t task = 0;  ///< Of `log`.
  bool of_errors = false;  ///< It is the log of stderr.

  /// It tells how something is, and the last word says all.
  bool tells_state() const { return kind != Kind::events && kind != Kind::log; }
  /// It is told to every user alike.
  bool is_shared() const {
    return kind == Kind::jobs || kind == Kind::nodes || kind == Kind::status;
  }
};
/// Reads "jobs", "job:wren.7", "events", "log:wren.7.0.err". Empty if it is none.
/// A stranger's text: at most 512 bytes of it, or it is none. Whether there is such a job or node
/// is seen when the agent is asked.
std::optional<TopicName> parse_topic(std::string_view text);

/// Where a topic's events come from: what asks the agent, once for all who listen.
/// A source knows no streams and no rings: it says what there is, and hears whether to go on.
class TopicSource {
 public:
  /// What it needs, and where its events go. All are called from the loop.
  struct Seams {
    Answers& answers;
    Upstream& upstream;
    std::function<std::uint64_t()> now_ms;
    /// Tells listeners an event's data, JSON.
    std::function<void(const std::string&)> tell;
    /// Says that nothing more comes.
    std::function<void(const Trouble&)> end;
    /// True while even the quickest listener is far behind.
    std::function<bool()> is_behind;
    /// Says that some was missed: the connection to the agent was another one until now.
    std::function<void()> reset;
  };

  virtual ~TopicSource() = default;
  /// Called often.
  /// It looks at the time itself, and mostly does nothing.
  virtual void tick() = 0;
  /// The agent is there again, and listeners are told that they may have missed some.
  virtual void restart() = 0;
};

std::unique_ptr<TopicSource> make_source(
    const TopicName& name, std::string user, TopicSource::Seams seams);

}  // namespace dunlin::web
