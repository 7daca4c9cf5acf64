// SPDX-License-Identifier: MIT
#include "sched/constraints.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "overlay/rng.h"
#include "sched/resources.h"

namespace dunlin::sched {
namespace {

const std::vector<Attribute> kAttributes = {
    {"arch", "x86_64"}, {"kernel", "6.1.0"}, {"rack", "7"}, {"ssd", "true"}};

bool holds(std::string_view text) {
  const auto constraint = parse_constraint(text);
  EXPECT_TRUE(constraint) << text;
  return constraint && satisfies(kAttributes, *constraint);
}

TEST(Constraints, CompareAsPeopleMean) {
  EXPECT_TRUE(holds("arch=x86_64"));
  EXPECT_TRUE(holds("arch == x86_64"));
  EXPECT_FALSE(holds("arch=arm64"));
  EXPECT_TRUE(holds("arch!=arm64"));
  EXPECT_TRUE(holds("kernel>=5.10")) << "versions by number, not by text";
  EXPECT_FALSE(holds("kernel<6.1"));
  EXPECT_TRUE(holds("rack<10"));
  EXPECT_TRUE(holds("rack<=7"));
  EXPECT_FALSE(holds("rack>7"));
  EXPECT_TRUE(holds("ssd"));
  EXPECT_FALSE(holds("gpu"));
  EXPECT_FALSE(holds("gpu=1"));
  EXPECT_TRUE(holds("gpu!=1")) << "what is absent differs";
}

// A shell takes > for itself: unquoted, `kernel>=6.1` writes a file `=6.1` and asks for less.
TEST(Constraints, HaveSignsThatNoShellReads) {
  EXPECT_TRUE(holds("kernel:ge:5.10"));
  EXPECT_FALSE(holds("kernel:lt:6.1"));
  EXPECT_TRUE(holds("rack:le:7"));
  EXPECT_FALSE(holds("rack:gt:7"));
  EXPECT_TRUE(holds("arch:eq:x86_64"));
  EXPECT_TRUE(holds("arch:ne:arm64"));
  EXPECT_EQ(to_string(*parse_constraint("kernel:ge:6.1")), "kernel>=6.1");
  // The sign that comes first is the one.
  EXPECT_EQ(parse_constraint("image=a:eq:b")->value, "a:eq:b");
  EXPECT_EQ(parse_constraint("image:eq:a=b")->value, "a=b");
  EXPECT_EQ(parse_constraint("zone:7")->key, "zone:7") << "any other colon is a part of the name";
}

TEST(Constraints, MalformedOnesAreNamed) {
  for (const char* bad : {"", "=x", "a=", "a!b", " = ", "a< =3", "a===b", "a:ge:", ":ge:3"}) {
    const auto parsed = parse_constraint(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().kind, ErrorKind::usage);
  }
  EXPECT_FALSE(parse_constraint(std::string(64, 'k') + "=1"));
}

TEST(Constraints, TextRoundTrips) {
  for (const char* text : {"a=b", "a!=b", "a<1", "a<=1", "a>1", "a>=1", "a"}) {
    EXPECT_EQ(to_string(*parse_constraint(text)), text);
  }
}

// Megha, section 3: matching by bit vectors. Ours may match a node in vain; it must never hide one.
TEST(Constraints, SignatureNeverHidesANodeThatWouldDo) {
  Rng rng{7};
  const std::array<const char*, 4> keys = {"a", "b", "c", "d"};
  unsigned satisfied = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<Attribute> node;
    for (const char* key : keys) {
      if (rng.chance(0.7)) node.push_back({key, std::to_string(rng.below(4))});
    }
    std::vector<Constraint> constraints;
    for (std::uint32_t n = 1 + rng.below(3); n > 0; --n) {
      constraints.push_back({.key = keys[rng.index(keys.size())],
          .comparison = static_cast<Comparison>(rng.below(6)),
          .value = std::to_string(rng.below(4))});
    }
    if (!satisfies_all(node, constraints)) continue;
    ++satisfied;
    EXPECT_TRUE(signature_of(node, {}).covers(demanded_signature(constraints, {})));
  }
  EXPECT_GT(satisfied, 500u);
}

TEST(Constraints, SignatureSiftsMostNodesThatWillNotDo) {
  Rng rng{8};
  unsigned passed = 0;
  const std::array wanted = {Constraint{"rack", Comparison::equal, "wanted"}};
  for (int i = 0; i < 1000; ++i) {
    std::vector<Attribute> node = kAttributes;
    node[2].value = std::to_string(rng());
    passed += signature_of(node, {}).covers(demanded_signature(wanted, {})) ? 1u : 0u;
  }
  EXPECT_LT(passed, 100u);
}

TEST(Constraints, SignatureKnowsCustomResources) {
  Resources demand;
  set_amount(demand, "gpu", 1);
  Resources with;
  set_amount(with, "gpu", 4);
  EXPECT_TRUE(signature_of({}, with).covers(demanded_signature({}, demand)));
  EXPECT_FALSE(signature_of({}, {}).covers(demanded_signature({}, demand)));
}

TEST(Constraints, CompareNumbersAndVersionsByTheirRules) {
  const std::vector<Attribute> node = {
      {"offset", "-5"}, {"tool", "1.7.0-rc1"}, {"cuda", "12.10"}, {"kernel", "6.1.0-13-amd64"}};
  const auto on_node = [&](const char* text) { return satisfies(node, *parse_constraint(text)); };
  EXPECT_TRUE(on_node("offset>-10"));
  EXPECT_FALSE(on_node("tool>=1.7.0"));
  EXPECT_TRUE(on_node("tool<1.7"));
  EXPECT_TRUE(on_node("cuda>=12.10.0"));
  EXPECT_TRUE(on_node("cuda>=12.9"));
  EXPECT_FALSE(on_node("cuda=12.10.0")) << "this very value";
  EXPECT_TRUE(on_node("kernel>=6.1"));
}

TEST(Constraints, ReadsAttributes) {
  EXPECT_EQ(*parse_attribute("rack=7"), (Attribute{"rack", "7"}));
  EXPECT_EQ(*parse_attribute("ssd"), (Attribute{"ssd", "true"}));
  EXPECT_FALSE(parse_attribute(""));
  EXPECT_FALSE(parse_attribute("=7"));
  EXPECT_FALSE(parse_attribute("a<b=1"));
}

}  // namespace
}  // namespace dunlin::sched
