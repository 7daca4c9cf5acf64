// SPDX-License-Identifier: MIT
#include "sched/resources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "overlay/param_entries.h"

// All amounts are whole numbers (milli-CPUs, MiB, counts), so that what is taken and given back
// sums to nothing exactly: with fractions a worker would lose or gain capacity over the months.
// Demands are rounded up, since a task must not get less than it asked for.
namespace dunlin::sched {
namespace {

auto find(const Resources& resources, std::string_view name) {
  return std::ranges::find(resources.custom, name, &Amount::name);
}

/// Splits "1.5GiB" into "1.5" and "GiB".
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end)};
}

tl::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return failure(ErrorKind::usage, "'" + std::string(text) + "' is not " + std::string(what));
}

/// Rounds to one decimal: "31.3", "16".
std::string short_number(double value) {
  return overlay::number_text(std::round(value * 10.0) / 10.0);
}

}  // namespace

std::uint32_t amount_of(const Resources& resources, std::string_view name) {
  const auto it = find(resources, name);
  return it == resources.custom.end() ? 0 : it->count;
}

void set_amount(Resources& resources, std::string_view name, std::uint32_t count) {
  auto it = std::ranges::lower_bound(resources.custom, name, {}, &Amount::name);
  const bool listed = it != resources.custom.end() && it->name == name;
  if (count == 0) {
    if (listed) resources.custom.erase(it);
  } else if (listed) {
    it->count = count;
  } else {
    resources.custom.insert(it, Amount{std::string(name), count});
  }
}

// A custom resource that a node does not list counts as 0, so a demand for it never fits.
bool fits(const Resources& demand, const Resources& free) {
  return demand.cpu <= free.cpu && demand.memory <= free.memory &&
      std::ranges::all_of(demand.custom,
          [&](const Amount& amount) { return amount.count <= amount_of(free, amount.name); });
}

// Integer division in each dimension: tasks cannot be split.
std::uint32_t how_many_fit(const Resources& demand, const Resources& free, std::uint32_t limit) {
  std::uint32_t count = limit;
  if (demand.cpu > 0) count = std::min(count, free.cpu / demand.cpu);
  if (demand.memory > 0) count = std::min(count, free.memory / demand.memory);
  for (const Amount& amount : demand.custom) {
    if (amount.count > 0) count = std::min(count, amount_of(free, amount.name) / amount.count);
  }
  return count;
}

void take(Resources& free, const Resources& demand, std::uint32_t count) {
  ensure(how_many_fit(demand, free, count) == count, "a resource would be over-committed");
  free.cpu -= count * demand.cpu;
  free.memory -= count * demand.memory;
  for (const Amount& amount : demand.custom) {
    set_amount(free, amount.name, amount_of(free, amount.name) - count * amount.count);
  }
}

void give(Resources& free, const Resources& demand, std::uint32_t count) {
  free.cpu += count * demand.cpu;
  free.memory += count * demand.memory;
  for (const Amount& amount : demand.custom) {
    set_amount(free, amount.name, amount_of(free, amount.name) + count * amount.count);
  }
}

std::string cpu_text(std::uint32_t milli) {
  return overlay::number_text(static_cast<double>(milli) / 1000.0);
}

std::string memory_text(std::uint64_t mebibytes) {
  constexpr std::uint64_t kGiB = 1024;
  constexpr std::uint64_t kTiB = 1024 * kGiB;
  const auto value = static_cast<double>(mebibytes);
  if (mebibytes >= 10 * kTiB) return short_number(value / static_cast<double>(kTiB)) + " TiB";
  if (mebibytes >= kGiB) return short_number(value / static_cast<double>(kGiB)) + " GiB";
  return std::to_string(mebibytes) + " MiB";
}

std::string to_string(const Resources& resources) {
  std::string text = cpu_text(resources.cpu) + " cpu";
  if (resources.memory > 0) text += ", " + memory_text(resources.memory);
  for (const Amount& amount : resources.custom) {
    text += ", " + std::to_string(amount.count) + " " + amount.name;
  }
  return text;
}

Result<std::uint32_t> parse_cpu(std::string_view text) {
  constexpr std::string_view what = "a number of CPUs such as 2, 0.5 or 250m";
  const auto [digits, unit] = split_unit(text);
  const auto number = overlay::parse_number(digits);
  if (!number || (unit != "" && unit != "m")) return not_a(what, text);
  const double milli = unit == "m" ? *number : *number * 1000.0;
  if (milli > 1e9) return failure(ErrorKind::usage, "'" + std::string(text) + "' is too many CPUs");
  return static_cast<std::uint32_t>(std::ceil(milli));
}

Result<std::uint32_t> parse_memory(std::string_view text) {
  struct Unit {
    std::string_view letter;
    double mebibytes;
  };
  constexpr std::array kUnits = {
      Unit{"K", 1.0 / 1024}, Unit{"M", 1}, Unit{"G", 1024}, Unit{"T", 1024.0 * 1024}};
  constexpr std::string_view what = "an amount of memory such as 512M, 4G or 1.5GiB";
  auto [digits, unit] = split_unit(text);
  const auto number = overlay::parse_number(digits);
  if (!number) return not_a(what, text);
  for (const Unit& known : kUnits) {
    const std::string letter(known.letter);
    if (unit != letter && unit != letter + "B" && unit != letter + "iB") continue;
    const double mebibytes = std::ceil(*number * known.mebibytes);
    if (mebibytes > std::numeric_limits<std::uint32_t>::max()) return not_a(what, text);
    return static_cast<std::uint32_t>(mebibytes);
  }
  return not_a(what, text);
}

Result<void> parse_amount(std::string_view text, Resources& resources) {
  const std::size_t sign = text.find('=');
  const std::string_view name = text.substr(0, sign);
  const auto count = sign == std::string_view::npos ? Result<std::int64_t>(1)
                                                    : overlay::parse_integer(text.substr(sign + 1));
  if (!count || *count < 0 || !std::in_range<std::uint32_t>(*count) || name.empty()) {
    return not_a("a resource such as gpu=1", text);
  }
  if (name == "cpu" || name == "memory") {
    return failure(ErrorKind::usage, "'" + std::string(name) + "' has an option of its own");
  }
  if (name.size() > Amount::kNameMax || resources.custom.size() >= Resources::kCustomMax) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "': at most " + std::to_string(Resources::kCustomMax) +
            " custom resources, of names up to " + std::to_string(Amount::kNameMax) +
            " characters");
  }
  set_amount(resources, name, static_cast<std::uint32_t>(*count));
  return {};
}

}  // namespace dunlin::sched
