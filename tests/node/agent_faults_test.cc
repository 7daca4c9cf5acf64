// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <random>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/net/keyring.h"
#include "node/net/local_connection.h"
#include "tests/node/agent_world.h"

// Bad input, bad surroundings: a clear error, and nothing lost.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

std::uint64_t counter(TestAgent& agent, const std::string& name) {
  return agent.client().ok(request("status"))["counters"].value(name, std::uint64_t{0});
}

/// Starts an agent that must not come up; returns what it said.
std::string failed_start(TestAgent& agent, int status) {
  agent.start();
  EXPECT_EQ(agent.wait(), status);
  std::string log = agent.log();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  return log;
}

TEST_F(AgentWorld, AnotherClustersKeyAdmitsNobody) {
  add("a");
  const std::string other = home + "/other.key";
  ASSERT_TRUE(Keyring::generate("test")->save(other));
  agents.push_back(std::make_unique<TestAgent>("stranger", home + "/stranger", other,
      std::vector<std::string>{"--join=" + agents[0]->address()}));
  agents[1]->start();
  agents[1]->wait_until_up();
  EXPECT_TRUE(eventually([&] { return counter(*agents[0], "dropped_key") > 0; }));
  EXPECT_EQ(agents[0]->client().ok(request("nodes"))["nodes"].size(), 1u);
  EXPECT_EQ(agents[1]->client().ok(request("nodes"))["nodes"].size(), 1u);
}

TEST_F(AgentWorld, GarbageDatagramsAreCountedAndNothingElse) {
  TestAgent& agent = add("one");
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(agent.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 1500, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    ::sendto(socket, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof(to));
  }
  ::close(socket);
  EXPECT_TRUE(eventually([&] {
    return counter(agent, "dropped_version") + counter(agent, "dropped_too_short") > 100;
  }));
  EXPECT_EQ(finish(agent, submit(agent, "true", 4))["done"], 4);
}

TEST_F(AgentWorld, MalformedRequestsGetAnError) {
  TestAgent& agent = add("one");
  TestClient client = agent.client();
  for (const char* text : {"", "{", "[]", "7", "null", "{\"verb\": 7}", "{\"verb\": \"jobs\"}",
           "\xff\xfe", "{\"id\": \"x\", \"verb\": \"jobs\"}"}) {
    std::string bytes;
    append_frame(bytes, text);
    client.send_raw(bytes);
    const std::string reply = client.receive();
    EXPECT_THAT(reply, HasSubstr("\"kind\":\"usage\"")) << text;
  }
  const Json wrong[] = {request("nonsense"), request("job"), request("job", {{"number", "one"}}),
      request("job", {{"number", -1}}), request("tasks", {{"number", 1.5}}), request("submit"),
      request("submit", {{"groups", "x"}}), request("wait", {{"numbers", {1, "x"}}}),
      request("drain"), request("drain", {{"on", 1}}), request("output", {{"number", {}}}),
      request("submit_lines", {{"upload", "x"}})};
  for (const Json& request : wrong) {
    EXPECT_EQ(client.call(request)["error"]["kind"], "usage") << request.dump();
  }
  EXPECT_EQ(client.call(request("job", {{"number", 99}}))["error"]["kind"], "not_found");
  EXPECT_EQ(client.call(request("submit_end", {{"upload", 1}}))["error"]["kind"], "not_found");
  EXPECT_TRUE(client.ok(request("status")).contains("version"));

  TestClient oversize = agent.client();
  oversize.send_raw("\xff\xff\xff\xff");
  EXPECT_EQ(oversize.receive(), "");
  EXPECT_TRUE(agent.client().ok(request("status")).contains("version"));
}

TEST_F(AgentWorld, MoreConnectionsThanPlacesEndTheOneThatWasIdleLongest) {
  TestAgent& agent = add("one");
  TestClient first = agent.client();
  EXPECT_TRUE(first.ok(request("status")).contains("version"));
  std::vector<TestClient> clients;
  clients.reserve(140);
  for (int i = 0; i < 140; ++i) {
    clients.push_back(agent.client());
    EXPECT_TRUE(clients.back().ok(request("status")).contains("version")) << i;
  }
  EXPECT_FALSE(first.call(request("status")).contains("ok"));
  clients.clear();
  EXPECT_TRUE(eventually([&] { return agent.client().call(request("status")).contains("ok"); }));
}

TEST_F(AgentWorld, FewFileDescriptorsAreEnough) {
  agents.push_back(std::make_unique<TestAgent>(
      "one", home + "/one", key, std::vector<std::string>{"--cpus=200", "--memory=8G"}));
  agents[0]->in_child = [] {
    const rlimit limit{.rlim_cur = 512, .rlim_max = 512};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  };
  agents[0]->start();
  agents[0]->wait_until_up();
  std::vector<TestClient> clients;
  clients.reserve(60);
  for (int i = 0; i < 60; ++i) clients.push_back(agents[0]->client());
  const std::uint32_t job = submit(*agents[0], "sleep 0.5", 300);
  EXPECT_EQ(finish(*agents[0], job)["done"], 300);
}

