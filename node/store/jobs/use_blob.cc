// SPDX-License-Identifier: MIT
#include "node/store/jobs/use_blob.h"

#include <cstdint>

#include "node/fields.h"

namespace dunlin::node {
namespace {

constexpr std::uint8_t kUseVersion = 1;

void use_fields(auto& archive, auto& use) {
  archive(use.cpu_peak, use.disk_read, use.disk_written, use.net_received, use.net_sent,
      use.disk_read_peak, use.disk_write_peak, use.net_in_peak, use.net_out_peak, use.has_disk,
      use.has_net);
}

}  // namespace

std::string encode_use(const sched::TaskUse& use) {
  std::string bytes;
  if (use == sched::TaskUse{}) return bytes;
  FieldWriter write(bytes);
  write(kUseVersion);
  use_fields(write, use);
  return bytes;
}

sched::TaskUse decode_use(std::string_view bytes) {
  FieldReader read(bytes);
  std::uint8_t version = 0;
  sched::TaskUse use;
  read(version);
  use_fields(read, use);
  return read.finished() && version == kUseVersion ? use : sched::TaskUse{};
}

}  // namespace dunlin::node
