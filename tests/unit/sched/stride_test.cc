// SPDX-License-Identifier: MIT
#include "sched/cell/stride.h"

#include <gtest/gtest.h>
#include <map>

#include "sched/cell/usage_meter.h"

namespace dunlin::sched {
namespace {

using std::chrono::seconds;

/// Serves `count` tasks of a second that each take the whole node, always of the class that is next
/// of `waiting`; returns how many of each class.
std::map<ServiceId, int> serve(Stride& stride, const std::vector<ServiceId>& waiting, int count) {
  std::map<ServiceId, int> served;
  for (int i = 0; i < count; ++i) {
    const auto service = stride.next(waiting);
    if (!service) break;
    stride.start(*service, 1000, seconds(1));
    stride.finish(*service, 1000, seconds(1), seconds(1));
    ++served[*service];
  }
  return served;
}

Stride stride_of(std::vector<std::pair<ServiceId, Tickets>> tickets) {
  Stride stride;
  stride.set_tickets(tickets);
  return stride;
}

TEST(Stride, ServesInProportionToTickets) {
  Stride stride = stride_of({{1, 3000}, {2, 2000}, {3, 1000}});
  EXPECT_EQ(
      serve(stride, {1, 2, 3}, 600), (std::map<ServiceId, int>{{1, 300}, {2, 200}, {3, 100}}));
}

TEST(Stride, NobodyIsFarFromItsShareAtAnyTime) {
  Stride stride = stride_of({{1, 3000}, {2, 2000}, {3, 1000}});
  std::map<ServiceId, int> served;
  for (int i = 1; i <= 600; ++i) {
    for (const auto& [service, count] : serve(stride, {1, 2, 3}, 1)) served[service] += count;
    EXPECT_NEAR(served[1], i * 3 / 6.0, 1.5);
    EXPECT_NEAR(served[3], i * 1 / 6.0, 1.5);
  }
}

TEST(Stride, NothingWaitsNothingIsServed) {
  Stride stride = stride_of({{1, 3000}});
  EXPECT_EQ(stride.next({}), std::nullopt);
}

TEST(Stride, IdleClassesHoldNobodyUp) {
  Stride stride = stride_of({{1, 9000}, {2, 1000}});
  EXPECT_EQ(serve(stride, {2}, 50), (std::map<ServiceId, int>{{2, 50}}));
}

TEST(Stride, WhoComesBackFromIdleHasSavedNothingUp) {
  Stride stride = stride_of({{1, 1000}, {2, 1000}});
  serve(stride, {2}, 100);
  const auto served = serve(stride, {1, 2}, 20);
  EXPECT_NEAR(served.at(1), 10, 1);
  EXPECT_NEAR(served.at(2), 10, 1);
}

TEST(Stride, WhoWasAloneOwesNothing) {
  Stride stride = stride_of({{1, 1000}, {2, 1000}});
  serve(stride, {2}, 100);
  stride.next({});
  EXPECT_NEAR(serve(stride, {1, 2}, 20).at(2), 10, 1);
}

TEST(Stride, WithoutTicketsOneStillGetsAHundredth) {
  Stride stride = stride_of({{1, 5000}});
  const auto served = serve(stride, {1, 2}, 1010);
  EXPECT_NEAR(served.at(2), 10, 1);
  // With no tickets at all, all are equal.
  Stride none;
  EXPECT_EQ(serve(none, {1, 2}, 10), (std::map<ServiceId, int>{{1, 5}, {2, 5}}));
}

TEST(Stride, ChargesByTheDominantShareAndTime) {
  Stride stride = stride_of({{1, 1000}, {2, 1000}});
  std::map<ServiceId, int> served;
  for (int i = 0; i < 120; ++i) {
    const auto service = *stride.next(std::vector<ServiceId>{1, 2});
    // Tasks of class 1 take a tenth of the node for 2 s, those of class 2 half of it for 1 s.
    const auto share = service == 1 ? 100u : 500u;
    const auto time = service == 1 ? seconds(2) : seconds(1);
    stride.start(service, share, time);
    ++served[service];
  }
  EXPECT_NEAR(served[1] / static_cast<double>(served[2]), 2.5, 0.1);
}

TEST(Stride, WrongEstimatesAreCorrectedAtTheEnd) {
  Stride stride = stride_of({{1, 1000}, {2, 1000}});
  std::map<ServiceId, int> served;
  for (int i = 0; i < 90; ++i) {
    const auto service = *stride.next(std::vector<ServiceId>{1, 2});
    stride.start(service, 1000, seconds(1));
    // Tasks of class 1 really take twice as long as was thought.
    stride.finish(service, 1000, seconds(1), service == 1 ? seconds(2) : seconds(1));
    ++served[service];
  }
  EXPECT_NEAR(served[1], 30, 1);
  EXPECT_NEAR(served[2], 60, 1);
}

TEST(Stride, ChangeOfTicketsTakesEffectAtOnce) {
  Stride stride = stride_of({{1, 100}, {2, 900}});
  const std::vector<ServiceId> waiting = {1, 2};
  stride.next(waiting);
  stride.start(1, 1000, seconds(1));
  const auto lead = stride.lead(1);
  stride.set_tickets(std::vector<std::pair<ServiceId, Tickets>>{{1, 900}, {2, 100}});
  EXPECT_EQ(stride.lead(1), lead / 9);
  EXPECT_EQ(stride.tickets(1), 900);
  EXPECT_NEAR(serve(stride, waiting, 100).at(1), 90, 2);
}

TEST(Stride, GrantsThatEndLeaveNoTickets) {
  Stride stride = stride_of({{1, 100}, {2, 900}});
  stride.set_tickets({});
  EXPECT_EQ(stride.tickets(2), 0);
  EXPECT_EQ(serve(stride, {1, 2}, 10).at(1), 5);
}

TEST(Stride, RunsForEver) {
  Stride stride = stride_of({{1, 1}, {2, 3}});
  std::map<ServiceId, int> served;
  for (int i = 0; i < 40'000; ++i) {
    const auto service = *stride.next(std::vector<ServiceId>{1, 2});
    stride.start(service, 1000, std::chrono::hours(100));
    ++served[service];
  }
  EXPECT_NEAR(served[2], 30'000, 10);
}

TEST(DominantShare, IsThatOfTheScarcestResource) {
  const Resources total{.cpu = 8000, .memory = 1000, .custom = {{"gpu", 2}}};
  EXPECT_EQ(dominant_share({.cpu = 2000, .memory = 100, .custom = {}}, total), 250u);
  EXPECT_EQ(dominant_share({.cpu = 2000, .memory = 700, .custom = {}}, total), 700u);
  EXPECT_EQ(dominant_share({.cpu = 1, .memory = 0, .custom = {{"gpu", 1}}}, total), 500u);
  EXPECT_EQ(dominant_share({.cpu = 1, .memory = 0, .custom = {}}, total), 1u);
  EXPECT_EQ(dominant_share({}, total), 0u);
  EXPECT_GE(dominant_share({.cpu = 0, .memory = 0, .custom = {{"fpga", 1}}}, total), 1000u);
}

TEST(UsageMeter, AveragesWhatWasOccupied) {
  const auto at = [](int second) { return Time{seconds(second)}; };
  UsageMeter meter(at(0));
  meter.start(at(0), 1, 500);
  meter.start(at(2), 2, 250);
  meter.stop(at(6), 2, 250);
  using Usage = std::vector<std::pair<ServiceId, Tickets>>;
  EXPECT_EQ(meter.take(at(10), 8000), (Usage{{1, 4000}, {2, 800}}));
  // The next period knows what still runs, and nothing of the past.
  EXPECT_EQ(meter.take(at(11), 8000), (Usage{{1, 4000}}));
  meter.stop(at(11), 1, 500);
  EXPECT_EQ(meter.take(at(20), 8000), Usage{});
  EXPECT_EQ(meter.take(at(20), 8000), Usage{});  // A period of no length.
}

}  // namespace
}  // namespace dunlin::sched
