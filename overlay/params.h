// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// Every parameter stands once: a member of a plain struct (type, default) and one line in that
// struct's table (range, scale, meaning, source). Flags, TOML, `dunlin params`, sweep axes and the
// random draws of tests are all derived from the table. The struct is in a header, which nearly all
// of the program reads; the table is in the source of the same name, which alone reads
// params/param_table.h: there are hundreds of lines, and each is a type of its own. Both are joined
// by
//   void append_entries(Params& params, std::vector<ParamEntry>& entries);
// which appends an entry for each parameter of `params`, which must outlive them.
namespace dunlin::overlay {

struct ParamEntry;

/// The words of an enum that is a parameter, in the order of its enumerators from 0.
template <typename Enum>
inline constexpr std::string_view kWords[1] = {""};

}  // namespace dunlin::overlay
