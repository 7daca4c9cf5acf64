// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "overlay/rng.h"
#include "sched/message.h"

// Machines that differ in more than their size, and tasks that care: a model after Sharma et al.
// 2011, as Megha uses it (section IV-B): 21 constraints, and clusters of three profiles.
//
// Published are the number of constraints and of profiles, that clocks are asked for "greater than
// 2.5 GHz", and that constraints delay tasks by a factor of 2 to 6. The probabilities of Sharma's
// tables were not at hand: EVERY SHARE IN machine_attributes.cc IS OUR ASSUMPTION.
namespace dunlin::sim {

/// The degree to which the machines of a cluster differ: hardly, somewhat, or much.
enum class ConstraintProfile : std::uint8_t { none, a, b, c };

/// One of the 21 constraints: its demand, and its shares in the model.
struct ConstraintRule {
  sched::Constraint constraint;
  double machines = 0;  ///< Share of machines that satisfy it.
  double demands = 0;   ///< Share of the demands of constrained jobs that are this one.
};
/// All rules of a profile, attribute by attribute; none for `none`.
std::vector<ConstraintRule> constraint_rules(ConstraintProfile profile);

/// The attributes of one machine: a value of each, drawn independently.
std::vector<sched::Attribute> draw_attributes(ConstraintProfile profile, overlay::Rng& rng);

/// Draws the demands of jobs on machines.
class ConstraintDraw {
 public:
  /// A `share` of the jobs demands something; none does if the profile is `none`.
  ConstraintDraw(ConstraintProfile profile, double share, overlay::Rng rng);

  /// The demand of the next job: nothing, or one to three constraints on as many attributes.
  std::vector<sched::Constraint> next();

 private:
  /// A rule, drawn by its share of the demands, among attributes that are not taken yet.
  const ConstraintRule& draw_rule(std::span<const sched::Constraint> taken);

  std::vector<ConstraintRule> rules_;
  double share_;
  overlay::Rng rng_;
};

}  // namespace dunlin::sim
