// SPDX-License-Identifier: MIT
// What an agent finds in its store: damage is told, never followed.
#include "node/store/jobs/job_blob.h"

#include "tests/fuzz/fuzz.h"

namespace dunlin::fuzz {
namespace {

void run_job_blob(const std::uint8_t* data, std::size_t size) {
  const auto blob = node::decode_groups(text_of(data, size));
  if (!blob) return;
  for (const auto& group : blob->groups) {
    for (std::size_t i = 0; i < group.entries.size(); ++i) (void)group.entries[i];
  }
  const auto again = node::decode_groups(node::encode_groups(blob->groups, blob->terms));
  ensure(again && *again == *blob, "decodes to something else");
}

const Registered kJobBlob({.name = "job_blob", .run = run_job_blob});

}  // namespace
}  // namespace dunlin::fuzz
