// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/web/gateway_world.h"

// The examples that /v1/openapi.json gives, each asked of a real agent as it stands there: a reader
// copies them. The order is this test's: a job must run before it can be held.
namespace dunlin::web {
namespace {

using node::Json;
using ::testing::HasSubstr;

/// An example as it stands in a query.
std::string example_text(const Json& example) {
  if (example.is_string()) return example.get<std::string>();
  if (!example.is_array()) return example.dump();
  std::string list;
  for (const Json& each : example) list += (list.empty() ? "" : ",") + example_text(each);
  return list;
}

class OpenApiExamples : public node::AgentWorld {
 protected:
  void SetUp() override {
    agent = &add("node1");
    wait_for_nodes(*agent, 1);
    gateway = std::make_unique<TestGateway>(*agent, home + "/web");
    cookie = gateway->log_in();
    document = gateway->ask("GET", "/v1/openapi.json").json();
    ASSERT_EQ(document["openapi"], "3.1.0");
  }

  const Json& operation(const std::string& method, const std::string& path) {
    const Json& found = document["paths"][path][method];
    EXPECT_TRUE(found.is_object()) << method << " " << path;
    ran.insert(found["operationId"].get<std::string>());
    return found;
  }
  /// The path with its examples, and those parameters of the query that a request must have.
  static std::string target_of(const std::string& path, const Json& operation) {
    std::string target = path;
    std::string query;
    for (const Json& each : operation["parameters"]) {
      const std::string name = each["name"];
      const std::string value = example_text(each["example"]);
      if (each["in"] == "path")
        target.replace(target.find("{" + name + "}"), name.size() + 2, value);
      if (each["in"] == "query" && each.value("required", false)) {
        query += (query.empty() ? "?" : "&") + name + "=" + value;
      }
    }
    return target + query;
  }
  /// Reads without parameters, and then with each of them.
  void read(const std::string& path) {
    const Json& get = operation("get", path);
    const std::string target = target_of(path, get);
    std::vector<std::string> targets = {target};
    for (const Json& each : get["parameters"]) {
      if (each["in"] != "query" || each.value("required", false)) continue;
      targets.push_back(target + (target.find('?') == target.npos ? "?" : "&") +
          each["name"].get<std::string>() + "=" + example_text(each["example"]));
    }
    for (const std::string& each : targets) {
      const HttpAnswer answer = gateway->ask("GET", each, "Cookie: " + cookie + "\r\n");
      EXPECT_EQ(answer.status, 200) << each << " " << answer.body;
    }
  }
  Json body_of(const Json& operation) const {
    return operation.contains("requestBody")
        ? operation["requestBody"]["content"]["application/json"]["example"]
        : Json();
  }
  /// Changes something by its example.
  HttpAnswer change(const std::string& method, const std::string& path) {
    const Json& found = operation(method, path);
    const Json body = body_of(found);
    std::string verb;
    for (const char c : method) verb += static_cast<char>(c - 'a' + 'A');
    std::string headers = headers_to_change();
    for (const Json& each : found["parameters"]) {
      if (each["in"] != "header") continue;
      headers += each["name"].get<std::string>() + ": " + example_text(each["example"]) + "\r\n";
    }
    return gateway->ask(
        verb, target_of(path, found), headers, body.is_null() ? std::string() : body.dump());
  }
  std::string headers_to_change() const {
    return "Cookie: " + cookie +
        "\r\nX-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n";
  }
  Json counts() const { return gateway->get("/v1/jobs/1", cookie)["counts"]; }
  /// The gateway tells a stream's id as its first event, and the topics are changed under it.
  void follow() {
    HttpClient stream(gateway->port());
    const std::string target = target_of("/v1/stream", operation("get", "/v1/stream"));
    stream.send(request_text("GET", target, "Cookie: " + cookie + "\r\n"));
    const std::string begin = stream.read_until("event: jobs");
    ASSERT_THAT(begin, HasSubstr("event: hello"));
    const std::string mark = "\"stream\":\"";
    const auto at = begin.find(mark) + mark.size();
    const std::string id = begin.substr(at, begin.find('"', at) - at);
    const Json& topics = operation("post", "/v1/stream/{stream}");
    EXPECT_EQ(id.size(), topics["parameters"][0]["example"].get<std::string>().size());
    EXPECT_EQ(gateway->post("/v1/stream/" + id, cookie, body_of(topics)).status, 204);
  }
  /// A code counts once, so that of the example can only look like one.
  void log_in_and_out() {
    Json body = body_of(operation("post", "/v1/session"));
    EXPECT_EQ(gateway->post("/v1/session", "", body).status, 401);
    const std::string link = gateway->say({"login"});
    body["code"] = link.substr(link.find('#') + 1);
    EXPECT_EQ(gateway->post("/v1/session", "", body).status, 200);
    EXPECT_EQ(change("delete", "/v1/session").status, 204);
  }

  node::TestAgent* agent = nullptr;
  std::unique_ptr<TestGateway> gateway;
  std::string cookie;
  Json document;
  std::set<std::string> ran;
};

TEST_F(OpenApiExamples, AreAnsweredByARealAgent) {
  const HttpAnswer submitted = change("post", "/v1/jobs");
  ASSERT_EQ(submitted.status, 201) << submitted.body;
  ASSERT_TRUE(eventually([&] { return counts()["running"] == 2; })) << counts();

  for (const auto& [path, methods] : document["paths"].items()) {
    if (methods.contains("get") && path != "/v1/stream") read(path);
  }
  for (const auto& [method, path] : std::vector<std::pair<std::string, std::string>>{
           {"patch", "/v1/jobs/{job}"}, {"post", "/v1/jobs/{job}/hold"},
           {"post", "/v1/jobs/{job}/release"}, {"post", "/v1/jobs/{job}/cancel"}}) {
    const HttpAnswer answer = change(method, path);
    EXPECT_EQ(answer.status, 200) << method << " " << path << " " << answer.body;
  }
  // What was cancelled still ends, and only then it may run again.
  ASSERT_TRUE(eventually([&] { return counts()["cancelled"] == 1; })) << counts();
  EXPECT_EQ(change("post", "/v1/jobs/{job}/retry").status, 200);
  ASSERT_TRUE(eventually([&] { return counts()["running"] == 2; })) << counts();
  for (const std::string path : {"/v1/jobs/{job}/requeue", "/v1/nodes/{node}/drain"}) {
    const HttpAnswer answer = change("post", path);
    EXPECT_EQ(answer.status, 200) << path << " " << answer.body;
  }
  follow();
  log_in_and_out();

  std::set<std::string> all;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, each] : methods.items()) {
      all.insert(each["operationId"].get<std::string>());
    }
  }
  EXPECT_EQ(ran, all);
}

}  // namespace
}  // namespace dunlin::web
