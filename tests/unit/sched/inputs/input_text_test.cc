// SPDX-License-Identifier: MIT
#include "sched/inputs/input_text.h"

#include <gtest/gtest.h>

#include "sched/inputs/input_bytes.h"
#include "sched/inputs/input_rates.h"
#include "tests/support/builders.h"

namespace dunlin::test {
namespace {

using sched::GroupInputs;
using sched::InputsBuilder;
using sched::parse_input;

std::string error_of(std::string_view text) {
  const auto input = parse_input(text);
  return input ? "" : input.error().text;
}

GroupInputs inputs_of(const std::vector<std::string>& texts) {
  InputsBuilder builder;
  for (const std::string& text : texts) EXPECT_TRUE(builder.add(std::string_view(text)));
  return builder.take();
}

TEST(InputText, HasASizeAndUpToFourNodes) {
  const auto input = parse_input("2G@node1,node2");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->size, 2048u);
  EXPECT_EQ(input->nodes, (std::vector<std::string>{"node1", "node2"}));
  EXPECT_TRUE(parse_input("1M@a,b,c,d"));
  EXPECT_TRUE(parse_input("1.5GiB@rack-3.node_7"));
}

TEST(InputText, NamesWhatIsWrongAndWhatToWrite) {
  for (const char* text : {"2G", "2G@", "@node1", "2@node1", "2G@a,", "2G@a,,b", "2G@a,a", "2G@a b",
           "2G@a@b", "1M@a,b,c,d,e", ""}) {
    EXPECT_NE(error_of(text).find("2G@node1,node2"), std::string::npos) << text;
  }
  EXPECT_NE(error_of("1M@a,b,c,d,e").find("more than 4 nodes"), std::string::npos);
  EXPECT_NE(error_of("2G@a,a").find("a stands there twice"), std::string::npos);
  EXPECT_NE(error_of("2G").find("no node"), std::string::npos);
  EXPECT_FALSE(error_of("2G@" + std::string(64, 'x')).empty());
  EXPECT_TRUE(error_of("2G@" + std::string(63, 'x')).empty());
}

TEST(InputText, NodesAndSetsAreKeptOnce) {
  const GroupInputs inputs = inputs_of({"1M@a,b", "2M@a,b", "1M@b,a", "1M@c"});
  EXPECT_EQ(inputs.nodes.size(), 3u);
  EXPECT_EQ(inputs.sets.size(), 3u);
  EXPECT_EQ(inputs.tasks.size(), 4u);
  EXPECT_EQ(inputs.tasks[0].set, inputs.tasks[1].set);
  EXPECT_EQ(input_text(inputs, 2), "1M@b,a");
  EXPECT_EQ(input_text(inputs, 1), "2M@a,b");
}

TEST(InputText, AGroupNamesABoundedNumberOfNodes) {
  InputsBuilder builder;
  for (std::size_t i = 0; i < sched::kGroupInputNodesMax; ++i) {
    ASSERT_TRUE(builder.add("1M@n" + std::to_string(i)));
  }
  EXPECT_TRUE(builder.add("1M@n0"));
  const auto more = builder.add("1M@another");
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().text.find("4096 nodes"), std::string::npos);
}

TEST(InputText, UnsoundInputsAreTold) {
  sched::TaskGroup group = tasks(2);
  EXPECT_TRUE(has_sound_inputs(group));
  group.inputs = inputs_of({"1M@a,b", "1M@b"});
  EXPECT_TRUE(has_sound_inputs(group));
  const auto is_sound_after = [&](auto&& change) {
    sched::TaskGroup changed = group;
    change(changed.inputs);
    return has_sound_inputs(changed);
  };
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.tasks.push_back({1, 0}); }));
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.tasks[1].set = 7; }));
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.sets[0][1] = 9; }));
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.sets[1].fill(GroupInputs::kNone); }));
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.sets[1][3] = 0; }));
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.nodes[0].name = "a\nb"; }));
  EXPECT_FALSE(is_sound_after([](GroupInputs& in) { in.net_in = UINT32_MAX; }));
  group.gang = true;
  EXPECT_FALSE(has_sound_inputs(group));
}

TEST(InputBytes, SayTheSameAgain) {
  GroupInputs inputs = inputs_of({"1M@a,b", "2G@c", "3G@a,b"});
  inputs.nodes[1].id = {7};
  inputs.nodes[1].address = sched::Address::v4(0x0a000007, 7700);
  inputs.disk_read = 5;
  inputs.net_in = 6;
  const std::string bytes = input_bytes(inputs);
  EXPECT_EQ(sched::inputs_of_bytes(bytes), inputs);
  EXPECT_EQ(sched::inputs_of_bytes(""), GroupInputs{});
  EXPECT_EQ(input_bytes(GroupInputs{}), "");
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_FALSE(sched::inputs_of_bytes(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(sched::inputs_of_bytes(bytes + "x"));
}

// A task of a job of a million has 8 bytes, and 8 more if no other has its nodes.
TEST(InputBytes, TakeFewBytesForEachTask) {
  InputsBuilder builder;
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(builder.add("64M@n" + std::to_string(i % 40)));
  EXPECT_LT(input_bytes(builder.take()).size(), 10'000u * 8 + 40 * 50);
}

sched::TaskGroup group_with_rates(std::uint32_t disk_read, std::uint32_t net_in) {
  sched::TaskGroup group = tasks(1);
  group.inputs = inputs_of({"1M@a"});
  group.demand.disk_read = disk_read;
  group.demand.net_in = net_in;
  settle_input_rates(group);
  return group;
}

// Both rates are ways to say how fast a task reads its input.
TEST(InputRates, TheOneThatIsNotDemandedIsAsTheOther) {
  const auto at = [](const sched::TaskGroup& group) {
    return at_input(group.demand, input_terms(group.inputs, 1));
  };
  for (const auto& [read, in] : {std::pair(50u, 0u), std::pair(0u, 50u), std::pair(50u, 50u)}) {
    const sched::TaskGroup group = group_with_rates(read, in);
    EXPECT_EQ(group.demand.disk_read, 0u);
    EXPECT_EQ(group.demand.net_in, 50u);
    EXPECT_EQ(at(group).disk_read, 50u);
    EXPECT_EQ(at(group).net_in, 0u);
    const auto loan = borrowed_for_input(input_terms(group.inputs, 0));
    EXPECT_EQ(loan.disk_read, 50u);
    EXPECT_EQ(loan.net_out, 50u);
    EXPECT_EQ(loan.cpu, 0u);
  }
  const sched::TaskGroup both = group_with_rates(80, 20);
  EXPECT_EQ(both.demand.net_in, 20u);
  EXPECT_EQ(at(both).disk_read, 80u);
  EXPECT_EQ(borrowed_for_input(input_terms(both.inputs, 0)).disk_read, 20u);
}

TEST(InputRates, WithoutARateThereIsNothingToBorrow) {
  const sched::TaskGroup group = group_with_rates(0, 0);
  EXPECT_FALSE(has_rates(group.demand));
  EXPECT_FALSE(has_rates(borrowed_for_input(input_terms(group.inputs, 0))));
}

TEST(InputRates, AGroupWithoutInputsKeepsItsDemand) {
  sched::TaskGroup group = tasks(1);
  group.demand.disk_read = 7;
  settle_input_rates(group);
  EXPECT_EQ(group.demand.disk_read, 7u);
  EXPECT_EQ(group.demand.net_in, 0u);
}

}  // namespace
}  // namespace dunlin::test
