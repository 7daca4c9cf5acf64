// SPDX-License-Identifier: MIT
// An agent that lies to libdunlin: whatever it sends, nothing breaks and no result is told twice.
#include <set>

#include "node/client/engine.h"
#include "node/client/frames.h"
#include "node/client/submission.h"
#include "tests/fuzz/fuzz.h"

namespace dunlin::fuzz {
namespace {

using namespace dunlin::client;

/// The ids of requests count from 1, so an input can answer what it was asked.
void run_client_decoder(const std::uint8_t* data, std::size_t size) {
  Time now{std::chrono::hours(1)};
  Engine engine(1, [] { return 0.5; });
  auto job = std::make_shared<Job>();
  (void)read_submission(R"({"groups":[{"command":["true"]}]})", *job);
  job->wants_results = true;
  job->handles = 1;
  engine.submit(job);
  auto output = std::make_shared<Output>();
  output->job = job;
  output->follow = true;
  engine.read(output);
  engine.on_connected(now);
  engine.advance(now);

  FrameReader reader;
  reader.feed(text_of(data, size));
  while (const auto text = reader.next()) {
    const Json message = Json::parse(*text, nullptr, false);
    if (!engine.hear(now, message)) engine.on_lost(now, "it made no sense");
    now += std::chrono::milliseconds(300);
    if (engine.wants_connection(now)) engine.on_connected(now);
    engine.advance(now);
    engine.out().clear();
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> told;
  for (const TaskResult& result : job->results) {
    ensure(told.emplace(result.task, result.attempt).second, "a result that is told twice");
    ensure(result.task < job->attempts.size(), "a result of a task that is not there");
  }
}

const Registered kClientDecoder({.name = "client_decoder", .run = run_client_decoder});

}  // namespace
}  // namespace dunlin::fuzz
