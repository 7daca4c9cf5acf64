// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_file_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>
#include <span>
#include <type_traits>

#include "node/codec.h"
#include "node/control/job_json.h"
#include "node/control/submit/said_job.h"
#include "overlay/field_info.h"
#include "sched/replica/record.h"
#include "sched/resources.h"
#include "tests/support/scratch.h"
#include "tools/dunlin/jobs/job_file.h"
#include "tools/dunlin/jobs/job_flags.h"

// A job can be read back and submitted again: as a request, and as a job file.
namespace dunlin::cli {
namespace {

using node::parse_job;
using node::said_job;

/// Draws jobs that a job file can say. Bounds come up as often as what is between them.
class JobDraw {
 public:
  explicit JobDraw(unsigned seed) : random_(seed) {}

  Json job() {
    Json job = {{"name", text()}};
    draw_terms<sched::replica::PutJob>(job);
    if (job.contains("replicas_required")) job["replicas"] = 4;
    if (job.contains("deadline_ns")) job.erase("begin_ns");  // It might begin too late.
    if (chance()) job["class"] = "gold";
    if (job.contains("deadline_ns") && chance()) job["past_deadline"] = "cancel";
    draw_yielding(job);
    const bool yields = job.contains("on_preempt") && job["on_preempt"] != "never";
    if (!yields && chance()) job["rerun"] = "never";
    if (chance()) job["comment"] = text();
    if (chance()) job["labels"] = {{"a/b.c", "x = \"y\""}, {"step", chance() ? "2" : "\xc3\xa9"}};
    const auto groups = between(1, 3);
    for (std::int64_t i = 0; i < groups; ++i) job["groups"].push_back(group(i));
    for (Json& each : job["groups"]) {
      if (job.contains("rerun")) each.erase("retries");
    }
    if (chance()) {
      job["on_end"] = {{"command", {"mail", "it \"ended\""}}};
      const Json& directory = member(job["groups"][0], "directory");
      if (!directory.is_null()) job["on_end"]["directory"] = directory;
    }
    return job;
  }

 private:
  bool chance() { return random_() % 2 == 0; }
  std::int64_t between(std::int64_t min, std::int64_t max) {
    const auto way = random_() % 4;
    if (way < 2) return way == 0 ? min : max;
    return std::uniform_int_distribution(min, max)(random_);
  }
  std::string text() {
    constexpr const char* kTexts[] = {"a", "two words", "\"quoted\" \\ back", "tab\tline\n",
        "\xc3\xa9\xe2\x82\xac", "#no = comment", "'single'", "%%{", "\x01\x7f"};
    return kTexts[random_() % std::size(kTexts)];
  }

  /// Some of the terms that the schema names, at their bounds and between.
  template <typename Record>
  void draw_terms(Json& json) {
    const Record record;
    Record::terms(record, [&](const overlay::FieldInfo& info, const auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      const std::string key(info.key);
      if constexpr (std::is_same_v<Member, std::string>) return;
      if (!chance()) return;
      if constexpr (std::is_same_v<Member, bool>) {
        json[key] = true;
      } else {
        json[key] = between(std::max<std::int64_t>(info.min, 1), info.max);
      }
    });
  }

  void draw_yielding(Json& job) {
    constexpr const char* kWords[] = {"never", "checkpoint", "suspend"};
    const auto which = random_() % 4;
    if (which == 3) return;
    job["on_preempt"] = kWords[which];
    if (which != 1) return;
    job["checkpoint_signal"] = chance() ? 10 : 64;
    job["checkpoint_time_ns"] = between(1, 86400000000000) / 1000000 * 1000000 + 1000000;
    if (job["checkpoint_time_ns"] > 86400000000000) job["checkpoint_time_ns"] = 86400000000000;
  }

  void draw_limit_signal(Json& group) {
    constexpr std::int64_t kMs = 1'000'000;
    const std::int64_t limit = group.value("time_limit_ns", std::int64_t{0});
    if (limit <= kMs || !chance()) return;
    group["limit_signal"] = chance() ? 12 : 40;
    group["limit_signal_time_ns"] = between(1, (limit - 1) / kMs) * kMs;
  }

  void draw_tasks(Json& group) {
    // A job has at most so many tasks in all, and lines or an array say how many there are.
    group.erase("count");
    switch (random_() % 4) {
      case 0:
        group.erase("at_once");
        group["array"] = chance() ? "0-9:3,11,20-22%2" : "7";
        group["command"].push_back("%{ENTRY}");
        return;
      case 1:
        for (auto left = between(1, 5); left > 0; --left) group["entries"].push_back(text());
        group["command"].push_back("%{ENTRY}");
        return;
      case 2:
        group["count"] = between(1, 333333);
        return;
      default:
        return;
    }
  }

