// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/bins_view.h"

#include <gmock/gmock.h>
#include <sstream>

#include "config/text.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json counts_json(int done, int failed, int waiting) {
  return {{"waiting", waiting}, {"running", 0}, {"cancelling", 0}, {"done", done},
      {"failed", failed}, {"cancelled", 0}};
}

Json range_json(int first, int last, const Json& counted) {
  return {{"first", first}, {"last", last}, {"counts", counted}};
}

/// 2,500 tasks in three ranges: one of the first failed.
Json three_ranges() {
  return {{"known_as", "merlin.12"}, {"name", "train"}, {"state", "running"}, {"count", 2500},
      {"finished", false}, {"pruned", false}, {"width", 1000},
      {"counts", counts_json(1499, 1, 1000)},
      {"bins",
          {range_json(0, 999, counts_json(999, 1, 0)),
              range_json(1000, 1999, counts_json(500, 0, 500)),
              range_json(2000, 2499, counts_json(0, 0, 500))}}};
}

std::vector<std::string> strip_rows(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream in(text);
  for (std::string row; std::getline(in, row);) rows.push_back(row);
  return rows;
}

TEST(BinsView, ARowIsAsHighAsManyAreInItsState) {
  const auto rows = strip_rows(bins_strip(three_ranges(), {.columns = 100}));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0], "job merlin.12 \"train\": running; 2500 tasks");
  EXPECT_THAT(rows[1], HasSubstr("each column is 1000 tasks"));
  EXPECT_EQ(rows[2], "done        ▇▄  1499");
  EXPECT_EQ(rows[3], "failed      ▁   1") << "one of a thousand is seen";
  EXPECT_EQ(rows[4], "waiting      ▄█ 1000");
  EXPECT_EQ(rows[5], "tasks       0 2499");
}

TEST(BinsView, ColumnsAreBounded) {
  EXPECT_EQ(strip_columns({.columns = 0}), 80u);
  EXPECT_EQ(strip_columns({.columns = 20}), 10u);
  EXPECT_EQ(strip_columns({.columns = 60}), 36u);
  EXPECT_EQ(strip_columns({.columns = 500}), 80u);
  Json many = three_ranges();
  many["bins"] = Json::array();
  for (int i = 0; i < 1000; ++i) many["bins"].push_back(range_json(i, i, counts_json(1, 0, 0)));
  for (const std::string& row : strip_rows(bins_strip(many, {.columns = 120}))) {
    EXPECT_LE(config::columns_of(row), 110u) << row;
  }
}

TEST(BinsView, TextHasALineForEachRange) {
  const std::string text = bins_text(three_ranges());
  EXPECT_THAT(text, HasSubstr("CANCELLING"));
  EXPECT_THAT(text, HasSubstr("0-999"));
  EXPECT_THAT(text, HasSubstr("2000-2499"));
  EXPECT_THAT(text, HasSubstr("all"));
  EXPECT_EQ(strip_rows(text).size(), 1u + 1 + 3 + 1);
}

TEST(BinsView, OfAJobWhoseTasksAreForgottenThereAreNumbers) {
  Json told = three_ranges();
  told["pruned"] = true;
  told["bins"] = Json::array();
  const std::string strip = bins_strip(told, {.columns = 100});
  EXPECT_THAT(strip, HasSubstr("forgotten"));
  EXPECT_THAT(strip, HasSubstr("done        1499\n"));
  EXPECT_THAT(strip, Not(HasSubstr("each column")));
  EXPECT_THAT(bins_text(told), HasSubstr("1499"));
}

TEST(BinsView, AnAnswerThatMakesNoSenseIsShownAsNothing) {
  EXPECT_EQ(bins_strip(Json::object(), {}).substr(0, 3), "job");
  EXPECT_EQ(bins_text(Json::array()).substr(0, 3), "job");
  const Json odd = {{"name", "\x1b[2J"}, {"bins", {7, nullptr, {{"counts", "many"}}}},
      {"counts", {{"done", -1}, {"failed", UINT64_MAX}}}};
  EXPECT_EQ(bins_strip(odd, {}).find('\x1b'), std::string::npos);
  EXPECT_THAT(bins_text(odd), HasSubstr("all"));
}

}  // namespace
}  // namespace dunlin::cli
