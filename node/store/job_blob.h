// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// The task groups, the class and the deadline of a job as bytes: a version, then node/fields.h.
/// The lines of a million tasks are one text and one row of numbers.
std::string encode_groups(const std::vector<sched::TaskGroup>& groups,
    std::string_view service_class = {},
    sched::OptionalDuration deadline = {});

/// The content of those bytes.
struct JobBlob {
  std::vector<sched::TaskGroup> groups;
  std::string service_class;         ///< The name of the job's class; empty: none was said.
  sched::OptionalDuration deadline;  ///< After the submit.
  friend bool operator==(const JobBlob&, const JobBlob&) = default;
};

/// Fails with `corrupt` if the bytes are not what encode_groups() made, or of a newer version.
Result<JobBlob> decode_groups(std::string_view bytes);

}  // namespace dunlin::node
