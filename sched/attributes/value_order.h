// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace dunlin::sched {

/// Orders two values of attributes as people read them: <0, 0 or >0. The same on every machine.
///
/// - Both are *versions* (digits, parted by dots, perhaps after a "v"; then perhaps "-..." and
///   "+..."): by the precedence of Semantic Versioning 2.0.0, section 11, where parts that are
///   missing are 0. So 12.10 equals 12.10.0, and 3.11 is above 3.9. After the "-" stands a
///   pre-release if it begins with alpha, beta, dev, pre, rc or the like, or with one of these
///   letters and a digit (a1, b2): it is below the version. Anything else there is a revision of
///   it, as in the kernel 6.1.0-13-amd64: that is above. What follows a "+" does not count.
/// - Otherwise, both are *numbers* (digits with a sign, perhaps a fraction): as such. So -5 is
/// above
///   -10; and +0.25 is below 0.5, which as versions it would not be.
/// - Otherwise both are *text*: byte by byte, but runs of digits as numbers, so that node10 follows
///   node9.
int compare_values(std::string_view a, std::string_view b);

}  // namespace dunlin::sched
