// SPDX-License-Identifier: MIT
// What output takes of the disk, and whose goes when that is too much.
#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/task/output/output.h"
#include "node/task/output/output_file.h"
#include "node/wall_clock.h"

namespace dunlin::node {
namespace {

/// A sweep() deletes for so long, and so many jobs, at most: it must not stop the agent. A few it
/// always does.
constexpr auto kSweepMax = std::chrono::milliseconds(5);
constexpr int kDropMin = 4;
constexpr int kDropMax = 1000;
/// The directory of a job.
constexpr std::uint64_t kJobCost = 4096;
/// Somebody may still look at output that is younger, in ns.
constexpr std::int64_t kFresh = 600'000'000'000;

}  // namespace

std::uint64_t OutputStore::JobFiles::bytes() const {
  return kJobCost + stream + index + others;
}

void OutputStore::account(const JobKey& job, const JobFiles& files) {
  const auto [at, is_new] = jobs_.try_emplace(job);
  if (!is_new) {
    User& before = users_[at->second.user];
    before.bytes -= at->second.bytes();
    before.jobs.erase({at->second.used_at, job});
    bytes_ -= at->second.bytes();
    if (before.jobs.empty()) users_.erase(at->second.user);
  }
  at->second = files;
  User& user = users_[files.user];
  user.bytes += files.bytes();
  user.jobs.emplace(files.used_at, job);
  bytes_ += files.bytes();
}

void OutputStore::drop(std::map<JobKey, JobFiles>::iterator job) {
  const auto name = job_name(job->first);
  root_.remove_all(name);
  root_.remove_directory(name.substr(0, name.rfind('/')));  // If it was the home's last.
  const auto user = users_.find(job->second.user);
  user->second.bytes -= job->second.bytes();
  user->second.jobs.erase({job->second.used_at, job->first});
  if (user->second.jobs.empty()) users_.erase(user);
  bytes_ -= job->second.bytes();
  jobs_.erase(job);
  // It may hold places in the files that are gone.
  index_.clear();
}

void OutputStore::forget(const sched::JobId& job) {
  const auto found = jobs_.find(key_of(job));
  if (found != jobs_.end()) drop(found);
}

std::size_t OutputStore::give_up_old() {
  std::set<JobKey> busy;
  for (const auto& [key, live] : live_) busy.insert(key.job);
  const std::int64_t fresh = wall_clock_ns() - kFresh;
  std::size_t given_up = 0;
  for (; given_up < kDropMin; ++given_up) {
    auto oldest = jobs_.end();
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
      if (busy.contains(job->first) || job->second.used_at > fresh) continue;
      if (oldest == jobs_.end() || job->second.used_at < oldest->second.used_at) oldest = job;
    }
    if (oldest == jobs_.end()) break;
    drop(oldest);
  }
  return given_up;
}

std::map<OutputStore::UserNumber, std::uint64_t> OutputStore::cut_live() const {
  std::map<UserNumber, std::uint64_t> by_user;
  for (const auto& [key, live] : live_) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      const auto name = live_name(live.slot, stream);
      struct stat found{};
      if (!live_folder_.look_at(name, found) || found.st_size == 0) continue;
      const auto size = static_cast<std::uint64_t>(found.st_size);
      if (options_.task_limit != 0 && size > options_.task_limit) {
        // The warden writes at the end that the file has, so the task's output goes on where it is
        // cut.
        const File file(live_folder_, name, O_WRONLY);
        if (file && ::ftruncate(file.descriptor(), static_cast<off_t>(options_.task_limit)) == 0) {
          ::fstat(file.descriptor(), &found);
        }
      }
      by_user[live.user] += occupied_by(found);
    }
  }
  return by_user;
}

// Whoever keeps the most loses first, however old what others keep is: so nobody pushes out the
// output of others by writing more.
void OutputStore::sweep() {
  reserve_.make();
  const auto live = cut_live();
  std::uint64_t live_bytes = 0;
  for (const auto& [user, bytes] : live) live_bytes += bytes;
  const auto bytes_of = [&](const auto& entry) {
    const auto now = live.find(entry.first);
    return entry.second.bytes + (now == live.end() ? 0 : now->second);
  };
  const auto until = std::chrono::steady_clock::now() + kSweepMax;
  for (int dropped = 0; dropped < kDropMax && bytes_ + live_bytes > options_.total_limit;
      ++dropped) {
    const auto largest = std::ranges::max_element(users_, {}, bytes_of);
    if (largest == users_.end()) return;
    // What tasks write now counts against their user, but only what is kept can go: the oldest
    // first.
    drop(jobs_.find(largest->second.jobs.begin()->second));
    if (dropped >= kDropMin && std::chrono::steady_clock::now() >= until) return;
  }
}

}  // namespace dunlin::node
