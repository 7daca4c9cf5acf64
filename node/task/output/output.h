// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/kernel/folder.h"
#include "node/message.h"
#include "node/task/output/output_index.h"
#include "node/task/output/output_ledger.h"
#include "node/task/output/output_reserve.h"
#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

struct OutputOptions {
  std::string directory{};  ///< Created if missing (one level).
  /// What is kept may occupy so many bytes of the disk: blocks, and a little for each file. Beyond,
  /// jobs of the user with the most go, the oldest first.
  std::uint64_t total_limit = 4ull << 30;
  std::uint64_t task_limit = 1ull << 30;  ///< Bytes of one stream of one attempt. 0: none.
};

/// What a disk lacks that output may give back.
struct Shortage {
  std::uint64_t bytes = 0;
  std::uint64_t bytes_min = 0;  ///< So much output stays: it is not what fills the disk.
  bool files = false;           ///< It has too few files left.
};

/// A piece of what a task wrote.
struct OutputPiece {
  bool found = false;  ///< False: nothing is kept here of that attempt (it may have been silent).
  bool ended = false;  ///< No more will be written.
  std::uint32_t attempt = 0;
  bool cut_off = false;     ///< The task could not write all of it: the disk had no room.
  bool at_limit = false;    ///< `total` is all that is kept of a task, however much it writes.
  std::uint64_t total = 0;  ///< Bytes so far.
  std::string data;
};

/// Of a job with output.
struct OutputOf {
  std::string_view user{};  ///< Empty: not known any more.
  bool roams = true;        ///< It has replicas: another node than its home may drive it.
  bool again = false;       ///< An earlier incarnation began it: where it was cut it stays so.
};

/// The output of tasks on this node, stdout and stderr.
///
/// A running task writes to the two files of its *slot* (`live/<slot>.out`, `.err`), which are
/// reused from task to task: a silent task costs no file operation but two opens. When a task ends
/// its bytes are appended to one stream per job, `<home>/<job>/stream`, and found again by
/// fixed-size records in `<home>/<job>/index`; a large output is not copied, its file is renamed to
/// `<home>/<job>/<task>.<attempt>.out` instead. `<job>` is the job's number and its lineage in hex,
/// `12-0123456789abcdef`; a job older than lineages has its number alone. No link is followed below
/// the directory.
class OutputStore {
 public:
  /// Finds what earlier incarnations kept. Fails if the directory cannot be made, or written to.
  static Result<OutputStore> open(OutputOptions options);
  /// Deletes live files that an earlier incarnation left behind, but those of the slots `taken`:
  /// tasks write there. Call it before the first begin().
  void clear_live(const std::set<std::uint32_t>& taken);

  /// Where the task in `slot` writes `stream`. The file need not exist.
  std::string live_path(std::uint32_t slot, OutputStream stream) const;

  using Origin = OutputOf;
  /// An attempt starts to write to the files of `slot`. Slots are the caller's to hand out.
  void begin(const sched::TaskId& task,
      std::uint32_t attempt,
      std::uint32_t slot,
      const Origin& origin = {});
  /// The errno of a write to the files of that attempt as its task would make one now, 0 if it
  /// succeeds: ENOSPC, EDQUOT, EROFS, EIO. `met` is the errno of one that failed before, or 0:
  /// there may be room again. Its output is marked as cut off if either failed.
  int try_write(const sched::TaskId& task, std::uint32_t attempt, int met = 0);
  /// That attempt and all its processes ended; the slot's files are empty or gone afterwards. The
  /// sizes are those found by whoever reaped it: 0 spares looking. A disk that is full keeps what
  /// the task has written: a reserve makes room for its record. Another failure loses this output
  /// alone and is told once per call.
  Result<void> end(const sched::TaskId& task,
      std::uint32_t attempt,
      std::uint64_t out_bytes,
      std::uint64_t err_bytes);

  /// The same for an attempt that ended while no agent was there, or of which an agent died in the
  /// midst of end(): what that one did is not done again.
  Result<void> end_again(const sched::TaskId& task,
      std::uint32_t attempt,
      std::uint64_t out_bytes,
      std::uint64_t err_bytes);

  /// At most `bytes_max` bytes from `offset` of what an attempt wrote. Empty: of the last one here.
  OutputPiece read(const sched::TaskId& task,
      std::optional<std::uint32_t> attempt,
      OutputStream stream,
      std::uint64_t offset,
      std::uint32_t bytes_max);

