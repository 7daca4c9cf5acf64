// SPDX-License-Identifier: MIT
#include "sched/peer/seldom_parts.h"

#include <gtest/gtest.h>
#include <utility>

#include "sched/federation/peer/peer_masters.h"
#include "sched/listing/listings.h"
#include "sched/logs/peer_logs.h"
#include "sched/witness.h"

namespace dunlin::sched {
namespace {

static_assert(sizeof(SeldomParts) == sizeof(void*), "many peers never need any of them");

TEST(SeldomParts, NoneIsThereBeforeItIsNeeded) {
  const SeldomParts parts;
  EXPECT_EQ(parts.witness(), nullptr);
  EXPECT_EQ(parts.logs(), nullptr);
  EXPECT_EQ(parts.listings(), nullptr);
  EXPECT_EQ(parts.masters(), nullptr);
}

TEST(SeldomParts, EachIsMadeOnceAndMakesNoOther) {
  SeldomParts parts;
  const PeerLogs* const made = &parts.ensure_logs();
  EXPECT_EQ(parts.logs(), made);
  EXPECT_EQ(&parts.ensure_logs(), made);
  EXPECT_EQ(parts.witness(), nullptr);
  EXPECT_EQ(parts.listings(), nullptr);
  EXPECT_EQ(parts.masters(), nullptr);
  EXPECT_EQ(&parts.ensure_witness(), parts.witness());
  EXPECT_EQ(&parts.ensure_listings(), parts.listings());
  EXPECT_EQ(&parts.ensure_masters(), parts.masters());
  EXPECT_EQ(parts.logs(), made);
}

TEST(SeldomParts, StayWhereTheyAreWhenTheirPeerMoves) {
  SeldomParts parts;
  const Witness* const made = &parts.ensure_witness();
  const SeldomParts moved = std::move(parts);
  EXPECT_EQ(moved.witness(), made);
}

}  // namespace
}  // namespace dunlin::sched
