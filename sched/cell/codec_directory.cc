// SPDX-License-Identifier: MIT
#include "sched/cell/codec_directory.h"

#include "overlay/packed.h"
#include "sched/cell/message.plain.h"

namespace dunlin::sched::cell {
namespace {

constexpr plain::Limits kDirectoryLimits{.packed_max = 64 << 10, .unpacked_max = 256 << 10};

template <typename Wire, typename Plain>
Result<Plain> unpack(std::span<const std::byte> bytes, const char* what) {
  if (auto read = plain::unpack<Wire, Plain>(bytes, kDirectoryLimits)) return std::move(*read);
  return failure(ErrorKind::corrupt,
      std::string(what) + " of " + std::to_string(bytes.size()) +
          " bytes is malformed, or of a newer Dunlin: update this node");
}

}  // namespace

void encode(const Change& change, std::string& out) {
  plain::pack<wire::Change>(change, kDirectoryLimits, out);
}

void encode(const Directory& directory, std::string& out) {
  plain::pack<wire::Directory>(directory, kDirectoryLimits, out);
}

Result<Change> decode_change(std::span<const std::byte> bytes) {
  return unpack<wire::Change, Change>(bytes, "a change of a cell's directory");
}

Result<Directory> decode_directory(std::span<const std::byte> bytes) {
  return unpack<wire::Directory, Directory>(bytes, "the directory of a cell");
}

}  // namespace dunlin::sched::cell