  /// Deletes what is kept of a job.
  void forget(const sched::JobId& job);
  /// Jobs of one home with output here, that only their home can drive.
  struct KeptJobs {
    std::vector<sched::JobId> jobs{};
    sched::JobId last{};  ///< Go on behind it; empty: that were all.
  };
  /// Such jobs of the first home behind `after`, at most `count`, of those to which nothing was
  /// written since `since` (ns since 1970).
  KeptJobs kept_after(const sched::JobId& after, std::size_t count, std::int64_t since) const;

  /// What went because the disk had no room for it, though the limits allow it.
  struct Swept {
    std::size_t jobs = 0;  ///< Deleted.
    std::size_t cut = 0;   ///< Streams of running tasks that were cut.
    Swept& operator+=(const Swept& more);
    friend bool operator==(const Swept&, const Swept&) = default;
  };
  /// Enforces the limits, and gives back what the disk lacks: call it about once a second. Deletes
  /// for a few milliseconds at most; cuts live files that grew beyond `task_limit`. The user with
  /// the most loses first: jobs that are kept, the oldest first. For a disk, and not for the
  /// limits, running tasks lose the end of what they wrote; and no user loses what is 256 KiB or
  /// less and of the last minutes.
  Swept sweep(const Shortage& shortage = {});

  /// Deletes the output of the jobs that have none running here and were silent for longest, but
  /// not that of the last minutes: the disk is full. Says of how many jobs; 0: there is no more.
  std::size_t give_up_old();

  /// What is kept occupies so much of the disk.
  std::uint64_t bytes() const { return kept_.bytes(); }
  const std::string& directory() const { return options_.directory; }

 private:
  using JobKey = OutputJobKey;
  /// An attempt that writes.
  struct LiveKey {
    JobKey job;
    std::uint32_t index;
    std::uint32_t attempt;
    friend auto operator<=>(const LiveKey&, const LiveKey&) = default;
  };

  /// Where an attempt writes, and what is known of its job.
  struct Live {
    std::uint32_t slot = 0;
    OutputUser user = 0;
    bool roams = false;
    /// A sweep cut its streams (see OutputStream) to so many bytes, for want of room.
    std::array<std::uint64_t, 2> cut_to{kUncut, kUncut};
  };
  static constexpr std::uint64_t kUncut = ~std::uint64_t{0};

  OutputStore(OutputOptions options, Folder root, Folder live)
      : options_(std::move(options)),
        root_(std::move(root)),
        live_folder_(std::move(live)),
        index_(root_),
        reserve_(root_) {}
  static std::string live_name(std::uint32_t slot, OutputStream stream);
  /// The directory of a job, below root_.
  static std::string job_name(const JobKey& job);
  void survey();
  void survey(const std::string& directory, const JobKey& job);
  /// Makes the directory of a job, which says whose it is. Empty, with errno, if that fails.
  Folder make_job(const JobKey& job, const Live& task);
  Result<void> keep(const LiveKey& task, const Live& live, OutputStream stream, std::uint64_t size);
  Result<void> try_keep(const LiveKey& task, const Live& live, OutputRecord record);
  /// Moves a live file to where its record says it is of its own; its room is counted in `files`.
  Result<void> move(const std::string& live,
      const std::string& directory,
      const OutputRecord& record,
      OutputJobFiles& files) const;
  bool is_kept(const LiveKey& task, OutputStream stream);
  void drop(const JobKey& job);
  /// What the live files of each user occupy, after those that are too long are cut.
  std::map<OutputUser, std::uint64_t> cut_live() const;
  /// The most bytes that are kept of a stream of a running task.
  std::uint64_t limit_of(const Live& live, OutputStream stream) const;
  /// Cuts the largest live file of a user to its half. Returns what that frees; 0: none is large.
  /// Fails with `io`.
  Result<std::uint64_t> cut_largest(OutputUser user);
  /// Deletes jobs of the user with the most of them. Returns how many.
  std::size_t drop_for_files();
  /// Deletes the oldest job of a user that has one, but not the little that is fresh, where `fresh`
  /// says so. Returns what that freed.
  std::uint64_t drop_oldest(OutputUser user, bool fresh);

  OutputOptions options_;
  Folder root_;
  Folder live_folder_;
  std::map<LiveKey, Live> live_;  ///< Of each running attempt.
  OutputLedger kept_;
  OutputIndexCache index_;
  std::set<LiveKey> cut_off_;  ///< Those of live_ that could not write all.
  OutputReserve reserve_;
};

}  // namespace dunlin::node
