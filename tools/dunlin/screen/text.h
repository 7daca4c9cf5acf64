// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The form in which figures are shown to people. Pure.
namespace dunlin::cli {

/// "0.4 s", "12 s", "1m58s", "2h03m", "3d04h": a time since something, in seconds.
std::string age_text(double seconds);
/// "38 ms", "2.1 ms", "1.25 s", "3m12s": the duration of something.
std::string span_text(double seconds);
/// "512 B", "1.5 KiB", "12.0 MiB".
std::string bytes_text(std::uint64_t bytes);
/// Nanoseconds since 1970 as "2026-11-21T09:14:02Z".
std::string iso_time(std::int64_t nanoseconds);
/// The same to the nanosecond, for programs: "2026-11-21T09:14:02.000000005Z".
std::string exact_iso_time(std::int64_t nanoseconds);
/// "1 task", "3 tasks".
std::string count_text(std::uint64_t count, std::string_view noun);

/// `text` with control characters and those that reorder text replaced by '?': the name that a
/// stranger gave a job must not move our cursor, nor look like another one. Keeps other UTF-8.
std::string printable(std::string_view text);
/// A word as a user would type it in a shell: quoted if it must be. Control characters and bytes
/// that are no UTF-8 are escaped ($'caf\351'), so the result is printable and still stands for
/// `word`.
std::string shell_word(std::string_view word);

}  // namespace dunlin::cli
