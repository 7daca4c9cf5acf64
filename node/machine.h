// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "node/agent_options.h"
#include "sched/message.h"

namespace dunlin::node {

/// The part of its machine that this process may use.
struct Machine {
  std::uint32_t cpu = 0;         ///< milli-CPU: of its affinity, or of its cgroup's quota.
  std::uint32_t memory_mib = 0;  ///< RAM, or its cgroup's limit.
  std::uint32_t link = 0;        ///< KiB/s of the default route, each way; 0: the kernel says none.
  std::uint32_t gpus = 0;        ///< Device files /dev/nvidia0, ...
  std::string hostname;
  std::vector<sched::Attribute> attributes;  ///< os, arch, kernel, distro, hostname; sorted by key.
};

Machine detect_machine();

/// The offer of a node: the machine less a reserve for the system, or the amounts in the options.
/// Fails with `usage`, naming the option.
struct Offer {
  sched::Resources total;
  std::vector<sched::Attribute> attributes;  ///< With cpus and memory_mib; sorted, unique by key.
  std::map<std::string, std::uint32_t> devices;  ///< The resources of devices, with their counts.
};
Result<Offer> make_offer(const Machine& machine, const AgentOptions& options);

/// Checks the text of an option that make_offer() reads, such as "agent.cpus", so that it can be
/// refused at its place in a file. Other keys are none of its business. Fails with `usage`, saying
/// what is wrong.
Result<void> check_offer_option(std::string_view key, const std::string& text);

/// The memory that `auto` leaves to the system and to the agent: a sixteenth, 128 MiB to 2 GiB.
std::uint32_t memory_reserve(std::uint32_t memory_mib);

/// The device through which most of the network is reached; empty if there is none.
std::string default_route_device();
/// The device of the default route in a text as of /proc/net/route; empty if there is none.
std::string default_device(const std::string& routes);
/// The KiB/s of a link from the text of its file `speed`, in Mbit/s; 0 if that tells none ("-1").
std::uint32_t link_rate(const std::string& megabits);

}  // namespace dunlin::node
