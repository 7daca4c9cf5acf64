// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/share_table.h"

#include <gmock/gmock.h>
#include <sstream>

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;

const Terminal kNoScreen{};

Json classes() {
  return {{"version", 4},
      {"classes",
          {{{"name", "gold"}, {"weight", 2}, {"percent", 200.0 / 3}},
              {{"name", "tin"}, {"weight", 1}, {"percent", 100.0 / 3}}}}};
}

TEST(ShareTable, ReadsPairs) {
  EXPECT_THAT(parse_shares({"gold", "5", "silver", "3"}).value(),
      ElementsAre(Pair("gold", 5), Pair("silver", 3)));
}

TEST(ShareTable, NamesTheWordThatIsWrong) {
  for (const char* const text : {"0", "-1", "x", "3x", "1.5", "", "99999999999999999999"}) {
    const auto shares = parse_shares({"gold", text});
    ASSERT_FALSE(shares) << text;
    EXPECT_EQ(shares.error().kind, ErrorKind::usage);
    EXPECT_THAT(shares.error().text, HasSubstr("'gold'"));
  }
  EXPECT_THAT(parse_shares({"gold"}).error().text, HasSubstr("gold 5 silver 3"));
  EXPECT_FALSE(parse_shares({}));
}

TEST(ShareTable, ListsWeightsAndPercents) {
  const std::string text = share_list_text(classes(), kNoScreen);
  EXPECT_THAT(text,
      HasSubstr("CLASS  WEIGHT   SHARE\n"
                "gold        2  66.7 %\n"
                "tin         1  33.3 %\n"
                "2 classes, version 4\n"));
  EXPECT_THAT(text, HasSubstr("share set default"));
}

TEST(ShareTable, OfJobsWithoutAClassNothingIsSaidIfTheyHaveAShare) {
  Json table = classes();
  table["classes"].push_back({{"name", "default"}, {"weight", 1}, {"percent", 25.0}});
  EXPECT_THAT(share_list_text(table, kNoScreen), EndsWith("3 classes, version 4\n"));
}

TEST(ShareTable, WithoutClassesSaysHowToSetOne) {
  const Json none = {{"version", 0}, {"classes", Json::array()}};
  EXPECT_THAT(share_list_text(none, kNoScreen), HasSubstr("dunlin share set NAME WEIGHT"));
  EXPECT_THAT(shares_text(none, kNoScreen), HasSubstr("dunlin share set NAME WEIGHT"));
  EXPECT_THAT(*cells_text({{"version", 0}, {"cells", Json::array()}}, false, {}, kNoScreen),
      HasSubstr("dunlin share set NAME WEIGHT"));
  EXPECT_THAT(audit_text({{"version", 0}, {"cells", 0}}, kNoScreen), HasSubstr("share set"));
}

