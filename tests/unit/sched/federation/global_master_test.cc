// SPDX-License-Identifier: MIT
#include "sched/federation/global/global_master.h"

#include <gmock/gmock.h>

#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using rows::at;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kLocal = 7;

/// A global master, 100, which has heard of two members of cell 1, one in its own partition.
class GlobalMasterTest : public ::testing::Test {
 protected:
  GlobalMasterTest() { master_.receive(turn(), at(kLocal), view(1)); }

  MastersTurn turn() { return {now_, rng_, out_}; }
  static CellView view(std::uint64_t version) {
    CellView news{.cell = {1}, .epoch = 1, .version = version, .last = true};
    news.kinds = {rows::kind({})};
    news.rows = {rows::told(1, 100, 4000), rows::told(2, 200, 4000)};
    return news;
  }
  /// It goes on to follow cells; what it sent is forgotten but for `Attach`.
  std::vector<Attach> follow() {
    out_.clear();
    const ManagerPlace own[] = {{CellId{1}, at(kLocal)}};
    master_.follow(turn(), own, {});
    return out_.all<Attach>();
  }

  FederationParams params_;
  Time now_{};
  Rng rng_{1};
  test::SchedRecorder out_;
  GlobalMaster master_{params_, PeerId{100}, 1};
};

TEST_F(GlobalMasterTest, SaysWhatItKnowsOfACellWhenItAttaches) {
  const auto attached = follow();
  ASSERT_THAT(attached, SizeIs(1));
  ASSERT_THAT(attached[0].known, SizeIs(1));
  EXPECT_EQ(attached[0].known[0].version, 1u);
}

// Its local master may be another one by then, which goes on with the cell.
TEST_F(GlobalMasterTest, DoesNotMatchACellThatIsSilentButKeepsIt) {
  now_ += params_.stale_max + Duration{1};
  (void)follow();
  EXPECT_FALSE(master_.match(turn(), {.cpu = 1}, {}));
  EXPECT_THAT(master_.matched_cells(now_), IsEmpty());
  EXPECT_EQ(master_.view().size(), 2u);
}

// A cell that dissolved is named by none any more: without this its rows would stay for ever.
TEST_F(GlobalMasterTest, ForgetsACellThatHasEnded) {
  now_ += params_.stale_max + params_.lease;
  (void)follow();
  EXPECT_THAT(master_.view().cells(), SizeIs(1));
  now_ += Duration{1};
  const auto attached = follow();
  EXPECT_THAT(master_.view().cells(), IsEmpty());
  for (const Attach& each : attached) EXPECT_THAT(each.known, IsEmpty());
}

TEST_F(GlobalMasterTest, ForgetsACellThatTurnsItAway) {
  const CellView full{.cell = {1}, .epoch = 1, .last = true, .full = true};
  EXPECT_FALSE(master_.receive(turn(), at(kLocal), full));
  EXPECT_THAT(master_.view().cells(), IsEmpty());
}

// Both are in one partition or the other; a task of both would take four CPUs of each.
TEST_F(GlobalMasterTest, MatchesAllTasksOrNone) {
  const auto all = master_.match_all(turn(), {.cpu = 4000}, {}, 2);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all.at({1}), 2u);
  EXPECT_THAT(master_.match_all(turn(), {.cpu = 4000}, {}, 3), IsEmpty());
  EXPECT_EQ(master_.view().find({1}, {1})->free.cpu, 4000u) << "nothing is taken";
}

}  // namespace
}  // namespace dunlin::sched::federation
