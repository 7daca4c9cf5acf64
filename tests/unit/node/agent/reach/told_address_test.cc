// SPDX-License-Identifier: MIT
#include "node/agent/reach/told_address.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

constexpr overlay::Address kAddress = overlay::Address::v4(0x0a000002, 7700);

class ToldAddress : public ::testing::Test {
 protected:
  std::string directory() const { return scratch_.path(); }
  void keep(Reason reason) const {
    EXPECT_TRUE(remember_address(directory(), {kAddress, reason}, 7700));
  }
  std::string file() const { return directory() + "/address"; }

 private:
  dunlin::test::Scratch scratch_;
};

TEST_F(ToldAddress, WhatWasFoundOutStays) {
  EXPECT_FALSE(remembered_address(directory(), 7700));
  keep(Reason::contact);
  EXPECT_EQ(remembered_address(directory(), 7700), (OwnAddressChoice{kAddress, Reason::kept}));
  EXPECT_FALSE(remembered_address(directory(), 7701)) << "another port is bound";
}

TEST_F(ToldAddress, WhatOthersSawIsForTheProcessThatFollows) {
  keep(Reason::seen);
  EXPECT_EQ(remembered_address(directory(), 7700), (OwnAddressChoice{kAddress, Reason::seen}));
  std::filesystem::last_write_time(
      file(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(remembered_address(directory(), 7700));
}

TEST_F(ToldAddress, OfWhatIsDamagedNothingIsRemembered) {
  for (const char* text : {"", "nonsense", "10.0.0.2 contact 7700", "10.0.0.2:7700 contact",
           "0.0.0.0:7700 contact 7700"}) {
    std::ofstream(file()) << text;
    std::filesystem::permissions(file(), std::filesystem::perms::owner_all);
    EXPECT_FALSE(remembered_address(directory(), 7700)) << text;
  }
}

}  // namespace
}  // namespace dunlin::node
