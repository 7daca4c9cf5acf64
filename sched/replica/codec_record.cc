// SPDX-License-Identifier: MIT
#include "sched/replica/codec_record.h"

#include "overlay/packed.h"
#include "sched/replica/record.plain.h"

namespace dunlin::sched::replica {
namespace {

constexpr plain::Limits kLimits{.packed_max = kRecordMax, .unpacked_max = kRecordUnpackedMax};
/// Bytes of the size before each record, the lowest first.
constexpr std::size_t kSizeBytes = 4;

}  // namespace

void encode(const Record& record, std::string& out) {
  plain::pack<wire::Record>(record, kLimits, out);
}

std::optional<Record> decode_record(std::span<const std::byte> bytes) {
  return plain::unpack<wire::Record, Record>(bytes, kLimits);
}

void append(std::string& records, const Record& record) {
  const std::size_t at = records.size();
  records.append(kSizeBytes, '\0');
  encode(record, records);
  const std::size_t size = records.size() - at - kSizeBytes;
  for (std::size_t i = 0; i < kSizeBytes; ++i) records[at + i] = static_cast<char>(size >> (8 * i));
}

std::optional<std::vector<Record>> decode_records(std::string_view records) {
  std::vector<Record> found;
  while (!records.empty()) {
    if (records.size() < kSizeBytes) return std::nullopt;
    std::size_t size = 0;
    for (std::size_t i = 0; i < kSizeBytes; ++i) {
      size |= std::size_t{static_cast<unsigned char>(records[i])} << (8 * i);
    }
    records.remove_prefix(kSizeBytes);
    if (size > records.size()) return std::nullopt;
    auto record = decode_record(std::as_bytes(std::span(records.substr(0, size))));
    if (!record) return std::nullopt;
    found.push_back(std::move(*record));
    records.remove_prefix(size);
  }
  return found;
}

}  // namespace dunlin::sched::replica
