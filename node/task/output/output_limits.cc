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
/// So little of a user stays as long as it is fresh, and of a task that runs, however full the
/// disk.
constexpr std::uint64_t kLittle = 256u << 10;

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
      if (const std::uint64_t limit = limit_of(live, stream); size > limit) {
        // The warden writes at the end that the file has, so the task's output goes on where it is
        // cut.
        const File file(live_folder_, name, O_WRONLY);
        if (file && ::ftruncate(file.descriptor(), static_cast<off_t>(limit)) == 0) {
          ::fstat(file.descriptor(), &found);
        }
      }
      by_user[live.user] += occupied_by(found);
    }
  }
  return by_user;
}

std::uint64_t OutputStore::limit_of(const Live& live, OutputStream stream) const {
  const std::uint64_t cut = live.cut_to[static_cast<std::size_t>(stream)];
  return options_.task_limit == 0 ? cut : std::min(cut, options_.task_limit);
}

std::uint64_t OutputStore::cut_largest(UserNumber user) {
  struct Found {
    decltype(live_)::iterator task;
    OutputStream stream;
    std::uint64_t size;
    std::uint64_t occupied;
  };
  std::optional<Found> largest;
  for (auto task = live_.begin(); task != live_.end(); ++task) {
    if (task->second.user != user) continue;
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      struct stat found{};
      if (!live_folder_.look_at(live_name(task->second.slot, stream), found)) continue;
      const auto size = static_cast<std::uint64_t>(found.st_size);
      if (size > kLittle && (!largest || occupied_by(found) > largest->occupied)) {
        largest = Found{task, stream, size, occupied_by(found)};
      }
    }
  }
  if (!largest) return 0;
  auto& [task, stream, size, occupied] = *largest;
  const std::uint64_t half = std::max(size / 2, kLittle);
  const File file(live_folder_, live_name(task->second.slot, stream), O_WRONLY);
  if (!file || ::ftruncate(file.descriptor(), static_cast<off_t>(half)) != 0) return 0;
  // What the task writes from now on would come behind a gap: it is cut here until its end.
  task->second.cut_to[static_cast<std::size_t>(stream)] = half;
  cut_off_.insert(task->first);
  return occupied - std::min(occupied, file.occupied());
}

std::uint64_t OutputStore::drop_oldest(UserNumber user, bool fresh) {
  const auto found = users_.find(user);
  if (found == users_.end()) return 0;
  const auto& [used_at, job] = *found->second.jobs.begin();
  if (fresh && found->second.bytes <= kLittle && used_at > wall_clock_ns() - kFresh) return 0;
  const std::uint64_t before = bytes_;
  drop(jobs_.find(job));
  return before - bytes_;
}

OutputStore::Swept& OutputStore::Swept::operator+=(const Swept& more) {
  jobs += more.jobs;
  cut += more.cut;
  return *this;
}

// Whoever keeps the most loses first, however old what others keep is: so nobody pushes out the
// output of others by writing more.
OutputStore::Swept OutputStore::sweep(std::int64_t spare) {
  reserve_.make();
  auto taken = cut_live();
  std::uint64_t used = bytes_;
  for (const auto& [user, bytes] : taken) used += bytes;
  std::uint64_t limit = options_.total_limit;
  // A small disk, or one that others fill, leaves it less than its limits do.
  const std::uint64_t missing = spare < 0 ? static_cast<std::uint64_t>(-spare) : 0;
  const bool narrow = missing > 0 && used < limit + missing;
  if (narrow) limit = used - std::min(used, missing);
  Swept swept;
  if (used <= limit) return swept;
  for (const auto& [user, kept] : users_) taken[user] += kept.bytes;
  const auto until = std::chrono::steady_clock::now() + kSweepMax;
  for (int dropped = 0; dropped < kDropMax && used > limit && !taken.empty(); ++dropped) {
    const auto largest =
        std::ranges::max_element(taken, {}, [](const auto& each) { return each.second; });
    std::uint64_t freed = drop_oldest(largest->first, narrow);
    swept.jobs += freed > 0 && narrow ? 1 : 0;
    if (freed == 0) {
      freed = cut_largest(largest->first);
      swept.cut += freed > 0 && narrow ? 1 : 0;
    }
    if (freed == 0) {
      taken.erase(largest);
      continue;
    }
    used -= std::min(used, freed);
    largest->second -= std::min(largest->second, freed);
    if (dropped >= kDropMin && std::chrono::steady_clock::now() >= until) break;
  }
  return swept;
}

}  // namespace dunlin::node
