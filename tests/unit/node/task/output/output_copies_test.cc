// SPDX-License-Identifier: MIT
#include "node/task/output/output_copies.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

class OutputCopiesTest : public ::testing::Test {
 protected:
  OutputCopies open() {
    auto copies = OutputCopies::open(scratch_ / "copies", 1 << 20);
    EXPECT_TRUE(copies) << copies.error().text;
    return std::move(*copies);
  }
  static OutputCopy copy(std::string data, std::uint64_t begin = 0, std::uint32_t index = 3) {
    return {.log = 9,
        .home = {7},
        .job = 5,
        .lineage = 11,
        .index = index,
        .attempt = 2,
        .stream = OutputStream::out,
        .begin = begin,
        .data = std::move(data)};
  }
  static OutputRequest request(std::uint64_t offset, std::uint32_t attempt = 2) {
    return {.home = {7},
        .job = 5,
        .index = 3,
        .attempt = attempt,
        .stream = OutputStream::out,
        .offset = offset,
        .bytes_max = 1000,
        .lineage = 11};
  }

  test::Scratch scratch_;
};

TEST_F(OutputCopiesTest, TellsWhatWasPut) {
  OutputCopies copies = open();
  ASSERT_TRUE(copies.put(copy("hello\n")));
  const auto read = copies.read(request(0));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->begin, 0u);
  EXPECT_EQ(read->chunk.data, "hello\n");
  EXPECT_EQ(read->chunk.total, 6u);
  EXPECT_TRUE(read->chunk.ended);
  EXPECT_EQ(read->chunk.attempt, 2u);
  EXPECT_EQ(copies.read(request(2))->chunk.data, "llo\n");
  EXPECT_EQ(copies.read(request(6))->chunk.data, "");
  EXPECT_EQ(copies.read(request(0, 0))->chunk.attempt, 2u) << "the last attempt there is";
  EXPECT_FALSE(copies.read(request(0, 1))) << "no copy of that attempt";
}

TEST_F(OutputCopiesTest, AnEndBeginsWhereItBegan) {
  OutputCopies copies = open();
  ASSERT_TRUE(copies.put(copy("the end", 100)));
  const auto read = copies.read(request(0));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->begin, 100u);
  EXPECT_EQ(read->chunk.total, 107u);
  EXPECT_EQ(read->chunk.data, "the end");
  EXPECT_EQ(copies.read(request(104))->chunk.data, "end");
}

TEST_F(OutputCopiesTest, ACopyThatComesAgainIsTheSame) {
  OutputCopies copies = open();
  ASSERT_TRUE(copies.put(copy("once")));
  ASSERT_TRUE(copies.put(copy("once")));
  ASSERT_TRUE(copies.put(copy("another task", 0, 4)));
  EXPECT_EQ(copies.read(request(0))->chunk.data, "once");
}

TEST_F(OutputCopiesTest, CopiesSurviveTheAgent) {
  {
    OutputCopies copies = open();
    ASSERT_TRUE(copies.put(copy("kept")));
  }
  OutputCopies copies = open();
  EXPECT_EQ(copies.read(request(0))->chunk.data, "kept");
}

TEST_F(OutputCopiesTest, ADiskThatTakesNothingIsTold) {
  OutputCopies copies = open();
  std::filesystem::remove_all(scratch_ / "copies");
  const auto put = copies.put(copy("lost"));
  ASSERT_FALSE(put);
  EXPECT_NE(put.error().text.find("a copy of output is lost"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::node
