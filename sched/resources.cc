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
//
// A rate that a node does not declare is no limit there. Its total is 0, so that a node which never
// heard of rates declares none; what is free of it is kUnlimited, which no task changes. So
// whatever judges a demand by what is free needs not know what the node declares.
namespace dunlin::sched {
namespace {

auto find(const Resources& resources, std::string_view name) {
  return std::ranges::find(resources.custom, name, &Amount::name);
}

/// `amount` less or more by `change`, unless it has no limit.
std::uint32_t less(std::uint32_t amount, std::uint32_t change) {
  return amount == kUnlimited ? kUnlimited : amount - change;
}
std::uint32_t more(std::uint32_t amount, std::uint64_t change) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(kUnlimited, amount + change));
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

tl::unexpected<Error> too_large(std::string_view text, const std::string& limit) {
  return failure(ErrorKind::usage, "'" + std::string(text) + "' is too large: it must be " + limit);
}

/// Rounds to one decimal: "31.3", "16".
std::string short_number(double value) {
  return overlay::number_text(std::round(value * 10.0) / 10.0);
}

/// The number of `letter`s in "1.5" and one of "K", "KB" and "KiB"; -1 if there is no such unit.
double in_units(double number, std::string_view unit, std::string_view letters, double first) {
  for (const char letter : letters) {
    const std::string bare(1, letter);
    if (unit == bare || unit == bare + "B" || unit == bare + "iB") return number * first;
    first *= 1024;
  }
  return -1;
}

}  // namespace

Resources all_of(Resources total) {
  for (const Rate& rate : kRates) {
    if (total.*rate.amount == 0) total.*rate.amount = kUnlimited;
  }
  return total;
}

bool has_rates(const Resources& resources) {
  return std::ranges::any_of(kRates, [&](const Rate& rate) { return resources.*rate.amount > 0; });
}

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
      demand.disk_read <= free.disk_read && demand.disk_write <= free.disk_write &&
      demand.net_in <= free.net_in && demand.net_out <= free.net_out &&
      std::ranges::all_of(demand.custom,
          [&](const Amount& amount) { return amount.count <= amount_of(free, amount.name); });
}

// Integer division in each dimension: tasks cannot be split.
std::uint32_t how_many_fit(const Resources& demand, const Resources& free, std::uint32_t limit) {
  std::uint32_t count = limit;
  if (demand.cpu > 0) count = std::min(count, free.cpu / demand.cpu);
  if (demand.memory > 0) count = std::min(count, free.memory / demand.memory);
  for (const Rate& rate : kRates) {
    const std::uint32_t each = demand.*rate.amount;
    if (each > 0 && free.*rate.amount != kUnlimited) {
      count = std::min(count, free.*rate.amount / each);
    }
  }
  for (const Amount& amount : demand.custom) {
    if (amount.count > 0) count = std::min(count, amount_of(free, amount.name) / amount.count);
  }
  return count;
}

bool in_the_way(const Resources& other, const Resources& first, const Resources& free) {
  if (first.cpu > free.cpu && other.cpu > 0) return true;
  if (first.memory > free.memory && other.memory > 0) return true;
  const auto takes_rate = [&](const Rate& rate) {
    return first.*rate.amount > free.*rate.amount && other.*rate.amount > 0;
  };
  if (std::ranges::any_of(kRates, takes_rate)) return true;
  return std::ranges::any_of(first.custom, [&](const Amount& amount) {
    return amount.count > amount_of(free, amount.name) && amount_of(other, amount.name) > 0;
  });
}

void take(Resources& free, const Resources& demand, std::uint32_t count) {
  ensure(how_many_fit(demand, free, count) == count, "a resource would be over-committed");
  free.cpu -= count * demand.cpu;
  free.memory -= count * demand.memory;
  for (const Rate& rate : kRates) {
    free.*rate.amount = less(free.*rate.amount, count * demand.*rate.amount);
  }
  for (const Amount& amount : demand.custom) {
    set_amount(free, amount.name, amount_of(free, amount.name) - count * amount.count);
  }
}

