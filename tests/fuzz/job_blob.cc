// SPDX-License-Identifier: MIT
// What an agent finds in its store: damage is told, never followed.
#include "node/store/job_blob.h"

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto blob = dunlin::node::decode_groups(dunlin::fuzz::text_of(data, size));
  if (!blob) return 0;
  for (const auto& group : blob->groups) {
    for (std::size_t i = 0; i < group.entries.size(); ++i) (void)group.entries[i];
  }
  const auto again =
      dunlin::node::decode_groups(dunlin::node::encode_groups(blob->groups, blob->service_class));
  dunlin::ensure(again && *again == *blob, "decodes to something else");
  return 0;
}
