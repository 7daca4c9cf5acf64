// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "node/client/abi.h"

using dunlin::client::guarded;

// The C interface to a task's output: bytes come as they are written, of one attempt after the
// other. Bytes of two attempts are never mixed in one call, so that a program can begin anew where
// they change.
namespace dunlin::client {
namespace {

/// Takes up to `size` bytes of one attempt. DUNLIN_OK, or why there are none.
int take(Output& output, char* bytes, std::size_t size, std::size_t& read, std::uint32_t* attempt) {
  read = 0;
  if (attempt != nullptr && output.attempt != 0) *attempt = output.attempt;
  if (output.chunks.empty()) {
    return output.problem.status != DUNLIN_OK ? output.problem.status : int{DUNLIN_END};
  }
  // Bytes of two attempts are never mixed in one call: the program can begin anew where they
  // change.
  const std::uint32_t of = output.chunks.front().attempt;
  if (attempt != nullptr) *attempt = of;
  while (read < size && !output.chunks.empty() && output.chunks.front().attempt == of) {
    std::string& chunk = output.chunks.front().bytes;
    const std::size_t part = std::min(size - read, chunk.size());
    chunk.copy(bytes + read, part);
    read += part;
    if (part == chunk.size()) {
      output.chunks.pop_front();
    } else {
      chunk.erase(0, part);
    }
  }
  // Room for as much: the caller sees to it that the agent is asked for more.
  output.waiting -= read;
  return DUNLIN_OK;
}

}  // namespace
}  // namespace dunlin::client

extern "C" {

int dunlin_output_open(
    dunlin_job* job, uint32_t task, int stream, int follow, dunlin_output** output) {
  if (job == nullptr || output == nullptr || stream < 1 || stream > 2) return DUNLIN_USAGE;
  return guarded(*job->client, [&] {
    auto made = std::make_unique<dunlin_output>();
    made->client = job->client;
    made->output = std::make_shared<dunlin::client::Output>();
    made->output->job = job->job;
    made->output->task = task;
    // Numbered like the descriptors of a process.
    made->output->err = stream == 2;
    made->output->follow = follow != 0;
    bool taken = false;
    job->client->change([&](dunlin::client::Engine& engine) { taken = engine.read(made->output); });
    if (!taken) return int{DUNLIN_REFUSED};
    *output = made.release();
    return int{DUNLIN_OK};
  });
}

int dunlin_output_read(
    dunlin_output* output, char* bytes, size_t size, int wait_ms, size_t* read, uint32_t* attempt) {
  if (output == nullptr || bytes == nullptr || size == 0 || read == nullptr) return DUNLIN_USAGE;
  return guarded(*output->client, [&] {
    auto& stream = *output->output;
    int status = DUNLIN_OK;
    bool has_room = false;
    // What is left waits in the library up to a bound, and the agent is asked for more once there
    // is room: hence the wake below.
    const int waited = output->client->wait(wait_ms, [&] {
      if (stream.chunks.empty() && !stream.ended) return false;
      status = dunlin::client::take(stream, bytes, size, *read, attempt);
      has_room = !stream.ended && stream.asked == 0;
      return true;
    });
    if (waited == DUNLIN_OK && has_room) output->client->wake();
    return waited != DUNLIN_OK ? waited : status;
  });
}

int dunlin_output_error(dunlin_output* output, char* text, size_t size) {
  if (output == nullptr) return DUNLIN_USAGE;
  return guarded(*output->client, [&] {
    int status = DUNLIN_OK;
    output->client->look([&](const dunlin::client::Engine&) {
      status = output->output->problem.status;
      dunlin::client::copy_text(text, size, output->output->problem.text);
    });
    return status;
  });
}

void dunlin_output_close(dunlin_output* output) {
  if (output == nullptr) return;
  guarded(*output->client, [&] {
    output->client->change(
        [&](dunlin::client::Engine& engine) { engine.stop_reading(output->output); });
    return DUNLIN_OK;
  });
  dunlin::client::abandon(output->client);
  delete output;
}

}  // extern "C"
