// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/field_info.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::cli {

/// Reads "1h30m", "90s" or "HH:MM:SS". It refuses a bare number, which has no unit; "MM:SS", which
/// half the readers take for hours and minutes; and anything that is not more than 0.
Result<overlay::Duration> parse_time_limit(std::string_view text);

/// The same for a term of a job, within its own bounds.
Result<overlay::Duration> parse_term_time(std::string_view text, const overlay::FieldInfo& info);

/// Reads --reconnect: a time as above, or "0" for none at all.
Result<overlay::Duration> parse_patience(const std::string& text);

}  // namespace dunlin::cli
