// SPDX-License-Identifier: MIT
#include "node/events/event_feed.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using overlay::Level;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

sched::Event accepted(std::uint32_t number) {
  return sched::JobAccepted{.job = {.home = {0xfeed}, .number = number}, .tasks = 3};
}
sched::Event probe_lost() {
  return sched::ProbeLost{.job = {.home = {0xfeed}, .number = 1}, .probe = 4};
}

std::vector<std::string> names_of(const std::vector<FedEvent>& events) {
  std::vector<std::string> names;
  for (const FedEvent& event : events) names.emplace_back(event.name);
  return names;
}

TEST(EventFeed, TellsWhatTheFilterLetsThrough) {
  EventFeed feed;
  const auto all = feed.follow({.level = Level::trace, .names = {}}).value();
  const auto grave = feed.follow({.level = Level::info, .names = {}}).value();
  const auto named = feed.follow({.level = Level::trace, .names = {"probe_*", "joined"}}).value();
  feed.on(accepted(1));
  feed.on(probe_lost());
  feed.on(overlay::Event(overlay::Joined{.contact = {7}}));
  EXPECT_THAT(names_of(all->take(9).events), ElementsAre("job_accepted", "probe_lost", "joined"));
  EXPECT_THAT(names_of(grave->take(9).events), ElementsAre("job_accepted", "joined"));
  EXPECT_THAT(names_of(named->take(9).events), ElementsAre("probe_lost", "joined"));
  EXPECT_TRUE(named->empty());
}

TEST(EventFeed, AnEventHasAllItsFieldsAndItsJob) {
  EventFeed feed;
  feed.on(accepted(12));
  const auto events = feed.recent({});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].job, (sched::JobId{.home = {0xfeed}, .number = 12}));
  EXPECT_EQ(events[0].level, Level::info);
  EXPECT_GT(events[0].at, 0);
  EXPECT_THAT(events[0].fields,
      ElementsAre(std::pair<std::string_view, Rendered>("job", {"000000000000feed.12"}),
          std::pair<std::string_view, Rendered>("tasks", {"3", true})));
}

TEST(EventFeed, RemembersTheLastOnesOfWeight) {
  EventFeed feed;
  for (std::uint32_t i = 1; i <= EventFeed::kRecentMax + 5; ++i) {
    feed.on(accepted(i));
    feed.on(probe_lost());
  }
  const auto recent = feed.recent({.level = Level::trace, .names = {}});
  EXPECT_THAT(recent, SizeIs(EventFeed::kRecentMax)) << "and nothing of level debug";
  EXPECT_EQ(recent.front().job->number, 6u);
  EXPECT_THAT(feed.recent({.level = Level::warn, .names = {}}), IsEmpty());
}

TEST(EventFeed, ASlowReaderIsToldWhereAndHowManyItMissed) {
  EventFeed feed;
  const auto reader = feed.follow({}).value();
  for (std::uint32_t i = 1; i <= EventReader::kWaitingMax + 3; ++i) feed.on(accepted(i));
  auto batch = reader->take(2);
  EXPECT_EQ(batch.dropped, 0u);
  EXPECT_THAT(batch.events, SizeIs(2));
  feed.on(accepted(99'999));
  batch = reader->take(10'000);
  EXPECT_EQ(batch.dropped, 0u);
  EXPECT_THAT(batch.events, SizeIs(EventReader::kWaitingMax - 2)) << "up to the gap";
  batch = reader->take(10'000);
  EXPECT_EQ(batch.dropped, 3u);
  ASSERT_THAT(batch.events, SizeIs(1));
  EXPECT_EQ(batch.events[0].job->number, 99'999u);
}

TEST(EventFeed, AGapAtTheEndIsToldToo) {
  EventFeed feed;
  const auto reader = feed.follow({}).value();
  for (std::uint32_t i = 1; i <= EventReader::kWaitingMax + 3; ++i) feed.on(accepted(i));
  reader->take(10'000);
  EXPECT_FALSE(reader->empty());
  const auto batch = reader->take(10'000);
  EXPECT_EQ(batch.dropped, 3u);
  EXPECT_THAT(batch.events, IsEmpty());
  EXPECT_TRUE(reader->empty());
}

TEST(EventFeed, HasRoomForSoManyReadersThatLive) {
  EventFeed feed;
  std::vector<std::shared_ptr<EventReader>> readers;
  for (std::size_t i = 0; i < EventFeed::kReadersMax; ++i) {
    readers.push_back(feed.follow({}).value());
  }
  EXPECT_THAT(feed.follow({}).error().text, HasSubstr("32 clients follow"));
  readers.pop_back();
  EXPECT_TRUE(feed.follow({}));
}

TEST(EventFilter, RefusesNamesOfNoEvent) {
  EXPECT_TRUE((EventFilter{.level = Level::info, .names = {"job_finished", "cell_*"}}.check()));
  const auto wrong = EventFilter{.level = Level::info, .names = {"job_done"}}.check();
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("'job_done' is no event; known are:"));
  EXPECT_THAT(wrong.error().text, HasSubstr(" job_finished "));
  EXPECT_FALSE((EventFilter{.level = Level::info, .names = {"jobs_*"}}.check()));
}

}  // namespace
}  // namespace dunlin::node
