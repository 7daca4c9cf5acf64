// SPDX-License-Identifier: MIT
#include "sched/cell/guest_claims.h"

#include <gtest/gtest.h>
#include <map>

#include "tests/support/cell_stage.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr PeerId kFrontend{42};
const CellId kOwn = cell_id(0, 0x110);
const CellId kNear = cell_id(0, 0x220);
const CellId kFar = cell_id(0, 0x330);

JobId job(std::uint32_t number) {
  return {.home = kFrontend, .number = number};
}

/// Node 42. Its own cell gives its jobs too few slots. Nodes 60 and 61 manage two other cells.
class GuestClaimsTest : public ::testing::Test {
 protected:
  GuestClaimsTest() {
    know(kOwn, 50, 100);
    know(kNear, 60, 5);
  }
  void know(CellId cell, std::uint64_t manager, std::uint32_t spare) {
    hints.hear(stage.now, 1h,
        {.cell = cell,
            .epoch = 1,
            .stamp = ++stamp,
            .manager = contact_of(test::CellStage::at(manager)),
            .spare = spare});
  }
  void lack(const std::vector<cell::Lack>& lacks) { guest.hear_own(stage.now, lacks); }
  /// What manager `node` is asked for in one wake-up, by number of the job.
  std::map<std::uint32_t, std::uint32_t> asked(std::uint64_t node) {
    std::map<std::uint32_t, std::uint32_t> left;
    for (const auto& said : stage.told<cell::Claims>(node)) {
      EXPECT_TRUE(said.guest);
      EXPECT_EQ(said.slots, 0u);
      EXPECT_EQ(said.member, kFrontend);
      sequence[said.cell] = said.sequence;
      for (const cell::Claim& each : said.claims) left[each.job.number] = each.left;
    }
    return left;
  }
  void send(Duration later = 0s) {
    stage.now += later;
    stage.sent.clear();
    guest.send(stage.turn(), hints, kOwn, claims);
  }
  bool answer(CellId from,
      std::uint64_t node,
      const std::vector<cell::Lack>& lacks,
      std::uint64_t epoch = 1) {
    return guest.receive(stage.now, test::CellStage::at(node),
        {.cell = from,
            .epoch = epoch,
            .member = kFrontend,
            .sequence = sequence[from],
            .plan = 1,
            .life = 10s,
            .lacks = lacks});
  }
  using Asked = std::map<std::uint32_t, std::uint32_t>;

  test::CellStage stage;
  SharingParams params;
  CellHints hints;
  GuestClaims guest{params, kFrontend};
  std::vector<cell::Claim> claims = {{.job = job(1), .left = 10}, {.job = job(2), .left = 3}};
  std::map<CellId, std::uint64_t> sequence;
  std::uint64_t stamp = 0;
};

TEST_F(GuestClaimsTest, SleepsAsLongAsTheOwnCellHasEnough) {
  EXPECT_EQ(guest.deadline(), kNever);
  lack({});
  EXPECT_EQ(guest.deadline(), kNever);
  lack({{.job = job(1), .slots = 4}});
  EXPECT_LE(guest.deadline(), stage.now);
  lack({});
  send();
  EXPECT_EQ(guest.deadline(), kNever);
  EXPECT_TRUE(stage.sent.empty());
}

TEST_F(GuestClaimsTest, AnotherCellIsAskedForWhatTheOwnOneDoesNotGive) {
  lack({{.job = job(1), .slots = 4}});
  send();
  EXPECT_EQ(asked(60), (Asked{{1, 6}}));
  EXPECT_TRUE(stage.told<cell::Claims>(50).empty());
  EXPECT_LE(3 * (guest.deadline() - stage.now), params.cell.lease);
  send(guest.deadline() - stage.now);
  EXPECT_EQ(asked(60), (Asked{{1, 6}})) << "said again within the lease";
}

