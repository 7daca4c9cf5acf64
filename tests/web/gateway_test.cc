// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/node/program.h"
#include "tests/web/gateway_world.h"

// A gateway before a real agent, and what browsers, scripts and strangers do with it.
namespace dunlin::web {
namespace {

using node::Json;
using ::testing::HasSubstr;
using ::testing::Not;

class WebGateway : public node::AgentWorld {
 protected:
  void SetUp() override {
    agent = &add("a");
    wait_for_nodes(*agent, 1);
    gateway =
        std::make_unique<TestGateway>(*agent, home + "/web", std::vector<std::string>{"--metrics"});
    cookie = gateway->log_in();
  }

  /// Submits tasks of `sh -c script` by HTTP, and returns the job's name.
  std::string submit_by_http(const std::string& script, const std::string& headers = "") {
    const Json body = {{"groups", {{{"command", {"sh", "-c", script}}, {"literal", true}}}}};
    const HttpAnswer answer = gateway->ask("POST", "/v1/jobs",
        "Cookie: " + cookie +
            "\r\nX-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n" +
            headers,
        body.dump());
    EXPECT_EQ(answer.status, 201) << answer.body;
    const std::string job = answer.json()["job"];
    EXPECT_EQ(answer.headers.at("location"), "/v1/jobs/" + job);
    return job;
  }
  bool ends(const std::string& job) {
    return eventually([&] { return gateway->get("/v1/jobs/" + job, cookie)["finished"] == true; });
  }
  std::string with_cookie() const { return "Cookie: " + cookie + "\r\n"; }

