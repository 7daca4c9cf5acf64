// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../dunlin.h"
#include "answers.hpp"
#include "calls.hpp"
#include "errors.hpp"

/// Programs as clients of Dunlin, in C++20: dunlin.h with handles that free themselves, exceptions
/// and std::future. Everything that dunlin.h says holds here.
namespace dunlin {

namespace detail {

inline unsigned flag(bool on, unsigned bit) {
  return on ? bit : 0u;
}
}  // namespace detail

/// How a job stands.
struct JobInfo {
  std::string id;  ///< "NODE.NUMBER"; empty until the agent has taken the job.
  std::string
      state;  ///< "submitting", "held", "waiting", "running", "done", "failed", "cancelled".
  bool ended = false;
  std::uint32_t tasks = 0;
  std::uint32_t running = 0;
  std::uint32_t done = 0;
  std::uint32_t failed = 0;
  std::uint32_t cancelled = 0;
  std::uint32_t cancelling = 0;  ///< Told to stop, and not yet seen dead: not counted as running.
  /// It has ended, and all its tasks succeeded.
  bool succeeded() const { return ended && done == tasks; }
};

/// The reading of what one task writes. Movable.
class Output {
 public:
  /// The next piece of at least one byte; empty at the end. Throws ClientError.
  std::string read(Milliseconds wait = kForever) {
    std::string piece(65'536, '\0');
    std::size_t size = 0;
    const int status = dunlin_output_read(
        handle_.get(), piece.data(), piece.size(), detail::ms(wait), &size, &attempt_);
    if (status == DUNLIN_END) return {};
    if (status != DUNLIN_OK) detail::check(status, error());
    piece.resize(size);
    return piece;
  }
  /// All that follows.
  std::string read_all() {
    std::string all;
    for (std::string piece = read(); !piece.empty(); piece = read()) all += piece;
    return all;
  }
  /// The attempt that the last piece is of. Another one: the task ran anew, and so did its output.
  std::uint32_t attempt() const { return attempt_; }

 private:
  friend class Job;
  struct Close {
    void operator()(dunlin_output* output) const { dunlin_output_close(output); }
  };
  explicit Output(dunlin_output* handle) : handle_(handle) {}
  std::string error() const {
    return detail::text_of(
        [this](char* text, std::size_t size) { dunlin_output_error(handle_.get(), text, size); });
  }

  std::unique_ptr<dunlin_output, Close> handle_;
  std::uint32_t attempt_ = 0;
};

/// The giving of what one task reads. Movable.
class Input {
 public:
  /// Gives all bytes, and waits while many wait for the task. False if the task reads no more.
  /// Throws ClientError.
  bool write(std::string_view bytes, Milliseconds wait = kForever) {
    while (!bytes.empty()) {
      std::size_t size = 0;
      const int status =
          dunlin_input_write(handle_.get(), bytes.data(), bytes.size(), detail::ms(wait), &size);
      if (status == DUNLIN_END) return false;
      if (status != DUNLIN_OK) detail::check(status, error());
      bytes.remove_prefix(size);
    }
    return true;
  }
  /// Says that this was all, and waits until the task has taken it. False if it does not read it.
  bool end(Milliseconds wait = kForever) {
    const int status = dunlin_input_end(handle_.get(), detail::ms(wait));
    if (status == DUNLIN_END) return false;
    if (status != DUNLIN_OK) detail::check(status, error());
    return true;
  }

 private:
  friend class Job;
  struct Close {
    void operator()(dunlin_input* input) const { dunlin_input_close(input); }
  };
  explicit Input(dunlin_input* handle) : handle_(handle) {}
  std::string error() const {
    return detail::text_of(
        [this](char* text, std::size_t size) { dunlin_input_error(handle_.get(), text, size); });
  }