TEST_F(GuestClaimsTest, EachCellIsAskedForWhatThoseBeforeDoNotGive) {
  know(kFar, 61, 1);
  know(kNear, 60, 1'000'000);
  lack({{.job = job(1), .slots = 4}});
  send();
  ASSERT_EQ(asked(60), (Asked{{1, 6}}));
  send(1s);
  EXPECT_TRUE(stage.told<cell::Claims>(61).empty()) << "the first one has not answered";
  EXPECT_TRUE(answer(kNear, 60, {{.job = job(1), .slots = 2}}));
  EXPECT_LE(guest.deadline(), stage.now);
  send();
  EXPECT_EQ(asked(61), (Asked{{1, 4}}));
  EXPECT_EQ(guest.hosts(), (std::vector{kNear, kFar}));
  // The own cell gives more: at once all others give less.
  ASSERT_TRUE(answer(kFar, 61, {}));
  lack({{.job = job(1), .slots = 7}});
  send(1s);
  EXPECT_EQ(asked(60), (Asked{}));
  EXPECT_EQ(asked(61), (Asked{{1, 1}}));
  lack({{.job = job(1), .slots = 9}});
  send(1s);
  EXPECT_EQ(asked(60), (Asked{{1, 1}}));
  EXPECT_EQ(asked(61), (Asked{{1, 0}}));
}

TEST_F(GuestClaimsTest, AJobThatNeedsNoMoreIsToldTwice) {
  lack({{.job = job(1), .slots = 4}, {.job = job(2), .slots = 0}});
  send();
  EXPECT_EQ(asked(60), (Asked{{1, 6}, {2, 3}}));
  claims.pop_back();
  send(1s);
  EXPECT_EQ(asked(60), (Asked{{1, 6}, {2, 0}}));
  send(guest.deadline() - stage.now);
  EXPECT_EQ(asked(60), (Asked{{1, 6}, {2, 0}}));
  send(guest.deadline() - stage.now);
  EXPECT_EQ(asked(60), (Asked{{1, 6}}));
}

TEST_F(GuestClaimsTest, OneThatGivesNothingIsLeftForAnother) {
  know(kFar, 61, 0);
  lack({{.job = job(1), .slots = 4}});
  send();
  ASSERT_EQ(guest.hosts(), (std::vector{kNear}));
  ASSERT_EQ(asked(60), (Asked{{1, 6}}));
  ASSERT_TRUE(answer(kNear, 60, {{.job = job(1), .slots = 0}}));
  send(params.cell.lease);
  EXPECT_EQ(guest.hosts(), (std::vector{kFar}));
}

TEST_F(GuestClaimsTest, ALowerEpochAndAStrangerAreNotHeard) {
  lack({{.job = job(1), .slots = 4}});
  send();
  ASSERT_EQ(asked(60), (Asked{{1, 6}}));
  EXPECT_FALSE(answer(kNear, 61, {}));
  EXPECT_FALSE(answer(kFar, 61, {}));
  EXPECT_TRUE(answer(kNear, 60, {{.job = job(1), .slots = 2}}, 3));
  EXPECT_TRUE(answer(kNear, 60, {}, 2));
  know(kFar, 61, 1);
  send(1s);
  EXPECT_EQ(asked(61), (Asked{{1, 4}})) << "by the answer of epoch 3";
}

TEST_F(GuestClaimsTest, WithoutAPlanOrAnyOtherCellNothingIsSaid) {
  hints = {};
  lack({{.job = job(1), .slots = 4}});
  send();
  EXPECT_TRUE(stage.sent.empty());
  EXPECT_GT(guest.deadline(), stage.now) << "one may turn up";
  EXPECT_LT(guest.deadline(), kNever);
  guest.drop();
  EXPECT_EQ(guest.deadline(), kNever);
}

TEST_F(GuestClaimsTest, EachCellHearsHowManySlotsTheOthersGive) {
  lack({{.job = job(1), .slots = 4}});
  send();
  const auto said = stage.told<cell::Claims>(60);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].claims[0].left, 6u);
  EXPECT_EQ(said[0].claims[0].elsewhere, 4u);
  EXPECT_EQ(guest.given(job(1)), 0u) << "no cell has answered";
  sequence[kNear] = said[0].sequence;
  EXPECT_TRUE(answer(kNear, 60, {{.job = job(1), .slots = 2}}));
  EXPECT_EQ(guest.given(job(1)), 2u);
}

}  // namespace
}  // namespace dunlin::sched
