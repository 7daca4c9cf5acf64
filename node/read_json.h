// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// The one way in for JSON that others wrote: requests and replies of the control protocol, on the
// socket and on streams, and the jobs that programs submit. What is read can be copied, compared
// and written again within a small stack, and costs time and memory in proportion to its bytes.
namespace dunlin {

/// Objects and arrays within each other, at most.
inline constexpr std::size_t kJsonDepthMax = 64;
/// Members of one object, at most: readers look for a member by going through all.
inline constexpr std::size_t kJsonMembersMax = 4096;
/// Values in all, at most: a million lines fit, each as {"base64": ...}.
inline constexpr std::size_t kJsonValuesMax = std::size_t{1} << 21;

/// Reads `text`, which is one value and nothing else. A discarded value (of no kind at all) if it
/// is no JSON, goes beyond a bound, or says one member of an object twice; then `why`, if given,
/// says so, but is empty where the text is no JSON. Counts while it reads, so that a text beyond a
/// bound costs no more than the part within. `Document`: nlohmann::json or ordered_json.
template <typename Document>
Document read_json(std::string_view text, std::string* why = nullptr);

extern template nlohmann::json read_json(std::string_view text, std::string* why);
extern template nlohmann::ordered_json read_json(std::string_view text, std::string* why);

}  // namespace dunlin