  node::TestAgent* agent = nullptr;
  std::unique_ptr<TestGateway> gateway;
  std::string cookie;
};

TEST_F(WebGateway, AJobIsSubmittedWatchedAndCancelled) {
  const std::string done = submit_by_http("echo hello");
  ASSERT_TRUE(ends(done));
  const Json job = gateway->get("/v1/jobs/" + done, cookie);
  EXPECT_EQ(job["counts"]["done"], 1);
  EXPECT_GT(job["as_of_ns"], 0);
  const Json task = gateway->get("/v1/jobs/" + done + "/tasks/0", cookie);
  EXPECT_EQ(task["task"]["outcome"], "exited");
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs/" + done + "/tasks/1", with_cookie()).status, 404);
  EXPECT_EQ(
      gateway->ask("GET", "/v1/jobs/" + done + "/tasks/0/output", with_cookie()).body, "hello\n");

  const std::string long_one = submit_by_http("sleep 300");
  const Json list = gateway->get("/v1/jobs?state=running", cookie);
  EXPECT_LE(list["total"], 1) << list;
  EXPECT_EQ(
      gateway->post("/v1/jobs/" + long_one + "/cancel", cookie, Json::object()).json()["cancelled"],
      1);
  ASSERT_TRUE(ends(long_one));
  const HttpAnswer late = gateway->post("/v1/jobs/" + long_one + "/hold", cookie, Json::object());
  EXPECT_GE(late.status, 400);
  EXPECT_EQ(late.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(gateway->get("/v1/jobs?all=1", cookie)["total"], 2);
  EXPECT_EQ(gateway->get("/v1/audit-log", cookie)["actions"][0]["verb"], "cancel");
}

TEST_F(WebGateway, ASubmitThatIsSaidTwiceIsOneJob) {
  const std::string key = "Idempotency-Key: nightly-2026-11-28\r\n";
  const std::string first = submit_by_http("true", key);
  EXPECT_EQ(submit_by_http("true", key), first);
  EXPECT_NE(submit_by_http("true"), first);
}

TEST_F(WebGateway, EachThingThatIsReadIsToldAsItsPageSays) {
  const std::string job = submit_by_http("sleep 300");
  for (const std::string path : {"/v1/status", "/v1/jobs", "/v1/nodes", "/v1/nodes/bins",
           "/v1/nodes/a", "/v1/nodes/a/tasks", "/v1/nodes/a/past", "/v1/nodes/a/overlay",
           "/v1/overlay", "/v1/nodes/a/events", "/v1/nodes/a/audit-log", "/v1/past", "/v1/events",
           "/v1/audit-log", "/v1/cells", "/v1/shares", "/v1/classes", "/v1/plan", "/v1/masters",
           "/v1/usage", "/v1/params", "/v1/whoami", "/v1/find?name=a.1"}) {
    EXPECT_GT(gateway->get(path, cookie)["as_of_ns"], 0) << path;
  }
  for (const std::string part : {"", "/tasks", "/timeline", "/bins", "/explain"}) {
    EXPECT_GT(gateway->get("/v1/jobs/" + job + part, cookie)["as_of_ns"], 0) << part;
  }
  const Json nodes = gateway->get("/v1/nodes?limit=1", cookie);
  EXPECT_EQ(nodes["total"], 1);
  EXPECT_EQ(nodes["totals"]["up"], 1);
  EXPECT_EQ(gateway->get("/v1/openapi.json", "")["openapi"], "3.1.0");
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs?colour=red", with_cookie()).status, 400);
  EXPECT_EQ(gateway->ask("GET", "/v1/nodes/nobody", with_cookie()).status, 404);
  EXPECT_EQ(gateway->ask("PUT", "/v1/jobs", with_cookie()).headers.at("allow"), "GET, POST");
}

TEST_F(WebGateway, OutputHasRanges) {
  const std::string job = submit_by_http("seq 1 50000");
  ASSERT_TRUE(ends(job));
  const std::string path = "/v1/jobs/" + job + "/tasks/0/output";
  const HttpAnswer all = gateway->ask("GET", path, with_cookie());
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(all.headers.at("dunlin-ended"), "1");
  ASSERT_EQ(all.headers.at("dunlin-total"), std::to_string(all.body.size()));
  EXPECT_EQ(all.body.substr(0, 6), "1\n2\n3\n");
  EXPECT_EQ(all.body.substr(all.body.size() - 6), "50000\n");
  const HttpAnswer part = gateway->ask("GET", path, with_cookie() + "Range: bytes=-6\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "50000\n");
  EXPECT_THAT(part.headers.at("content-range"), HasSubstr("/" + std::to_string(all.body.size())));
  EXPECT_EQ(gateway->ask("GET", path, with_cookie() + "Range: bytes=9999999-\r\n").status, 416);
  EXPECT_THAT(
      gateway->ask("GET", path + "?download=1", with_cookie()).headers.at("content-disposition"),
      HasSubstr("attachment"));
}

TEST_F(WebGateway, StrangersAreKeptOut) {
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs").status, 401);
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs", with_cookie() + "Host: evil.example\r\n").status, 421);
  EXPECT_EQ(gateway->ask("GET", "/", "Host: evil.example\r\n").status, 421);
  const std::string json = "Content-Type: application/json\r\n";
  const std::string job = submit_by_http("sleep 300");
  const std::string cancel = "/v1/jobs/" + job + "/cancel";
  for (const std::string& headers :
      {json, json + "X-Dunlin: 1\r\n", json + "X-Dunlin: 1\r\nSec-Fetch-Site: cross-site\r\n",
          json + "X-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://evil.example\r\n",
          json + "Sec-Fetch-Site: same-origin\r\n"}) {
    EXPECT_EQ(gateway->ask("POST", cancel, with_cookie() + headers, "{}").status, 403) << headers;
  }
  EXPECT_EQ(gateway
                ->ask("POST", cancel,
                    with_cookie() +
                        "X-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\n"
                        "Content-Type: text/plain\r\n",
                    "{}")
                .status,
      415);
  EXPECT_EQ(gateway->get("/v1/jobs/" + job, cookie)["finished"], false);
  const HttpAnswer page = gateway->ask("GET", "/");
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.headers.count("access-control-allow-origin"), 0u);
}

TEST_F(WebGateway, ACodeCountsOnceAndGuessesAreFew) {
  const std::string link = gateway->say({"login"});
  const Json code = {{"code", link.substr(link.find('#') + 1)}};
  EXPECT_EQ(gateway->post("/v1/session", "", code).status, 200);
  EXPECT_EQ(gateway->post("/v1/session", "", code).status, 401);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(gateway->post("/v1/session", "", {{"code", "0123"}}).status, 401);
  }
  const HttpAnswer many = gateway->post("/v1/session", "", {{"code", "0123"}});
  EXPECT_EQ(many.status, 429);
  EXPECT_EQ(many.headers.at("retry-after"), "60");
}

// The user of this test is the agent's own.
TEST_F(WebGateway, SaysWhetherWhoAsksIsAnAdministrator) {
  EXPECT_TRUE(
      eventually([&] { return gateway->get("/v1/whoami", cookie)["administrator"] == true; }));
  const std::string link = gateway->say({"login"});
  const Json code = {{"code", link.substr(link.find('#') + 1)}};
  EXPECT_EQ(gateway->post("/v1/session", "", code).json().count("administrator"), 1u);
  agent->kill9();
  EXPECT_TRUE(eventually([&] {
    return gateway->get("/v1/whoami", cookie)["administrator"].is_null();
  })) << "it is answered without the agent";
}

TEST_F(WebGateway, ATokenMayReadAloneAndIsTakenBack) {
  const std::string secret = gateway->say({"token", "--read-only", "--expires", "1h"});
  const std::string bearer = "Authorization: Bearer " + secret + "\r\n";
  EXPECT_EQ(gateway->ask("GET", "/v1/whoami", bearer).json()["read_only"], true);
  EXPECT_EQ(gateway->ask("POST", "/v1/jobs/1/cancel", bearer).status, 403);
  EXPECT_EQ(gateway->ask("GET", "/v1/whoami?token=" + secret).status, 401);
  const std::string line = gateway->say({"token", "--list"});
  gateway->say({"token", "--revoke", line.substr(0, line.find(' '))});
  EXPECT_EQ(gateway->ask("GET", "/v1/whoami", bearer).status, 401);
}

TEST_F(WebGateway, AStreamTellsWhatHappensAndGoesOnWhereItWasCut) {
  HttpClient first(gateway->port());
  const std::string target = "/v1/stream?topics=jobs,events";
  first.send(request_text("GET", target, with_cookie()));
  const std::string begin = first.read_until("event: jobs");
  EXPECT_THAT(begin, HasSubstr("text/event-stream"));
  EXPECT_THAT(begin, HasSubstr("event: hello"));
  const std::string job = submit_by_http("echo from the task; sleep 2; echo more");
  std::string told = begin + first.read_until("job_accepted");
  told.resize(told.find("job_accepted"));
  const auto at = told.rfind("id: ");
  const std::string id = told.substr(at + 4, told.find('\n', at) - at - 4);
  HttpClient second(gateway->port());
  second.send(
      request_text("GET", target + ",job:" + job, with_cookie() + "Last-Event-ID: " + id + "\r\n"));
  EXPECT_THAT(second.read_until("job_finished"), HasSubstr("\"topic\":\"job:" + job + "\""));
  HttpClient third(gateway->port());
  third.send(
      request_text("GET", "/v1/stream?topics=jobs", with_cookie() + "Last-Event-ID: 0.1\r\n"));
  EXPECT_THAT(third.read_until("event: jobs"), HasSubstr("\"why\":\"lost\""));
  HttpClient log(gateway->port());
  log.send(request_text("GET", "/v1/stream?topics=log:" + job + ".0", with_cookie()));
  EXPECT_THAT(log.read_until("\"ended\":true"), HasSubstr("event: log"));
  EXPECT_EQ(gateway->ask("GET", "/v1/stream?topics=weather", with_cookie()).status, 400);
}

TEST_F(WebGateway, TopicsOfAStreamAreChanged) {
  HttpClient client(gateway->port());
  client.send(request_text("GET", "/v1/stream?topics=jobs", with_cookie()));
  const std::string begin = client.read_until("event: jobs");
  const auto at = begin.find("\"stream\":\"") + 10;
  const std::string path = "/v1/stream/" + begin.substr(at, begin.find('"', at) - at);
  EXPECT_EQ(gateway->post(path, cookie, {{"topics", {"nodes"}}}).status, 204);
  EXPECT_THAT(client.read_until("event: nodes"), HasSubstr("\"up\":1"));
  EXPECT_EQ(gateway->post("/v1/stream/0000", cookie, {{"topics", {"nodes"}}}).status, 404);
}

TEST_F(WebGateway, SessionsOutliveTheGateway) {
  EXPECT_EQ(gateway->get("/v1/whoami", cookie)["by"], "session");
  gateway->say({"login"});  // Whoever logs in has all written down.
  ASSERT_TRUE(eventually([&] { return ::access((home + "/web/logins").c_str(), F_OK) == 0; }));
  gateway->kill9();
  gateway->start();
  EXPECT_EQ(gateway->get("/v1/whoami", cookie)["by"], "session");
  gateway->ask(
      "DELETE", "/v1/session", with_cookie() + "X-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\n");
  EXPECT_EQ(gateway->ask("GET", "/v1/whoami", with_cookie()).status, 401);
}

TEST_F(WebGateway, SaysThatTheAgentIsAwayAndGoesOnWhenItIsBack) {
  HttpClient stream(gateway->port());
  stream.send(request_text("GET", "/v1/stream?topics=nodes", with_cookie()));
  stream.read_until("event: nodes");
  EXPECT_EQ(gateway->ask("GET", "/readyz").status, 200);
  agent->kill9();
  EXPECT_THAT(stream.read_until("\"kind\":\"away\""), HasSubstr("event: trouble"));
  const HttpAnswer away = gateway->ask("GET", "/v1/status", with_cookie());
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.json()["kind"], "away");
  EXPECT_EQ(gateway->ask("GET", "/readyz").status, 503);
  EXPECT_EQ(gateway->ask("GET", "/healthz").status, 200);
  agent->start();
  agent->wait_until_up();
  EXPECT_THAT(stream.read_until("\"why\":\"agent\""), HasSubstr("event: reset"));
  EXPECT_TRUE(eventually([&] { return gateway->ask("GET", "/readyz").status == 200; }));
  EXPECT_GT(gateway->get("/v1/status", cookie)["as_of_ns"], 0);
}

TEST_F(WebGateway, RequestsInOneBreathAreAnsweredInTheirOrder) {
  HttpClient client(gateway->port());
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += request_text("GET", i % 2 == 0 ? "/healthz" : "/v1/whoami", with_cookie());
  }
  client.send(text);
  for (int i = 0; i < 200; ++i) {
    const HttpAnswer answer = client.answer();
    ASSERT_EQ(answer.status, 200) << i;
    EXPECT_EQ(answer.json().contains("healthy"), i % 2 == 0) << i;
  }
}

