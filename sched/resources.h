// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// One of the rates among the resources, in KiB/s.
struct Rate {
  std::uint32_t Resources::* amount;
  std::string_view key;    ///< In files and JSON: "disk_read".
  std::string_view words;  ///< For people: "disk read".
};
inline constexpr std::array kRates = {Rate{&Resources::disk_read, "disk_read", "disk read"},
    Rate{&Resources::disk_write, "disk_write", "disk write"},
    Rate{&Resources::net_in, "net_in", "network in"},
    Rate{&Resources::net_out, "net_out", "network out"}};

/// The resources that all nodes know, in an order for tables: CPU, memory and the rates.
inline constexpr std::array kAmounts = {&Resources::cpu, &Resources::memory, &Resources::disk_read,
    &Resources::disk_write, &Resources::net_in, &Resources::net_out};
inline constexpr std::array<std::string_view, kAmounts.size()> kAmountWords = {
    "cpu", "memory", "disk_read", "disk_write", "net_in", "net_out"};
/// Some of them: bit i stands for kAmounts[i].
using AmountSet = std::uint8_t;
constexpr bool holds(AmountSet set, std::uint32_t Resources::* amount) {
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    if (kAmounts[i] == amount) return (set >> i & 1) != 0;
  }
  return false;
}

/// What is free of a rate that a node does not declare, however much of it is taken.
inline constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();
/// The largest rate that can be demanded or declared: 2 TiB/s.
inline constexpr std::uint32_t kRateMax = std::uint32_t{1} << 31;

/// What a task is taken to need that used so much at its peak: a tenth more.
constexpr std::uint32_t with_margin(std::uint32_t peak) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((std::uint64_t{peak} * 11 + 9) / 10, kRateMax));
}

/// All that is free on an idle node which has `total`: what it declares, and without limit the
/// rates that it does not declare.
Resources all_of(Resources total);
/// True if a demand or a node names any rate.
bool has_rates(const Resources& resources);

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

/// True if a task of `other` would take of something of which `first` finds too little in `free`.
bool in_the_way(const Resources& other, const Resources& first, const Resources& free);

/// Takes `count` × `demand` out of `free`. Requires that it fits: nothing is ever over-committed.
/// What has no limit has none afterwards.
void take(Resources& free, const Resources& demand, std::uint32_t count = 1);
/// Gives `count` × `demand` back.
void give(Resources& free, const Resources& demand, std::uint32_t count = 1);

/// "2 cpu, 512 MiB, 1 gpu"; for people.
std::string to_string(const Resources& resources);
/// "1.5" for 1500 milli-CPU.
std::string cpu_text(std::uint32_t milli);
/// "512 MiB", "31.3 GiB".
std::string memory_text(std::uint64_t mebibytes);
/// "512 KiB/s", "100 MiB/s", "1.2 GiB/s".
std::string rate_text(std::uint64_t kibibytes);

/// Reads "2", "0.5" or "250m" as milli-CPU.
Result<std::uint32_t> parse_cpu(std::string_view text);
/// Reads "512M", "4G", "1.5GiB" or "100MiB" as MiB, rounded up. A bare number fails, because it
/// could mean bytes or MiB.
Result<std::uint32_t> parse_memory(std::string_view text);
/// Reads the same as bytes, exactly: of a limit, not of what a task needs. "0" is 0.
Result<std::uint64_t> parse_size(std::string_view text);
/// Reads "100M/s" or "1.5GiB/s" as KiB/s, rounded up. Fails for a size without "/s": a rate is no
/// amount.
Result<std::uint32_t> parse_rate(std::string_view text);
/// Reads "gpu=2" and adds it to `resources`.
Result<void> parse_amount(std::string_view text, Resources& resources);

}  // namespace dunlin::sched
