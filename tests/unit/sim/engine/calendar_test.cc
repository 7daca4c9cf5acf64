// SPDX-License-Identifier: MIT
#include "sim/engine/calendar.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "overlay/rng.h"

// Against an ordered set: the calendar may choose whatever days it likes, the order is the same.
namespace dunlin::sim {
namespace {

using overlay::Rng;
using Key = std::pair<std::uint64_t, std::uint32_t>;

class CalendarAndSet {
 public:
  void insert(std::uint64_t when) {
    const ns3::Scheduler::EventKey key{when, ++uid_, 0};
    calendar_.Insert({nullptr, key});
    set_.emplace(when, uid_);
  }
  std::uint64_t take() {
    EXPECT_FALSE(calendar_.IsEmpty());
    const auto peeked = calendar_.PeekNext();
    const auto event = calendar_.RemoveNext();
    EXPECT_EQ(peeked.key.m_uid, event.key.m_uid);
    EXPECT_EQ(Key(event.key.m_ts, event.key.m_uid), *set_.begin());
    set_.erase(set_.begin());
    return event.key.m_ts;
  }
  void remove(Rng& rng) {
    auto victim = set_.begin();
    std::advance(victim, static_cast<std::ptrdiff_t>(rng.index(set_.size())));
    calendar_.Remove({nullptr, {victim->first, victim->second, 0}});
    set_.erase(victim);
  }
  std::size_t size() const {
    EXPECT_EQ(calendar_.size(), set_.size());
    return set_.size();
  }
  Calendar& calendar() { return calendar_; }

 private:
  Calendar calendar_;
  std::set<Key> set_;
  std::uint32_t uid_ = 0;
};

/// Delays of a simulation: messages, timers, far and near, many at one moment.
std::uint64_t draw_delay(Rng& rng, int kind) {
  switch (kind) {
    case 0:
      return rng.below(1'000'000);
    case 1:
      return 1'000'000'000 + rng.below(100'000'000);
    case 2:
      return 0;
    case 3:
      return 3'600'000'000'000u + rng.below(1000);
    default:
      return 1'000'000'000;
  }
}

TEST(Calendar, TakesEventsInTheOrderOfASet) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Rng rng{seed};
    CalendarAndSet both;
    std::uint64_t now = 0;
    for (const std::size_t size : {3u, 5'000u, 40u, 20'000u, 1u}) {
      while (both.size() < size) {
        both.insert(now + draw_delay(rng, static_cast<int>(rng.below(5))));
      }
      for (std::size_t i = 0; i < 3 * size; ++i) {
        now = both.take();
        both.insert(now + draw_delay(rng, static_cast<int>(rng.below(4))));
      }
      while (both.size() > size / 2) now = both.take();
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
    while (both.size() > 0) (void)both.take();
  }
}

TEST(Calendar, RemovesOneOfMany) {
  Rng rng{5};
  CalendarAndSet both;
  for (int i = 0; i < 300; ++i) both.insert(draw_delay(rng, i % 5));
  for (int i = 0; i < 100; ++i) {
    both.remove(rng);
    (void)both.take();
  }
  while (both.size() > 0) (void)both.take();
}

TEST(Calendar, TellsOfEventsBeforeTheyAreTaken) {
  static std::multiset<std::uint32_t> soon;
  static std::multiset<std::uint32_t> next;
  const auto calendar = ns3::CreateObject<Calendar>();
  calendar->SetAttribute("Soon",
      ns3::CallbackValue(ns3::MakeCallback(+[](std::uint32_t node) { soon.insert(node); })));
  calendar->SetAttribute("Next",
      ns3::CallbackValue(
          ns3::MakeCallback(+[](std::uint32_t node, std::uint64_t) { next.insert(node); })));
  constexpr std::uint32_t kEvents = 2000;
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    calendar->Insert({nullptr, {5'000'000 + i * std::uint64_t{400'000}, i, i}});
  }
  std::uint32_t untold = 0;
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    const std::uint32_t node = calendar->RemoveNext().key.m_context;
    untold += soon.contains(node) && next.contains(node) ? 0u : 1u;
  }
  // Those of the first days come at once, and again when the length of days has been thought about.
  EXPECT_LE(untold, 40u);
}

}  // namespace
}  // namespace dunlin::sim
