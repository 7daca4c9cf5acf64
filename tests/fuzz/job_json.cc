// SPDX-License-Identifier: MIT
// What clients say to an agent: a job that parses is one that the agent can keep.
#include "node/control/job_json.h"

#include "node/store/jobs/job_blob.h"
#include "tests/fuzz/fuzz.h"

namespace dunlin::fuzz {
namespace {

void run_job_json(const std::uint8_t* data, std::size_t size) {
  const node::Json request = node::Json::parse(text_of(data, size), nullptr, false);
  if (!request.is_object()) return;
  const auto job = node::parse_job(request);
  if (!job) {
    ensure(!job.error().text.empty(), "an error without words");
    return;
  }
  const auto blob = node::decode_groups(node::encode_groups(job->groups, node::terms_of(*job)));
  ensure(blob && blob->groups == job->groups && blob->terms == node::terms_of(*job),
      "a job that is not kept as it was");
}

const Registered kJobJson({.name = "job_json", .run = run_job_json});

}  // namespace
}  // namespace dunlin::fuzz
