// SPDX-License-Identifier: MIT
// What clients say to an agent: a job that parses is one that the agent can keep.
#include "node/control/job_json.h"

#include "node/store/job_blob.h"
#include "tests/fuzz/fuzz.h"

using namespace dunlin::node;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Json request = Json::parse(dunlin::fuzz::text_of(data, size), nullptr, false);
  if (!request.is_object()) return 0;
  const auto job = parse_job(request);
  if (!job) {
    dunlin::ensure(!job.error().text.empty(), "an error without words");
    return 0;
  }
  const auto blob = decode_groups(encode_groups(job->groups, job->service_class));
  dunlin::ensure(blob && blob->groups == job->groups && blob->service_class == job->service_class,
      "a job that is not kept as it was");
  return 0;
}
