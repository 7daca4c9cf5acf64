// SPDX-License-Identifier: MIT
#include "sched/logs/offers.h"

#include <gtest/gtest.h>

#include "sched/replica/codec_record.h"

namespace dunlin::sched::logs {
namespace {

const JobId kOfferedJob{.home = {7}, .number = 12};

void add_report(replica::Log& log, std::uint32_t index, PeerId worker, bool final = true) {
  std::string records;
  replica::append(records,
      replica::PutReport{.job = kOfferedJob,
          .report = {.index = index, .attempt = 1},
          .worker = worker,
          .final = final});
  log.append({.stamp = {}, .records = records});
}

TEST(LogOffers, SayWhichWorkerRanWhat) {
  replica::Log log;
  add_report(log, 0, PeerId{1});
  add_report(log, 1, PeerId{2});
  add_report(log, 2, PeerId{1});
  const auto offers = results_after(log, 0);
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].worker, PeerId{1});
  EXPECT_EQ(offers[0].reports.size(), 2u);
  EXPECT_EQ(offers[1].worker, PeerId{2});
  ASSERT_EQ(offers[1].reports.size(), 1u);
  EXPECT_EQ(offers[1].reports[0].index, 1u);
}

TEST(LogOffers, AreResultsThatTheOtherHomeMayLack) {
  replica::Log log;
  add_report(log, 0, PeerId{1});
  add_report(log, 1, PeerId{1}, false);
  add_report(log, 2, PeerId{1});
  const auto offers = results_after(log, 1);
  ASSERT_EQ(offers.size(), 1u);
  ASSERT_EQ(offers[0].reports.size(), 1u);
  EXPECT_EQ(offers[0].reports[0].index, 2u);
}

}  // namespace
}  // namespace dunlin::sched::logs