  Json group(std::int64_t index) {
    Json group = {{"name", "g" + std::to_string(index)}, {"command", {"./step", text()}},
        {"umask", between(0, 0777)}, {"submit_directory", "/submit"}};
    draw_terms<sched::replica::PutGroup>(group);
    if (chance()) {
      group["script"] = "#!/bin/sh -e\n" + text() + "\"\"\"\"\\\"\"\"" + text();
      if (chance()) group.erase("command");  // It may have no arguments.
    }
    draw_tasks(group);
    Json amounts = Json::object();
    draw_terms<sched::Resources>(amounts);
    Json demand = Json::object();
    for (const auto& [key, amount] : amounts.items()) {
      const bool rate = std::ranges::count(sched::kRates, key, &sched::Rate::key) > 0;
      (rate ? demand["rates"] : demand)[key] = amount;
    }
    // None of it is not the same as nothing said.
    if (chance()) demand["memory_mib"] = 0;
    if (chance()) demand["custom"]["gpu"] = between(1, 8);
    group["demand"] = demand;
    if (chance()) group["constraints"] = {"arch=x86_64", "kernel>=6.1"};
    if (index > 0 && chance()) group["after"] = {"g0"};
    if (!group.contains("gang") && chance()) group["inputs"] = {"2048M@a,b"};
    if (chance()) group["environment"] = {{"A", text()}, {"f%%", ""}};
    if (chance()) group["directory"] = "/data/" + std::to_string(index);
    if (chance()) group["stdin"] = "none";
    if (chance()) group["stdout"] = "%{CWD}/out";
    if (chance()) group["stderr"] = "/tmp/err";
    if (group.contains("stderr") && chance()) group["truncate"] = true;
    draw_limit_signal(group);
    // Tables of TOML are in the order of their keys.
    if (chance()) group["limits"] = {{"cpu", 3600}, {"nofile", 4096}, {"stack", -1}};
    return group;
  }

  std::mt19937_64 random_;
};

/// Both as bytes of what they mean: a spec's own bytes may differ where it means the same.
void expect_equal(const sched::Job& left, const sched::Job& right, const std::string& why) {
  const auto plain = [](sched::Job job) {
    for (sched::TaskGroup& group : job.groups) group.spec.clear();
    job.end_command.clear();
    return job;
  };
  EXPECT_EQ(plain(left), plain(right)) << why;
  const auto spec = [](const std::string& bytes) {
    return node::decode_task_spec(std::as_bytes(std::span(bytes)));
  };
  ASSERT_EQ(left.groups.size(), right.groups.size()) << why;
  for (std::size_t i = 0; i < left.groups.size(); ++i) {
    EXPECT_EQ(spec(left.groups[i].spec), spec(right.groups[i].spec)) << why;
  }
  ASSERT_EQ(left.end_command.empty(), right.end_command.empty()) << why;
  if (left.end_command.empty()) return;
  EXPECT_EQ(spec(left.end_command), spec(right.end_command)) << why;
}

TEST(JobFileText, ARandomJobComesBackThroughRequestAndFile) {
  const test::Scratch scratch;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Json drawn = JobDraw(seed).job();
    const std::string why = "seed " + std::to_string(seed) + ": " + drawn.dump();
    const auto job = parse_job(drawn, "anna");
    ASSERT_TRUE(job) << why << job.error().text;
    const auto said = said_job(*job);
    ASSERT_TRUE(said) << why;
    const auto again = parse_job(*said, "anna");
    ASSERT_TRUE(again) << why << again.error().text << said->dump();
    expect_equal(*again, *job, why);

    const auto text = job_file_text(*said);
    ASSERT_TRUE(text) << why;
    JobFlags flags;
    flags.file = scratch / "job.toml";
    test::write_file(flags.file, *text);
    const auto request = job_request(flags, "/submit");
    ASSERT_TRUE(request) << why << request.error().text << *text;
    const auto submitted = parse_job(to_json(*request), "anna");
    ASSERT_TRUE(submitted) << why << submitted.error().text << *text;
    expect_equal(*submitted, *job, why + *text);
  }
}

TEST(JobFileText, JobsToWaitForAreNamedByTheirNode) {
  const Json job = {{"after_jobs",
                        {{{"job", "00000000000000a1.7"}, {"when", "any"}},
                            {{"job", "1.8"}, {"when", "started"}, {"delay_ns", 90'000'000'000}}}},
      {"groups", {{{"command", {"x"}}}}}};
  EXPECT_THAT(job_file_text(job).value(),
      ::testing::HasSubstr("after_jobs = [\"00000000000000a1.7:any\", \"1.8:started+1m30s\"]\n"));
}

// A name that moves the cursor, or shows its neighbours in another order, is read back all the
// same.
TEST(JobFileText, WhatATerminalWouldObeyIsEscaped) {
  const std::string name = "a\tb\x1b[2J\u202e\u009bé\\\"";
  const Json job = {{"name", name}, {"groups", {{{"command", {"x"}}}}}};
  const std::string text = job_file_text(job).value();
  EXPECT_THAT(text,
      ::testing::HasSubstr(
          "name = \"a\\U00000009b\\U0000001b[2J\\U0000202e\\U0000009bé\\\\\\\"\"\n"));
  const auto read = parse_job_file(text, "job.toml", "/submit");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->name, name);
}

TEST(JobFileText, AScriptHasItsLines) {
  const std::string script = "#!/bin/sh\n\techo \"a\" \"\" '\"\"\"' \\\r\x1b\necho \"\"";
  const Json job = {{"groups", {{{"script", script}}}}};
  const std::string text = job_file_text(job).value();
  EXPECT_THAT(text,
      ::testing::HasSubstr("script = \"\"\"\n#!/bin/sh\n\techo \"a\" \"\" '\"\"\\\"' "
                           "\\\\\\U0000000d\\U0000001b\necho \"\\\"\"\"\"\n"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("command")));
  const auto read = parse_job_file(text, "job.toml", "/submit");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->groups[0].spec.script, script);
}

TEST(JobFileText, BytesAreNoText) {
  const Json job = {{"groups", {{{"command", {{{"base64", "/w=="}}}}}}}};
  EXPECT_EQ(job_file_text(job).error().kind, ErrorKind::refused);
}

}  // namespace
}  // namespace dunlin::cli
