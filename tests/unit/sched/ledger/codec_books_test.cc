// SPDX-License-Identifier: MIT
#include "sched/ledger/codec_books.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/ledger/ledger.h"
#include "sched/ledger/savings.h"
#include "sched/raft/checksum.h"
#include "tests/support/books_commands.h"
#include "tests/support/codec/codec_properties.h"

namespace dunlin::sched {
namespace {

using testing::bytes_of;
using testing::command_of;
using testing::encoded;
using ::testing::HasSubstr;
using testing::sealed;

books::Command drawn(std::uint64_t seed) {
  testing::RandomMessage random(seed, 64);
  books::Command command;
  random.fill(command, 0);
  command.action = random.draw<books::Action>(seed % std::variant_size_v<books::Action>);
  return command;
}

TEST(CodecBooks, EveryCommandComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const auto command = drawn(seed);
    const auto back = books::decode_command(bytes_of(encoded(command)));
    ASSERT_TRUE(back) << "seed " << seed;
    ASSERT_EQ(*back, command) << "seed " << seed;
  }
}

TEST(CodecBooks, CutAnywhereOrFollowedByAnythingItIsRefused) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::string bytes = encoded(drawn(seed));
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      const auto back = books::decode_command(bytes_of(bytes).first(cut));
      ASSERT_FALSE(back);
      ASSERT_EQ(back.error().kind, ErrorKind::corrupt);
    }
    ASSERT_FALSE(books::decode_command(bytes_of(bytes + '\0')));
  }
}

TEST(CodecBooks, DamageIsRefusedOrAnotherCommand) {
  Rng rng(7);
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::string bytes = encoded(drawn(seed));
    for (std::uint32_t i = 0; i <= rng.below(4); ++i) {
      bytes[rng.index(bytes.size())] = static_cast<char>(rng());
    }
    const auto command = books::decode_command(bytes_of(bytes));
    refused += !command;
    if (command) {
      Ledger ledger(CellId{1});
      ledger.apply(*command);  // Whatever it says, the books stay whole.
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(CodecBooks, TimesBeforeAllTimeAreRefused) {
  auto command = command_of(books::Tick{});
  command.at = Time{Duration{-1}};
  EXPECT_FALSE(books::decode_command(bytes_of(encoded(command))));
}

TEST(Checksum, IsThatOfTheStandard) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8a9136aau);
}

class Snapshot : public ::testing::Test {
 protected:
  Snapshot() : ledger(testing::ledger_with({7}, 3)) {
    testing::outcome_of(ledger, testing::deposits_of(1, {testing::saving(1, 4, 500)}));
    bytes = ledger.save();
  }
  static std::string why_not(const std::string& damaged) {
    const auto loaded = Ledger::load(damaged, CellId{7});
    if (loaded) return "it was loaded";
    EXPECT_EQ(loaded.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(loaded.error().text, HasSubstr("another voter"));
    return loaded.error().text;
  }

  Ledger ledger;
  std::string bytes;
};

TEST_F(Snapshot, ComesBackAsItWas) {
  const auto again = Ledger::load(bytes, CellId{7});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->state(), ledger.state());
  EXPECT_EQ(again->save(), bytes);
}

TEST_F(Snapshot, SaysWhatIsWrong) {
  EXPECT_THAT(why_not(""), HasSubstr("it is none"));
  EXPECT_THAT(why_not("something else, and long enough"), HasSubstr("it is none"));
  std::string newer = bytes;
  newer[12] = 9;
  EXPECT_THAT(why_not(newer), HasSubstr("version 9"));
  EXPECT_THAT(why_not(bytes.substr(0, bytes.size() - 1)), HasSubstr("bytes after its header"));
  EXPECT_THAT(why_not(bytes + "x"), HasSubstr("bytes after its header"));
  std::string garbled = bytes;
  garbled.back() = static_cast<char>(garbled.back() ^ 1);
  EXPECT_THAT(why_not(garbled), HasSubstr("checksum"));
  const auto foreign = Ledger::load(bytes, CellId{8});
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().text, HasSubstr("of cell 7, not of cell 8"));
}

TEST_F(Snapshot, BooksThatDoNotBalanceAreRefused) {
  EXPECT_TRUE(Ledger::load(sealed(encoded(ledger.state())), CellId{7}));
  books::State forged = ledger.state();
  forged.accounts[0].deposits[0].tickets += 1;
  EXPECT_THAT(why_not(sealed(encoded(forged))), HasSubstr("tickets and must have"));
}

TEST(Savings, OldestIsDrawnFirst) {
  std::vector<books::Deposit> account;
  books::deposit(account, {.expires = testing::at_second(30), .tickets = 30}, 8);
  books::deposit(account, {.expires = testing::at_second(10), .tickets = 10}, 8);
  books::deposit(account, {.expires = testing::at_second(20), .tickets = 20}, 8);
  books::deposit(account, {.expires = testing::at_second(20), .tickets = 5}, 8);
  ASSERT_EQ(account.size(), 3u);
  const auto drawn = books::draw(account, 15);
  ASSERT_EQ(drawn.size(), 2u);
  EXPECT_EQ(drawn[0], (books::Deposit{.expires = testing::at_second(10), .tickets = 10}));
  EXPECT_EQ(drawn[1], (books::Deposit{.expires = testing::at_second(20), .tickets = 5}));
  EXPECT_EQ(books::sum_of(account), 50);
  EXPECT_EQ(books::expire(account, testing::at_second(20)), 20);
  EXPECT_EQ(books::sum_of(account), 30);
}

TEST(Savings, FullAccountMergesTheOldestAndNothingLivesLonger) {
  std::vector<books::Deposit> account;
  for (int i = 1; i <= 5; ++i) {
    books::deposit(account, {.expires = testing::at_second(i), .tickets = 10}, 4);
  }
  ASSERT_EQ(account.size(), 4u);
  EXPECT_EQ(account[0], (books::Deposit{.expires = testing::at_second(1), .tickets = 20}));
  EXPECT_EQ(books::sum_of(account), 50);
}

}  // namespace
}  // namespace dunlin::sched
