// SPDX-License-Identifier: MIT
#include "node/machine.h"

#include <algorithm>
#include <gmock/gmock.h>

#include "sched/resources.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

const std::string* find(const std::vector<sched::Attribute>& attributes, std::string_view key) {
  const auto found = std::ranges::find(attributes, key, &sched::Attribute::key);
  return found == attributes.end() ? nullptr : &found->value;
}

Machine machine_of(std::uint32_t cpu, std::uint32_t memory) {
  return {.cpu = cpu,
      .memory_mib = memory,
      .gpus = 2,
      .hostname = "kestrel",
      .attributes = {{"arch", "x86_64"}, {"os", "linux"}}};
}

TEST(Machine, FindsWhatThisProcessMayUse) {
  const Machine machine = detect_machine();
  EXPECT_GE(machine.cpu, 1u);
  EXPECT_GE(machine.memory_mib, 16u);
  EXPECT_FALSE(machine.hostname.empty());
  for (const char* key : {"os", "arch", "kernel", "distro", "hostname"}) {
    ASSERT_NE(find(machine.attributes, key), nullptr) << key;
    EXPECT_FALSE(find(machine.attributes, key)->empty()) << key;
  }
  EXPECT_EQ(*find(machine.attributes, "os"), "linux");
  EXPECT_TRUE(std::ranges::is_sorted(machine.attributes, {}, &sched::Attribute::key));
}

TEST(Machine, KeepsAReserve) {
  EXPECT_EQ(memory_reserve(32'768), 2048u);
  EXPECT_EQ(memory_reserve(16'000), 1000u);
  EXPECT_EQ(memory_reserve(1024), 128u);
  EXPECT_EQ(memory_reserve(100), 50u);
}

TEST(Offer, OfTheMachineByDefault) {
  const auto offer = make_offer(machine_of(8000, 16'000), {});
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->total.cpu, 8000u);
  EXPECT_EQ(offer->total.memory, 15'000u);
  EXPECT_EQ(sched::amount_of(offer->total, "gpu"), 2u);
  EXPECT_EQ(*find(offer->attributes, "cpus"), "8");
  EXPECT_EQ(*find(offer->attributes, "memory_mib"), "15000");
  EXPECT_TRUE(std::ranges::is_sorted(offer->attributes, {}, &sched::Attribute::key));
}

TEST(Offer, OptionsWin) {
  AgentOptions options;
  options.cpus = "2.5";
  options.memory = "1G";
  options.resources = "gpu=1, license=5";
  options.attributes = "rack=7,arch=odd";
  const auto offer = make_offer(machine_of(8000, 16'000), options);
  ASSERT_TRUE(offer) << offer.error().text;
  EXPECT_EQ(offer->total.cpu, 2500u);
  EXPECT_EQ(offer->total.memory, 1024u);
  EXPECT_EQ(sched::amount_of(offer->total, "gpu"), 1u);
  EXPECT_EQ(sched::amount_of(offer->total, "license"), 5u);
  EXPECT_EQ(*find(offer->attributes, "rack"), "7");
  EXPECT_EQ(*find(offer->attributes, "arch"), "odd");
}

TEST(Offer, RatesAreDeclaredOrFoundOrWithoutLimit) {
  AgentOptions options;
  Machine machine = machine_of(8000, 16'000);
  machine.link = 122'070;
  EXPECT_FALSE(sched::has_rates(make_offer(machine, options)->total)) << "nothing is declared";
  options.net_in = "auto";
  options.net_out = "10M/s";
  options.disk_read = "200M/s";
  const auto offer = make_offer(machine, options);
  ASSERT_TRUE(offer) << offer.error().text;
  EXPECT_EQ(offer->total.net_in, 122'070u);
  EXPECT_EQ(offer->total.net_out, 10u * 1024);
  EXPECT_EQ(offer->total.disk_read, 200u * 1024);
  EXPECT_EQ(offer->total.disk_write, 0u);
  machine.link = 0;
  EXPECT_EQ(make_offer(machine, options)->total.net_in, 0u) << "the kernel does not tell";
}

TEST(Machine, TheLinkIsThatOfTheDefaultRoute) {
  EXPECT_EQ(default_device("Iface\tDestination\tGateway\neth1\t0000000A\t00000000\n"
                           "eth0\t00000000\t0100000A\n"),
      "eth0");
  EXPECT_EQ(default_device("Iface\tDestination\n"), "");
  EXPECT_EQ(default_device(""), "");
  EXPECT_EQ(link_rate("1000\n"), 122'070u) << "a gigabit";
  EXPECT_EQ(link_rate("-1\n"), 0u);
  EXPECT_EQ(link_rate(""), 0u);
  EXPECT_EQ(link_rate("99999999999\n"), 0u) << "no such link";
}

TEST(Offer, BadOptionsAreNamed) {
  const auto error = [](auto set) {
    AgentOptions options;
    set(options);
    const auto offer = make_offer(machine_of(1000, 1000), options);
    return offer ? "" : offer.error().text;
  };
  EXPECT_THAT(error([](auto& o) { o.cpus = "many"; }), HasSubstr("agent.cpus: "));
  EXPECT_THAT(error([](auto& o) { o.memory = "12"; }), HasSubstr("agent.memory: "));
  EXPECT_THAT(error([](auto& o) { o.net_in = "12M"; }), HasSubstr("agent.net_in: '12M' is a size"));
  EXPECT_THAT(error([](auto& o) { o.disk_read = "auto"; }), HasSubstr("agent.disk_read: "));
  EXPECT_THAT(
      error([](auto& o) { o.disk_write = "0M/s"; }), HasSubstr("leave it out for no limit"));
  EXPECT_THAT(error([](auto& o) { o.resources = "gpu=x"; }), HasSubstr("agent.resources: "));
  EXPECT_THAT(error([](auto& o) { o.attributes = "=7"; }), HasSubstr("agent.attributes: "));
}

}  // namespace
}  // namespace dunlin::node
