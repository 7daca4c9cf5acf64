// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The amount of the custom resource `name`; 0 if it is not listed.
std::uint32_t amount_of(const Resources& resources, std::string_view name);
/// Sets an amount, keeping the list sorted. An amount of 0 is not listed, so equal resources
/// compare equal.
void set_amount(Resources& resources, std::string_view name, std::uint32_t count);

/// True if `demand` fits into `free` in every dimension.
bool fits(const Resources& demand, const Resources& free);
/// The number of tasks of `demand` that fit at once, at most `limit`. A demand of nothing always
/// fits.
std::uint32_t how_many_fit(const Resources& demand, const Resources& free, std::uint32_t limit);

/// Takes `count` × `demand` out of `free`. Requires that it fits: nothing is ever over-committed.
void take(Resources& free, const Resources& demand, std::uint32_t count = 1);
/// Gives `count` × `demand` back.
void give(Resources& free, const Resources& demand, std::uint32_t count = 1);

/// "2 cpu, 512 MiB, 1 gpu"; for people.
std::string to_string(const Resources& resources);
/// "1.5" for 1500 milli-CPU.
std::string cpu_text(std::uint32_t milli);
/// "512 MiB", "31.3 GiB".
std::string memory_text(std::uint64_t mebibytes);

/// Reads "2", "0.5" or "250m" as milli-CPU.
Result<std::uint32_t> parse_cpu(std::string_view text);
/// Reads "512M", "4G", "1.5GiB" or "100MiB" as MiB, rounded up. A bare number fails, because it
/// could mean bytes or MiB.
Result<std::uint32_t> parse_memory(std::string_view text);
/// Reads "gpu=2" and adds it to `resources`.
Result<void> parse_amount(std::string_view text, Resources& resources);

}  // namespace dunlin::sched
