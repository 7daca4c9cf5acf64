// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/node_view.h"

#include <gmock/gmock.h>
#include <sstream>

#include "config/text.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json seen_node() {
  return {{"self", "0000000000000001"}, {"here", false}, {"incarnation", 17},
      {"machine", "00000000000000ab"}, {"keeps_copies", true}, {"farewell", false},
      {"since_at_ns", nullptr}, {"gone", nullptr},
      {"node",
          {{"node", "0000000000000002"}, {"name", "kestrel"}, {"address", "10.0.0.2:7700"},
              {"state", "up"}, {"age_ns", 400'000'000}, {"version", "9.8.7"},
              {"total",
                  {{"cpu_milli", 8000}, {"memory_mib", 4096}, {"custom", {{"gpu", 2}}},
                      {"rates", {{"net_in", 2048}}}}},
              {"free",
                  {{"cpu_milli", 3500}, {"memory_mib", 1024}, {"custom", {{"gpu", 0}}},
                      {"rates", {{"net_in", 1024}}}}},
              {"attributes", {{"arch", "x86_64"}, {"run_as", "owner"}}}, {"limits", "v2"},
              {"enforced", {{"cpu", "cgroup"}, {"memory", nullptr}}}, {"running", 1}, {"queued", 1},
              {"jobs", 3}, {"trouble", ""}, {"sick", ""}, {"drain", nullptr}}}};
}

