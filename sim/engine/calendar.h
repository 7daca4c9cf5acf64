// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <ns3/callback.h>
#include <ns3/scheduler.h>
#include <vector>

namespace dunlin::sim {

/// ns-3's event queue, as a calendar: several times as fast as ns-3's own from 10^4 pending events
/// on, in about 36 bytes an event. Times are cut into days of equal length. The events of each day
/// of the coming year stand in a list of their own, later ones in one heap. Only when a day begins
/// are its events put in order; a day has 8 to 16. The lengths of days and years follow the rate at
/// which events were lately taken. The order is ns-3's, whatever the lengths: by time, then by uid.
///
/// It tells a listener which events come next, so that their memory can be fetched in time: with
/// many peers, waiting for memory is most of the cost of an event. Attributes: Soon is called with
/// the context of an event a day or two away; Next with context and time of one at most a day away,
/// after Soon. Events that come at once are not announced.
///
/// Source: Brown 1988, but for the heaps: many events at one moment cost log n each, not n.
class Calendar final : public ns3::Scheduler {
 public:
  static ns3::TypeId GetTypeId();

  Calendar();

  void Insert(const Event& event) override;
  bool IsEmpty() const override { return size_ == 0; }
  Event PeekNext() const override;
  Event RemoveNext() override;
  /// O(n).
  void Remove(const Event& event) override;

  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kNone = (1u << 29) - 1;
  static constexpr std::uint32_t kPerNode = 5;
  static constexpr unsigned kChunkBits = 10;
  /// Some events of one day: two cache lines. Full, unless it is the first of its list.
  struct alignas(64) Node {
    std::array<Event, kPerNode> events;
    std::uint32_t next;
  };
  static_assert(sizeof(Node) == 128);
  /// The first node of a day, and the number of events in it. The count stands here, so that adding
  /// an event reads nothing of the node and waits for no memory.
  struct List {
    std::uint32_t head : 29 = kNone;
    std::uint32_t count : 3 = 0;
  };
  static_assert(sizeof(List) == 4);
  using Chunk = std::array<Node, std::size_t{1} << kChunkBits>;

  Node& node(std::uint32_t i) const;
  /// An unused node: one that was given back, or a new one. Its contents mean nothing yet.
  std::uint32_t make_node();
  std::uint64_t day_of(const Event& event) const { return event.key.m_ts >> day_bits_; }
  List& list_of(std::uint64_t day) { return days_[day & (days_.size() - 1)]; }
  const List& list_of(std::uint64_t day) const { return days_[day & (days_.size() - 1)]; }
  /// Calls `visit(event)` for each of a list.
  void for_each(const List& list, auto&& visit) const;
  /// Empties the list, into a vector.
  void take(List& list, std::vector<Event>& out);
  /// Among those of today, in the list of its day, or among those that are further away than a
  /// year.
  void place(const Event& event);
  /// Begins the next day with events, if the year has any.
  void advance();
  /// Notes the events of the days that are near, for hint().
  void foresee();
  /// Announces one event, or two.
  void hint();
  /// True if the next event is one of those that were far away when they came.
  bool next_is_far() const;
  /// Fits the length of a day and their number to what waits now.
  void maybe_rebuild();
  /// Cuts time into `days` days of 2^day_bits ns, and places all events anew. O(n).
  void rebuild(unsigned day_bits, std::size_t days);
  /// Empties the calendar, in no order.
  std::vector<Event> take_all();

  /// A heap: events of this day, and those that came late for earlier ones.
  std::vector<Event> today_;
  std::vector<List> days_;  ///< Their number is a power of two.
  std::vector<Event> far_;  ///< A heap: events beyond the year, when they were put there.
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t made_ = 0;      ///< Nodes in the chunks ...
  std::uint32_t free_ = kNone;  ///< ... and the first that is unused.
  ns3::Callback<void, std::uint32_t> soon_;
  ns3::Callback<void, std::uint32_t, std::uint64_t> next_;
  /// Events to announce, one for each that is taken: several at once would wait for each other on
  /// their way from memory. They are soon first (afar_); once told_ so, a day later, they are next
  /// (near_).
  std::vector<ns3::Scheduler::EventKey> afar_, told_, near_;
  std::uint64_t day_ = 0;       ///< The number of this day ...
  std::uint64_t foreseen_ = 0;  ///< ... and of the last with its events noted.
  unsigned day_bits_ = 20;      ///< A day has 2^this nanoseconds.
  std::size_t size_ = 0;
  std::size_t in_year_ = 0;  ///< The events in the lists.
  std::uint64_t last_ = 0;   ///< Time of the event taken last.
  // Since the lengths were last considered:
  std::uint64_t since_ = 0;    ///< The time of that.
  std::uint64_t taken_ = 0;    ///< Events taken.
  std::uint64_t looked_ = 0;   ///< Days looked at.
  std::size_t built_for_ = 0;  ///< The number of events then.
};

}  // namespace dunlin::sim
