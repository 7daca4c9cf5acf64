// SPDX-License-Identifier: MIT
#include "node/task/output/output_copies.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

// Copies of what tasks of other nodes wrote, kept so that it can be read when those are gone. They
// lie in an OutputStore as if a task had run here; one copy has the place of its first byte in
// front (eight bytes, the lowest first), since of much output only the end may have been sent.
namespace dunlin::node {
namespace {

/// Copies are written one by one, so one slot serves all.
constexpr std::uint32_t kSlot = 0;
/// What is kept begins with the place of its first byte.
constexpr std::size_t kHeadBytes = 8;

sched::TaskId task_of(const auto& message) {
  return {.job = {.home = message.home, .number = message.job, .lineage = message.lineage},
      .index = message.index};
}

std::array<char, kHeadBytes> head_of(std::uint64_t begin) {
  std::array<char, kHeadBytes> head{};
  for (std::size_t i = 0; i < kHeadBytes; ++i) head[i] = static_cast<char>(begin >> (8 * i));
  return head;
}

std::uint64_t begin_of(std::string_view head) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < kHeadBytes; ++i) {
    begin |= std::uint64_t{static_cast<unsigned char>(head[i])} << (8 * i);
  }
  return begin;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<OutputCopies> OutputCopies::open(std::string directory, std::uint64_t bytes_max) {
  auto store = OutputStore::open({.directory = std::move(directory), .total_limit = bytes_max});
  if (!store) return tl::unexpected(store.error());
  store->clear_live({});
  return OutputCopies(std::move(*store));
}

Result<void> OutputCopies::put(const OutputCopy& copy) {
  const sched::TaskId task = task_of(copy);
  if (read({.home = copy.home,
          .job = copy.job,
          .index = copy.index,
          .attempt = copy.attempt,
          .stream = copy.stream,
          .lineage = copy.lineage})) {
    return {};  // It came before.
  }
  const std::string path = store_.live_path(kSlot, copy.stream);
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  const auto head = head_of(copy.begin);
  const bool written = file >= 0 && write_all(file, {head.data(), head.size()}) &&
      write_all(file, {copy.data.data(), copy.data.size()});
  // close() may change it.
  const int code = errno;
  if (file >= 0) ::close(file);
  if (!written) return failure_of(code, "a copy of output is lost: cannot write " + path);
  const std::uint64_t bytes = kHeadBytes + copy.data.size();
  const bool err = copy.stream == OutputStream::err;
  // As if a task had run in the slot: so the store's own index, bounds and sweeps serve copies,
  // too.
  store_.begin(task, copy.attempt, kSlot);
  return store_.end(task, copy.attempt, err ? 0 : bytes, err ? bytes : 0);
}

std::optional<KeptOutput> OutputCopies::read(const OutputRequest& request) {
  const auto attempt = request.attempt == 0 ? std::nullopt : std::optional(request.attempt);
  const sched::TaskId task = task_of(request);
  const OutputPiece head = store_.read(task, attempt, request.stream, 0, kHeadBytes);
  if (!head.found || head.data.size() != kHeadBytes) return std::nullopt;
  KeptOutput found{.begin = begin_of(head.data)};
  const std::uint64_t total = found.begin + (head.total - kHeadBytes);
  const std::uint64_t offset = std::max(request.offset, found.begin);
  found.chunk = {.found = true, .ended = true, .attempt = head.attempt, .total = total, .data = {}};
  if (offset >= total || request.bytes_max == 0) return found;
  found.chunk.data =
      store_
          .read(task, head.attempt, request.stream, kHeadBytes + offset - found.begin,
              std::min<std::uint32_t>(request.bytes_max, OutputChunk::kDataMax))
          .data;
  return found;
}

}  // namespace dunlin::node
