// SPDX-License-Identifier: MIT
#include "sched/packing/sums.h"

#include <algorithm>
#include <chrono>

// Sums are told to others, so they are whole numbers; a job of a million tasks of ten years may
// have more than they hold, and then it has the most.
namespace dunlin::sched::packing {
namespace {

void add(std::uint64_t& sum, double more) {
  constexpr double kMax = 1.8e19;
  sum = static_cast<std::uint64_t>(std::clamp(static_cast<double>(sum) + more, 0.0, kMax));
}

}  // namespace

void add(ResourceSums& sums, const Resources& demand, double count) {
  add(sums.cpu, count * demand.cpu);
  add(sums.memory, count * demand.memory);
  add(sums.disk_read, count * demand.disk_read);
  add(sums.disk_write, count * demand.disk_write);
  add(sums.net_in, count * demand.net_in);
  add(sums.net_out, count * demand.net_out);
  for (const Amount& amount : demand.custom) {
    auto at = std::ranges::find(sums.custom, amount.name, &AmountSum::name);
    if (at == sums.custom.end()) {
      if (sums.custom.size() == ResourceSums::kCustomMax) continue;
      at = sums.custom.insert(at, AmountSum{amount.name, 0});
    }
    add(at->count, count * amount.count);
  }
}

void add_work(ResourceSums& sums, const Resources& demand, double count, Duration each) {
  add(sums, demand, count * std::chrono::duration<double, std::milli>(each).count());
}

}  // namespace dunlin::sched::packing
