// SPDX-License-Identifier: MIT
#include "sim/study/statistics.h"

#include <cmath>
#include <iterator>
#include <numeric>

#include "overlay/ensure.h"

// One run of a simulation is one draw of chance, so studies repeat it with other seeds and report a
// mean with a 95 % interval. The replications are few, so the interval is Student's, not the normal
// one; they are independent, so nothing more is needed.
namespace dunlin::sim {
namespace {

constexpr double kStudent95[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
    2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
    2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
constexpr double kNormal95 = 1.959964;

}  // namespace

double student_95(std::size_t freedom) {
  ensure(freedom > 0, "a deviation from a mean of one");
  if (freedom <= std::size(kStudent95)) return kStudent95[freedom - 1];
  // The first two terms of the expansion around the normal distribution are exact to 0.0002 from
  // here.
  const double z = kNormal95;
  const auto n = static_cast<double>(freedom);
  return z + (z * z * z + z) / (4 * n) +
      (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

Estimate estimate_of(std::span<const double> values) {
  Estimate estimate{.count = values.size()};
  if (values.empty()) return estimate;
  const auto count = static_cast<double>(values.size());
  estimate.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() == 1) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.half_width = student_95(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return estimate;
}

}  // namespace dunlin::sim
