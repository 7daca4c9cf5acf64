// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/events/event_fields.h"
#include "overlay/result.h"
#include "sched/observer.h"

namespace dunlin::node {

/// An event, as readers of the feed get it.
struct FedEvent {
  std::int64_t at = 0;  ///< Wall clock, ns since 1970.
  overlay::Level level = overlay::Level::info;
  std::string_view name;
  std::optional<sched::JobId> job;  ///< The job that it is about.
  std::vector<std::pair<std::string_view, Rendered>> fields;
};

/// Which events a reader wants.
struct EventFilter {
  overlay::Level level = overlay::Level::info;  ///< This and graver ones.
  /// Names, or beginnings of names that end in "*"; none: all of them.
  std::vector<std::string> names;

  bool matches(overlay::Level of, std::string_view name) const;
  /// Fails with `usage` if one of the names is that of no event.
  Result<void> check() const;
};

/// Events that one reader has not got yet. At most kWaitingMax wait for it; those that come then
/// are left out, and counted.
class EventReader {
 public:
  static constexpr std::size_t kWaitingMax = 4096;

  explicit EventReader(EventFilter filter) : filter_(std::move(filter)) {}

  struct Batch {
    std::uint64_t dropped = 0;  ///< So many were left out before the first of `events`.
    std::vector<FedEvent> events;
    bool empty() const { return dropped == 0 && events.empty(); }
  };
  /// The next events, at most `max`, with none left out between them.
  Batch take(std::size_t max);
  bool empty() const { return waiting_.empty() && dropped_ == 0; }

 private:
  friend class EventFeed;
  struct Waiting {
    FedEvent event;
    std::uint64_t dropped = 0;  ///< Before it.
  };
  void put(const FedEvent& event);

  EventFilter filter_;
  std::deque<Waiting> waiting_;
  std::uint64_t dropped_ = 0;  ///< After the last that waits.
};

/// Hands the events of this agent to all that follow them, and remembers the last ones of some
/// weight for those that come later.
class EventFeed final : public sched::Observer {
 public:
  static constexpr std::size_t kReadersMax = 32;
  static constexpr std::size_t kRecentMax = 1000;
  /// Lighter events are not remembered: there may be thousands a second.
  static constexpr overlay::Level kRecentLevel = overlay::Level::info;

  void on(const overlay::Event& event) override;
  void on(const sched::Event& event) override;

  /// From now on the reader gets all that its filter lets through, as long as the caller keeps it.
  /// Fails with `busy` if there are kReadersMax.
  Result<std::shared_ptr<EventReader>> follow(EventFilter filter);
  /// Remembered events that the filter lets through, the oldest first.
  std::vector<FedEvent> recent(const EventFilter& filter) const;

 private:
  bool wants(overlay::Level level, std::string_view name) const;
  template <typename Event>
  void feed(const Event& event);
  void put(FedEvent event);

  std::vector<std::weak_ptr<EventReader>> readers_;
  std::deque<FedEvent> recent_;
};

}  // namespace dunlin::node
