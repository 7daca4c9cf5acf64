// SPDX-License-Identifier: MIT
#include "node/task/output/output.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "node/task/output/output_file.h"

// A cluster runs millions of short tasks that write a line or nothing, so files are what costs.
// Running tasks write to files that are used again and again; at a task's end its bytes join its
// job's stream, and an index of fixed-size records says where they are. Jobs are deleted whole, the
// oldest first, when all of it grows too large: to cut holes into streams would cost more than it
// frees.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

std::string hex(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  const std::string text(digits, end);
  return std::string(16 - text.size(), '0') + text;
}

std::optional<std::uint64_t> read_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto* const end = text.end();
  if (text.size() != 16 || std::from_chars(text.begin(), end, value, 16).ptr != end) return {};
  return value;
}

/// The number that names a user in indexes: FNV-1a, for it must stay the same.
std::uint64_t number_of_user(std::string_view name) {
  if (name.empty()) return 0;
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char c : name) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return number;
}

std::string directory_name(std::uint32_t number, std::uint64_t lineage) {
  return std::to_string(number) + (lineage == 0 ? "" : "-" + hex(lineage));
}

/// The number and the lineage of the job with a directory of this name.
// Nothing for a name that this program would not give: a folder of another user is left alone.
std::optional<std::pair<std::uint32_t, std::uint64_t>> read_directory_name(std::string_view text) {
  const auto dash = text.find('-');
  const std::string_view digits = text.substr(0, dash);
  std::uint32_t number = 0;
  const auto* const end = digits.end();
  if (digits.empty() || std::from_chars(digits.begin(), end, number).ptr != end) return {};
  if (dash == std::string_view::npos) return std::pair{number, std::uint64_t{0}};
  const auto lineage = read_hex(text.substr(dash + 1));
  if (!lineage || *lineage == 0) return {};
  return std::pair{number, *lineage};
}

}  // namespace

Result<OutputStore> OutputStore::open(OutputOptions options) {
  std::error_code error;
  // Tasks open their files from their own directories.
  options.directory = fs::absolute(options.directory, error).string();
  if (::mkdir(options.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure_of(errno, "cannot make the output directory " + options.directory);
  }
  auto root = Folder::open(options.directory);
  if (!root) return tl::unexpected(root.error());
  const auto live = options.directory + "/live";
  if (!root->make_directory("live")) return failure_of(errno, "cannot make " + live);
  Folder live_folder = root->folder("live");
  const int live_descriptor = live_folder.descriptor();
  if (live_descriptor < 0 || ::faccessat(live_descriptor, ".", W_OK, 0) != 0) {
    return failure_of(errno, "cannot write to " + live);
  }
  OutputStore store(std::move(options), std::move(*root), std::move(live_folder));
  store.survey();
  store.reserve_.make();
  return store;
}

void OutputStore::clear_live(const std::set<std::uint32_t>& taken) {
  std::set<std::string> in_use;
  for (const std::uint32_t slot : taken) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      in_use.insert(live_name(slot, stream));
      in_use.insert(cut_file(live_name(slot, stream)));
    }
  }
  for (const std::string& name : live_folder_.names()) {
    if (!in_use.contains(name)) live_folder_.remove_all(name);
  }
}

/// Finds the output that earlier incarnations kept: <home>/<job>/ directories, with their sizes.
void OutputStore::survey() {
  for (const std::string& home : root_.names()) {
    const auto id = read_hex(home);
    if (!id) continue;
    for (const std::string& job : root_.names(home)) {
      const auto named = read_directory_name(job);
      if (named)
        survey(std::string(home).append("/").append(job), {*id, named->first, named->second});
    }
  }
}

void OutputStore::survey(const std::string& directory, const JobKey& job) {
  OutputJobFiles files;
  const Folder folder = root_.folder(directory);
  if (!folder) return;
  for (const std::string& name : folder.names()) {
    struct stat found{};
    if (!folder.look_at(name, found)) continue;
    std::uint64_t& part = name == kStreamFile ? files.stream
        : name == kIndexFile                  ? files.index
                                              : files.others;
    // Blocks on disk, not lengths: sparse files pushed the output of others out, and files of a few
    // bytes cost nothing in the sum.
    part += occupied_by(found);
    files.used_at = std::max(
        files.used_at, std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec);
  }
  OutputRecord first;
  // The first record says of which user the job is, for the shares of users.
  const File index(folder, kIndexFile, O_RDONLY);
  if (index && ::pread(index.descriptor(), &first, sizeof first, 0) == sizeof first) {
    const OutputOrigin origin = origin_of(first).value_or(OutputOrigin{});
    files.user = origin.user;
    files.roams = origin.roams;
  }
  kept_.put(job, files);
}