  std::unique_ptr<dunlin_input, Close> handle_;
};

/// A job that was submitted, or found. Movable; the job goes on without it.
class Job {
 public:
  Job(Job&&) noexcept = default;
  Job& operator=(Job&& other) noexcept {
    handle_ = std::move(other.handle_);  // What it may call goes after it.
    calls_ = std::move(other.calls_);
    return *this;
  }
  /// Its id, once the agent has taken it. Throws ClientError if it was refused, or not in time.
  std::string id(Milliseconds wait = kForever) const {
    char id[64] = "";
    check(dunlin_job_id(handle_.get(), detail::ms(wait), id, sizeof(id)));
    return id;
  }
  JobInfo info() const { return look(handle_.get()); }
  /// Why it failed, or why nothing is heard of it at the moment; empty if all is well.
  std::string trouble() const { return error(handle_.get()); }
  /// Waits for its end, however that is. Throws ClientError if it was not taken, or not in time.
  JobInfo wait(Milliseconds wait = kForever) const {
    check(dunlin_job_wait(handle_.get(), detail::ms(wait)));
    return info();
  }
  /// The next result of a task; empty if there is none any more. Needs `with_results` of the
  /// submit.
  std::optional<dunlin_result> next_result(Milliseconds wait = kForever) const {
    dunlin_result told{};
    told.size = sizeof(told);
    const int status = dunlin_job_next_result(handle_.get(), detail::ms(wait), &told);
    if (status == DUNLIN_END) return std::nullopt;
    check(status);
    return told;
  }
  /// What a task writes to stdout (1) or stderr (2); with `follow` until it has ended.
  Output output(std::uint32_t task = 0, int stream = 1, bool follow = false) const {
    dunlin_output* output = nullptr;
    check(dunlin_output_open(handle_.get(), task, stream, follow ? 1 : 0, &output));
    return Output(output);
  }
  /// Gives a task what it reads from stdin; its group has "input": "client".
  Input input(std::uint32_t task = 0) const {
    dunlin_input* input = nullptr;
    check(dunlin_input_open(handle_.get(), task, &input));
    return Input(input);
  }
  /// Stops all its tasks; how many.
  std::uint32_t cancel(Milliseconds wait = kForever) const {
    std::uint32_t count = 0;
    check(dunlin_job_cancel(handle_.get(), detail::ms(wait), &count));
    return count;
  }
  /// Runs tasks again that failed or, without `failed_only`, were cancelled; how many.
  std::uint32_t retry(bool failed_only = false, Milliseconds wait = kForever) const {
    std::uint32_t count = 0;
    check(dunlin_job_retry(handle_.get(), failed_only ? 1 : 0, detail::ms(wait), &count));
    return count;
  }
  /// Has `call` called once when the job has ended or failed, in the library's thread or in
  /// Client::poll(); any number of them, in that order. It must neither wait nor throw; it may call
  /// on_end() and free the job. What was not called when the job is freed is not called any more.
  void on_end(std::function<void()> call) {
    dunlin_job* const handle = handle_.get();
    calls_->add(std::move(call));
    // From here on a call may have freed this.
    check(handle, dunlin_job_on_end(handle, detail::Calls::run, calls_.get()));
  }
  /// Becomes ready when the job has ended, with how it stands, or with the error. A job that is
  /// freed before breaks its promise.
  std::future<JobInfo> future() {
    auto promise = std::make_shared<std::promise<JobInfo>>();
    auto future = promise->get_future();
    on_end([handle = handle_.get(), promise] {
      try {
        check(handle, dunlin_job_wait(handle, 0));
        promise->set_value(look(handle));
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
    });
    return future;
  }
  dunlin_job* handle() const { return handle_.get(); }

 private:
  friend class Client;
  struct Free {
    void operator()(dunlin_job* job) const { dunlin_job_free(job); }
  };
  explicit Job(dunlin_job* handle) : handle_(handle) {}
  static JobInfo look(dunlin_job* handle) {
    dunlin_job_info told{};
    told.size = sizeof(told);
    check(handle, dunlin_job_look(handle, &told));
    return {told.id, told.state, told.ended != 0, told.tasks, told.running, told.done, told.failed,
        told.cancelled, told.cancelling};
  }
  static void check(dunlin_job* handle, int status) {
    if (status == DUNLIN_OK) return;
    detail::fail(status, status == DUNLIN_TIMEOUT ? std::string{} : error(handle));
  }
  static std::string error(dunlin_job* handle) {
    return detail::text_of(
        [handle](char* text, std::size_t size) { dunlin_job_error(handle, text, size); });
  }
  void check(int status) const { check(handle_.get(), status); }

  /// Outlives the handle, which may call them.
  std::shared_ptr<detail::Calls> calls_ = std::make_shared<detail::Calls>();
  std::unique_ptr<dunlin_job, Free> handle_;
};

/// A conversation with an agent, which is found again when it was lost. Movable.
class Client {
 public:
  /// `addresses`: paths of agents' sockets; none is the usual place. `own_loop`: without a thread,
  /// see fd() and poll(). Throws ClientError.
  explicit Client(const std::vector<std::string>& addresses = {}, bool own_loop = false) {
    std::vector<const char*> paths;
    for (const auto& address : addresses) paths.push_back(address.c_str());
    dunlin_client* client = nullptr;
    detail::check(dunlin_client_open(paths.data(), paths.size(),
        unsigned{DUNLIN_KINDS} | detail::flag(own_loop, DUNLIN_OWN_LOOP), &client));
    handle_.reset(client);
  }
  /// Submits a job, the JSON text of a Job, and returns at once.
  Job submit(std::string_view job, bool with_results = false) {
    dunlin_job* handle = nullptr;
    detail::check(dunlin_submit(handle_.get(), job.data(), job.size(),
        detail::flag(with_results, DUNLIN_RESULTS), &handle));
    return Job(handle);
  }
  /// Submits jobs, all of them or none.
  std::vector<Job> submit(std::span<const std::string> jobs, bool with_results = false) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& job : jobs) {
      texts.push_back(job.data());
      sizes.push_back(job.size());
    }
    std::vector<dunlin_job*> handles(jobs.size());
    detail::check(dunlin_submit_many(handle_.get(), texts.data(), sizes.data(), jobs.size(),
        detail::flag(with_results, DUNLIN_RESULTS), handles.data()));
    std::vector<Job> made;
    for (dunlin_job* const handle : handles) made.push_back(Job(handle));
    return made;
  }
  /// A job by its id, "NODE.NUMBER".
  Job find(const std::string& id, bool with_results = false) {
    dunlin_job* handle = nullptr;
    detail::check(dunlin_job_find(
        handle_.get(), id.c_str(), detail::flag(with_results, DUNLIN_RESULTS), &handle));
    return Job(handle);
  }
  /// What an agent tells. `verb` is one that dunlin_ask() names; of a list the first page. Throws
  /// ClientError, with DUNLIN_TIMEOUT if it is not there in time.
  Answer ask(const std::string& verb, const Query& query = {}, Milliseconds wait = kForever) {
    dunlin_answer* answer = nullptr;
    const std::string members = query.text();
    detail::check(dunlin_ask(handle_.get(), verb.c_str(), members.data(), members.size(), &answer));
    return Answer(answer, wait);
  }
  /// The first page of jobs: `cluster`, `all`, `user`, `ended_since_at_ns`, `ids`, `limit` ...
  Answer jobs(const Query& query = {}, Milliseconds wait = kForever) {
    return ask("jobs", query, wait);
  }
  /// Who used how much: `cluster`, `by`, `since_at_ns`, `until_at_ns`, `user`, `class` ...
  Answer usage(const Query& query = {}, Milliseconds wait = kForever) {
    return ask("usage", query, wait);
  }
  /// All that is known of one node, by its name or id.
  Answer node(std::string_view name, Milliseconds wait = kForever) {
    return ask("node", Query().with("node", name), wait);
  }
  /// The first page of what runs at a node: `at`, `limit`.
  Answer node_tasks(const Query& query = {}, Milliseconds wait = kForever) {
    return ask("node_tasks", query, wait);
  }
  /// When the attempts of a job ran: `bins`, `bars`.
  Answer timeline(std::string_view job, Query query = {}, Milliseconds wait = kForever) {
    return ask("timeline", query.with("job", job), wait);
  }
  /// How many tasks of a job stand where, as ranges of them: `bins`.
  Answer task_bins(std::string_view job, Query query = {}, Milliseconds wait = kForever) {
    return ask("task_bins", query.with("job", job), wait);
  }
  /// All nodes, counted by what is in use there.
  Answer node_bins(Milliseconds wait = kForever) { return ask("node_bins", {}, wait); }
  /// The first page of a node's figures in the past: `at`, `figures`, `step_ns`, `since_at_ns`.
  Answer past(const Query& query = {}, Milliseconds wait = kForever) {
    return ask("past", query, wait);
  }
  /// The nodes that a node knows, by chance and by rank: `at`.
  Answer overlay(const Query& query = {}, Milliseconds wait = kForever) {
    return ask("overlay", query, wait);
  }
  /// Waits until every submit so far is acknowledged or has failed. False: not yet.
  bool flush(Milliseconds wait = kForever) {
    const int status = dunlin_client_flush(handle_.get(), detail::ms(wait));
    if (status != DUNLIN_TIMEOUT) detail::check(status);
    return status == DUNLIN_OK;
  }
  /// Why no agent answers; empty while one does.
  std::string trouble() const {
    return detail::text_of(
        [this](char* text, std::size_t size) { dunlin_client_error(handle_.get(), text, size); });
  }
  /// With an own loop: readable when poll() has work.
  int fd() const { return dunlin_client_fd(handle_.get()); }
  /// With an own loop: waits at most so long for work, and does it.
  void poll(Milliseconds wait = Milliseconds{0}) {
    detail::check(dunlin_client_poll(handle_.get(), detail::ms(wait)));
  }

