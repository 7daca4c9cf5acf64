// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "overlay/result.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// The class of jobs that name none.
inline constexpr std::string_view kDefaultClass = "default";
/// The most bytes of a class's name.
inline constexpr std::size_t kClassNameMax = 63;

/// The number that stands for a class in messages and books: made of its name alone, so that two
/// who know nothing of each other agree. Never 0. The empty name is that of kDefaultClass.
ClassId class_id_of(std::string_view name);

/// Fails (`usage`) unless the name has 1 to 63 of a-z, 0-9, `.`, `_` and `-`, a letter or a digit
/// first.
Result<void> check_class_name(std::string_view name);

}  // namespace dunlin::sched