TEST_F(WebGateway, WhatIsTooLongOrMakesNoSenseEndsTheConnection) {
  const std::pair<std::string, int> wrong[] = {
      {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", 431},
      {"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
      {"nonsense\r\n\r\n", 400}};
  for (const auto& [text, status] : wrong) {
    HttpClient client(gateway->port());
    client.send(text);
    EXPECT_EQ(client.answer().status, status) << text.substr(0, 60);
    EXPECT_TRUE(client.ends_within(5));
  }
  EXPECT_EQ(gateway->ask("GET", "/a%0d%0ab").status, 400);
}

TEST_F(WebGateway, ThoseWhoOnlyHoldConnectionsOpenKeepNobodyOut) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4'096);
  ::setrlimit(RLIMIT_NOFILE, &files);
  std::vector<std::unique_ptr<HttpClient>> held;
  for (int i = 0; i < 1'100; ++i) {
    held.push_back(std::make_unique<HttpClient>(gateway->port()));
    if (i % 2 == 0) held.back()->send("GET / HT");
  }
  EXPECT_EQ(gateway->ask("GET", "/healthz").status, 200);
  EXPECT_EQ(gateway->get("/v1/whoami", cookie)["by"], "session");
  // Those that began to ask are younger by that, and how much is chance.
  EXPECT_TRUE(held[1]->ends_within(5)) << "the first that never asked made room";
}

TEST_F(WebGateway, MetricsAreToldWithoutASession) {
  const HttpAnswer metrics = gateway->ask("GET", "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("dunlin_node_state{state=\"up\"} 1\n"));
  EXPECT_THAT(metrics.body, Not(HasSubstr("user=")));
  EXPECT_THAT(metrics.body, Not(HasSubstr(" The counter "))) << "the table lacks one";
}

TEST_F(WebGateway, AlarmsAndABoardNeedNoAgent) {
  const auto printed = [](const std::string& flag) {
    return node::run_dunlin("/no/agent", {"metrics", flag});
  };
  EXPECT_THAT(printed("--alerts").out, HasSubstr("- alert: 'DunlinNodeSick'\n"));
  EXPECT_EQ(Json::parse(printed("--grafana").out, nullptr, false)["title"], "Dunlin");
}

// A collector reads the file at any moment, and as another user.
TEST_F(WebGateway, MetricsOfTheCommandLineAreTheSame) {
  const std::string file = home + "/dunlin.prom";
  ASSERT_EQ(node::run_dunlin(agent->socket(), {"metrics", "--textfile", file}).status, 0);
  const node::ProgramRun shown = node::run_dunlin(agent->socket(), {"metrics"});
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(shown.out, '\n'));
  EXPECT_THAT(text, ::testing::StartsWith("# HELP dunlin_build_info"));
  struct stat found{};
  ASSERT_EQ(::stat(file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0644u);
  EXPECT_EQ(node::run_dunlin(agent->socket(), {"metrics", "--textfile", "/nowhere/x"}).status, 1);
}

}  // namespace
}  // namespace dunlin::web