void give(Resources& free, const Resources& demand, std::uint32_t count) {
  free.cpu += count * demand.cpu;
  free.memory += count * demand.memory;
  for (const Rate& rate : kRates) {
    free.*rate.amount = more(free.*rate.amount, std::uint64_t{count} * demand.*rate.amount);
  }
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

std::string rate_text(std::uint64_t kibibytes) {
  if (kibibytes < 1024) return std::to_string(kibibytes) + " KiB/s";
  const double mebibytes = static_cast<double>(kibibytes) / 1024.0;
  if (mebibytes < 1024) return short_number(mebibytes) + " MiB/s";
  return short_number(mebibytes / 1024.0) + " GiB/s";
}

std::string to_string(const Resources& resources) {
  std::string text = cpu_text(resources.cpu) + " cpu";
  if (resources.memory > 0) text += ", " + memory_text(resources.memory);
  for (const Rate& rate : kRates) {
    const std::uint32_t amount = resources.*rate.amount;
    if (amount == 0 || amount == kUnlimited) continue;
    text += ", " + rate_text(amount) + " " + std::string(rate.words);
  }
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
  if (milli > Resources::kCpuMax)
    return failure(ErrorKind::usage, "'" + std::string(text) + "' is too many CPUs");
  return static_cast<std::uint32_t>(std::ceil(milli));
}

Result<std::uint32_t> parse_memory(std::string_view text) {
  constexpr std::string_view what = "an amount of memory such as 512M, 4G or 1.5GiB";
  const auto [digits, unit] = split_unit(text);
  const auto number = overlay::parse_number(digits);
  if (!number) return not_a(what, text);
  const double mebibytes = std::ceil(in_units(*number, unit, "KMGT", 1.0 / 1024));
  if (mebibytes < 0) return not_a(what, text);
  if (mebibytes > std::numeric_limits<std::uint32_t>::max()) {
    return too_large(text, "less than 4096T");
  }
  return static_cast<std::uint32_t>(mebibytes);
}

Result<std::uint64_t> parse_size(std::string_view text) {
  if (text == "0") return 0;
  // The same words are taken, and the same sizes are too large.
  if (const auto memory = parse_memory(text); !memory) return tl::unexpected(memory.error());
  const auto [digits, unit] = split_unit(text);
  return static_cast<std::uint64_t>(
      std::ceil(in_units(overlay::parse_number(digits).value_or(0), unit, "KMGT", 1024)));
}

Result<std::uint32_t> parse_rate(std::string_view text) {
  constexpr std::string_view what = "a rate such as 100M/s or 1.5GiB/s";
  constexpr std::string_view per_second = "/s";
  auto [digits, unit] = split_unit(text);
  const auto number = overlay::parse_number(digits);
  if (!number) return not_a(what, text);
  const bool is_rate = unit.ends_with(per_second);
  if (is_rate) unit.remove_suffix(per_second.size());
  const double kibibytes = std::ceil(in_units(*number, unit, "KMGT", 1));
  if (kibibytes < 0) return not_a(what, text);
  if (!is_rate) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is a size; a rate is by the second: " + std::string(text) +
            "/s");
  }
  if (kibibytes > kRateMax) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is too much: at most " + rate_text(kRateMax));
  }
  return static_cast<std::uint32_t>(kibibytes);
}

Result<void> parse_amount(std::string_view text, Resources& resources) {
  const std::size_t sign = text.find('=');
  const std::string_view name = text.substr(0, sign);
  const auto count = sign == std::string_view::npos ? Result<std::int64_t>(1)
                                                    : overlay::parse_integer(text.substr(sign + 1));
  if (!count || *count < 0 || name.empty()) return not_a("a resource such as gpu=1", text);
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  if (*count > kMax) return too_large(text, "at most " + std::to_string(kMax));
  const bool is_rate = std::ranges::find(kRates, name, &Rate::key) != kRates.end();
  if (name == "cpu" || name == "memory" || is_rate) {
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
