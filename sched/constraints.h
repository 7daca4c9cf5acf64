// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sched/kernel.h"
#include "sched/message.h"

// Constraints on the attributes of nodes. A node advertises a 128-bit Bloom vector of its
// attributes with every descriptor; a demand is the vector of bits that a fit node must have. A
// mismatch proves that a node will not do; a match is checked exactly by the worker itself.
// Source: Megha, section 3 (matching by bit vectors).
namespace dunlin::sched {

/// Reads "arch=x86_64", "kernel>=6.1", "rack!=7", "ssd" (the attribute exists).
Result<Constraint> parse_constraint(std::string_view text);
std::string to_string(const Constraint& constraint);

/// Reads "key=value".
Result<Attribute> parse_attribute(std::string_view text);

/// Orders two values: numbers and dotted versions by value, the rest as text. <0, 0 or >0.
int compare_values(std::string_view a, std::string_view b);

bool satisfies(std::span<const Attribute> attributes, const Constraint& constraint);
bool satisfies_all(std::span<const Attribute> attributes, std::span<const Constraint> constraints);

/// The bits that a node advertises: for each attribute its key, and key with value; for each custom
/// resource its name.
Signature signature_of(std::span<const Attribute> attributes, const Resources& total);
/// The bits that a fit node must have. Fewer bits than the demand has facts: bits can only say that
/// something is there, so "!=" and comparisons add none for the value.
Signature demanded_signature(std::span<const Constraint> constraints, const Resources& demand);

}  // namespace dunlin::sched
