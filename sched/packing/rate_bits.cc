// SPDX-License-Identifier: MIT
#include "sched/packing/rate_bits.h"

#include <algorithm>
#include <bit>

// A total is a number of 8 bits with 5 for the power of two and 3 for what follows its first digit,
// plus one: rates differ by orders of magnitude. A part is a number of 255ths.
namespace dunlin::sched {
namespace {

constexpr std::uint32_t kSteps = 8;  ///< Numbers told apart between a power of two and the next.
constexpr std::uint64_t kWhole = 255;

std::uint32_t byte_of(std::uint32_t bits, std::size_t i) {
  return bits >> (8 * i) & 0xff;
}

std::uint32_t encode_total(std::uint32_t amount) {
  if (amount == 0) return 0;
  const std::uint64_t total = std::min(amount, kRateMax);
  const auto power = static_cast<std::uint32_t>(std::bit_width(total)) - 1;
  const std::uint64_t whole = std::uint64_t{1} << power;
  const auto steps = static_cast<std::uint32_t>(((total - whole) * kSteps + whole - 1) / whole);
  return 1 + kSteps * power + steps;  // Eight steps are the next power of two.
}

/// Any byte of a stranger's is a total.
std::uint64_t decode_total(std::uint32_t byte) {
  if (byte == 0) return 0;
  const std::uint32_t power = (byte - 1) / kSteps;
  const std::uint64_t steps = kSteps + (byte - 1) % kSteps;
  return std::min<std::uint64_t>(((steps << power) + kSteps - 1) / kSteps, kRateMax);
}

std::uint32_t free_of(std::uint32_t total_byte, std::uint32_t used_byte) {
  if (total_byte == 0) return kUnlimited;
  const std::uint64_t left = decode_total(total_byte) * (kWhole - used_byte);
  return static_cast<std::uint32_t>((left + kWhole - 1) / kWhole);
}

}  // namespace

std::uint32_t rates_total_bits(const Resources& total) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    bits |= encode_total(total.*kRates[i].amount) << (8 * i);
  }
  return bits;
}

std::uint32_t rates_used_bits(const Resources& free, const Resources& total) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    const std::uint64_t all = total.*kRates[i].amount;
    if (all == 0 || all == kUnlimited) continue;
    const std::uint64_t used = all - std::min<std::uint64_t>(free.*kRates[i].amount, all);
    bits |= static_cast<std::uint32_t>(used * kWhole / all) << (8 * i);
  }
  return bits;
}

Resources told_total(const overlay::Descriptor& node) {
  Resources total = {.cpu = node.cpu_total, .memory = node.memory_total, .custom = {}};
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    const std::uint64_t amount = decode_total(byte_of(node.rates_total, i));
    total.*kRates[i].amount = static_cast<std::uint32_t>(amount);
  }
  return total;
}

Resources told_free(const overlay::Descriptor& node) {
  Resources free = {.cpu = node.cpu_free, .memory = node.memory_free, .custom = {}};
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    free.*kRates[i].amount = free_of(byte_of(node.rates_total, i), byte_of(node.rates_used, i));
  }
  return free;
}

bool rates_fit(const Resources& demand, const overlay::Descriptor& node) {
  if (node.rates_total == 0) return true;
  const Resources free = told_free(node);
  return std::ranges::all_of(
      kRates, [&](const Rate& rate) { return demand.*rate.amount <= free.*rate.amount; });
}

bool rates_could_fit(const Resources& demand, const overlay::Descriptor& node) {
  if (node.rates_total == 0) return true;
  const Resources total = all_of(told_total(node));
  return std::ranges::all_of(
      kRates, [&](const Rate& rate) { return demand.*rate.amount <= total.*rate.amount; });
}

}  // namespace dunlin::sched
