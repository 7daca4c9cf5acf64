// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sched/kernel.h"
#include "sched/work.h"

// Labels of jobs: what users say of a job by a key, to find it again. They mean nothing to the
// scheduler.
namespace dunlin::sched {

/// Reads "KEY=VALUE": a key of 1 to 63 letters, digits and . _ - /, and a value of 1 to 127 bytes
/// without control characters. Fails with `usage`.
Result<Label> parse_label(std::string_view text);
/// The same, or "KEY" alone for all values, which is an empty one.
Result<Label> parse_wanted_label(std::string_view text);
/// "KEY=VALUE", or "KEY" where the value is empty.
std::string to_string(const Label& label);

/// Adds a label in the order of keys. It takes the place of one of the same key.
void set_label(std::vector<Label>& labels, Label label);

/// Fails with `usage` unless a job may have these: as parse_label() reads them, ascending by key,
/// of different keys, and no more than records have room for.
Result<void> check_labels(std::span<const Label> labels);

/// True if each of `wanted` is among `labels`; one with an empty value by its key alone.
bool has_labels(std::span<const Label> labels, std::span<const Label> wanted);

}  // namespace dunlin::sched
