// SPDX-License-Identifier: MIT
#include "web/stream/topic_ring.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dunlin::web {

void TopicRing::push(std::uint64_t seq, std::string text) {
  bytes_ += text.size();
  events_.push_back({seq, std::move(text)});
  // The newest one stays, however large: a topic that tells a state has it there alone.
  while (bytes_ > bytes_max_ && events_.size() > 1) {
    bytes_ -= events_.front().text.size();
    lost_ = events_.front().seq;
    events_.pop_front();
  }
}

const StreamEvent* TopicRing::after(std::uint64_t seq) const {
  // Events stand in the order of their numbers, as push() requires.
  const auto found = std::ranges::upper_bound(events_, seq, {}, &StreamEvent::seq);
  return found == events_.end() ? nullptr : &*found;
}

std::string event_id(std::string_view epoch, std::uint64_t seq) {
  return std::string(epoch) + "." + std::to_string(seq);
}

std::optional<std::uint64_t> parse_event_id(std::string_view epoch, std::string_view id) {
  if (!id.starts_with(epoch)) return std::nullopt;
  id.remove_prefix(epoch.size());
  // An epoch that only begins alike is another one.
  if (!id.starts_with('.')) return std::nullopt;
  std::uint64_t seq = 0;
  const auto [at, error] = std::from_chars(id.data() + 1, id.data() + id.size(), seq);
  if (error != std::errc() || at != id.data() + id.size()) return std::nullopt;
  return seq;
}

std::string event_text(std::string_view id, std::string_view name, std::string_view data) {
  std::string text;
  if (!id.empty()) text.append("id: ").append(id).append("\n");
  return text.append("event: ").append(name).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace dunlin::web
