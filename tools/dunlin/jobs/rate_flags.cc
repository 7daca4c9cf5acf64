// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/rate_flags.h"

#include <algorithm>

namespace dunlin::cli {

std::string name_of_rate_flag(const sched::Rate& rate) {
  std::string name = "--" + std::string(rate.key);
  std::ranges::replace(name, '_', '-');
  return name;
}

Result<void> read_rates(const RateFlags& flags, sched::Resources& demand) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i].empty()) continue;
    const sched::Rate& rate = sched::kRates[i];
    const auto amount = sched::parse_rate(flags[i]);
    if (!amount) {
      return failure(ErrorKind::usage, name_of_rate_flag(rate) + ": " + amount.error().text);
    }
    demand.*rate.amount = *amount;
  }
  return {};
}

}  // namespace dunlin::cli
