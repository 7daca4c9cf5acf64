// SPDX-License-Identifier: MIT
#include "sim/scenario/ns3_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ns3/nstime.h>
#include <ns3/point-to-point-net-device.h>

#include "sim/scenario/scenario.h"

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGap = "ns3::PointToPointNetDevice::InterframeGap";

ns3::Time gap_of_a_new_device() {
  ns3::TimeValue gap;
  ns3::CreateObject<ns3::PointToPointNetDevice>()->GetAttribute("InterframeGap", gap);
  return gap.Get();
}

TEST(Ns3Attributes, HoldForObjectsMadeMeanwhile) {
  {
    const std::vector<Ns3Attribute> attributes = {{kGap, "3us"}};
    const Ns3Defaults defaults(attributes);
    EXPECT_EQ(gap_of_a_new_device(), ns3::MicroSeconds(3));
  }
  EXPECT_EQ(gap_of_a_new_device(), ns3::Time(0));
}

TEST(Ns3Attributes, AreRefusedWithWhatWasExpected) {
  const auto why = [](const std::string& name, const std::string& value) {
    return check(Ns3Attribute{name, value}).error().text;
  };
  EXPECT_TRUE(check({kGap, "3us"}));
  EXPECT_THAT(why("load", "3"), HasSubstr("expected a class and its attribute"));
  EXPECT_THAT(why("ns3::NoDevice::Mtu", "3"), HasSubstr("there is no class ns3::NoDevice of ns-3"));
  EXPECT_THAT(why("ns3::PointToPointNetDevice::InterframeGa", "3us"),
      HasSubstr("did you mean 'InterframeGap'?"));
  EXPECT_THAT(why("ns3::UdpSocketImpl::RcvBufSize", "3"), HasSubstr("say ns3::UdpSocket::RcvBuf"));
  // ns-3 itself would end the process, or throw.
  EXPECT_THAT(why("ns3::UdpSocket::RcvBufSize", "3x"), HasSubstr("by default it is 131072"));
  EXPECT_THAT(why("ns3::PointToPointNetDevice::Address", "x"), HasSubstr("'x' is no Mac48Address"));
}

TEST(Ns3Attributes, StandInScenariosAndSettings) {
  auto scenario =
      parse_scenario("[attributes]\n\"" + std::string(kGap) + "\" = \"1us\"\n", "file.toml");
  ASSERT_TRUE(scenario) << scenario.error().text;
  EXPECT_THAT(scenario->attributes, ElementsAre(Ns3Attribute{kGap, "1us"}));
  const std::vector<std::string> settings = {
      "ns3::UdpSocket::RcvBufSize=7", kGap + std::string("=2us")};
  ASSERT_TRUE(apply_settings(*scenario, settings));
  EXPECT_THAT(scenario->attributes,
      ElementsAre(Ns3Attribute{"ns3::UdpSocket::RcvBufSize", "7"}, Ns3Attribute{kGap, "2us"}));
  EXPECT_THAT(parse_scenario("[attributes]\n\"ns3::X::Y\" = 3\n", "file.toml").error().text,
      HasSubstr("file.toml:2:1: there is no class ns3::X"));
}

TEST(Ns3Attributes, AreTakenFromTheCommandLineInTheMannerOfNs3) {
  const std::vector<const char*> words = {
      "run", "a.toml", "--ns3::UdpSocket::RcvBufSize=7", "--set", "a=b", "--json", "x::y=z"};
  EXPECT_THAT(with_ns3_attributes(words),
      ElementsAre("run", "a.toml", "--set", "ns3::UdpSocket::RcvBufSize=7", "--set", "a=b",
          "--json", "x::y=z"));
}

}  // namespace
}  // namespace dunlin::sim
