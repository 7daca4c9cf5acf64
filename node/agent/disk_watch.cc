// SPDX-License-Identifier: MIT
#include "node/agent/disk_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "sched/peer_maintenance.h"
#include "sched/task.h"

// Free room can be measured; quotas, a file system that is read-only after an error, and a disk
// that gives errors show only when something is written. So what failed once is tried again until
// it succeeds.
namespace dunlin::node {
namespace {

constexpr overlay::Duration kTryAgain = std::chrono::seconds(5);
constexpr std::size_t kTryBytes = 64 << 10;
/// Output that is given up is told at most so often.
constexpr overlay::Duration kOutputReminder = std::chrono::minutes(1);
/// Some file systems free what was deleted so much later.
constexpr overlay::Duration kFreesLate = std::chrono::seconds(30);
/// More output than this part of what is free has come: it is time to look.
constexpr std::uint64_t kLookShare = 4;

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
  // A small disk is full long before the next look.
  if (!exits.empty() && parts_.output->bytes() > bytes_max_) bound_output();
  const auto lost = std::ranges::find_if(
      exits, [](const sched::Exit& exit) { return sched::is_disk_loss(exit.report); });
  if (lost == exits.end()) return;
  failed_ = std::strerror(lost->report.status);
  next_try_ = parts_.now() + kTryAgain;
  // At once: the report of the task is about to be told, and no new one must come before.
  look();
}

Shortage DiskWatch::shortage() const {
  const auto room = room_of(parts_.output->directory());
  if (!room || (room->frees_late && parts_.now() < free_at_)) return {};
  return shortage_for_output(*room, free_min_of(parts_.configuration.agent.disk_free_min));
}

// Of output and of what is kept for other nodes the larger goes first: neither is what the other's
// users have too much of.
void DiskWatch::bound_output() {
  OutputStore& own = *parts_.output;
  OutputCopies& copies = *parts_.output_copies;
  const bool copies_first = copies.bytes() > own.bytes();
  OutputStore::Swept swept;
  if (copies_first) swept += copies.sweep(shortage());
  swept += own.sweep(shortage());
  if (!copies_first) swept += copies.sweep(shortage());
  const auto room = room_of(own.directory());
  const std::uint64_t spare = room ? room->free : 0;
  bytes_max_ = own.bytes() + spare / kLookShare;
  if (swept != OutputStore::Swept{}) free_at_ = parts_.now() + kFreesLate;
  given_up_ += swept;
  if (given_up_ == OutputStore::Swept{} || parts_.now() < tell_again_) return;
  tell_again_ = parts_.now() + kOutputReminder;
  parts_.log.say(overlay::Level::warn, "output_given_up",
      {{"jobs", std::to_string(given_up_.jobs)}, {"cut", std::to_string(given_up_.cut)},
          {"why", "its disk has no room for more: " + own.directory()}});
  given_up_ = {};
}

std::string DiskWatch::failed_write() const {
  const int error = try_to_write(parts_.configuration.agent.data_dir);
  return error == 0 ? "" : std::strerror(error);
}

std::string DiskWatch::trouble() const {
  const AgentOptions& options = parts_.configuration.agent;
  const auto room = room_of(options.data_dir);
  if (!room) return "disk of " + options.data_dir + ": " + std::strerror(errno);
  std::string why =
      disk_trouble(options.data_dir, *room, free_min_of(options.disk_free_min), !told_.empty());
  if (!why.empty() || failed_.empty()) return why;
  return "cannot write to the disk of " + options.data_dir + ": " + failed_;
}

void DiskWatch::look() {
  bound_output();
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
