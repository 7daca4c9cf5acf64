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
/// Somebody may still look at output that is younger, in ns.
constexpr std::int64_t kFresh = 600'000'000'000;
/// Where files are what lacks, so many of all jobs go at a time.
constexpr std::size_t kFilesShare = 8;
/// So little of a user stays as long as it is fresh, and of a task that runs, however full the
/// disk.
constexpr std::uint64_t kLittle = 256u << 10;

}  // namespace

void OutputStore::drop(const JobKey& job) {
  const auto name = job_name(job);
  root_.remove_all(name);
  root_.remove_directory(name.substr(0, name.rfind('/')));  // If it was the home's last.
  kept_.erase(job);
  // It may hold places in the files that are gone.
  index_.clear();
}

void OutputStore::forget(const sched::JobId& job) {
  const JobKey key = JobKey::of(job);
  if (kept_.find(key) != nullptr) drop(key);
}

std::size_t OutputStore::give_up_old() {
  std::set<JobKey> busy;
  for (const auto& [key, live] : live_) busy.insert(key.job);
  const std::int64_t fresh = wall_clock_ns() - kFresh;
  std::size_t given_up = 0;
  for (; given_up < kDropMin; ++given_up) {
    std::optional<std::pair<std::int64_t, JobKey>> oldest;
    for (const auto& [job, files] : kept_.jobs()) {
      if (busy.contains(job) || files.used_at > fresh) continue;
      if (!oldest || files.used_at < oldest->first) oldest = {files.used_at, job};
    }
    if (!oldest) break;
    drop(oldest->second);
  }
  return given_up;
}

std::map<OutputUser, std::uint64_t> OutputStore::cut_live() const {
  std::map<OutputUser, std::uint64_t> by_user;
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

Result<std::uint64_t> OutputStore::cut_largest(OutputUser user) {
  struct Found {
    const LiveKey* attempt = nullptr;
    Live* task = nullptr;
    OutputStream stream = OutputStream::out;
    std::uint64_t size = kLittle;
  } largest;
  for (auto& [key, live] : live_) {
    if (live.user != user) continue;
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      struct stat found{};
      if (!live_folder_.look_at(live_name(live.slot, stream), found)) continue;
      const auto size = static_cast<std::uint64_t>(found.st_size);
      if (size > largest.size) largest = {&key, &live, stream, size};
    }
  }
  if (largest.task == nullptr) return 0;
  const std::uint64_t half = std::max(largest.size / 2, kLittle);
  const auto name = live_name(largest.task->slot, largest.stream);
  // First, so that an agent that comes after this one knows that what follows comes behind a gap.
  note_cut(live_folder_, name,
      attempt_text(largest.attempt->job, largest.attempt->index, largest.attempt->attempt), half);
  const File file(live_folder_, name, O_WRONLY);
  if (!file || ::ftruncate(file.descriptor(), static_cast<off_t>(half)) != 0) {
    return failure_of(errno, "cannot cut " + options_.directory + "/live/" + name);
  }
  largest.task->cut_to[static_cast<std::size_t>(largest.stream)] = half;
  return largest.size - half;
}

std::uint64_t OutputStore::drop_oldest(OutputUser user, bool fresh) {
  const OutputLedger::User* const keeps = kept_.find_user(user);
  if (keeps == nullptr) return 0;
  const auto [used_at, job] = *keeps->jobs.begin();
  if (fresh && keeps->bytes <= kLittle && used_at > wall_clock_ns() - kFresh) return 0;
  const std::uint64_t freed = kept_.find(job)->bytes();
  drop(job);
  return freed;
}

OutputStore::Swept& OutputStore::Swept::operator+=(const Swept& more) {
  jobs += more.jobs;
  cut += more.cut;
  return *this;
}

std::size_t OutputStore::drop_for_files() {
  // How many files a job has is not counted: two at least, and its directory.
  std::size_t dropped = 0;
  const std::size_t wanted = kept_.jobs().size() / kFilesShare + 1;
  const auto until = std::chrono::steady_clock::now() + kSweepMax;
  while (dropped < wanted && std::chrono::steady_clock::now() < until) {
    const auto busiest = std::ranges::max_element(
        kept_.users(), {}, [](const auto& user) { return user.second.jobs.size(); });
    if (busiest == kept_.users().end() || drop_oldest(busiest->first, true) == 0) break;
    ++dropped;
  }
  return dropped;
}

// The user with the most loses first, however old what others keep is: so no user pushes out the
// output of others by writing more.
OutputStore::Swept OutputStore::sweep(const Shortage& shortage) {
  reserve_.make();
  auto taken = cut_live();
  std::uint64_t used = kept_.bytes();
  for (const auto& [user, bytes] : taken) used += bytes;
  std::uint64_t limit = options_.total_limit;
  // A small disk, or one that others fill, leaves it less than its limits do.
  const std::uint64_t left = std::max(used - std::min(used, shortage.bytes), shortage.bytes_min);
  const bool narrow = shortage.bytes > 0 && left < limit;
  if (narrow) limit = left;
  Swept swept;
  if (shortage.files) swept.jobs += drop_for_files();
  if (used <= limit) return swept;
  for (const auto& [user, kept] : kept_.users()) taken[user] += kept.bytes;
  const auto until = std::chrono::steady_clock::now() + kSweepMax;
  for (int dropped = 0; dropped < kDropMax && used > limit && !taken.empty(); ++dropped) {
    const auto largest =
        std::ranges::max_element(taken, {}, [](const auto& each) { return each.second; });
    std::uint64_t freed = drop_oldest(largest->first, narrow);
    swept.jobs += freed > 0 && narrow ? 1 : 0;
    // What runs will be kept, and go, soon enough: only a disk cannot wait.
    if (freed == 0 && !narrow) break;
    if (freed == 0) {
      const auto cut = cut_largest(largest->first);
      if (!cut) break;
      freed = *cut;
      swept.cut += freed > 0 ? 1 : 0;
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
