// SPDX-License-Identifier: MIT
#include "node/events/event_feed.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "node/wall_clock.h"
#include "overlay/reflect.h"

// Events of level debug come by the thousand, and mostly nothing reads them: an event is made into
// texts only if one that follows wants it.
namespace dunlin::node {
namespace {

/// Whoever found no room among the readers may look again after so long.
constexpr overlay::Duration kReaderRest = std::chrono::seconds(1);

template <typename... Events>
std::vector<std::string_view> names_of(const std::variant<Events...>*) {
  return {Events::kName...};
}

/// The names of all events.
const std::vector<std::string_view>& event_names() {
  static const std::vector<std::string_view> names = [] {
    auto all = names_of(static_cast<const sched::Event*>(nullptr));
    const auto others = names_of(static_cast<const overlay::Event*>(nullptr));
    all.insert(all.end(), others.begin(), others.end());
    std::ranges::sort(all);
    return all;
  }();
  return names;
}

/// A `*` counts only at the end: events are named by what they are about, so job_* is what people
/// want.
bool stands_for(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

bool EventFilter::matches(overlay::Level of, std::string_view name) const {
  if (of < level) return false;
  return names.empty() ||
      std::ranges::any_of(names, [&](const auto& each) { return stands_for(each, name); });
}

// A misspelt name would be a filter that waits in silence for ever, so it is an error, and the text
// lists what there is.
Result<void> EventFilter::check() const {
  for (const std::string& pattern : names) {
    const bool known = std::ranges::any_of(
        event_names(), [&](std::string_view name) { return stands_for(pattern, name); });
    if (known) continue;
    std::string text = "'" + pattern + "' is no event; known are:";
    for (const std::string_view name : event_names()) text += " " + std::string(name);
    return failure(ErrorKind::usage, text + "; job_* stands for all that begin so");
  }
  return {};
}

// A client that reads slowly loses events rather than holding memory of the agent. The new ones are
// dropped, not the old: so a gap is one place, before the next event that is kept, and that event
// carries how many are missing there.
void EventReader::put(const FedEvent& event) {
  if (waiting_.size() >= kWaitingMax) {
    ++dropped_;
    return;
  }
  waiting_.push_back({event, std::exchange(dropped_, 0)});
}

EventReader::Batch EventReader::take(std::size_t max) {
  Batch batch;
  // Nothing follows the gap yet: it is told by itself, lest it be learnt only with the next event.
  if (waiting_.empty()) {
    batch.dropped = std::exchange(dropped_, 0);
    return batch;
  }
  // A batch tells one number, for the place before its first event, so it ends before the next gap.
  batch.dropped = waiting_.front().dropped;
  while (!waiting_.empty() && batch.events.size() < max) {
    Waiting& next = waiting_.front();
    if (next.dropped > 0 && !batch.events.empty()) break;
    batch.events.push_back(std::move(next.event));
    waiting_.pop_front();
  }
  return batch;
}

bool EventFeed::wants(overlay::Level level, std::string_view name) const {
  if (level >= kRecentLevel) return true;
  return std::ranges::any_of(readers_, [&](const std::weak_ptr<EventReader>& each) {
    const auto reader = each.lock();
    return reader != nullptr && reader->filter_.matches(level, name);
  });
}

template <typename Event>
void EventFeed::feed(const Event& event) {
  std::visit(
      [this](const auto& kind) {
        if (!wants(kind.kLevel, kind.kName)) return;
        FedEvent fed{.at = wall_clock_ns(),
            .level = kind.kLevel,
            .name = kind.kName,
            .job = {},
            .fields = {}};
        overlay::for_each_field(kind, [&](std::string_view key, const auto& value) {
          fed.fields.emplace_back(key, rendered(value));
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, sched::JobId>) {
            if (!fed.job) fed.job = value;  // The first is the one that it happened to.
          }
        });
        put(std::move(fed));
      },
      event);
}

void EventFeed::on(const overlay::Event& event) {
  feed(event);
}

void EventFeed::on(const sched::Event& event) {
  feed(event);
}

// Readers are held by their clients alone: one that is gone has said no farewell, and is noticed
// here.
void EventFeed::put(FedEvent event) {
  std::erase_if(readers_, [&](const std::weak_ptr<EventReader>& each) {
    const auto reader = each.lock();
    if (reader == nullptr) return true;
    if (reader->filter_.matches(event.level, event.name)) reader->put(event);
    return false;
  });
  // Recent events are for clients that come too late; the fine ones would push out all others.
  if (event.level < kRecentLevel) return;
  if (recent_.size() >= kRecentMax) recent_.pop_front();
  recent_.push_back(std::move(event));
}

Result<std::shared_ptr<EventReader>> EventFeed::follow(EventFilter filter) {
  // Without an event in between, put() has not yet noticed those that left.
  std::erase_if(readers_, [](const auto& each) { return each.expired(); });
  if (readers_.size() >= kReadersMax) {
    return too_busy(
        std::to_string(kReadersMax) + " clients follow the events of this agent; end one of them",
        kReaderRest.count());
  }
  auto reader = std::make_shared<EventReader>(std::move(filter));
  readers_.push_back(reader);
  return reader;
}

std::vector<FedEvent> EventFeed::recent(const EventFilter& filter) const {
  std::vector<FedEvent> found;
  for (const FedEvent& event : recent_) {
    if (filter.matches(event.level, event.name)) found.push_back(event);
  }
  return found;
}

}  // namespace dunlin::node
