// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "tests/unit/node/control/client_test.h"

// The verbs submit, cancel and the uploads.
namespace dunlin::node {
namespace {

using ControlSubmit = ClientTest;

const Json kOneTask = {{"groups", {{{"command", {"true"}}}}}};

TEST_F(ControlSubmit, AJobIsAcceptedOnlyWhenItIsOnDisk) {
  agent.error = "the disk is full";
  EXPECT_EQ(error_of(ask("submit", kOneTask)),
      "io: the job could not be stored, and was cancelled: the disk is full");
  EXPECT_EQ(ask("jobs")["ok"]["jobs"].size(), 0u) << "it must not run later";
  agent.error.clear();
  EXPECT_EQ(ask("submit", kOneTask)["ok"],
      Json({{"number", 2}, {"job", "0000000000000001.2"}, {"lineage", "0000000000000000"},
          {"known_as", "merlin.2"}, {"tasks", 1}, {"late_ns", 0}, {"unknown_nodes", Json::array()},
          {"ignored", Json::array()}, {"exposed", ""}}));
}

// A limit that was misspelt was dropped without a sound.
TEST_F(ControlSubmit, MembersThatSayNothingAreNamed) {
  Json odd = kOneTask;
  odd["groups"][0]["cpus"] = 4;
  odd["groups"][0]["demand"] = {{"memory", "4G"}};
  odd["time_limit"] = "1h";
  odd["after_jobs"] = Json::array();
  odd["on_end"] = {{"command", {"true"}}, {"cwd", "/"}};
  EXPECT_EQ(ask("submit", odd)["ok"]["ignored"],
      (Json{"time_limit", "on_end.cwd", "groups[0].cpus", "groups[0].demand.memory"}));
  EXPECT_EQ(ask("submit", kOneTask)["ok"]["ignored"], Json::array());
  odd["strict"] = true;
  EXPECT_THAT(error_of(ask("submit", odd)),
      ::testing::StartsWith("usage: a job has no member 'time_limit'"));
  EXPECT_THAT(error_of(ask("submit_begin", odd)),
      ::testing::StartsWith("usage: a job has no member 'time_limit'"));
}

TEST_F(ControlSubmit, WhatIsSubmittedTwiceWithOneKeyIsOneJob) {
  Json keyed = kOneTask;
  keyed["key"] = "0123456789abcdef0123456789ABCDEF";
  EXPECT_EQ(error_of(ask("submitted", {{"key", keyed["key"]}})),
      "not_found: node merlin has no job of that submission");
  const Json first = ask("submit", keyed)["ok"];
  EXPECT_EQ(first["number"], 1);
  EXPECT_EQ(ask("submit", keyed)["ok"], first);
  EXPECT_EQ(ask("submitted", {{"key", keyed["key"]}})["ok"], first);
  EXPECT_EQ(ask("jobs")["ok"]["jobs"].size(), 1u);
  keyed["groups"][0]["count"] = 2;
  EXPECT_EQ(error_of(ask("submit", keyed)),
      "refused: the key of this submission is that of job 1, which is another: draw one for each");
  keyed["key"] = "0123456789abcdef0123456789abcdee";
  EXPECT_EQ(ask("submit", keyed)["ok"]["number"], 2);
}

TEST_F(ControlSubmit, WhatWasAcceptedIsNotCancelledIfItIsSaidAgainWhenTheDiskIsFull) {
  Json keyed = kOneTask;
  keyed["key"] = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(error_of(ask("submit", keyed)), "");
  agent.error = "the disk is full";
  EXPECT_EQ(error_of(ask("submit", keyed)),
      "io: the job was submitted before, but what is known of it could not be stored yet: the disk "
      "is full");
  EXPECT_EQ(ask("jobs")["ok"]["jobs"][0]["counts"]["cancelled"], 0);
}

TEST_F(ControlSubmit, AKeyIs32HexadecimalDigits) {
  for (const char* const key : {"1", "0123456789abcdef0123456789abcdeg",
           "-123456789abcdef0123456789abcdef", "00000000000000000000000000000000"}) {
    Json keyed = kOneTask;
    keyed["key"] = key;
    EXPECT_EQ(error_of(ask("submit", keyed)),
        "usage: 'key' must be 32 hexadecimal digits, drawn by chance")
        << key;
  }
  EXPECT_EQ(error_of(ask("submitted")), "usage: 'key' must be the key of a submission");
}

TEST_F(ControlSubmit, WhatNoNodeCanRunIsRefusedUnlessItIsAllowed) {
  Json huge = kOneTask;
  huge["groups"][0]["demand"] = {{"cpu_milli", 64'000}};
  EXPECT_EQ(error_of(ask("submit", huge)),
      "refused: the one node known cannot ever fit 64 cpu; largest: merlin, 4 cpu");
  huge["allow_unsatisfiable"] = true;
  EXPECT_EQ(error_of(ask("submit", huge)), "");
}

// A node that fits may be one that an agent has not met yet which has just begun.
TEST_F(ControlSubmit, AJobThatFitsNoKnownNodeWaitsAMomentAtAYoungAgent) {
  Json huge = kOneTask;
  huge["groups"][0]["demand"] = {{"cpu_milli", 8'000}};
  agent.uptime = std::chrono::milliseconds(100);
  EXPECT_EQ(ask("submit", huge), nullptr);
  agent.hear_of(2, 8000);
  agent.hear_facts(2, "osprey", 8000);
  EXPECT_EQ(error_of(advance()), "");
  huge["groups"][0]["demand"] = {{"cpu_milli", 64'000}};
  EXPECT_EQ(ask("submit", huge), nullptr);
  agent.uptime = std::chrono::seconds(4);
  EXPECT_EQ(
      error_of(advance()), "refused: no node of 2 can ever fit 64 cpu; largest: osprey, 8 cpu");
}

TEST_F(ControlSubmit, TasksThatCannotBeSuspendedAreRefusedWithTheCure) {
  Json job = kOneTask;
  job["on_preempt"] = "suspend";
  EXPECT_EQ(error_of(ask("submit", job)), "");
  agent.suspends = false;
  EXPECT_EQ(error_of(ask("submit", job)),
      "usage: on_preempt: tasks cannot be suspended here, as there is neither a cgroup that "
      "freezes "
      "nor a /proc that shows their processes; mount /proc, or use --on-preempt requeue");
  EXPECT_EQ(error_of(ask("submit", kOneTask)), "");
}

TEST_F(ControlSubmit, CancelSaysWhatIsWrong) {
  const std::uint32_t job = submit(3);
  const std::pair<Json, const char*> cases[] = {
      {{{"number", 9}},
          "not_found: node merlin has no job 9; `dunlin jobs --all` lists those of the cluster"},
      {{{"number", job}, {"tasks", {3}}},
          "usage: 'tasks' must be a list of the job's task numbers, which count from 0"},
      {{{"number", job}, {"tasks", {-1}}},
          "usage: 'tasks' must be a list of the job's task numbers, which count from 0"},
      {{{"number", job}, {"tasks", "all"}},
          "usage: 'tasks' must be a list of at most 1000000 elements"},
  };
  for (const auto& [request, error] : cases) {
    EXPECT_EQ(error_of(ask("cancel", request)), error) << request;
  }
  EXPECT_EQ(ask("jobs")["ok"]["jobs"][0]["counts"]["waiting"], 3) << "nothing was cancelled";
}

TEST_F(ControlSubmit, CancelCountsTheTasksThatItReached) {
  const std::uint32_t job = submit(5, 3000);
  agent.deliver();
  ASSERT_EQ(agent.executor.launches.size(), 1u);
  EXPECT_EQ(ask("cancel", {{"number", job}, {"tasks", {3, 4}}})["ok"], Json({{"cancelled", 2}}));
  EXPECT_EQ(ask("cancel", {{"number", job}, {"tasks", {3}}})["ok"], Json({{"cancelled", 0}}));
  EXPECT_EQ(ask("cancel", {{"number", job}})["ok"], Json({{"cancelled", 3}}));
  EXPECT_EQ(ask("jobs")["ok"]["jobs"][0]["counts"]["cancelling"], 1) << "one runs, and is told";
}

TEST_F(ControlSubmit, ACancelThatIsNotStoredYetIsAnError) {
  const std::uint32_t job = submit(1);
  agent.error = "the disk is full";
  EXPECT_EQ(error_of(ask("cancel", {{"number", job}})),
      "io: cancelled, but this could not be stored yet: the disk is full");
}

TEST_F(ControlSubmit, LinesComeInPieces) {
  Json begin = {{"groups", {{{"command", {"echo", "%{ENTRY}"}}, {"count", 0}}}}};
  const Json upload = ask("submit_begin", begin)["ok"]["upload"];
  EXPECT_EQ(ask("submit_lines", {{"upload", upload}, {"lines", {"a", "b"}}})["ok"]["lines"], 2);
  EXPECT_EQ(ask("submit_lines", {{"upload", upload}, {"lines", {"c"}}})["ok"]["lines"], 3);
  EXPECT_EQ(ask("submit_end", {{"upload", upload}})["ok"]["tasks"], 3);
  EXPECT_EQ(error_of(ask("submit_end", {{"upload", upload}})), "not_found: no upload 1 here");
}

// The client may have said more before it hears of it.
TEST_F(ControlSubmit, ABadLineEndsItsUpload) {
  Json begin = {{"groups", {{{"command", {"echo", "%{ENTRY}"}}, {"count", 0}}}}};
  const Json upload = ask("submit_begin", begin)["ok"]["upload"];
  EXPECT_EQ(error_of(ask("submit_lines", {{"upload", upload}, {"lines", {7}}})),
      "usage: every line of a group must be a text without zero bytes");
  EXPECT_EQ(error_of(ask("submit_lines", {{"upload", upload}, {"lines", {"a"}}})),
      "not_found: no upload 1 here");
  EXPECT_EQ(error_of(ask("submit_end", {{"upload", upload}})), "not_found: no upload 1 here");
}

TEST_F(ControlSubmit, OneConnectionHasOnlySoManyUploads) {
  EXPECT_EQ(error_of(ask("submit_begin", kOneTask)), "");
  EXPECT_EQ(error_of(ask("submit_begin", kOneTask)), "");
  EXPECT_EQ(error_of(ask("submit_begin", kOneTask)),
      "refused: too many uploads under way on this connection");
}

}  // namespace
}  // namespace dunlin::node
