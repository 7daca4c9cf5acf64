// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/submission.h"

#include <algorithm>
#include <cstdio>

#include "node/control/json.h"
#include "tools/dunlin/jobs/line_reader.h"
#include "tools/dunlin/screen/text.h"

// A job of a million lines fits neither a message nor the memory of a small machine. So lines are
// read and sent a chunk at a time, and the agent keeps the upload apart until submit_end: a submit
// that breaks off halfway leaves no half job.
// The first chunk is read before anything is sent, because an unreadable or empty file must not
// open an upload.
namespace dunlin::cli {
namespace {

constexpr std::chrono::milliseconds kCountRepaint{200};

Result<Submitted> accepted(const Result<Json>& reply) {
  if (!reply) {
    Error error = reply.error();
    // The user must mend a demand that no node can meet, so the status is 2, as for any wrong
    // demand.
    if (error.kind == ErrorKind::refused) error.kind = ErrorKind::usage;
    return tl::unexpected(error);
  }
  return Submitted{.number = value<std::uint32_t>(*reply, "number"),
      .job = value<std::string>(*reply, "job"),
      .tasks = value<std::uint64_t>(*reply, "tasks"),
      .late = std::chrono::nanoseconds(value<std::int64_t>(*reply, "late_ns"))};
}

/// "submitting: 340000 tasks", painted over on a terminal, silent elsewhere.
class UploadProgress {
 public:
  explicit UploadProgress(const Terminal& terminal) : terminal_(terminal) {}
  ~UploadProgress() {
    if (painted_) std::fputs("\r\033[K", stderr);
  }
  UploadProgress(const UploadProgress&) = delete;
  UploadProgress& operator=(const UploadProgress&) = delete;

  void show(std::uint64_t tasks) {
    const auto now = Clock::now();
    if (!terminal_.interactive || now - shown_ < kCountRepaint) return;
    shown_ = now;
    painted_ = true;
    std::fprintf(stderr, "\rsubmitting: %s\033[K", count_text(tasks, "task").c_str());
    std::fflush(stderr);
  }

 private:
  const Terminal& terminal_;
  Clock::time_point shown_ = Clock::now();
  bool painted_ = false;
};

tl::unexpected<Error> no_lines(const GroupRequest& group) {
  const std::string& path = group.each_line;
  return failure(ErrorKind::usage,
      group.lines_place() + (path == "-" ? "stdin" : path) + " has no lines, so there is no task");
}

/// A group with a task on each line, and its first lines.
struct Source {
  std::size_t group = 0;
  LineReader reader;
  std::vector<std::string> chunk;
};

Result<Source> open_source(const JobRequest& request, std::size_t group) {
  const GroupRequest& from = request.groups[group];
  auto reader = LineReader::open(from.each_line);
  if (!reader) {
    // As for any wrong flag: a script can tell it from an agent that failed.
    return failure(ErrorKind::usage, from.lines_place() + reader.error().text);
  }
  auto chunk = reader->next_chunk();
  if (!chunk) return tl::unexpected(chunk.error());
  if (chunk->empty()) return no_lines(from);
  return Source{group, std::move(*reader), std::move(*chunk)};
}

Json lines_json(const std::vector<std::string>& lines) {
  Json json = Json::array();
  for (const std::string& line : lines) json.push_back(node::bytes_json(line));
  return json;
}

class Upload {
 public:
  Upload(Connection& agent, std::uint64_t id, const Terminal& err)
      : agent_(agent),
        id_(id),
        progress_(err) {}

  Result<void> send(Source source) {
    while (true) {
      tasks_ += source.chunk.size();
      if (!source.chunk.empty()) {
        const auto taken = agent_.ask("submit_lines",
            {{"upload", id_}, {"group", source.group}, {"lines", lines_json(source.chunk)}});
        if (!taken) return tl::unexpected(taken.error());
      }
      progress_.show(tasks_);
      if (source.reader.at_end()) return {};
      auto next = source.reader.next_chunk();
      if (!next) return tl::unexpected(next.error());
      source.chunk = std::move(*next);
    }
  }

  Result<Submitted> finish() { return accepted(agent_.ask("submit_end", {{"upload", id_}})); }

 private:
  Connection& agent_;
  std::uint64_t id_;
  UploadProgress progress_;
  std::uint64_t tasks_ = 0;
};

}  // namespace

Result<Submitted> submit(Connection& agent, const JobRequest& request, const Terminal& err) {
  Json json = to_json(request);
  std::vector<std::size_t> with_lines;
  for (std::size_t group = 0; group < request.groups.size(); ++group) {
    if (!request.groups[group].each_line.empty()) with_lines.push_back(group);
  }
  if (with_lines.empty()) return accepted(agent.ask("submit", std::move(json)));

  auto first = open_source(request, with_lines.front());
  if (!first) return tl::unexpected(first.error());
  if (with_lines.size() == 1 && first->reader.at_end()) {
    // Lines that fit into one chunk need one round trip.
    json["groups"][first->group]["entries"] = lines_json(first->chunk);
    return accepted(agent.ask("submit", std::move(json)));
  }
  const auto begun = agent.ask("submit_begin", std::move(json));
  if (!begun) return tl::unexpected(begun.error());
  Upload upload(agent, value<std::uint64_t>(*begun, "upload"), err);
  if (auto sent = upload.send(std::move(*first)); !sent) return tl::unexpected(sent.error());
  for (std::size_t i = 1; i < with_lines.size(); ++i) {
    auto source = open_source(request, with_lines[i]);
    if (!source) return tl::unexpected(source.error());
    if (auto sent = upload.send(std::move(*source)); !sent) return tl::unexpected(sent.error());
  }
  return upload.finish();
}

void warn_if_late(const Submitted& job) {
  if (job.late.count() <= 0) return;
  std::fprintf(stderr,
      "dunlin: job %u will miss its deadline by %s at least, even if it had all nodes known for "
      "itself\n",
      job.number, age_text(std::chrono::duration<double>(job.late).count()).c_str());
}

}  // namespace dunlin::cli
