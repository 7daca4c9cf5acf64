// SPDX-License-Identifier: MIT
#include "sched/federation/local/offers.h"

#include <gmock/gmock.h>

#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using namespace std::chrono_literals;
using rows::at;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr CellId kOffersCell{5};
constexpr std::uint64_t kOffersEpoch = 3;

/// Members 1 and 2, of 4 CPUs each and full, and groups of the global masters 100 and 101.
class OffersTest : public ::testing::Test {
 protected:
  OffersTest() {
    const Endpoint members[] = {at(1), at(2)};
    (void)roll_.set_members(members);
    for (std::uint64_t node = 1; node <= 2; ++node) hear(node, 0);
  }

  MastersTurn turn() { return {now_, rng_, out_}; }
  Offers::Members members() { return {table_, roll_, born_, last_}; }
  void hear(std::uint64_t node, std::uint32_t cpu) {
    (void)table_.hear(MemberRow{.cell = kOffersCell,
                          .epoch = kOffersEpoch,
                          .version = ++version_,
                          .free = {.cpu = cpu, .memory = 8192},
                          .kind = {rows::kind({})}},
        {node});
    born_[{node}] = 1;
  }
  /// The member has so much free, and the local master hears it.
  void free(std::uint64_t node, std::uint32_t cpu) {
    hear(node, cpu);
    offers_.offer(turn(), members(), {node});
  }
  /// Tasks of a CPU each. `work` ranks the job.
  static Reserve reserve(
      std::uint32_t job, std::uint16_t tasks, Duration work = 1s, std::uint32_t cpu = 1000) {
    return {.job = {.home = {100}, .number = job},
        .probe = 1,
        .demand = {.cpu = cpu, .memory = 1},
        .tasks_max = tasks,
        .task_time = 1s,
        .work = work};
  }
  void park(const Reserve& reserve, std::uint64_t master = 100) {
    hear_word(++words_, reserve, master);
  }
  void hear_word(std::uint64_t word, const Reserve& reserve, std::uint64_t master = 100) {
    offers_.receive(turn(), members(), {master},
        Park{.cell = kOffersCell,
            .epoch = kOffersEpoch,
            .incarnation = 1,
            .reserve = reserve,
            .word = word});
  }

  FederationParams params_;
  Time now_{};
  Rng rng_{1};
  test::SchedRecorder out_;
  MemberTable table_;
  Roll roll_{params_};
  std::map<PeerId, std::uint32_t> born_;
  std::uint64_t last_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t version_ = std::uint64_t{1} << 32;
  Offers offers_{params_, {}, kOffersCell, kOffersEpoch};
};

TEST_F(OffersTest, RoomThatComesIsOfferedForExactlyThatRoom) {
  park(reserve(1, 10));
  EXPECT_THAT(out_.sent, IsEmpty()) << "all are full";
  free(2, 3000);
  const auto offer = out_.only<Offer>();
  EXPECT_EQ(out_.sent.front().first.id, PeerId{2});
  EXPECT_EQ(offer.reserve.tasks_max, 3);
  EXPECT_EQ(offer.born, 1u);
  EXPECT_EQ(table_.find({2})->free.cpu, 0u) << "it counts as taken";
}

TEST_F(OffersTest, RoomThatIsThereIsOfferedAtOnce) {
  hear(1, 2000);
  hear(2, 4000);
  park(reserve(1, 5));
  std::uint32_t tasks = 0;
  for (const Offer& offer : out_.all<Offer>()) tasks += offer.reserve.tasks_max;
  EXPECT_EQ(tasks, 5u);
}

// Jobs of all global masters stand in one order, that of the workers' discipline.
TEST_F(OffersTest, TheBestOfAllMastersComesFirst) {
  park(reserve(1, 1, 900s), 100);
  park(reserve(2, 1, 1s), 101);
  free(1, 1000);
  EXPECT_EQ(out_.only<Offer>().reserve.job.number, 2u);
}

TEST_F(OffersTest, AGroupIsOfferedNoMoreRoomsThanItHasTasks) {
  park(reserve(1, 2));
  free(1, 4000);
  free(2, 4000);
  EXPECT_EQ(out_.only<Offer>().reserve.tasks_max, 2);
  park(reserve(1, 3));  // Its master tells of more.
  std::uint32_t tasks = 0;
  for (const Offer& offer : out_.all<Offer>()) tasks += offer.reserve.tasks_max;
  EXPECT_EQ(tasks, 5u);
}

