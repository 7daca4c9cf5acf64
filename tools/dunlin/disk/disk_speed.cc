// SPDX-License-Identifier: MIT
#include "tools/dunlin/disk/disk_speed.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/statvfs.h>
#include <unistd.h>

// Written and read in large blocks with O_DIRECT: a rate through the page cache would be that of
// memory. What is written cannot be compressed, since some disks do that.
namespace dunlin::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlock = 4u << 20;
/// What O_DIRECT asks of memory; offsets and sizes are whole blocks anyway.
constexpr std::size_t kAlignment = 4096;
/// Less says nothing of a disk.
constexpr std::uint64_t kBytesMin = 4 * kBlock;
/// Of the room that is free, at most this part.
constexpr std::uint64_t kPart = 10;
constexpr auto kProgressPeriod = std::chrono::milliseconds(200);

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Block = std::unique_ptr<unsigned char, Free>;

/// A block of numbers without order.
Block make_block() {
  Block block(static_cast<unsigned char*>(std::aligned_alloc(kAlignment, kBlock)));
  if (!block) return block;
  std::uint64_t state = 0x9e3779b97f4a7c15;
  // Xorshift: fast, and without a pattern that a disk would find.
  for (std::size_t i = 0; i < kBlock; i += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(block.get() + i, &state, sizeof state);
  }
  return block;
}

/// A descriptor, closed when it goes.
class DirectFile {
 public:
  explicit DirectFile(int opened) : number_(opened) {}
  ~DirectFile() {
    if (number_ >= 0) ::close(number_);
  }
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// A file without a name; -1 with errno if there can be none.
/// Without a name nothing is left behind, however this process ends.
int open_nameless(const std::string& directory) {
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  // EISDIR is the answer of a kernel or file system that does not know O_TMPFILE.
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  // Some file systems give every file a name: it is taken away at once.
  std::string path = directory + "/dunlin-measure-XXXXXX";
  const int named = ::mkostemp(path.data(), O_DIRECT | O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

/// Calls `step(offset)` until the bounds are met. It returns the bytes done, 0 at an end, or -1.
template <typename Step>
Result<DiskSpeed> measured(
    const char* what, const DiskTrial& trial, std::uint64_t bytes_max, Step&& step) {
  DiskSpeed speed;
  const auto begun = Clock::now();
  auto told = begun;
  // By bytes and by time: a slow disk must not take minutes, a fast one not all of its room.
  while (speed.bytes < bytes_max) {
    const ssize_t done = step(static_cast<off_t>(speed.bytes));
    if (done < 0) return failure_of(errno, std::string("cannot ") + what + " past the cache");
    if (done == 0) break;
    speed.bytes += static_cast<std::uint64_t>(done);
    const auto now = Clock::now();
    speed.time = now - begun;
    if (trial.progress && now - told >= kProgressPeriod) {
      told = now;
      trial.progress(what, speed);
    }
    if (speed.time >= trial.time_max) break;
  }
  return speed;
}

}  // namespace

std::uint64_t DiskSpeed::rate() const {
  if (time.count() <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) / 1024 / time.count());
}

Result<DiskSpeeds> measure_disk(const std::string& directory, const DiskTrial& trial) {
  struct statvfs space{};
  if (::statvfs(directory.c_str(), &space) != 0) {
    return failure_of(errno, "cannot look at " + directory);
  }
  const std::uint64_t room = std::uint64_t{space.f_bavail} * space.f_frsize / kPart;
  // Whole blocks, as O_DIRECT cannot do others.
  const std::uint64_t bytes_max = std::min(trial.bytes_max, room / kBlock * kBlock);
  if (bytes_max < kBytesMin) {
    return failure(ErrorKind::refused,
        directory + " has too little room: a tenth of what is free there must be " +
            std::to_string(kBytesMin >> 20) + " MiB at least");
  }
  // One file for both: what is read must lie where it was written.
  const DirectFile file(open_nameless(directory));
  if (file.number() < 0 && errno == EINVAL) {
    return failure(ErrorKind::refused,
        directory +
            " cannot be written past the cache, so it is on no disk of its own (tmpfs?): "
            "name a directory that is");
  }
  if (file.number() < 0) return failure_of(errno, "cannot make a file in " + directory);
  const Block block = make_block();
  if (!block) return failure_of(ENOMEM, "cannot measure " + directory);

  auto write = measured("write", trial, bytes_max,
      [&](off_t offset) { return ::pwrite(file.number(), block.get(), kBlock, offset); });
  if (!write) return tl::unexpected(write.error());
  // What the disk itself has only noted is not written.
  const auto before = Clock::now();
  if (::fsync(file.number()) != 0) return failure_of(errno, "cannot write to " + directory);
  write->time += Clock::now() - before;

  // No more than was written: beyond it there is nothing to read.
  auto read = measured("read", trial, write->bytes,
      [&](off_t offset) { return ::pread(file.number(), block.get(), kBlock, offset); });
  if (!read) return tl::unexpected(read.error());
  return DiskSpeeds{.write = *write, .read = *read};
}

// Two digits: the next measurement would differ in the third.
std::string rate_to_declare(std::uint64_t kibibytes) {
  const char* unit = kibibytes < 10 * 1024 ? "K/s" : "M/s";
  std::uint64_t amount = kibibytes < 10 * 1024 ? kibibytes : kibibytes / 1024;
  std::uint64_t scale = 1;
  // Cut, not rounded: no more is declared than was measured.
  for (; amount >= 100; amount /= 10) scale *= 10;
  return std::to_string(amount * scale) + unit;
}

}  // namespace dunlin::cli
