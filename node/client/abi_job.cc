// SPDX-License-Identifier: MIT
#include <limits>
#include <string>
#include <vector>

#include "node/client/abi.h"

using dunlin::client::copy_structure;
using dunlin::client::copy_text;
using dunlin::client::guarded;

// The C interface to jobs. Nothing of C++ may leave it: guarded() turns exceptions into a status, a
// handle is freed by its owner alone, and a structure is filled as far as the caller's `size` says
// that it knows it. Each call of waiting holds the client's lock but while it waits, so two threads
// may use one handle.
namespace dunlin::client {
namespace {

/// All flags there are. Others are refused, so that a later library may give them a meaning.
constexpr unsigned kFlags = DUNLIN_RESULTS;

// All handles are made before the first is handed out: a lack of memory then leaves the caller with
// none to free, and nothing submitted.
int submit_many(dunlin_client& client,
    const char* const* jobs,
    const std::size_t* sizes,
    std::size_t count,
    unsigned flags,
    dunlin_job** handles) {
  std::vector<std::string_view> texts;
  std::vector<std::unique_ptr<dunlin_job>> made;
  for (std::size_t i = 0; i < count; ++i) {
    if (jobs[i] == nullptr) return DUNLIN_USAGE;
    texts.emplace_back(jobs[i], sizes[i]);
    made.push_back(std::make_unique<dunlin_job>());
  }
  std::vector<JobPtr> submitted;
  submitted.reserve(count);
  const Problem problem = client.client->submit(texts, (flags & DUNLIN_RESULTS) != 0, submitted);
  if (problem.status != DUNLIN_OK) return problem.status;
  for (std::size_t i = 0; i < count; ++i) {
    made[i]->client = client.client;
    made[i]->job = std::move(submitted[i]);
    handles[i] = made[i].release();
  }
  return DUNLIN_OK;
}

/// Has the agent do something about a job, and waits for it.
int run_command(
    dunlin_job& job, const char* verb, const char* members, int wait_ms, std::uint32_t* count) {
  auto command = std::make_shared<Command>();
  command->job = job.job;
  command->verb = verb;
  command->members = members;
  job.client->change([&](Engine& engine) { engine.command(command); });
  // The command goes on after a timeout: what was asked for is not taken back.
  const int waited = job.client->wait(wait_ms, [&command] { return command->done; });
  if (waited != DUNLIN_OK) return waited;
  if (count != nullptr) *count = command->count;
  if (command->problem.status != DUNLIN_OK) {
    // Where dunlin_job_error() finds it; but a job that is over keeps the reason for that.
    job.client->look([&](const Engine&) {
      if (!job.job->over()) job.job->problem.text = command->problem.text;
    });
  }
  return command->problem.status;
}

// A text that is too long for its place is cut short, never without the zero at its end. Times are
// ns, amounts bytes.
dunlin_result result_of(const TaskResult& from) {
  dunlin_result result{};
  result.task = from.task;
  result.attempt = from.attempt;
  copy_text(result.state, sizeof(result.state), from.state);
  copy_text(result.outcome, sizeof(result.outcome), from.outcome);
  result.status = from.status;
  result.shell_status = from.shell_status;
  result.wall_ns = from.wall_ns;
  result.cpu_ns = from.cpu_ns;
  result.memory_peak = from.memory_peak;
  result.out_bytes = from.out_bytes;
  result.err_bytes = from.err_bytes;
  copy_text(result.worker, sizeof(result.worker), from.worker);
  copy_text(result.detail, sizeof(result.detail), from.detail);
  result.started_at_ns = from.started_at_ns;
  result.disk_read_bytes = from.disk_read_bytes;
  result.disk_written_bytes = from.disk_written_bytes;
  result.net_received_bytes = from.net_received_bytes;
  result.net_sent_bytes = from.net_sent_bytes;
  return result;
}

// All of it under one lock, so that the counts fit each other.
int look(const dunlin_job& handle, dunlin_job_info* info) {
  dunlin_job_info known{};
  handle.client->look([&](const Engine&) {
    const Job& job = *handle.job;
    copy_text(known.id, sizeof(known.id), job.id);
    copy_text(known.state, sizeof(known.state), job.state);
    known.ended = job.phase == Job::Phase::ended ? 1 : 0;
    known.tasks = job.tasks;
    known.running = job.running;
    known.done = job.done;
    known.failed = job.failed;
    known.cancelled = job.cancelled;
    known.cancelling = job.cancelling;
  });
  return copy_structure(info, known) ? DUNLIN_OK : DUNLIN_USAGE;
}

}  // namespace
}  // namespace dunlin::client

