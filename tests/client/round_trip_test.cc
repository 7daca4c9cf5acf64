// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/client/library_world.h"

// All that a job says comes back from the agent as it was said, by `dunlin job --json`.
namespace dunlin::node {
namespace {

using LibraryRoundTrip = LibraryWorld;

/// A word of a command: any bytes but zero, and no placeholder.
Json any_bytes() {
  const auto byte = rc::gen::suchThat(rc::gen::inRange(1, 256), [](int c) { return c != '%'; });
  std::string bytes;
  for (const int each : *rc::gen::container<std::vector<int>>(byte)) {
    bytes += static_cast<char>(each);
  }
  return bytes_json(bytes);
}

Json any_command() {
  Json command = {"/bin/echo"};
  const int more = *rc::gen::inRange(0, 4);
  for (int i = 0; i < more; ++i) command.push_back(any_bytes());
  return command;
}

/// Sets a member of an object, or leaves it at its default.
void perhaps(Json& object, const char* name, const Json& value) {
  if (*rc::gen::arbitrary<bool>()) object[name] = value;
}

Json any_demand() {
  Json demand = {{"cpu_milli", *rc::gen::inRange(1, 4000)}};
  perhaps(demand, "memory_mib", *rc::gen::inRange(0, 4096));
  perhaps(demand, "custom", {{"gpu", *rc::gen::inRange(1, 9)}, {"licence", 1}});
  return demand;
}

/// A group that says anything a group can, which no node need be able to run.
Json any_group() {
  Json group = {{"command", any_command()}};
  const int tasks = *rc::gen::inRange(1, 5);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      group["count"] = tasks;
      perhaps(group, "at_once", *rc::gen::inRange(1, 100));
      break;
    case 1:
      group["entries"] = Json::array();
      for (int i = 0; i < tasks; ++i) group["entries"].push_back(any_bytes());
      break;
    case 2:
      group["array"] = "3-" + std::to_string(2 + tasks) + "%7";
      break;
    default:
      group["input"] = "client";
  }
  if (!group.contains("input")) {
    perhaps(group, "retries", *rc::gen::inRange(0, 1001));
    perhaps(group, "stdin", *rc::gen::element<std::string>("none", "/etc/hosts"));
  }
  perhaps(group, "name", *rc::gen::element<std::string>("one", "größer", "a b"));
  perhaps(group, "demand", any_demand());
  const auto constraints =
      *rc::gen::element<std::string>(R"(["ssd"])", R"(["arch=x86_64", "a>=2"])");
  perhaps(group, "constraints", Json::parse(constraints));
  perhaps(group, "priority", *rc::gen::inRange(0, 101));
  perhaps(group, "time_limit_ns", *rc::gen::inRange(0, 2'000'000'000));
  perhaps(group, "duration_ns", *rc::gen::inRange(0, 2'000'000'000));
  perhaps(group, "directory", *rc::gen::element<std::string>("/tmp", "/var/tmp/%{JOB_ID}"));
  perhaps(group, "stdout", *rc::gen::element<std::string>("none", "/tmp/%{TASK_INDEX}.out"));
  perhaps(group, "stderr", "none");
  perhaps(group, "environment", {{"NAME", any_bytes()}});
  perhaps(group, "inputs", Json::array({"64M@merlin,hobby"}));
  return group;
}

Json any_job(const std::string& earlier) {
  // It is held: nothing of it runs.
  Json job = {{"hold", true}, {"allow_unsatisfiable", true}, {"groups", Json::array()}};
  const int groups = *rc::gen::inRange(1, 4);
  for (int i = 0; i < groups; ++i) job["groups"].push_back(any_group());
  if (groups > 1 && *rc::gen::arbitrary<bool>()) {
    job["groups"].back()["name"] = "last";
    job["groups"].front()["after"] = Json::array({"last"});
  }
  perhaps(job, "name", *rc::gen::element<std::string>("train", "\"quoted\"", "ä\nb"));
  perhaps(job, "class", *rc::gen::element<std::string>("gold", "default"));
  perhaps(job, "replicas", *rc::gen::inRange(0, 5));
  if (*rc::gen::arbitrary<bool>()) {
    job["deadline_ns"] = *rc::gen::inRange<std::int64_t>(3'600'000'000'000, 7'200'000'000'000);
    perhaps(job, "past_deadline", *rc::gen::element<std::string>("run", "cancel"));
  }
  if (*rc::gen::arbitrary<bool>()) {
    job["after_jobs"] = {{{"job", earlier}, {"when", *rc::gen::element<std::string>("ok", "any")}}};
  }
  perhaps(job, "on_end", {{"command", any_command()}});
  return job;
}

/// Fails with both, which RapidCheck cannot print.
void must_be(const Json& told, const Json& said) {
  if (told != said) RC_FAIL("told " + compact(told) + ", said " + compact(said));
}

std::size_t tasks_of(const Json& group) {
  if (group.contains("entries")) return group["entries"].size();
  if (!group.contains("array")) return group.value("count", 1u);
  return std::stoul(group["array"].get<std::string>().substr(2)) - 2;
}

/// As the command line shows it: CPUs and bytes.
Json demand_of(const Json& group) {
  const Json said = group.value("demand", Json::object());
  return {{"cpus", said.value("cpu_milli", 1000) / 1000.0},
      {"memory_bytes", said.value("memory_mib", std::uint64_t{0}) << 20},
      {"custom", said.value("custom", Json::object())}};
}

/// Fails unless `told` has all members of `defaults` as `said` has them.
void must_have(const Json& told, const Json& said, const Json& defaults) {
  for (const auto& [name, value] : defaults.items()) {
    Json expected = said.value(name, value);
    const bool is_time = name.ends_with("_ns");
    if (is_time) expected = expected.get<double>() / 1e9;
    const std::string key = is_time ? name.substr(0, name.size() - 2) + "s" : name;
    must_be({{key, told.value(key, Json())}}, {{key, expected}});
  }
}

void check_group(const Json& said, const Json& told) {
  Json defaults = Json::parse(R"({"name": "", "constraints": [], "priority": 50, "retries": 0,
      "time_limit_ns": 0, "duration_ns": 0, "stdin": "", "stdout": "",
      "stderr": "", "input": "file", "command": null})");
  defaults["directory"] = std::filesystem::current_path().string();  // Where the program is.
  must_have(told, said, defaults);
  must_be(told["count"], tasks_of(said));
  must_be(told["at_once"], said.contains("array") ? Json(7) : said.value("at_once", Json(0)));
  must_be(told["demand"], demand_of(said));
  Json after = Json::array();
  for (const Json& each : told["after"]) after.push_back(each["group"]);
  must_be(after, said.value("after", Json::array()));
  must_be(told["inputs"].is_object(), said.contains("inputs"));
}

void check_job(const Json& said, const Json& told, const std::string& earlier) {
  must_be(told["state"], "held");
  const Json defaults = Json::parse(R"({"name": "", "class": "default", "replicas": 0,
      "deadline_ns": 0, "past_deadline": "run"})");
  must_have(told, said, defaults);
  must_be(told["groups"].size(), said["groups"].size());
  for (std::size_t i = 0; i < told["groups"].size(); ++i) {
    check_group(said["groups"][i], told["groups"][i]);
  }
  must_be(told["after_jobs"].size(), said.value("after_jobs", Json::array()).size());
  for (const Json& each : told["after_jobs"]) {
    must_be(each["job"], earlier);
    must_be(each["when"], said["after_jobs"][0]["when"]);
  }
  must_be(told["on_end"].is_null(), !said.contains("on_end"));
  if (said.contains("on_end")) must_be(told["on_end"]["command"], said["on_end"]["command"]);
}

/// The lines of the tasks, in their order, where a group has some.
void check_lines(const Json& said, const Json& tasks) {
  std::size_t index = 0;
  for (const Json& group : said["groups"]) {
    for (std::size_t i = 0; i < tasks_of(group); ++i, ++index) {
      const Json none;
      const Json line = group.contains("entries") ? group["entries"][i]
          : group.contains("array")               ? Json(std::to_string(3 + i))
                                                  : none;
      must_be(tasks[index].value("entry", none), line);
    }
  }
}

TEST_F(LibraryRoundTrip, AnyJobComesBackAsItWasSaid) {
  agent().client().ok(request("share_set", Json::parse(R"({"set":[{"name":"gold","weight":1}]})")));
  dunlin::Client client = open();
  const dunlin::Job first = client.submit(R"({"hold":true,"groups":[{"command":["true"]}]})");
  const std::string earlier = first.id(kLong);
  const auto holds = [&] {
    const Json said = any_job(earlier);
    const dunlin::Job job = client.submit(said.dump());
    const std::string id = job.id(kLong);
    const Json told =
        Json::parse(shell(DUNLIN_PROGRAM " job --json --address " + agent().socket() + " " + id));
    check_job(said, told, earlier);
    check_lines(said, agent().client().ok(request("tasks", {{"job", id}}))["tasks"]);
  };
  EXPECT_TRUE(rc::check("a job comes back as it was said", holds));
}

}  // namespace
}  // namespace dunlin::node
