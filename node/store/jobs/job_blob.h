// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// What a job has besides its groups.
struct JobTerms {
  std::string service_class;         ///< The name of the job's class; empty: none was said.
  sched::OptionalDuration deadline;  ///< After the submit.
  sched::PastDeadline past_deadline = sched::PastDeadline::run;
  sched::SubmitKey key;
  std::uint8_t replicas = 0;  ///< As Job::replicas, and replicas_required.
  std::uint8_t replicas_required = 0;
  std::vector<sched::AfterJob> after_jobs;
  std::string end_command;
  sched::OnPreempt on_preempt = sched::OnPreempt::requeue;
  std::string comment;
  std::vector<sched::Label> labels;
  sched::OptionalDuration begin;  ///< After the submit.
  sched::Rerun rerun = sched::Rerun::always;
  friend bool operator==(const JobTerms&, const JobTerms&) = default;
};
JobTerms terms_of(const sched::Job& job);

/// The task groups and the terms of a job as bytes: a version, then node/fields.h. The lines of a
/// million tasks are one text and one row of numbers.
std::string encode_groups(const std::vector<sched::TaskGroup>& groups, const JobTerms& terms = {});

/// The content of those bytes.
struct JobBlob {
  std::vector<sched::TaskGroup> groups;
  JobTerms terms;
  friend bool operator==(const JobBlob&, const JobBlob&) = default;
};

/// Makes all that the blob says part of the job.
void put_blob(JobBlob blob, sched::Job& job);

/// Fails with `corrupt` if the bytes are not what encode_groups() made, or of a newer version.
Result<JobBlob> decode_groups(std::string_view bytes);

}  // namespace dunlin::node
