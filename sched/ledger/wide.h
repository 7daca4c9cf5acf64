// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::sched {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
/// Holds any product of two amounts. No standard C++, but every compiler for our machines has it.
using Wide = __int128;
#pragma GCC diagnostic pop

}  // namespace dunlin::sched
