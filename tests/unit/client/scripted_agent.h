// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "node/client/engine.h"
#include "node/client/frames.h"
#include "node/client/include/dunlin.h"
#include "node/client/job.h"
#include "node/client/json.h"
#include "node/client/submission.h"

namespace dunlin::client {

/// An engine, and an agent that says what the test lets it say. Time stands still unless it is
/// moved.
class ScriptedAgent : public ::testing::Test {
 protected:
  /// Has the client connect, and greets it as that node.
  void connect(const std::string& node = kNode) {
    ASSERT_TRUE(engine.wants_connection(now));
    engine.on_connected(now);
    const Json hello = next_request("hello");
    reply(hello, {{"protocol", 1}, {"node", node}});
  }
  /// The connection breaks; the time to connect again comes.
  void lose() {
    requests.clear();
    reader = {};
    engine.on_lost(now, "it broke");
    pass(std::chrono::seconds(3));
  }
  void pass(std::chrono::milliseconds time) {
    now += time;
    advance();
  }
  /// Reads what the client has sent by now.
  void advance() {
    ended = engine.advance(now) || ended;
    reader.feed(std::exchange(engine.out(), {}));
    while (const auto text = reader.next()) requests.push_back(Json::parse(*text));
    for (const JobPtr& job : engine.take_changed()) changed.push_back(job);
  }
  /// The next request, which must be of that verb; the verb of another one is in its place.
  Json next_request(const std::string& verb) {
    advance();
    if (requests.empty()) {
      ADD_FAILURE() << "no " << verb << " came";
      return Json::object();
    }
    Json request = requests.front();
    requests.pop_front();
    EXPECT_EQ(request["verb"], verb) << request;
    return request;
  }
  void reply(const Json& request, const Json& ok, bool end = true) {
    Json message = {{"id", request["id"]}, {"ok", ok}};
    if (end) message["end"] = true;
    EXPECT_TRUE(engine.hear(now, message));
    advance();
  }
  void refuse(const Json& request, const std::string& kind, const std::string& text = "no") {
    EXPECT_TRUE(
        engine.hear(now, {{"id", request["id"]}, {"error", {{"kind", kind}, {"text", text}}}}));
    advance();
  }
  JobPtr submit(bool results = true) {
    auto job = std::make_shared<Job>();
    EXPECT_EQ(read_submission(R"({"groups":[{"command":["true"]}]})", *job).status, DUNLIN_OK);
    job->wants_results = results;
    job->handles = 1;
    engine.submit(job);
    return job;
  }
  /// The answer to a submit of so many tasks.
  static Json taken(int number, int tasks = 1) {
    return {{"job", std::string(kNode) + "." + std::to_string(number)}, {"number", number},
        {"lineage", "00000000000000aa"}, {"tasks", tasks}};
  }
  /// What a subscription tells of a job.
  static Json news(
      const JobPtr& job, const std::string& state, const std::vector<Json>& results, bool end) {
    return {{"job", job->id}, {"state", state}, {"tasks", job->tasks}, {"running", 0},
        {"done", end ? 1 : 0}, {"failed", 0}, {"cancelled", 0}, {"ended", end},
        {"results", results}};
  }
  static Json result(int task, int attempt = 1) {
    return {{"index", task}, {"attempt", attempt}, {"state", "done"}, {"outcome", "exited"},
        {"status", 0}, {"worker_name", "merlin"}, {"wall_ns", 7}};
  }

  static constexpr const char* kNode = "00000000000000a1";
  static constexpr const char* kOther = "00000000000000b2";

  Time now{std::chrono::hours(1)};
  Engine engine{1, [] { return 1.0; }};
  FrameReader reader;
  std::deque<Json> requests;
  std::vector<JobPtr> changed;
  bool ended = false;  ///< The client wanted to end the connection.
};

}  // namespace dunlin::client
