// SPDX-License-Identifier: MIT
#include "sched/federation/local/logical_nodes.h"

#include <gmock/gmock.h>

namespace dunlin::sched::federation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr PeerId kOneMaster{100};
constexpr PeerId kOtherMaster{200};
constexpr PeerId kProber{300};

FrontendHold hold(PeerId frontend, std::uint32_t cpu) {
  return {frontend, {.cpu = cpu, .memory = 64}};
}

/// Two members, one in the partition of each of two global masters.
class LogicalNodesTest : public ::testing::Test {
 protected:
  LogicalNodesTest() {
    for (const std::uint64_t member : {1u, 2u}) (void)owners_.join({member});
    for (const PeerId master : {kOneMaster, kOtherMaster}) (void)owners_.attach(master);
    own_ = *owners_.partitions().at(kOneMaster).begin();
    other_ = *owners_.partitions().at(kOtherMaster).begin();
  }

  Owners owners_;
  LogicalNodes nodes_;
  PeerId own_;
  PeerId other_;
};

TEST_F(LogicalNodesTest, AreWhatOtherGlobalMastersHoldAtAMember) {
  nodes_.hear(own_, {hold(kOneMaster, 1000), hold(kOtherMaster, 500), hold(kProber, 250)});
  EXPECT_THAT(nodes_.at(own_, owners_), ElementsAre(hold(kOtherMaster, 500)));
  nodes_.hear(other_, {hold(kOneMaster, 2000)});
  const auto borrowed = nodes_.by_borrower(owners_);
  ASSERT_THAT(borrowed, SizeIs(2));
  EXPECT_EQ(borrowed.at(kOneMaster).nodes, 1u);
  EXPECT_EQ(borrowed.at(kOneMaster).held.cpu, 2000u);
  EXPECT_EQ(borrowed.at(kOtherMaster).held.memory, 64u);
}

TEST_F(LogicalNodesTest, EndWithTheirTasks) {
  nodes_.hear(own_, {hold(kOtherMaster, 500)});
  nodes_.hear(own_, {});
  EXPECT_THAT(nodes_.by_borrower(owners_), IsEmpty());
  nodes_.hear(own_, {hold(kOtherMaster, 500)});
  nodes_.remove(own_);
  EXPECT_THAT(nodes_.by_borrower(owners_), IsEmpty());
}

// What was borrowed is the borrower's own once it has the member, or the owner's no more.
TEST_F(LogicalNodesTest, FollowThePartitions) {
  nodes_.hear(own_, {hold(kOneMaster, 500), hold(kOtherMaster, 250)});
  EXPECT_THAT(nodes_.at(own_, owners_), ElementsAre(hold(kOtherMaster, 250)));
  (void)owners_.detach(kOneMaster);
  EXPECT_THAT(nodes_.at(own_, owners_), IsEmpty());
  (void)owners_.detach(kOtherMaster);
  EXPECT_THAT(nodes_.at(own_, owners_), IsEmpty());
  EXPECT_THAT(nodes_.at({7}, owners_), IsEmpty()) << "it is no member";
}

}  // namespace
}  // namespace dunlin::sched::federation