extern "C" {

int dunlin_submit(
    dunlin_client* client, const char* job, size_t size, unsigned flags, dunlin_job** handle) {
  return dunlin_submit_many(client, &job, &size, 1, flags, handle);
}

int dunlin_submit_many(dunlin_client* client,
    const char* const* jobs,
    const size_t* sizes,
    size_t count,
    unsigned flags,
    dunlin_job** handles) {
  const bool whole = client != nullptr && jobs != nullptr && sizes != nullptr && handles != nullptr;
  if (!whole || (flags & ~dunlin::client::kFlags) != 0) return DUNLIN_USAGE;
  return guarded(*client->client,
      [&] { return dunlin::client::submit_many(*client, jobs, sizes, count, flags, handles); });
}

int dunlin_job_find(dunlin_client* client, const char* id, unsigned flags, dunlin_job** handle) {
  if (client == nullptr || id == nullptr || handle == nullptr) return DUNLIN_USAGE;
  if ((flags & ~dunlin::client::kFlags) != 0) return DUNLIN_USAGE;
  return guarded(*client->client, [&] {
    auto made = std::make_unique<dunlin_job>();
    made->client = client->client;
    const auto problem = client->client->find(id, (flags & DUNLIN_RESULTS) != 0, made->job);
    if (problem.status == DUNLIN_OK) *handle = made.release();
    return problem.status;
  });
}

void dunlin_job_free(dunlin_job* job) {
  if (job == nullptr) return;
  guarded(*job->client, [&] {
    job->client->drop(job->job, job);
    return DUNLIN_OK;
  });
  dunlin::client::abandon(job->client);
  delete job;
}

int dunlin_job_id(dunlin_job* job, int wait_ms, char* id, size_t size) {
  if (job == nullptr || id == nullptr || size == 0) return DUNLIN_USAGE;
  return guarded(*job->client, [&] {
    int status = DUNLIN_OK;
    const int waited = job->client->wait(wait_ms, [&] {
      const auto& known = *job->job;
      status = known.id.empty() ? known.problem.status : DUNLIN_OK;
      // Also where it is empty yet: the caller's buffer is a text in any case.
      copy_text(id, size, known.id);
      return !known.id.empty() || known.over();
    });
    return waited != DUNLIN_OK ? waited : status;
  });
}

int dunlin_job_look(dunlin_job* job, dunlin_job_info* info) {
  if (job == nullptr || info == nullptr) return DUNLIN_USAGE;
  return guarded(*job->client, [&] { return dunlin::client::look(*job, info); });
}

int dunlin_job_wait(dunlin_job* job, int wait_ms) {
  size_t which = 0;
  const int waited = dunlin_wait_any(&job, 1, wait_ms, &which);
  if (waited != DUNLIN_OK) return waited;
  return guarded(*job->client, [&] {
    int status = DUNLIN_OK;
    job->client->look([&](const dunlin::client::Engine&) {
      if (job->job->phase == dunlin::client::Job::Phase::failed) status = job->job->problem.status;
    });
    return status;
  });
}

// One lock covers the wait, so all jobs must be of one client.
int dunlin_wait_any(dunlin_job* const* jobs, size_t count, int wait_ms, size_t* which) {
  if (jobs == nullptr || count == 0 || which == nullptr) return DUNLIN_USAGE;
  for (size_t i = 0; i < count; ++i) {
    if (jobs[i] == nullptr || jobs[i]->client != jobs[0]->client) return DUNLIN_USAGE;
  }
  return guarded(*jobs[0]->client, [&] {
    return jobs[0]->client->wait(wait_ms, [&] {
      *which = 0;
      // The first that is over in the caller's order: a caller in a loop takes those it was told
      // out of its list.
      while (*which < count && !jobs[*which]->job->over()) ++*which;
      return *which < count;
    });
  });
}

int dunlin_job_error(dunlin_job* job, char* text, size_t size) {
  if (job == nullptr) return DUNLIN_USAGE;
  return guarded(*job->client, [&] {
    int status = DUNLIN_OK;
    job->client->look([&](const dunlin::client::Engine&) {
      // A job that goes on may have trouble that passes, such as a node that does not answer.
      const auto& told = job->job->over() ? job->job->problem : job->job->trouble;
      status = told.status;
      copy_text(text, size, told.text);
    });
    return status;
  });
}

int dunlin_job_next_result(dunlin_job* job, int wait_ms, dunlin_result* result) {
  if (job == nullptr || result == nullptr) return DUNLIN_USAGE;
  return guarded(*job->client, [&] {
    auto& known = *job->job;
    int status = DUNLIN_OK;
    dunlin_result told{};
    const int waited = job->client->wait(wait_ms, [&] {
      if (known.results.empty()) {
        const bool failed = known.phase == dunlin::client::Job::Phase::failed;
        status = failed ? known.problem.status : DUNLIN_END;
        return known.over();
      }
      status = DUNLIN_OK;
      told = dunlin::client::result_of(known.results.front());
      // Each is told once, also to several threads that ask: the lock is held here.
      known.results.pop_front();
      return true;
    });
    if (waited != DUNLIN_OK || status != DUNLIN_OK) return waited != DUNLIN_OK ? waited : status;
    return copy_structure(result, told) ? int{DUNLIN_OK} : int{DUNLIN_USAGE};
  });
}

int dunlin_job_on_end(dunlin_job* job, void (*call)(dunlin_job* job, void* data), void* data) {
  if (job == nullptr) return DUNLIN_USAGE;
  const auto kept = job->client;  // A call may free the job before this returns.
  return guarded(*kept, [&] {
    std::function<void()> bound;
    if (call != nullptr) bound = [job, call, data] { call(job, data); };
    kept->on_end(job->job, job, std::move(bound));
    return DUNLIN_OK;
  });
}

int dunlin_job_cancel(dunlin_job* job, int wait_ms, uint32_t* cancelled) {
  if (job == nullptr) return DUNLIN_USAGE;
  return guarded(*job->client,
      [&] { return dunlin::client::run_command(*job, "cancel", "", wait_ms, cancelled); });
}

int dunlin_job_retry(dunlin_job* job, int failed_only, int wait_ms, uint32_t* retried) {
  if (job == nullptr) return DUNLIN_USAGE;
  // Members of a request, with the comma before them: see Conversation::ask().
  const char* const members = failed_only != 0 ? ",\"failed\":true" : "";
  return guarded(*job->client,
      [&] { return dunlin::client::run_command(*job, "retry", members, wait_ms, retried); });
}

}  // extern "C"
