// SPDX-License-Identifier: MIT
#include "node/agent/disk_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "sched/peer_maintenance.h"
#include "sched/resources.h"
#include "sched/task.h"

// Free room can be measured; quotas, a file system that is read-only after an error, and a disk
// that gives errors show only when something is written. So what failed once is tried again until
// it succeeds.
namespace dunlin::node {
namespace {

constexpr overlay::Duration kTryAgain = std::chrono::seconds(5);
constexpr std::size_t kTryBytes = 64 << 10;

FreeMin free_min_of(const std::string& text) {
  if (text == "auto") return std::nullopt;
  return *sched::parse_size(text);
}

/// The errno of a write to a new file in `directory`; 0 if it succeeds.
int try_to_write(const std::string& directory) {
  const std::string path = directory + "/.room";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  const std::string bytes(kTryBytes, '\0');
  const ssize_t written = ::write(file, bytes.data(), bytes.size());
  int error = written == static_cast<ssize_t>(bytes.size()) ? 0 : written < 0 ? errno : ENOSPC;
  // Some file systems find out late.
  if (error == 0 && ::fsync(file) != 0) error = errno;
  ::close(file);
  // In any case: half of it would take the room that is missing.
  ::unlink(path.c_str());
  return error;
}

}  // namespace

void DiskWatch::on_ends(std::span<const sched::Exit> exits) {
  const auto lost = std::ranges::find_if(
      exits, [](const sched::Exit& exit) { return sched::is_disk_loss(exit.report); });
  if (lost == exits.end()) return;
  failed_ = std::strerror(lost->report.status);
  next_try_ = parts_.now() + kTryAgain;
  // At once: the report of the task is about to be told, and no new one must come before.
  look();
}

std::string DiskWatch::failed_write() const {
  const int error = try_to_write(parts_.configuration.agent.data_dir);
  return error == 0 ? "" : std::strerror(error);
}

std::string DiskWatch::trouble() const {
  const AgentOptions& options = parts_.configuration.agent;
  const auto room = room_of(options.data_dir);
  if (!room) return "disk of " + options.data_dir + ": " + std::strerror(errno);
  const std::string why =
      disk_trouble(options.data_dir, *room, free_min_of(options.disk_free_min), !told_.empty());
  if (!why.empty() || failed_.empty()) return why;
  return "cannot write to the disk of " + options.data_dir + ": " + failed_;
}

void DiskWatch::look() {
  const std::string& store = parts_.records->error();
  if (!store.empty() && failed_.empty()) {
    failed_ = store;
    next_try_ = parts_.now() + kTryAgain;
  } else if (!failed_.empty() && store.empty() && parts_.now() >= next_try_) {
    next_try_ = parts_.now() + kTryAgain;
    failed_ = failed_write();
  }
  const std::string why = trouble();
  if (!why.empty()) {
    if (const std::size_t jobs = parts_.output->give_up_old(); jobs > 0) {
      parts_.log.say(overlay::Level::warn, "old_output_given_up",
          {{"jobs", std::to_string(jobs)}, {"why", why}});
    }
  }
  // How much is free changes all the time.
  const bool news = why.empty() != told_.empty();
  if (news) parts_.peer->maintenance().set_room(parts_.host(), why);
  told_ = why;
}

}  // namespace dunlin::node
