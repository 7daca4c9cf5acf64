// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "node/client/abi.h"

using dunlin::client::guarded;

// The C interface to what a task reads. A caller writes into a bounded buffer and waits when it is
// full; the client's own thread gives it to the agent, piece by piece, as the task takes them.
namespace dunlin::client {
namespace {

/// Why nothing more can be given.
int ended_status(const Input& input) {
  return input.problem.status != DUNLIN_OK ? input.problem.status : int{DUNLIN_END};
}

}  // namespace
}  // namespace dunlin::client

extern "C" {

int dunlin_input_open(dunlin_job* job, uint32_t task, dunlin_input** input) {
  if (job == nullptr || input == nullptr) return DUNLIN_USAGE;
  return guarded(*job->client, [&] {
    auto made = std::make_unique<dunlin_input>();
    made->client = job->client;
    made->input = std::make_shared<dunlin::client::Input>();
    made->input->job = job->job;
    made->input->task = task;
    bool taken = false;
    job->client->change([&](dunlin::client::Engine& engine) { taken = engine.give(made->input); });
    // So many inputs at a time, and no more: `made` frees what was begun.
    if (!taken) return int{DUNLIN_REFUSED};
    *input = made.release();
    return int{DUNLIN_OK};
  });
}

int dunlin_input_write(
    dunlin_input* input, const char* bytes, size_t size, int wait_ms, size_t* written) {
  // No empty piece: it would be no end, and would be waited for without a reason.
  const bool whole = input != nullptr && bytes != nullptr && size > 0 && written != nullptr;
  if (!whole) return DUNLIN_USAGE;
  return guarded(*input->client, [&] {
    auto& given = *input->input;
    int status = DUNLIN_OK;
    *written = 0;
    // Takes what there is room for, also a part, so that a writer in a loop needs no piece of a
    // certain size.
    const int waited = input->client->wait(wait_ms, [&] {
      if (given.over || given.end) {
        status = given.over ? dunlin::client::ended_status(given) : int{DUNLIN_USAGE};
        return true;
      }
      const size_t room = dunlin::client::Input::kWaitingMax -
          std::min(given.waiting.size(), dunlin::client::Input::kWaitingMax);
      *written = std::min(room, size);
      given.waiting.append(bytes, *written);
      return *written > 0;
    });
    if (waited == DUNLIN_OK) input->client->wake();
    return waited != DUNLIN_OK ? waited : status;
  });
}

int dunlin_input_end(dunlin_input* input, int wait_ms) {
  if (input == nullptr) return DUNLIN_USAGE;
  return guarded(*input->client, [&] {
    auto& given = *input->input;
    // May be called again after DUNLIN_TIMEOUT: the end is said once, and waited for anew.
    // change() wakes the thread that serves the client.
    input->client->change([&](const dunlin::client::Engine&) { given.end = true; });
    int status = DUNLIN_OK;
    const int waited = input->client->wait(wait_ms, [&] {
      status = given.taken ? int{DUNLIN_OK} : dunlin::client::ended_status(given);
      return given.taken || given.over;
    });
    return waited != DUNLIN_OK ? waited : status;
  });
}

int dunlin_input_error(dunlin_input* input, char* text, size_t size) {
  if (input == nullptr) return DUNLIN_USAGE;
  return guarded(*input->client, [&] {
    int status = DUNLIN_OK;
    input->client->look([&](const dunlin::client::Engine&) {
      status = input->input->problem.status;
      dunlin::client::copy_text(text, size, input->input->problem.text);
    });
    return status;
  });
}

// Without dunlin_input_end() before, the task is ended: half of its input must not pass for all.
void dunlin_input_close(dunlin_input* input) {
  if (input == nullptr) return;
  guarded(*input->client, [&] {
    input->client->change(
        [&](dunlin::client::Engine& engine) { engine.stop_giving(input->input); });
    return DUNLIN_OK;
  });
  dunlin::client::abandon(input->client);
  delete input;
}

}  // extern "C"
