// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "node/agent_options.h"
#include "node/ids.h"
#include "node/metrics.h"
#include "sched/observer.h"

namespace spdlog {
class logger;
}

namespace dunlin::node {

/// The agent's voice on stderr: writes events as `event key=value ...`, and counts them. The level
/// of an event decides if it is worth a line.
class Log final : public sched::Observer {
 public:
  using Field = std::pair<std::string_view, std::string>;

  Log(overlay::Level level, LogFormat format, Metrics& metrics);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void set_level(overlay::Level level);
  /// Begins each line of text with the name of this node: several agents write to one terminal.
  void set_name(std::string_view name);

  /// Hands each event on, also those that are not worth a line; `next` must outlive this.
  void pass_on(sched::Observer& next) { next_ = &next; }

  void on(const overlay::Event& event) override;
  void on(const sched::Event& event) override;

  /// Something of the agent itself. Never give it a secret.
  void say(overlay::Level level, std::string_view event, std::initializer_list<Field> fields = {});

 private:
  template <typename Event>
  void render(const Event& event);
  bool wants(overlay::Level level) const;
  void write(overlay::Level level, const std::string& line);

  Metrics& metrics_;
  sched::Observer* next_ = nullptr;
  LogFormat format_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace dunlin::node
