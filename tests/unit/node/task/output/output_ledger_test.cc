// SPDX-License-Identifier: MIT
#include "node/task/output/output_ledger.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

OutputJobKey job(std::uint32_t number) {
  return OutputJobKey::of({.home = {7}, .number = number});
}

OutputJobFiles files(OutputUser user, std::uint64_t bytes, std::int64_t used_at) {
  return {.stream = bytes, .used_at = used_at, .user = user};
}

TEST(OutputLedger, CountsEachJobOnceHoweverOftenItGrows) {
  OutputLedger ledger;
  ledger.put(job(1), files(5, 100, 1));
  const std::uint64_t empty = ledger.bytes() - 100;
  ledger.put(job(1), files(5, 900, 2));
  EXPECT_EQ(ledger.bytes(), empty + 900) << "a job costs its directory, too";
  EXPECT_EQ(ledger.find_user(5)->bytes, ledger.bytes());
  EXPECT_EQ(ledger.find_user(5)->jobs.size(), 1u);
  EXPECT_EQ(ledger.find_user(5)->jobs.begin()->first, 2);
}

TEST(OutputLedger, AJobMayTurnOutToBeAnotherUsers) {
  OutputLedger ledger;
  ledger.put(job(1), files(0, 100, 1));
  ledger.put(job(1), files(5, 100, 1));
  EXPECT_EQ(ledger.find_user(0), nullptr) << "the user that is not known has nothing left";
  EXPECT_EQ(ledger.find_user(5)->jobs.size(), 1u);
}

TEST(OutputLedger, ForgetsUsersWithTheirLastJob) {
  OutputLedger ledger;
  ledger.put(job(1), files(5, 100, 3));
  ledger.put(job(2), files(5, 100, 2));
  EXPECT_EQ(ledger.find_user(5)->jobs.begin()->second, job(2)) << "the oldest first";
  ledger.erase(job(2));
  EXPECT_EQ(ledger.find(job(2)), nullptr);
  EXPECT_NE(ledger.find_user(5), nullptr);
  ledger.erase(job(1));
  EXPECT_EQ(ledger.find_user(5), nullptr);
  EXPECT_EQ(ledger.bytes(), 0u);
}

}  // namespace
}  // namespace dunlin::node