TEST_F(OffersTest, WhatAMemberDeclinesGoesToAnother) {
  park(reserve(1, 1));
  free(1, 1000);
  const std::uint64_t number = out_.only<Offer>().number;
  EXPECT_FALSE(offers_.settle(table_, {2}, {number, false})) << "it is not its own";
  EXPECT_TRUE(offers_.settle(table_, {1}, {number, false}));
  EXPECT_FALSE(offers_.settle(table_, {1}, {number, false})) << "it comes twice";
  offers_.offer(turn(), members(), {1});
  EXPECT_THAT(out_.all<Offer>(), SizeIs(1)) << "it is not asked again before it speaks";
  free(2, 1000);
  EXPECT_THAT(out_.all<Offer>(), SizeIs(2));
}

// Its user has enough at the member: the member is open to others, and the group does not ask again
// for as long as nothing changes there.
TEST_F(OffersTest, AMemberWithNoRoomForOneUserIsOfferedToOthers) {
  park(reserve(1, 10));
  free(1, 4000);
  const Offer declined = out_.only<Offer>();
  out_.clear();
  EXPECT_TRUE(
      offers_.settle(table_, {1}, {.number = declined.number, .started = false, .crowded = true}));
  EXPECT_EQ(table_.find({1})->free.cpu, 4000u) << "it is trusted";
  offers_.offer(turn(), members(), {1});
  park(reserve(1, 10));
  EXPECT_THAT(out_.sent, IsEmpty()) << "it said so of this row";
  park(reserve(2, 1));
  EXPECT_EQ(out_.only<Offer>().reserve.job.number, 2u);
  out_.clear();
  free(1, 3000);
  EXPECT_EQ(out_.only<Offer>().reserve.job.number, 1u) << "there is another row";
}

TEST_F(OffersTest, TheRoomOfALostOfferIsGivenBack) {
  park(reserve(1, 1));
  free(1, 1000);
  EXPECT_EQ(table_.find({1})->free.cpu, 0u);
  EXPECT_EQ(offers_.deadline(), Time(params_.launch_timeout));
  now_ = offers_.deadline();
  offers_.wake(now_, table_);
  EXPECT_EQ(table_.find({1})->free.cpu, 1000u);
}

TEST_F(OffersTest, WhatWaitsNoMoreGetsNothing) {
  park(reserve(1, 5));
  park(reserve(2, 5), 101);
  park(reserve(3, 5), 102);
  park(reserve(1, 0));
  offers_.forget({101});
  now_ += params_.lease;
  offers_.wake(now_, table_);
  EXPECT_EQ(offers_.size(), 0u);
  free(1, 4000);
  EXPECT_THAT(out_.sent, IsEmpty());
}

// The network may change their order. It was parked for as long as its global master lived.
TEST_F(OffersTest, WordsThatAreLateChangeNothing) {
  hear_word(2, reserve(1, 0));
  hear_word(1, reserve(1, 5));
  EXPECT_EQ(offers_.size(), 0u);
  free(2, 3000);
  EXPECT_THAT(out_.sent, IsEmpty());
  hear_word(3, reserve(1, 5));
  EXPECT_EQ(offers_.size(), 1u) << "it waits again";
  hear_word(4, reserve(1, 0));
  EXPECT_EQ(offers_.count_of({100}), 0u);
  now_ = offers_.deadline();
  offers_.wake(now_, table_);
  EXPECT_EQ(offers_.deadline(), kNever) << "nothing of it is kept for ever";
}

TEST_F(OffersTest, NobodyElseTakesAGroupBack) {
  park(reserve(1, 5));
  park(reserve(1, 0), 101);
  EXPECT_EQ(offers_.size(), 1u);
}

TEST_F(OffersTest, ATaskThatDemandsNothingIsOfferedOnce) {
  Reserve nothing = reserve(1, 3);
  nothing.demand = {};
  park(nothing);
  free(1, 1000);
  EXPECT_EQ(out_.only<Offer>().reserve.tasks_max, 3);
}

}  // namespace
}  // namespace dunlin::sched::federation
