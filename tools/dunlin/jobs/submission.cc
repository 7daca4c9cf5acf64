// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/submission.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <utility>

#include "node/control/json.h"
#include "node/ids.h"
#include "tools/dunlin/jobs/line_reader.h"
#include "tools/dunlin/screen/text.h"

// A job of a million lines fits neither a message nor the memory of a small machine. So lines are
// read and sent a chunk at a time, and the agent keeps the upload apart until submit_end: a submit
// that breaks off halfway leaves no half job.
// The first chunk is read before anything is sent, because an unreadable or empty file must not
// open an upload.
// An agent may go away before it answers, and nobody knows then whether it has the job. So each
// submission has a key, drawn here: the agent, once it is back, knows by it what it took before.
namespace dunlin::cli {
namespace {

constexpr std::chrono::milliseconds kCountRepaint{200};
/// An agent that went away is waited for as long as one takes to be started again.
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kBetweenLooks{200};

Result<Submitted> accepted(const Result<Json>& reply) {
  if (!reply) {
    Error error = reply.error();
    // The user must mend a job that the agent will not have, so the status is 2, as for any wrong
    // demand.
    switch (error.kind) {
      case ErrorKind::refused:
      case ErrorKind::forbidden:
      case ErrorKind::quota:
      case ErrorKind::conflict:
        error.kind = ErrorKind::usage;
        break;
      default:
        break;
    }
    return tl::unexpected(error);
  }
  std::vector<std::string> unknown;
  for (const Json& name : member(*reply, "unknown_nodes")) {
    if (name.is_string()) unknown.push_back(printable(name.get<std::string>()));
  }
  // Names go to a terminal in many places, so they are made printable here, once.
  const auto number = value<std::uint32_t>(*reply, "number");
  return Submitted{.number = number,
      .job = value<std::string>(*reply, "job"),
      .name = printable(value<std::string>(*reply, "known_as", std::to_string(number))),
      .tasks = value<std::uint64_t>(*reply, "tasks"),
      .late = std::chrono::nanoseconds(value<std::int64_t>(*reply, "late_ns")),
      .exposed = printable(value<std::string>(*reply, "exposed")),
      .unknown_nodes = std::move(unknown)};
}

/// 128 bits by chance, in hex.
std::string draw_key() {
  std::array<std::uint64_t, 2> bits{};
  while (bits[0] == 0) {
    if (::getentropy(bits.data(), sizeof bits) != 0) std::abort();  // It never fails so early.
  }
  return node::hex_text(bits[0]) + node::hex_text(bits[1]);
}

/// Asks what makes a job of what the agent was told. If the agent is lost meanwhile, it is asked
/// `again` when it is back: both requests have the same key.
Result<Submitted> conclude(Connection& agent,
    std::string_view verb,
    Json request,
    std::string_view again,
    const Json& request_again) {
  auto reply = agent.answer(verb, std::move(request));
  const auto end = Clock::now() + kPatience;
  // Only if the connection broke: what an agent answers, it decided.
  while (!reply && reply.error().kind == ErrorKind::io && Clock::now() < end) {
    std::this_thread::sleep_for(kBetweenLooks);
    if (agent.reopen()) reply = agent.answer(again, request_again);
  }
  if (!reply) {
    Error error = reply.error();
    // Never said to be refused: a user that submits again might have the job twice.
    error.text += "; it is not known whether it has the job: see `dunlin jobs` when it is back";
    return tl::unexpected(error);
  }
  if (reply->error) return accepted(tl::unexpected(*reply->error));
  return accepted(std::move(reply->ok));
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

  /// Mostly does nothing: lines come in faster than a terminal can be painted.
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
  // An empty file is mostly a script that found nothing; a job of no task would hide that.
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
  Upload(Connection& agent, std::uint64_t id, std::string key, const Terminal& err)
      : agent_(agent),
        id_(id),
        key_(std::move(key)),
        progress_(err) {}

  Result<void> send(Source source) {
    while (true) {
      // The chunk that opened the source is sent first: a pipe cannot be read twice.
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

  Result<Submitted> finish() {
    // The lines may have come from a pipe: if it has not the job, nobody can say them again.
    return conclude(agent_, "submit_end", {{"upload", id_}}, "submitted", {{"key", key_}});
  }

 private:
  Connection& agent_;
  std::uint64_t id_;
  std::string key_;
  UploadProgress progress_;
  std::uint64_t tasks_ = 0;
};

}  // namespace

Result<Submitted> submit(Connection& agent, const JobRequest& request, const Terminal& err) {
  Json json = to_json(request);
  const std::string key = draw_key();
  // The same key for all requests of this submission, and for no other.
  json["key"] = key;
  const auto whole = [&] { return conclude(agent, "submit", json, "submit", json); };
  std::vector<std::size_t> with_lines;
  for (std::size_t group = 0; group < request.groups.size(); ++group) {
    if (!request.groups[group].each_line.empty()) with_lines.push_back(group);
  }
  if (with_lines.empty()) return whole();

  auto first = open_source(request, with_lines.front());
  if (!first) return tl::unexpected(first.error());
  if (with_lines.size() == 1 && first->reader.at_end()) {
    // Lines that fit into one chunk need one round trip.
    json["groups"][first->group]["entries"] = lines_json(first->chunk);
    return whole();
  }
  const auto begun = agent.ask("submit_begin", std::move(json));
  if (!begun) return tl::unexpected(begun.error());
  Upload upload(agent, value<std::uint64_t>(*begun, "upload"), key, err);
  if (auto sent = upload.send(std::move(*first)); !sent) return tl::unexpected(sent.error());
  for (std::size_t i = 1; i < with_lines.size(); ++i) {
    auto source = open_source(request, with_lines[i]);
    if (!source) return tl::unexpected(source.error());
    if (auto sent = upload.send(std::move(*source)); !sent) return tl::unexpected(sent.error());
  }
  return upload.finish();
}

void show_warnings(const Submitted& job) {
  if (!job.exposed.empty()) {
    std::fprintf(stderr,
        "dunlin: job %u is not protected yet: %s (dunlin job %s says when it is)\n", job.number,
        job.exposed.c_str(), job.name.c_str());
  }
  if (!job.unknown_nodes.empty()) {
    std::string names;
    for (const std::string& name : job.unknown_nodes) names += (names.empty() ? "" : ", ") + name;
    std::fprintf(stderr,
        "dunlin: the agent knows no node by the name of %s: inputs of job %u that are there alone "
        "count as elsewhere for all nodes\n",
        names.c_str(), job.number);
  }
  if (job.late.count() <= 0) return;
  std::fprintf(stderr,
      "dunlin: job %u will miss its deadline by %s at least, even if it had all nodes known for "
      "itself\n",
      job.number, age_text(std::chrono::duration<double>(job.late).count()).c_str());
}

}  // namespace dunlin::cli
