// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

// What a build can do that earlier ones could not: bits of Facts.capabilities, so that operators
// and later builds see what a node of a mixed cluster understands. A bit keeps its meaning for
// ever. A build ignores bits that it does not know.

/// It answers an Inquiry by a Testimony.
inline constexpr std::uint64_t kTestifies = 1 << 0;
/// It takes back the tasks that outlived its agent, and says so in Renew.
inline constexpr std::uint64_t kReattaches = 1 << 1;
/// It reads commands of up to Tasks::kSpecMax bytes, as a worker and as a standby; builds before
/// drop messages with more than 256 KiB.
inline constexpr std::uint64_t kLargeCommands = 1 << 2;
/// A standby of it keeps all that a job says: comment, labels, begin, rerun. Builds before lose
/// those.
inline constexpr std::uint64_t kJobWords = 1 << 3;
/// A standby of it keeps that a job waits for another one to begin. Builds before lose that.
inline constexpr std::uint64_t kBegunWaits = 1 << 4;
/// What this build can do.
inline constexpr std::uint64_t kCapabilities =
    kTestifies | kReattaches | kLargeCommands | kJobWords | kBegunWaits;

/// The properties of a node, in one incarnation.
struct NodeSpec {
  Endpoint endpoint;              ///< The address at which others reach it.
  std::uint32_t incarnation = 1;  ///< Grows with each start of the same id.
  std::string name;               ///< A label for people.
  Resources total;
  std::vector<Attribute> attributes;
  std::string limits = "sim";  ///< The means by which the driver enforces demands.
  std::string version;
  std::uint64_t replica = 0;  ///< The name of its disk, for copies of logs; 0: it keeps none.
  std::uint64_t machine = 0;  ///< Nodes of one machine have the same; 0: unknown.
  std::string trouble;        ///< A matter for the operator, in a sentence; empty if there is none.
  std::optional<DrainTerms> drain{};  ///< An administrator has it take no tasks.
  bool disk_fails = false;            ///< Records cannot be stored: it can keep no log of jobs.
  bool has_usage = false;             ///< An earlier life of it drove jobs, and added up their use.
};

}  // namespace dunlin::sched
