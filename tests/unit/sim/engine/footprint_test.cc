// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/peer.h"
#include "sched/peer_params.h"

// A million peers stand in memory at once, so the size of one is worth a test. It stops a large new
// member, and its bound may be raised for a reason.
namespace dunlin {
namespace {

TEST(Footprint, APeerIsSmall) {
  EXPECT_LE(sizeof(sched::Peer), 352u);  // 8 for what is asked about silent workers.
  EXPECT_LE(sizeof(overlay::Overlay), 296u);
  EXPECT_LE(sizeof(overlay::Cyclon), 96u);
  EXPECT_LE(sizeof(overlay::Gradient), 64u);
  EXPECT_LE(sizeof(overlay::Liveness), 40u);
  EXPECT_LE(sizeof(overlay::Descriptor), 96u);  // 8 for rates of disk and network.
}

TEST(Footprint, ParametersAreSharedByAllCopies) {
  const sched::SharedParams params{sched::PeerParams{}};
  const overlay::Cyclon one(params.cyclon, {}, {});
  const overlay::Cyclon other(params.cyclon, {}, {});
  EXPECT_EQ(&one.params(), &other.params());
}

}  // namespace
}  // namespace dunlin