Json running_task(int index) {
  return {{"known_as", "merlin.12"}, {"index", index}, {"attempt", 2}, {"owner", "anna"},
      {"name", "train"}, {"state", "running"}, {"age_ns", 7'000'000'000},
      {"demand", {{"cpu_milli", 1500}, {"memory_mib", 512}}},
      {"holds", {{"cpu_milli", 1500}, {"memory_mib", 512}}},
      {"used", {{"cpu_milli", 900}, {"memory_bytes", 5 << 20}}},
      {"command", {"sh", "-c", "sleep 9"}}};
}

Json told_tasks(int count) {
  Json tasks = Json::array();
  for (int i = 0; i < count; ++i) tasks.push_back(running_task(i));
  return {{"running", count}, {"asking", 0}, {"queued", 0}, {"tasks", tasks}, {"next", nullptr}};
}

std::string picture(const NodeLook& look, bool all = false, std::size_t columns = 0) {
  return node_view(look, all, {.columns = columns});
}

TEST(NodeView, SaysWhatTheNodeIsAndWhatIsFreeOfIt) {
  const std::string text = picture({seen_node(), told_tasks(1), ""});
  EXPECT_THAT(text, HasSubstr("node kestrel: up\n"));
  EXPECT_THAT(text, HasSubstr("  seen     0.4 s ago, at 10.0.0.2:7700\n"));
  EXPECT_THAT(text, HasSubstr("  id       0000000000000002, life 17, machine 00000000000000ab\n"));
  EXPECT_THAT(
      text, HasSubstr("  version  9.8.7, tasks run as owner, keeps copies of jobs of others\n"));
  EXPECT_THAT(text, HasSubstr("  cpus     8: 3.5 free, 4.5 held; tasks use 0.9\n"));
  EXPECT_THAT(text, HasSubstr("; tasks use 5.0 MiB\n"));
  EXPECT_THAT(text, HasSubstr("  gpu      2: 0 free, 2 held\n"));
  EXPECT_THAT(text, HasSubstr("  net_in   2.0 MiB/s: 1.0 MiB/s free, 1.0 MiB/s held\n"));
  EXPECT_THAT(text, HasSubstr("  limits   v2: cpu by cgroup, memory by nothing\n"));
  EXPECT_THAT(text, HasSubstr("  has      arch=x86_64 run_as=owner\n"));
  EXPECT_THAT(text,
      HasSubstr("  tasks    1 here, 0 asked for, 0 reservations queued; 3 unfinished jobs of its "
                "own\n"));
}

TEST(NodeView, ATaskHasItsUserAndWhatItTakes) {
  const std::string text = picture({seen_node(), told_tasks(1), ""});
  EXPECT_THAT(text, HasSubstr("merlin.12.0"));
  EXPECT_THAT(text, HasSubstr("running, attempt 2"));
  EXPECT_THAT(text, HasSubstr("0.9/1.5"));
  EXPECT_THAT(text, HasSubstr("sh -c 'sleep")) << "as far as there is room";
  Json queued = running_task(0);
  for (const char* const key : {"index", "attempt", "holds", "used", "command"}) queued.erase(key);
  queued["state"] = "queued";
  queued["place"] = 4;
  queued["owner"] = "";
  Json tasks = told_tasks(0);
  tasks["queued"] = 1;
  tasks["tasks"].push_back(queued);
  const std::string waits = picture({seen_node(), tasks, ""});
  EXPECT_THAT(waits, HasSubstr("merlin.12  ?     queued 4"));
  EXPECT_THAT(waits, HasSubstr("-/1.5"));
}

// A screen: what has no room is counted.
TEST(NodeView, ShowsAScreenOfTasksAndCountsTheOthers) {
  const NodeLook look{seen_node(), told_tasks(30), ""};
  EXPECT_THAT(picture(look), HasSubstr("... and 10 more: dunlin node show NAME --tasks\n"));
  EXPECT_THAT(picture(look), Not(HasSubstr("merlin.12.20")));
  EXPECT_THAT(picture(look, true), HasSubstr("merlin.12.29"));
  EXPECT_THAT(picture(look, true), Not(HasSubstr("more")));
}

TEST(NodeView, NoLineIsLongerThan100ColumnsOrTheTerminal) {
  NodeLook look{seen_node(), told_tasks(3), ""};
  Json values = Json::array();
  for (int i = 0; i < 720; ++i) values.push_back(31'300 + i);
  look.past = {{"step_ns", 5'000'000'000},
      {"figures", Json::array({{{"name", "memory_free_mib"}, {"values", values}}})}};
  EXPECT_THAT(picture(look), HasSubstr("  free mem "));
  look.node["node"]["trouble"] =
      std::string(30, 'x') + " " + std::string(60, 'y') + " " + std::string(50, 'z');
  for (const std::size_t columns : {std::size_t{0}, std::size_t{80}, std::size_t{200}}) {
    std::istringstream lines(picture(look, false, columns));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(config::columns_of(line), columns == 80 ? 80u : 100u) << line;
    }
  }
}

TEST(NodeView, SaysWhyTheNodeTakesNoTasks) {
  Json node = seen_node();
  node["since_at_ns"] = 1'800'000'000'000'000'000;
  node["node"]["state"] = "draining";
  node["node"]["drain"] = {
      {"reason", "new disk"}, {"by", "anna@wren"}, {"since_ns", 0}, {"until_ns", 0}};
  const std::string text = picture({node, told_tasks(0), ""});
  EXPECT_THAT(text, HasSubstr("node kestrel: draining since 2027-01-15T08:00:00Z\n"));
  EXPECT_THAT(text, HasSubstr("  drained  by anna@wren: new disk\n"));
}

TEST(NodeView, OneThatIsDownIsShownAsItIsKnown) {
  Json node = seen_node();
  node["node"]["state"] = "down";
  node["node"]["free"] = nullptr;
  node["farewell"] = true;
  const std::string text = picture({node, {}, "it says nothing"});
  EXPECT_THAT(text, HasSubstr("node kestrel: down, after a good-bye\n"));
  EXPECT_THAT(text, HasSubstr("  cpus     8: what is free is not known\n"));
  EXPECT_THAT(text, HasSubstr("  tasks    1 ran when it was last heard: it says nothing\n"));
  Json gone = seen_node();
  gone["node"] = nullptr;
  gone["gone"] = {{"node", "0000000000000009"}, {"name", "gannet"}, {"address", "10.0.0.9:7700"},
      {"heard_at_ns", 1'800'000'000'000'000'000}, {"age_ns", 60'000'000'000}};
  EXPECT_THAT(picture({gone, {}, ""}),
      HasSubstr("node gannet: gone without a good-bye, last heard 2027-01-15T08:00:00Z"));
}

// Names, reasons and commands are strangers' words.
TEST(NodeView, WhatANodeSaysCannotMoveTheCursor) {
  NodeLook look{seen_node(), told_tasks(1), ""};
  look.node["node"]["name"] = "a\x1b[2J";
  look.node["node"]["sick"] = "b\x1b[2J";
  look.node["node"]["attributes"]["c\x1b"] = "d\x1b";
  look.node["node"]["total"]["custom"]["e\x1b"] = 1;
  look.tasks["tasks"][0]["name"] = "f\x1b[2J";
  look.tasks["tasks"][0]["command"][0] = "g\x1b[2J";
  EXPECT_EQ(picture(look).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace dunlin::cli
