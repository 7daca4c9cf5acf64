// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/replica/record.h"

namespace dunlin::sched::replica {

/// Bounds of one record in bytes, packed: that of a group with the largest command, of which
/// packing makes at most five quarters, ...
inline constexpr std::size_t kRecordMax = 1792 << 10;
/// ... and unpacked.
inline constexpr std::size_t kRecordUnpackedMax = 2 << 20;

/// Appends the packed encoding of `record`. A list or text beyond its bound is a bug of the caller.
void encode(const Record& record, std::string& out);
/// Empty if the bytes are malformed, of a newer schema, or beyond a bound; never throws.
std::optional<Record> decode_record(std::span<const std::byte> bytes);

/// Appends `record` to the records of a batch, each behind its size.
void append(std::string& records, const Record& record);
/// All records of a batch; empty if one of them cannot be read.
std::optional<std::vector<Record>> decode_records(std::string_view records);

}  // namespace dunlin::sched::replica
