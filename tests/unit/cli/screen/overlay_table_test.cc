// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/overlay_table.h"

#include <gmock/gmock.h>
#include <sstream>

#include "config/text.h"

namespace dunlin::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Json known_neighbour() {
  return {{"node", "0000000000000002"}, {"name", "osprey"}, {"state", "up"},
      {"link_age_ns", 7'000'000'000}, {"rank", 1}, {"age_ns", 400'000'000}, {"utility", 0.4375},
      {"free", {{"cpu_milli", 3500}, {"memory_mib", 1024}}},
      {"total", {{"cpu_milli", 8000}, {"memory_mib", 1024}}}, {"rtt_ns", 350'400},
      {"rtt_age_ns", 2'000'000'000}};
}

Json told_overlay() {
  Json chance = known_neighbour();
  chance["node"] = "0000000000000003";
  chance["name"] = "wren";
  chance["state"] = "unknown";
  chance["rank"] = nullptr;
  chance["rtt_ns"] = nullptr;
  chance["utility"] = 0;
  Json ranked = known_neighbour();
  ranked["node"] = "0000000000000004";
  ranked["name"] = "knot";
  ranked["rank"] = 2;
  ranked["link_age_ns"] = nullptr;
  ranked["rtt_ns"] = 2'140'000;
  ranked["utility"] = 1;
  return {{"node", "0000000000000001"}, {"node_name", "merlin"}, {"ranking", "gradient"},
      {"utility_of", "cpu_memory"}, {"utility", 0.5}, {"seeks", false},
      {"neighbours", {known_neighbour(), ranked, chance}}, {"cell", nullptr},
      {"books", Json::array()}};
}

std::string overlay_picture(const Json& overlay, std::size_t columns = 0) {
  return overlay_text(overlay, {}, {.columns = columns}).value();
}

TEST(OverlayTable, SaysWhichNodesItKnowsAndByWhichView) {
  const std::string text = overlay_picture(told_overlay());
  EXPECT_THAT(text,
      HasSubstr("node merlin knows 3 nodes: 2 by chance, 2 by rank; its utility is 0.50 (free CPU "
                "x free memory)\n"));
  EXPECT_THAT(text, ContainsRegex("osprey +up +1 +0[.]44 +7[.]0 s +0[.]4 s +350 us +3[.]5/8 +1"));
  EXPECT_THAT(text, ContainsRegex("knot +up +2 +1[.]00 +- +0[.]4 s +2[.]1 ms"));
  EXPECT_THAT(text, ContainsRegex("wren +unknown +- +0[.]00 +7[.]0 s +0[.]4 s +- "));
  EXPECT_THAT(text, Not(HasSubstr("cell"))) << "it belongs to none";
  EXPECT_THAT(text, Not(HasSubstr("0000000000000002"))) << "ids are for --wide";
}

TEST(OverlayTable, SaysWhichCellItBelongsToAndWhatItKeeps) {
  Json overlay = told_overlay();
  overlay["cell"] = {{"cell", "02ab"}, {"standing", "member"}, {"epoch", 3},
      {"manager", {{"node", "0000000000000002"}, {"name", "osprey"}}},
      {"voters", {{{"node", "0000000000000001"}, {"name", "merlin"}}}}};
  overlay["books"] = {{{"cell", "02ab"}, {"level", 0}, {"manages", false}, {"parent", "12ab"}},
      {{"cell", "12ab"}, {"level", 1}, {"manages", true}, {"parent", nullptr}}};
  const std::string text = overlay_picture(overlay);
  EXPECT_THAT(text,
      HasSubstr("cell 02ab: member, epoch 3, managed by osprey; its books are kept by merlin, "
                "too\n"));
  EXPECT_THAT(text, HasSubstr("keeps the books of cell 02ab of level 0, below 12ab\n"));
  EXPECT_THAT(text, HasSubstr("manages cell 12ab of level 1\n"));
  overlay["cell"]["manager"] = nullptr;
  EXPECT_THAT(overlay_picture(overlay), HasSubstr("epoch 3, no manager is known; its books"));
}

TEST(OverlayTable, ANodeWithoutNeighboursSaysWhatToDo) {
  Json overlay = told_overlay();
  overlay["neighbours"] = Json::array();
  const std::string alone = overlay_picture(overlay);
  EXPECT_THAT(alone, HasSubstr("knows 0 nodes: 0 by chance, 0 by rank"));
  EXPECT_THAT(alone, HasSubstr("it is alone: an agent that joins it"));
  EXPECT_THAT(alone, Not(HasSubstr("RANK")));
  overlay["seeks"] = true;
  EXPECT_THAT(
      overlay_picture(overlay), HasSubstr("none of its contacts (agent.join) has answered"));
}

TEST(OverlayTable, ColumnsCanBeChosen) {
  EXPECT_THAT(overlay_text(told_overlay(), {.list = "node,id"}, {}).value(),
      ContainsRegex("osprey +0000000000000002\n"));
  EXPECT_EQ(overlay_text(told_overlay(), {.list = "colour"}, {}).error().kind, ErrorKind::usage);
}

TEST(OverlayTable, FitsTheTerminal) {
  std::istringstream lines(overlay_picture(told_overlay(), 60));
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("NODE") && !line.starts_with("osprey")) continue;
    ++rows;
    EXPECT_LE(config::columns_of(line), 60u) << line;
  }
  EXPECT_EQ(rows, 2);
}

// Names come from other machines.
TEST(OverlayTable, NamesAreMadePrintable) {
  Json overlay = told_overlay();
  overlay["node_name"] = "mer\x1b[2Jlin";
  overlay["neighbours"][0]["name"] = "os\x1bprey";
  const std::string text = overlay_picture(overlay);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(OverlayTable, AnAgentOfAnEarlierBuildIsNoMistakeOfTheUser) {
  const Error told{ErrorKind::usage, "unknown verb 'overlay'; is the agent older than the client?"};
  EXPECT_EQ(overlay_error(told, "osprey").kind, ErrorKind::refused);
  EXPECT_EQ(overlay_error(told, "osprey").text,
      "osprey is of an earlier build, which does not tell which nodes it knows");
  EXPECT_THAT(overlay_error(told, "").text, HasSubstr("this agent is of"));
  const Error other{ErrorKind::not_found, "there is no node 'x'"};
  EXPECT_EQ(overlay_error(other, "x"), other);
}

// An agent of another version may leave anything out.
TEST(OverlayTable, AnAnswerOfAnotherVersionIsNoError) {
  EXPECT_THAT(overlay_picture(Json::object()), HasSubstr("node  knows 0 nodes"));
  Json overlay = told_overlay();
  overlay["neighbours"] = {Json::object(), 7};
  EXPECT_THAT(overlay_picture(overlay), HasSubstr("knows 2 nodes"));
}

}  // namespace
}  // namespace dunlin::cli
