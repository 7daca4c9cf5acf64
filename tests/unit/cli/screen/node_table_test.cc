// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/node_table.h"

#include <gmock/gmock.h>

namespace dunlin::cli {
namespace {

Json node(const std::string& name, const std::string& state, const std::string& trouble) {
  return {{"node", name + "-id"}, {"name", name}, {"state", state},
      {"total", {{"cpu_milli", 4000}, {"memory_mib", 1024}}},
      {"free", {{"cpu_milli", 1500}, {"memory_mib", 512}}}, {"trouble", trouble}};
}

TEST(NodeTable, TroublesAreALineANodeByName) {
  const Json nodes = {node("wren", "up", "its disk is sick"), node("kestrel", "up", ""),
      node("merlin", "draining", "an agent at 10.0.0.7:7700 had this node's identity")};
  EXPECT_EQ(node_troubles(nodes),
      "merlin: an agent at 10.0.0.7:7700 had this node's identity\nwren: its disk is sick\n");
  EXPECT_EQ(node_troubles(Json::array({node("kestrel", "up", "")})), "");
  // An agent of before says nothing of troubles.
  EXPECT_EQ(node_troubles(Json::array({{{"name", "old"}}})), "");
}

// "0.3/0.3 GiB" said little of 256 MiB.
TEST(NodeTable, SmallMemoryIsToldInMebibytes) {
  Json small = node("wren", "up", "");
  small["total"]["memory_mib"] = 256;
  small["free"]["memory_mib"] = 230;
  EXPECT_NE(node_table(Json::array({small})).render({}).find(" 230/256 MiB "), std::string::npos);
}

TEST(NodeTable, ASickNodeSaysWhy) {
  Json sick = node("wren", "sick", "its clock is wrong");
  sick["sick"] = "the disk is full";
  EXPECT_EQ(node_troubles(Json::array({sick})),
      "wren: sick: the disk is full\nwren: its clock is wrong\n");
  EXPECT_EQ(node_totals(Json::array({sick}), ""), "1 node: 1 sick; 0 of 0 CPUs free\n");
}

TEST(NodeTable, ADrainedNodeSaysWhoWhenAndWhy) {
  Json drained = node("wren", "draining", "");
  drained["drain"] = {{"reason", "new\x1b disk"}, {"by", "anna@merlin"}, {"since_ns", 0},
      {"until_ns", 1'800'000'000'000'000'000}};
  EXPECT_EQ(node_troubles(Json::array({drained})),
      "wren: drained by anna@merlin, until 2027-01-15T08:00:00Z: new? disk\n");
  drained["drain"] = nullptr;  // It stops.
  EXPECT_EQ(node_troubles(Json::array({drained})), "");
}

TEST(NodeTable, WhatANodeSaysCannotMoveTheCursor) {
  const std::string text = node_troubles(Json::array({node("a", "up", "x\x1b[2J\ny")}));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(NodeTable, TotalsCountStatesAndFreeCpus) {
  const Json nodes = {node("wren", "up", ""), node("merlin", "draining", "")};
  EXPECT_EQ(node_totals(nodes, "wren-id"),
      "2 nodes: 1 up, 1 draining; 1.5 of 4 CPUs free; seen from wren\n");
}

TEST(NodeTable, SlotsAreCountedByWhatTheyDo) {
  Json wren = node("wren", "up", "");
  wren["slots"] = {{"all", 8}, {"available", 3}, {"occupied", 0}, {"busy", 5}, {"down", 0}};
  const Json nodes = {wren, node("older", "up", "")};
  Table all = node_table(nodes);
  ASSERT_TRUE(all.choose({.wide = true}));
  const std::string table = all.render({});
  EXPECT_NE(table.find(" 3/0/5/0"), std::string::npos) << table;
  EXPECT_NE(table.find(" ? "), std::string::npos) << table;
  EXPECT_EQ(
      node_totals(nodes, ""), "2 nodes: 2 up; 3 of 8 CPUs free; slots: 3 available, 5 busy\n");
}

TEST(NodeTable, ThoseThatAreGoneHaveATableOfTheirOwn) {
  EXPECT_EQ(gone_text(Json::array(), {}), "no other node left without a good-bye\n");
  const Json gone =
      Json::array({{{"node", "0000000000000009"}, {"name", "gannet"}, {"address", "10.0.0.9:7700"},
          {"heard_at_ns", 1'700'000'000'000'000'000}, {"age_ns", 7'200'000'000'000}}});
  const std::string text = gone_text(gone, {});
  EXPECT_NE(text.find("gannet"), std::string::npos) << text;
  EXPECT_NE(text.find("2023-11-14T22:13:20Z"), std::string::npos) << text;
  EXPECT_NE(text.find("dunlin node forget NAME"), std::string::npos) << text;
}

}  // namespace
}  // namespace dunlin::cli
