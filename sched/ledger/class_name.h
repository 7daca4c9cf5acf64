// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "overlay/result.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/ledger/roster.h"

namespace dunlin::sched {

/// The class of jobs that name none.
inline constexpr std::string_view kDefaultClass = "default";
/// The bytes of a class's name at most.
inline constexpr std::size_t kClassNameMax = books::Class::kNameMax;

/// The number that stands for a class in messages and books. It is made of the name alone, so that
/// two nodes without contact agree. Never 0. The empty name has the number of kDefaultClass.
ClassId class_id_of(std::string_view name);

/// Fails (`usage`) unless the name has 1 to 63 of a-z, 0-9, `.`, `_` and `-`, a letter or a digit
/// first.
Result<void> check_class_name(std::string_view name);

}  // namespace dunlin::sched
