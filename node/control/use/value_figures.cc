// SPDX-License-Identifier: MIT
#include "node/control/use/value_figures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "config/percentile.h"

namespace dunlin::node {
namespace {

/// Each power of two has so many classes, as a power of two itself: half of one is .4 %.
constexpr unsigned kClassBits = 7;
constexpr std::uint64_t kFine = std::uint64_t{1} << (kClassBits + 1);

/// Below kFine each number has a class of its own.
std::size_t class_of(std::uint64_t value) {
  if (value < kFine) return value;
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - (kClassBits + 1);
  return (std::size_t{shift} << kClassBits) + (value >> shift);
}

/// The middle of a class.
double middle_of(std::size_t index) {
  if (index < kFine) return static_cast<double>(index);
  const std::size_t shift = (index >> kClassBits) - 1;
  const auto base = static_cast<double>(index - (shift << kClassBits));
  const double width = std::ldexp(1.0, static_cast<int>(shift));
  return base * width + (width - 1) / 2;
}

}  // namespace

void ValueFigures::add(std::int64_t value) {
  value = std::max<std::int64_t>(value, 0);
  max_ = std::max(max_, value);
  if (++count_ <= kExact) return values_.push_back(value);
  for (const std::int64_t earlier : std::exchange(values_, {})) {
    count_in_class(static_cast<std::uint64_t>(earlier));
  }
  count_in_class(static_cast<std::uint64_t>(value));
}

void ValueFigures::count_in_class(std::uint64_t value) {
  const std::size_t index = class_of(value);
  if (classes_.empty()) first_class_ = index;
  if (index < first_class_) {
    classes_.insert(classes_.begin(), first_class_ - index, 0);
    first_class_ = index;
  }
  if (index - first_class_ >= classes_.size()) classes_.resize(index - first_class_ + 1);
  ++classes_[index - first_class_];
}

double ValueFigures::value_at(std::uint64_t rank) const {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    below += classes_[i];
    // The last class reaches beyond the greatest number that came.
    if (rank < below) return std::min(middle_of(first_class_ + i), static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

Json ValueFigures::json() const {
  if (count_ == 0) return nullptr;
  std::vector<double> sorted(values_.begin(), values_.end());
  std::ranges::sort(sorted);
  const auto at = [&](double percent) {
    const config::Place place = config::place_of_percentile(percent, count_);
    return std::llround(config::value_at_place(
        place, [&](std::uint64_t rank) { return sorted.empty() ? value_at(rank) : sorted[rank]; }));
  };
  return {{"p50", at(50)}, {"p99", at(99)}, {"max", max_}, {"count", count_}};
}

}  // namespace dunlin::node
