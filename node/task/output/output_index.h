// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/kernel/folder.h"
#include "node/message.h"
#include "overlay/result.h"
#include "sched/kernel.h"

namespace dunlin::node {

/// Where the output of one stream of one attempt is.
struct OutputRecord {
  std::uint32_t index = 0;
  std::uint16_t number = 0;        ///< The lower half of the attempt: see sched::AttemptNumber.
  std::uint8_t stream = 0;         ///< node::OutputStream
  std::uint8_t own_file = 0;       ///< Bits: see kOwnFile and kCutOff.
  std::uint64_t offset : 48 = 0;   ///< In the job's stream.
  std::uint64_t offices : 16 = 0;  ///< The upper half of the attempt.
  std::uint64_t size = 0;

  /// It is in a file of its own; else in the job's stream.
  static constexpr std::uint8_t kOwnFile = 1;
  /// The task could not write all: the disk had no room. Only with kOwnFile.
  static constexpr std::uint8_t kCutOff = 2;

  sched::AttemptNumber attempt() const {
    return sched::first_after(static_cast<std::uint32_t>(offices)) | number;
  }
};
static_assert(sizeof(OutputRecord) == 24, "records are written as they are in memory");

/// Appends to the index `name` in `folder`, made if need be. Returns what it occupies on the disk
/// now, in bytes.
Result<std::uint64_t> append_output_record(
    const Folder& folder, const std::string& name, const OutputRecord& record);
/// Of a job with output.
struct OutputOrigin {
  std::uint64_t user = 0;  ///< A number that names its user; 0: not known.
  bool roams = true;       ///< Another node than its home may drive it, or may for all we know.
};
/// The first record of an index, which says that: of no task. Jobs of earlier versions have none.
OutputRecord record_of(const OutputOrigin& origin);
/// Empty if the record, the first of an index, does not say it.
std::optional<OutputOrigin> origin_of(const OutputRecord& record);

/// Looks records up. Keeps the index last asked of in memory, sorted, and reads on where it ended.
class OutputIndexCache {
 public:
  /// Of the indexes in `folder`, at `path` below it.
  explicit OutputIndexCache(Folder folder) : folder_(std::move(folder)) {}

  /// The record of an attempt, if there is one.
  std::optional<OutputRecord> find(
      const std::string& path, std::uint32_t index, std::uint32_t attempt, OutputStream stream);
  /// The last attempt of a task that wrote anything, if one did.
  std::optional<std::uint32_t> last_attempt(const std::string& path, std::uint32_t index);
  /// Forgets what was read: the file is gone.
  void clear();

 private:
  void refresh(const std::string& path);
  /// Calls `visit` for each record of the task.
  void for_each(const std::string& path, std::uint32_t index, auto&& visit);

  Folder folder_;
  std::string path_;
  std::vector<OutputRecord> records_;  ///< Sorted by index and attempt up to `sorted_`.
  std::size_t sorted_ = 0;
};

}  // namespace dunlin::node