TEST_F(AgentWorld, FullDiskRefusesJobsAndRecovers) {
  if (::geteuid() != 0) GTEST_SKIP() << "a small file system of our own needs root";
  const std::string disk = home + "/one";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m") != 0) {
    GTEST_SKIP() << "cannot mount a tmpfs here";
  }
  {
    TestAgent& agent = add("one");
    const std::uint32_t before = submit(agent, "true", 1);
    EXPECT_EQ(finish(agent, before)["done"], 1);

    {
      std::ofstream filler(disk + "/filler");
      const std::string block(4096, 'x');
      while (filler.write(block.data(), 4096).flush()) {
      }
    }
    const Json groups = Json::array({{{"command", {"echo", std::string(60'000, 'x')}}}});
    Json refused;
    EXPECT_TRUE(eventually([&] {
      refused = agent.client().call(request("submit", {{"groups", groups}}));
      return refused.contains("error");
    }));
    EXPECT_EQ(refused["error"]["kind"], "io");
    const Json status = agent.client().ok(request("status"));
    EXPECT_TRUE(status["store_error"].is_string());

    std::filesystem::remove(disk + "/filler");
    EXPECT_TRUE(
        eventually([&] { return agent.client().ok(request("status"))["store_error"].is_null(); }));
    EXPECT_EQ(finish(agent, submit(agent, "true", 3))["done"], 3);

    agent.kill9();
    agent.start();
    agent.wait_until_up();
    EXPECT_EQ(finish(agent, before)["done"], 1);
    agent.kill9();
  }
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(AgentWorld, WhatIsSubmittedAgainAfterADeathIsOneJob) {
  TestAgent& agent = add("one");
  const Json job = {{"groups", Json::array({{{"command", {"true"}}}})},
      {"key", "00112233445566778899aabbccddeeff"}};
  const Json first = agent.client().ok(request("submit", job));
  agent.kill9();
  agent.start();
  agent.wait_until_up();
  EXPECT_EQ(agent.client().ok(request("submit", job))["job"], first["job"]);
  EXPECT_EQ(agent.client().ok(request("submitted", {{"key", job["key"]}}))["job"], first["job"]);
  EXPECT_EQ(agent.client().ok(request("jobs", {{"all", true}}))["jobs"].size(), 1u);
}

// Only a result tells how much there was. A lost attempt has none, and nothing of it may be there.
TEST_F(AgentWorld, NothingIsNotCalledAllOfALostAttempt) {
  TestAgent& home_of_job = add("a");
  TestAgent& worker = add("b");
  wait_for_nodes(home_of_job, 2);
  const std::string again = home + "/again";
  // More than one of the two has room for.
  const std::uint32_t job =
      submit(home_of_job, "echo out; test -e " + again + " || sleep 5; true", 8);
  const auto count = [&](const std::string& state) {
    return home_of_job.client().ok(request("job", {{"number", job}}))["counts"][state] == 8;
  };
  EXPECT_TRUE(eventually([&] { return count("running"); }));
  const pid_t warden = worker.warden();
  ASSERT_GT(warden, 0);
  worker.kill9();
  ::kill(warden, SIGKILL);
  std::ofstream(again) << "x";
  worker.start();
  worker.wait_until_up();
  EXPECT_EQ(finish(home_of_job, job)["done"], 8);
  int lost = 0;
  const Json tasks = home_of_job.client().ok(request("tasks", {{"number", job}}))["tasks"];
  for (const Json& task : tasks) {
    if (task["attempt"] == 1) continue;
    ++lost;
    const Json answer = home_of_job.client().call(
        request("output", {{"number", job}, {"task", task["index"]}, {"attempt", 1}}));
    EXPECT_THAT(answer.dump(), HasSubstr("has no result of attempt 1"));
  }
  EXPECT_GT(lost, 0) << tasks;
}

TEST_F(AgentWorld, PortInUse) {
  TestAgent& first = add("a");
  TestAgent second("b", home + "/b", key, {"--bind=" + first.address()});
  EXPECT_THAT(failed_start(second, 1), HasSubstr(first.address()));
}

TEST_F(AgentWorld, UnwritableDirectory) {
  std::ofstream(home + "/file") << "not a directory";
  TestAgent agent("a", home + "/below", key, {"--data-dir=" + home + "/file/data"});
  EXPECT_THAT(failed_start(agent, 1), HasSubstr(home + "/file/data"));
}

TEST_F(AgentWorld, SecondAgentOfOneDirectory) {
  TestAgent& first = add("a");
  TestAgent second("b", home + "/b", key, {"--data-dir=" + first.directory()});
  EXPECT_THAT(failed_start(second, 1), HasSubstr(first.directory()));
}

TEST_F(AgentWorld, SocketInUse) {
  TestAgent& first = add("a");
  TestAgent second("b", home + "/b", key, {"--socket=" + first.socket()});
  EXPECT_THAT(failed_start(second, 1), HasSubstr("another agent listens on"));
  EXPECT_TRUE(first.client().connected());
}

TEST_F(AgentWorld, MissingOrWritableKey) {
  TestAgent agent("a", home + "/a", home + "/none.key", {});
  EXPECT_THAT(failed_start(agent, 1), HasSubstr("none.key"));
  std::filesystem::copy(key, home + "/open.key");
  std::filesystem::permissions(
      home + "/open.key", std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  TestAgent open("b", home + "/b", home + "/open.key", {});
  EXPECT_THAT(failed_start(open, 1), HasSubstr("open.key"));
}

TEST_F(AgentWorld, CorruptDatabase) {
  std::filesystem::create_directory(home + "/a");
  std::ofstream(home + "/a/dunlin.sqlite") << std::string(8192, 'x');
  ::chmod((home + "/a").c_str(), 0700);
  ::chmod((home + "/a/dunlin.sqlite").c_str(), 0600);
  TestAgent agent("a", home + "/a", key, {});
  EXPECT_THAT(failed_start(agent, 1), HasSubstr("dunlin.sqlite"));
}

TEST_F(AgentWorld, WrongConfiguration) {
  std::ofstream(home + "/agent.toml") << "[cyclon]\nperid = '1s'\n";
  TestAgent agent("a", home + "/a", key, {"--config=" + home + "/agent.toml"});
  EXPECT_THAT(failed_start(agent, 2), HasSubstr("agent.toml:2:"));
}

}  // namespace
}  // namespace dunlin::node
