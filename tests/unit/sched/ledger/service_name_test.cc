// SPDX-License-Identifier: MIT
#include "sched/ledger/service_name.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dunlin::sched {
namespace {

TEST(ServiceName, IsTheSameNumberEverywhere) {
  EXPECT_NE(service_of("web"), service_of("wed"));
  EXPECT_EQ(service_of(""), service_of("default"));
  EXPECT_EQ(service_of("web"), 0x0fd9bc91u) << "it stands in books: it must never change";
}

TEST(ServiceName, IsMadeOfLettersDigitsDotsAndDashes) {
  const std::vector<std::string> good = {"web", "a", "0", "team-1", "x.y_z", std::string(63, 'a')};
  for (const std::string& name : good) EXPECT_TRUE(check_service_name(name)) << name;
  const std::vector<std::string> bad = {
      "", "-web", ".a", "Web", "a b", "a/b", "\xc3\xa4", std::string(64, 'a')};
  for (const std::string& name : bad) EXPECT_FALSE(check_service_name(name)) << name;
}

}  // namespace
}  // namespace dunlin::sched
