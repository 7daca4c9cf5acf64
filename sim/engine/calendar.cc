// SPDX-License-Identifier: MIT
#include "sim/engine/calendar.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "overlay/ensure.h"
#include "overlay/prefetch.h"

// A heap of n events costs log n cache misses for each event, and n is millions here. A calendar
// costs one: an event goes to the list of its day, found by a shift and a mask, and is not ordered
// until that day begins. Most events are short timers and messages, a year or less away; the few
// beyond wait in a heap and are compared with today's first.
// The right length of a day depends on the run and changes with it. So the queue measures the mean
// time between events that it took, and rebuilds itself when days would be off by more than a
// factor of two: too long a day means sorting, too short a day means walking over empty ones.
namespace dunlin::sim {
namespace {

using Event = ns3::Scheduler::Event;

constexpr std::size_t kDaysMin = 1024;
constexpr std::uint64_t kEventsPerDay = 16;  ///< The bound; a day has at least half as many.
constexpr std::uint64_t kForeseen = 2;       ///< In days.

/// The order of heaps, with the earliest event on top.
/// Of one time the one that was scheduled first comes first, or runs would not repeat.
bool later(const Event& a, const Event& b) {
  return a.key.m_ts != b.key.m_ts ? a.key.m_ts > b.key.m_ts : a.key.m_uid > b.key.m_uid;
}

void push(std::vector<Event>& heap, const Event& event) {
  heap.push_back(event);
  std::ranges::push_heap(heap, later);
}

Event pop(std::vector<Event>& heap) {
  std::ranges::pop_heap(heap, later);
  const Event event = heap.back();
  heap.pop_back();
  return event;
}

}  // namespace

ns3::TypeId Calendar::GetTypeId() {
  static const ns3::TypeId id =
      ns3::TypeId("dunlin::sim::Calendar")
          .SetParent<ns3::Scheduler>()
          .SetGroupName("Dunlin")
          .AddConstructor<Calendar>()
          .AddAttribute("Soon", "Called with a context.", ns3::CallbackValue(),
              ns3::MakeCallbackAccessor(&Calendar::soon_), ns3::MakeCallbackChecker())
          .AddAttribute("Next", "Called with a context and a time.", ns3::CallbackValue(),
              ns3::MakeCallbackAccessor(&Calendar::next_), ns3::MakeCallbackChecker());
  return id;
}

Calendar::Calendar() : days_(kDaysMin) {}

Calendar::Node& Calendar::node(std::uint32_t i) const {
  return (*chunks_[i >> kChunkBits])[i & ((1u << kChunkBits) - 1)];
}

// Nodes are numbers in chunks rather than pointers: half the size in each list, and none moves when
// more are made.
std::uint32_t Calendar::make_node() {
  if (free_ != kNone) return std::exchange(free_, node(free_).next);
  if (made_ >> kChunkBits == chunks_.size()) {
    // Uninitialised on purpose: its nodes are filled before they are read.
    chunks_.push_back(std::unique_ptr<Chunk>(new Chunk));
  }
  return made_++;
}

void Calendar::Insert(const Event& event) {
  ++size_;
  place(event);
  if (size_ > 2 * std::max(built_for_, kDaysMin)) maybe_rebuild();
}

void Calendar::place(const Event& event) {
  // Today's heap also takes what belongs to days before: the calendar may have looked ahead of the
  // clock over empty days.
  const std::uint64_t day = day_of(event);
  if (day <= day_) return push(today_, event);
  if (day - day_ >= days_.size()) return push(far_, event);
  // Only the first node of a list is not full: `count` is about it alone.
  List& list = list_of(day);
  if (list.head == kNone || list.count == kPerNode) {
    const std::uint32_t made = make_node();
    node(made).next = list.head;
    // The mask changes nothing: it tells the compiler that the number fits into the field of 29
    // bits.
    list = {.head = made & kNone};
  }
  node(list.head).events[list.count] = event;
  ++list.count;
  ++in_year_;
}

void Calendar::for_each(const List& list, auto&& visit) const {
  std::uint32_t count = list.count;
  for (std::uint32_t i = list.head; i != kNone; i = node(i).next) {
    for (std::uint32_t e = 0; e < count; ++e) visit(node(i).events[e]);
    count = kPerNode;
  }
}

void Calendar::take(List& list, std::vector<Event>& out) {
  std::uint32_t count = list.count;
  for (std::uint32_t i = list.head; i != kNone;) {
    Node& each = node(i);
    out.insert(out.end(), each.events.begin(), each.events.begin() + count);
    in_year_ -= count;
    count = kPerNode;
    i = std::exchange(each.next, std::exchange(free_, i));
  }
  list = {};
}

void Calendar::advance() {
  // A heap that was large once, such as at the moment when all peers began, gives its memory back.
  if (today_.capacity() > std::max(size_ / 4, kDaysMin)) today_.shrink_to_fit();
  while (today_.empty() && in_year_ > 0) {
    ++day_;
    ++looked_;
    take(list_of(day_), today_);
  }
  if (today_.size() > 1) std::ranges::make_heap(today_, later);
  if (!next_.IsNull()) foresee();
}

void Calendar::foresee() {
  // The hints that remain of the day before are given all, so that none is carried over.
  while (!afar_.empty() || !near_.empty()) hint();
  std::swap(near_, told_);
  if (in_year_ == 0) return;
  const std::uint64_t until = day_ + kForeseen;
  for (std::uint64_t day = std::max(foreseen_, day_) + 1; day <= until; ++day) {
    for_each(list_of(day), [this](const Event& event) { afar_.push_back(event.key); });
  }
  foreseen_ = until;
  // The nodes of the day after those are fetched, because they are read next.
  if (const std::uint32_t head = list_of(until + 1).head; head != kNone) {
    overlay::prefetch(&node(head), sizeof(Node));
  }
}

void Calendar::hint() {
  if (!near_.empty()) {
    next_(near_.back().m_context, near_.back().m_ts);
    near_.pop_back();
  }
  if (!afar_.empty()) {
    soon_(afar_.back().m_context);
    told_.push_back(afar_.back());
    afar_.pop_back();
  }
}

bool Calendar::next_is_far() const {
  return !far_.empty() && (today_.empty() || later(today_.front(), far_.front()));
}

Event Calendar::RemoveNext() {
  ensure(size_ > 0, "an event of an empty queue");
  if (today_.empty()) {
    // After as much work as a rebuild costs, so its cost stays a constant for each event. Empty
    // days that were walked over count as work.
    if (taken_ + looked_ > std::max(size_, kDaysMin)) maybe_rebuild();
    advance();
  }
  if (!next_.IsNull()) hint();
  --size_;
  ++taken_;
  const bool far = next_is_far();
  const Event event = pop(far ? far_ : today_);
  // The year has no events, so the next year starts here.
  if (far && in_year_ == 0 && today_.empty()) day_ = std::max(day_, day_of(event));
  last_ = event.key.m_ts;
  return event;
}

Event Calendar::PeekNext() const {
  ensure(size_ > 0, "an event of an empty queue");
  if (!today_.empty() || in_year_ == 0) return next_is_far() ? far_.front() : today_.front();
  // Must not advance: what is inserted after a look may come before what was seen.
  std::uint64_t day = day_ + 1;
  while (list_of(day).head == kNone) ++day;
  Event first = node(list_of(day).head).events[0];
  for_each(list_of(day), [&](const Event& event) {
    if (later(first, event)) first = event;
  });
  return !far_.empty() && later(first, far_.front()) ? far_.front() : first;
}

// All is taken out and put back: ns-3 cancels events by a mark and has them run out, so this is
// called next to never.
void Calendar::Remove(const Event& event) {
  auto all = take_all();
  const auto same = [&](const Event& other) { return other.key.m_uid == event.key.m_uid; };
  ensure(std::erase_if(all, same) == 1, "an event that is not queued");
  --size_;
  for (const Event& each : all) place(each);
}

std::vector<Event> Calendar::take_all() {
  std::vector<Event> all = std::move(today_);
  all.insert(all.end(), far_.begin(), far_.end());
  for (List& list : days_) take(list, all);
  today_.clear();
  far_.clear();
  return all;
}

void Calendar::maybe_rebuild() {
  // The mean time between events. As long as few were taken, the waiting events count as spread
  // evenly up to the latest.
  std::uint64_t gap = taken_ > 0 ? (last_ - since_) / taken_ : 0;
  if (taken_ < size_ / 16) {
    std::uint64_t latest = last_;
    for (const auto* heap : {&today_, &far_}) {
      for (const Event& event : *heap) latest = std::max(latest, event.key.m_ts);
    }
    // Lists are not walked: none of their events is later than the end of the year.
    latest = std::max(latest, (day_ + (in_year_ > 0 ? days_.size() : 0)) << day_bits_);
    gap = (latest - last_) / size_;
  }
  const auto day_bits =
      static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(1, gap * kEventsPerDay)) - 1);
  const std::size_t days = std::bit_ceil(std::max(kDaysMin, size_ / 2 + 1));
  since_ = last_;
  taken_ = looked_ = 0;
  built_for_ = size_;
  const bool fits_still = day_bits <= day_bits_ + 1 && day_bits_ <= day_bits + 1 &&
      days <= 2 * days_.size() && days_.size() <= 4 * days;
  if (!fits_still) rebuild(day_bits, days);
}

void Calendar::rebuild(unsigned day_bits, std::size_t days) {
  const auto all = take_all();
  day_bits_ = day_bits;
  day_ = foreseen_ = last_ >> day_bits_;
  days_.assign(days, {});
  days_.shrink_to_fit();
  for (const Event& event : all) place(event);
}

}  // namespace dunlin::sim
