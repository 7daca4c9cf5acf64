// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/ensure.h"

namespace dunlin::sim {

/// What a run says of a figure: a number, or why there is none. It is no number itself, so that
/// nothing can be added to it or divided by it: a moment that never came is not -1 s, and the mean
/// of no job is not 0.
class Reading {
 public:
  /// Unknown: the run has no such figure.
  Reading() = default;
  static Reading of(double value) { return {Kind::known, value}; }
  /// There was nothing to take it of: no job of that kind ended.
  static Reading empty() { return {Kind::empty, 0}; }
  /// It had not come true when the run ended, so much after it could have begun.
  static Reading censored(double after) { return {Kind::censored, after}; }

  bool is_unknown() const { return kind_ == Kind::unknown; }
  bool is_known() const { return kind_ == Kind::known; }
  bool is_empty() const { return kind_ == Kind::empty; }
  bool is_censored() const { return kind_ == Kind::censored; }
  /// Requires is_known().
  double value() const {
    overlay::ensure(is_known(), "a figure without a value");
    return value_;
  }
  /// The value is greater. Requires is_censored().
  double after() const {
    overlay::ensure(is_censored(), "a figure that is not censored");
    return value_;
  }

  bool operator==(const Reading&) const = default;

 private:
  enum class Kind { unknown, empty, censored, known };
  Reading(Kind kind, double value) : kind_(kind), value_(value) {}

  Kind kind_ = Kind::unknown;
  double value_ = 0;
};

}  // namespace dunlin::sim
