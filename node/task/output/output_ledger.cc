// SPDX-License-Identifier: MIT
#include "node/task/output/output_ledger.h"

namespace dunlin::node {
namespace {

/// The directory of a job.
constexpr std::uint64_t kJobCost = 4096;

}  // namespace

std::uint64_t OutputJobFiles::bytes() const {
  return kJobCost + stream + index + others;
}

void OutputLedger::put(const OutputJobKey& job, const OutputJobFiles& files) {
  if (jobs_.contains(job)) erase(job);
  jobs_.emplace(job, files);
  User& user = users_[files.user];
  user.bytes += files.bytes();
  user.jobs.emplace(files.used_at, job);
  bytes_ += files.bytes();
}

void OutputLedger::erase(const OutputJobKey& job) {
  const auto at = jobs_.find(job);
  const auto user = users_.find(at->second.user);
  user->second.bytes -= at->second.bytes();
  user->second.jobs.erase({at->second.used_at, job});
  if (user->second.jobs.empty()) users_.erase(user);
  bytes_ -= at->second.bytes();
  jobs_.erase(at);
}

const OutputJobFiles* OutputLedger::find(const OutputJobKey& job) const {
  const auto at = jobs_.find(job);
  return at == jobs_.end() ? nullptr : &at->second;
}

const OutputLedger::User* OutputLedger::find_user(OutputUser user) const {
  const auto at = users_.find(user);
  return at == users_.end() ? nullptr : &at->second;
}

}  // namespace dunlin::node