TEST(ShareTable, ShowsTheTreeOfCells) {
  const Json reply = {{"version", 1}, {"nodes_known", 3}, {"silent", Json::array()},
      {"cells",
          {{{"cell", "1aa"}, {"level", 1}, {"manager_name", "n2"}, {"size", 1}, {"size_max", 40},
               {"age_ns", 2'000'000'000}, {"tickets", 4500}, {"parent", nullptr}},
              {{"cell", "0bb"}, {"level", 0}, {"manager_name", "n1"}, {"size", 2}, {"size_max", 40},
                  {"tickets", 4000}, {"parent", "1aa"}, {"dissolving", true},
                  {"members", {{{"name", "n1"}, {"tickets", 2000}}}}}}}};
  const std::string text = *cells_text(reply, false, {}, kNoScreen);
  EXPECT_THAT(text, HasSubstr("1aa        1  n2"));
  EXPECT_THAT(text, HasSubstr("\n  0bb"));
  EXPECT_THAT(text, HasSubstr("dissolving"));
  EXPECT_THAT(text, EndsWith("2 cells; 2 nodes in cells, 1 in none\n"));
  EXPECT_THAT(*cells_text(reply, true, {}, kNoScreen), HasSubstr("\n    n1"));
}

// Each row was broken at 80 columns: ids are of sixteen digits.
TEST(ShareTable, CellsFitTheTerminal) {
  const Json reply = {{"version", 1}, {"nodes_known", 2}, {"silent", Json::array()},
      {"cells",
          {{{"cell", "0dcf39cf07c688e1"}, {"level", 0}, {"manager_name", "node4"}, {"size", 2},
              {"size_max", 40}, {"tickets", 4000}, {"age_ns", 4'000'000'000},
              {"parent", "1dcf39cf07c688e1"}, {"dissolving", true}}}}};
  std::istringstream text(*cells_text(reply, false, {}, {.columns = 80}));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(ShareTable, ShowsWhatClassesHaveInCpus) {
  const Json reply = {{"version", 1}, {"cell", ""}, {"silent", Json::array()},
      {"classes",
          {{{"name", "gold"}, {"weight", 5}, {"percent", 50.0}, {"desired", 9000},
              {"granted", 8950}, {"used", 0}, {"need", 120}, {"balance", 40}}}}};
  EXPECT_THAT(shares_text(reply, kNoScreen),
      HasSubstr("gold        5   50 %        9        9     0         0   0.1        0"));
}

Json audit(bool conserved) {
  return {{"conserved", conserved}, {"version", 1}, {"cells", 2}, {"nodes", 3}, {"readings", 2},
      {"sums",
          {{"minted", 6000}, {"pools", 100}, {"granted", 5900}, {"saved", 50}, {"accounts", 40},
              {"in_flight", 10}, {"sent", 5}, {"received", 5}}},
      {"off", Json::array()}, {"undecided", Json::array()}, {"silent", Json::array()}};
}

TEST(ShareTable, AuditSaysConservedOrWhatIsOff) {
  EXPECT_THAT(audit_text(audit(true), kNoScreen), EndsWith("\nconserved\n"));
  EXPECT_THAT(audit_text(audit(true), kNoScreen), HasSubstr("6000 tickets = 5900 granted + 100"));
  Json wrong = audit(false);
  wrong["off"].push_back("cell 2 has accepted 3");
  EXPECT_THAT(
      audit_text(wrong, kNoScreen), HasSubstr("off: cell 2 has accepted 3\nnot conserved\n"));
  Json partly = audit(false);
  partly["silent"].push_back({{"cell", "07"}, {"why", "it has no manager now"}});
  EXPECT_THAT(audit_text(partly, kNoScreen),
      HasSubstr("cell 07 did not answer: it has no manager now\n"
                "not all could be asked"));
}

TEST(ShareTable, ShowsTheCpuTimeBesideWhatWasOccupied) {
  const Json reply = {{"version", 1}, {"cell", ""},
      {"classes",
          {{{"name", "gold"}, {"weight", 1}, {"percent", 100.0}, {"desired", 4000},
              {"granted", 3000}, {"used", 2500}, {"cpu", 1200}, {"need", 0}, {"balance", 0}}}},
      {"silent", Json::array()}};
  EXPECT_THAT(shares_text(reply, kNoScreen),
      HasSubstr("CLASS  WEIGHT  SHARE  DESIRED  GRANTED  USED  CPU USED  NEED  BALANCE\n"
                "gold        1  100 %        4        3   2.5       1.2     0        0\n"));
}

TEST(ShareTable, SaysWhatWasWrittenOff) {
  Json reply = {{"cell", "00000000000000ab"}, {"holders", 2}, {"back", 70}, {"written_off", true},
      {"silent", Json::array()}};
  EXPECT_EQ(write_off_text(reply),
      "cell 00000000000000ab is written off in the books of 2 cells; 70 tickets that were under "
      "way "
      "to it are back\n");
  reply["holders"] = 0;
  EXPECT_THAT(write_off_text(reply), HasSubstr("already"));
  reply["written_off"] = false;
  EXPECT_THAT(write_off_text(reply), HasSubstr("ask again"));
}

}  // namespace
}  // namespace dunlin::cli