 private:
  struct Close {
    void operator()(dunlin_client* client) const { dunlin_client_close(client); }
  };
  std::unique_ptr<dunlin_client, Close> handle_;
};

/// The index of a job that has ended or failed; empty if none has in time.
inline std::optional<std::size_t> wait_any(
    std::span<const Job> jobs, Milliseconds wait = kForever) {
  std::vector<dunlin_job*> handles;
  for (const Job& job : jobs) handles.push_back(job.handle());
  std::size_t which = 0;
  const int status = dunlin_wait_any(handles.data(), handles.size(), detail::ms(wait), &which);
  if (status == DUNLIN_TIMEOUT) return std::nullopt;
  detail::check(status);
  return which;
}

/// The JSON text of a job of one group that runs `command`, by the name of its program. `group` is
/// more of the group, such as "\"count\":100,\"retries\":2".
inline std::string command_job(std::span<const std::string> command, std::string_view group = {}) {
  const std::string_view program = command.empty() ? std::string_view() : command.front();
  const std::string_view name = program.substr(program.rfind('/') + 1);
  std::string job = "{\"name\":" + json_quoted(name) + R"(,"groups":[{"command":[)";
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (i > 0) job += ',';
    job += json_quoted(command[i]);
  }
  job += ']';
  if (!group.empty()) job.append(",").append(group);
  return job + "}]}";
}

}  // namespace dunlin
