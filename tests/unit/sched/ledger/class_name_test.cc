// SPDX-License-Identifier: MIT
#include "sched/ledger/class_name.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dunlin::sched {
namespace {

TEST(ClassName, IsTheSameNumberEverywhere) {
  EXPECT_NE(class_id_of("web"), class_id_of("wed"));
  EXPECT_EQ(class_id_of(""), class_id_of("default"));
  EXPECT_EQ(class_id_of("web"), 0x0fd9bc91u) << "it stands in books: it must never change";
}

TEST(ClassName, IsMadeOfLettersDigitsDotsAndDashes) {
  const std::vector<std::string> good = {"web", "a", "0", "team-1", "x.y_z", std::string(63, 'a')};
  for (const std::string& name : good) EXPECT_TRUE(check_class_name(name)) << name;
  const std::vector<std::string> bad = {
      "", "-web", ".a", "Web", "a b", "a/b", "\xc3\xa4", std::string(64, 'a')};
  for (const std::string& name : bad) EXPECT_FALSE(check_class_name(name)) << name;
}

}  // namespace
}  // namespace dunlin::sched
