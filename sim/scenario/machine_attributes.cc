// SPDX-License-Identifier: MIT
#include "sim/scenario/machine_attributes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "overlay/ensure.h"
#include "sched/constraints.h"

// Constraints matter only if they hit: a random probe of a rare kind of machine mostly misses, and
// a scheduler must find the few that fit. So attributes are drawn independently per machine, by
// shares that grow more even from profile a to c, and jobs demand one to three of them.
// A demand is drawn in proportion to the root of the share of machines that satisfy it. In
// proportion to the share itself, rare machines would never be wanted; evenly, they would be
// overrun.
// Source: after Sharma et al. 2011; Megha, section IV-B. The shares are ours.
namespace dunlin::sim {
namespace {

constexpr std::size_t kProfiles = 3;

/// A value that an attribute may have, and the share of the machines that have it, by profile.
struct ValueShare {
  std::string_view value;
  std::array<double, kProfiles> shares;
};

/// An attribute of machines, with the demands on it. All shares are assumptions: see the header.
struct AttributeModel {
  std::string_view key;
  double demanded;  ///< Share of the demands that are about it.
  std::vector<ValueShare> values;
  std::vector<std::string_view> rules;
};

// The attributes are those that the literature names. `rack` is the number of machines on one
// switch.
const std::vector<AttributeModel>& models() {
  static const std::vector<AttributeModel> all = {
      {"arch", 0.3,
          {{"x86_64", {0.9, 0.7, 0.5}}, {"aarch64", {0.08, 0.2, 0.3}},
              {"ppc64le", {0.02, 0.1, 0.2}}},
          {"arch=x86_64", "arch=aarch64", "arch=ppc64le"}},
      {"platform", 0.1, {{"g1", {0.6, 0.4, 0.3}}, {"g2", {0.3, 0.4, 0.4}}, {"g3", {0.1, 0.2, 0.3}}},
          {"platform=g1", "platform=g3", "platform!=g1"}},
      {"kernel", 0.1,
          {{"5.10", {0.1, 0.3, 0.4}}, {"6.1", {0.7, 0.5, 0.4}}, {"6.6", {0.2, 0.2, 0.2}}},
          {"kernel<6.1", "kernel>=6.1", "kernel>=6.6"}},
      {"clock_ghz", 0.1,
          {{"2.0", {0.2, 0.3, 0.4}}, {"2.6", {0.6, 0.5, 0.4}}, {"3.1", {0.2, 0.2, 0.2}}},
          {"clock_ghz>2.5", "clock_ghz>3.0"}},
      {"cores", 0.1, {{"8", {0.2, 0.3, 0.4}}, {"16", {0.6, 0.5, 0.4}}, {"32", {0.2, 0.2, 0.2}}},
          {"cores>=16", "cores>=32"}},
      {"ethernet_gbit", 0.1,
          {{"1", {0.1, 0.3, 0.4}}, {"10", {0.7, 0.5, 0.4}}, {"25", {0.2, 0.2, 0.2}}},
          {"ethernet_gbit>=10", "ethernet_gbit>=25"}},
      {"disks", 0.1, {{"1", {0.2, 0.3, 0.3}}, {"2", {0.4, 0.4, 0.4}}, {"4", {0.4, 0.3, 0.3}}},
          {"disks<=2", "disks>=2", "disks>=4"}},
      {"rack", 0.1, {{"20", {0.1, 0.2, 0.3}}, {"40", {0.6, 0.5, 0.4}}, {"80", {0.3, 0.3, 0.3}}},
          {"rack<=40", "rack>=40", "rack>=80"}},
  };
  return all;
}

/// The shares of constrained jobs with two and with three constraints; the rest has one.
constexpr double kTwo = 0.2;
constexpr double kThree = 0.1;

std::size_t index_of(ConstraintProfile profile) {
  ensure(profile != ConstraintProfile::none, "machines without attributes");
  return static_cast<std::size_t>(profile) - 1;
}

double share_satisfying(
    const AttributeModel& model, const sched::Constraint& constraint, std::size_t profile) {
  double share = 0;
  for (const ValueShare& each : model.values) {
    const sched::Attribute attribute{std::string(model.key), std::string(each.value)};
    if (sched::satisfies(std::span(&attribute, 1), constraint)) share += each.shares[profile];
  }
  return share;
}

}  // namespace

std::vector<ConstraintRule> constraint_rules(ConstraintProfile profile) {
  std::vector<ConstraintRule> rules;
  if (profile == ConstraintProfile::none) return rules;
  for (const AttributeModel& model : models()) {
    const std::size_t first = rules.size();
    double roots = 0;
    for (const std::string_view text : model.rules) {
      ConstraintRule& rule = rules.emplace_back();
      rule.constraint = *sched::parse_constraint(text);
      rule.machines = share_satisfying(model, rule.constraint, index_of(profile));
      roots += std::sqrt(rule.machines);
    }
    // A rare value is demanded less often, but by more than its share.
    for (std::size_t i = first; i < rules.size(); ++i) {
      rules[i].demands = model.demanded * std::sqrt(rules[i].machines) / roots;
    }
  }
  return rules;
}

std::vector<sched::Attribute> draw_attributes(ConstraintProfile profile, overlay::Rng& rng) {
  std::vector<sched::Attribute> attributes;
  if (profile == ConstraintProfile::none) return attributes;
  for (const AttributeModel& model : models()) {
    double lot = rng.uniform();
    auto drawn = model.values.begin();
    // The last value takes what is left: shares are doubles, and may add up to a little less than
    // 1.
    while (drawn + 1 != model.values.end() && lot >= drawn->shares[index_of(profile)]) {
      lot -= drawn++->shares[index_of(profile)];
    }
    attributes.push_back({std::string(model.key), std::string(drawn->value)});
  }
  return attributes;
}

ConstraintDraw::ConstraintDraw(ConstraintProfile profile, double share, overlay::Rng rng)
    : rules_(constraint_rules(profile)),
      share_(share),
      rng_(rng) {}

const ConstraintRule& ConstraintDraw::draw_rule(std::span<const sched::Constraint> taken) {
  const auto open = [&](const ConstraintRule& rule) {
    return std::ranges::find(taken, rule.constraint.key, &sched::Constraint::key) == taken.end();
  };
  double all = 0;
  for (const auto& rule : rules_) all += open(rule) ? rule.demands : 0;
  double lot = rng_.uniform() * all;
  const ConstraintRule* drawn = nullptr;
  for (const auto& rule : rules_) {
    if (!open(rule)) continue;
    // Where sums of doubles run past the end, the last rule that is open is drawn.
    drawn = &rule;
    if (lot < rule.demands) break;
    lot -= rule.demands;
  }
  ensure(drawn != nullptr, "more constraints than attributes");
  return *drawn;
}

std::vector<sched::Constraint> ConstraintDraw::next() {
  std::vector<sched::Constraint> constraints;
  if (rules_.empty() || !rng_.chance(share_)) return constraints;
  const double lot = rng_.uniform();
  const std::size_t count = lot < kThree ? 3 : lot < kThree + kTwo ? 2 : 1;
  while (constraints.size() < count) constraints.push_back(draw_rule(constraints).constraint);
  return constraints;
}

}  // namespace dunlin::sim