std::string OutputStore::live_name(std::uint32_t slot, OutputStream stream) {
  return std::to_string(slot) + suffix(stream);
}

std::string OutputStore::live_path(std::uint32_t slot, OutputStream stream) const {
  return options_.directory + "/live/" + live_name(slot, stream);
}

std::string OutputStore::job_name(const JobKey& job) {
  return hex(job.home) + "/" + directory_name(job.number, job.lineage);
}

void OutputStore::begin(
    const sched::TaskId& task, std::uint32_t attempt, std::uint32_t slot, const Origin& origin) {
  const JobKey job = JobKey::of(task.job);
  const OutputJobFiles* const known = kept_.find(job);
  // A task of an earlier build that was taken back does not say its user; one of its job may have.
  const bool told = known != nullptr && origin.user.empty();
  Live live{.slot = slot,
      .user = told ? known->user : number_of_user(origin.user),
      .roams = told ? known->roams : origin.roams};
  for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
    if (!origin.again) break;
    const auto cut =
        noted_cut(live_folder_, live_name(slot, stream), attempt_text(job, task.index, attempt));
    live.cut_to[static_cast<std::size_t>(stream)] = cut.value_or(kUncut);
  }
  live_[{job, task.index, attempt}] = live;
}

OutputStore::KeptJobs OutputStore::kept_after(
    const sched::JobId& after, std::size_t count, std::int64_t since) const {
  /// Not more than so many are looked at.
  constexpr int kLooksMax = 4096;
  KeptJobs kept;
  auto next = kept_.jobs().upper_bound(JobKey::of(after));
  for (int looks = 0; looks < kLooksMax && next != kept_.jobs().end(); ++looks, ++next) {
    const auto& [job, files] = *next;
    const sched::JobId id{.home = {job.home}, .number = job.number, .lineage = job.lineage};
    const bool full = kept.jobs.size() == count;
    // Of one home at a time: only that can say what has become of them.
    if (!kept.jobs.empty() && (full || kept.jobs.front().home != id.home)) return kept;
    kept.last = id;
    if (!files.roams && files.used_at < since) kept.jobs.push_back(id);
  }
  if (next == kept_.jobs().end()) kept.last = {};
  return kept;
}

OutputPiece OutputStore::read(const sched::TaskId& task,
    std::optional<std::uint32_t> attempt,
    OutputStream stream,
    std::uint64_t offset,
    std::uint32_t bytes_max) {
  const JobKey job = JobKey::of(task.job);
  // Takes the running attempt that was asked for, or the last one.
  constexpr auto kLast = std::numeric_limits<sched::AttemptNumber>::max();
  const auto above = live_.upper_bound({job, task.index, attempt.value_or(kLast)});
  if (above != live_.begin()) {
    const auto& [key, live] = *std::prev(above);
    if (key.job == job && key.index == task.index && (!attempt || key.attempt == *attempt)) {
      OutputPiece piece{.found = true, .attempt = key.attempt, .data = {}};
      if (const File file(live_folder_, live_name(live.slot, stream), O_RDONLY); file) {
        // Of a task that runs: as much as there is at this moment, and not what comes behind a cut,
        // which is not the task's next byte.
        piece.total = std::min(file.size(), limit_of(live, stream));
        piece.data = file.read(offset, bytes_max, piece.total);
      }
      return piece;
    }
  }
  const auto directory = job_name(job) + "/";
  const auto index = directory + kIndexFile;
  if (!attempt) attempt = index_.last_attempt(index, task.index);
  if (!attempt) return {.ended = true, .data = {}};
  OutputPiece piece{.ended = true, .attempt = *attempt, .data = {}};
  const auto record = index_.find(index, task.index, *attempt, stream);
  if (!record) {  // Found if only the other stream was silent.
    const auto other = stream == OutputStream::out ? OutputStream::err : OutputStream::out;
    piece.found = index_.find(index, task.index, *attempt, other).has_value();
    return piece;
  }
  piece.found = true;
  piece.cut_off = (record->own_file & OutputRecord::kCutOff) != 0;
  const File file(
      root_, directory + (record->own_file != 0 ? own_file(*record) : kStreamFile), O_RDONLY);
  if (!file) return {.ended = true, .data = {}};
  const std::uint64_t begin = record->own_file != 0 ? 0 : record->offset;
  // After a power failure the index may know of more than reached the disk.
  const std::uint64_t size = file.size();
  piece.total = size < begin ? 0 : std::min(record->size, size - begin);
  piece.at_limit = options_.task_limit != 0 && piece.total == options_.task_limit;
  if (offset < piece.total) piece.data = file.read(begin + offset, bytes_max, begin + piece.total);
  return piece;
}

}  // namespace dunlin::node
