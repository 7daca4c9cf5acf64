// SPDX-License-Identifier: MIT
#include "sched/worker/frontend_leases.h"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

TEST(FrontendLeases, SayHowLongAFrontendWasSilent) {
  FrontendLeases leases;
  EXPECT_EQ(leases.heard(kNow, {1}), 0s) << "it is new";
  EXPECT_EQ(leases.heard(kNow + 3s, {1}), 3s);
  EXPECT_EQ(leases.heard(kNow + 5s, {1}), 2s);
  ASSERT_EQ(leases.all().size(), 1u);
  EXPECT_EQ(leases.all()[0].heard, kNow + 5s);
}

TEST(FrontendLeases, ForgetThoseThatAreNotNeeded) {
  FrontendLeases leases;
  for (const std::uint64_t id : {1u, 2u, 3u}) leases.heard(kNow, {id});
  leases.keep_only([](PeerId frontend) { return frontend.value != 2; });
  ASSERT_EQ(leases.all().size(), 2u);
  EXPECT_EQ(leases.all()[0].frontend, PeerId{1});
  EXPECT_EQ(leases.all()[1].frontend, PeerId{3});
  EXPECT_EQ(leases.heard(kNow + 9s, {2}), 0s) << "it is new again";
}

}  // namespace
}  // namespace dunlin::sched
