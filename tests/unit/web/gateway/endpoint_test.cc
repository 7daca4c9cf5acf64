// SPDX-License-Identifier: MIT
#include "web/gateway/endpoint.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "web/agent/answers.h"
#include "web/agent/problem.h"
#include "web/gateway/answer_shape.h"
#include "web/gateway/members.h"
#include "web/gateway/openapi.h"

namespace dunlin::web {
namespace {

using client::Json;
using ::testing::HasSubstr;

const Endpoint& endpoint(std::string_view method, std::string_view path) {
  for (const Endpoint& each : all_endpoints()) {
    if (each.method == method && each.path == path) return each;
  }
  ADD_FAILURE() << method << " " << path;
  return all_endpoints()[0];
}

/// The members of a request, or the reason why there are none.
std::string members(std::string_view method,
    std::string_view path,
    const std::string& target,
    const std::string& body = "") {
  const Target parsed = *parse_target(target);
  Captures captures;
  EXPECT_TRUE(matches(path, parsed.steps, captures)) << target;
  const auto json = body_of(body);
  if (!json) return json.error().detail;
  const auto text = members_of(endpoint(method, path), captures, parsed, *json);
  return text ? *text : text.error().kind + ": " + text.error().detail;
}

std::string page() {
  std::ifstream in(DUNLIN_SOURCE_DIR "/docs/design/http.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Endpoint, MatchesStepByStep) {
  Captures captures;
  const auto steps = [](const std::string& path) { return parse_target(path)->steps; };
  EXPECT_TRUE(matches("/v1/jobs/{job}/tasks/{task}", steps("/v1/jobs/a.1/tasks/3"), captures));
  EXPECT_EQ(captures.at("job"), "a.1");
  EXPECT_EQ(captures.at("task"), "3");
  EXPECT_FALSE(matches("/v1/jobs/{job}", steps("/v1/jobs"), captures));
  EXPECT_FALSE(matches("/v1/jobs/{job}", steps("/v1/jobs/a/b"), captures));
  EXPECT_FALSE(matches("/v1/jobs", steps("/v1/nodes"), captures));
}

TEST(Members, ArePathQueryAndBody) {
  EXPECT_EQ(members("GET", "/v1/jobs", "/v1/jobs?state=done&all=1&ids=a.1,b.2&limit=7"),
      R"("cluster":true,"state":"done","all":true,"ids":["a.1","b.2"],"limit":7)");
  EXPECT_EQ(members("GET", "/v1/jobs", "/v1/jobs"), R"("cluster":true,"limit":50)");
  EXPECT_EQ(members("GET", "/v1/jobs/{job}/tasks", "/v1/jobs/a.1/tasks?after=100&limit=10"),
      R"("job":"a.1","from":100,"limit":10)");
  EXPECT_EQ(members("GET", "/v1/nodes/{node}/past", "/v1/nodes/wren/past"), R"("at":"wren")");
  EXPECT_EQ(members("GET", "/v1/nodes/{node}/overlay", "/v1/nodes/wren/overlay"), R"("at":"wren")");
  EXPECT_EQ(members("GET", "/v1/overlay", "/v1/overlay"), "");
  EXPECT_EQ(members("GET", "/v1/nodes/{node}", "/v1/nodes/wren"), R"("node":"wren")");
  EXPECT_EQ(members("GET", "/v1/jobs/{job}/tasks/{task}", "/v1/jobs/a.1/tasks/3"),
      R"("limit":1,"attempts":true,"job":"a.1","from":3)");
  EXPECT_EQ(members("POST", "/v1/jobs/{job}/retry", "/v1/jobs/7/retry", R"({"tasks":[1,2]})"),
      R"("job":"7","tasks":[1,2])");
  EXPECT_EQ(members("GET", "/v1/jobs/{job}/bins", "/v1/jobs/a.1/bins?bins=60"),
      R"("job":"a.1","bins":60)");
  EXPECT_EQ(members("POST", "/v1/jobs/{job}/hold", "/v1/jobs/7/hold"), R"("job":"7")");
  // A name cannot become a member of its own.
  EXPECT_EQ(members("GET", "/v1/nodes/{node}", "/v1/nodes/a%22,%22b"), R"("node":"a\",\"b")");
}

TEST(Members, AreRefusedByName) {
  EXPECT_THAT(members("GET", "/v1/jobs", "/v1/jobs?colour=red"), HasSubstr("usage: 'colour'"));
  EXPECT_THAT(members("GET", "/v1/jobs", "/v1/jobs?limit=201"), HasSubstr("from 1 to 200"));
  EXPECT_THAT(members("GET", "/v1/jobs", "/v1/jobs?limit=0"), HasSubstr("from 1 to 200"));
  EXPECT_THAT(members("GET", "/v1/jobs", "/v1/jobs?since_at_ns=-1"), HasSubstr("0 or more"));
  EXPECT_THAT(members("GET", "/v1/jobs", "/v1/jobs?all=maybe"), HasSubstr("must be 1 or 0"));
  EXPECT_THAT(
      members("GET", "/v1/jobs/{job}/tasks/{task}", "/v1/jobs/a.1/tasks/x"), HasSubstr("index"));
  const std::string retry = "/v1/jobs/{job}/retry";
  EXPECT_THAT(members("POST", retry, "/v1/jobs/7/retry", R"({"verb":"x"})"), HasSubstr("'verb'"));
  EXPECT_THAT(
      members("POST", retry, "/v1/jobs/7/retry", R"({"tasks":[-1]})"), HasSubstr("whole numbers"));
  EXPECT_THAT(members("POST", retry, "/v1/jobs/7/retry", "[1]"), HasSubstr("no object"));
  EXPECT_THAT(members("POST", retry, "/v1/jobs/7/retry", "{\"a\":\xff}"), HasSubstr("no object"));
}

TEST(AnswerShape, ListsHaveWhatEachListHas) {
  const Target target = *parse_target("/v1/jobs");
  const Answer answer{.ok = {{"jobs", Json::array()}, {"matching", 12}}, .as_of_ns = 5};
  const Json jobs = *shaped_answer(endpoint("GET", "/v1/jobs"), target, answer);
  EXPECT_EQ(jobs["total"], 12);
  EXPECT_TRUE(jobs["next"].is_null());
  EXPECT_TRUE(jobs["silent"].empty());
  EXPECT_EQ(jobs["as_of_ns"], 5);
  const Answer tasks{.ok = {{"tasks", Json::array()}, {"next", 100}}};
  EXPECT_EQ(
      (*shaped_answer(endpoint("GET", "/v1/jobs/{job}/tasks"), target, tasks))["next"], "100");
}

TEST(AnswerShape, ATaskIsTheOneThatWasAskedFor) {
  const Endpoint& task = endpoint("GET", "/v1/jobs/{job}/tasks/{task}");
  const Answer third{.ok = {{"tasks", {{{"index", 3}, {"state", "done"}}}}}};
  EXPECT_EQ(
      (*shaped_answer(task, *parse_target("/v1/jobs/7/tasks/3"), third))["task"]["state"], "done");
  const auto none = shaped_answer(task, *parse_target("/v1/jobs/7/tasks/2"), third);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "not_found");
}

TEST(AnswerShape, CellsOfNodesAreAGridToo) {
  const Answer told{
      .ok = {{"total", 4}, {"cells", {{{"memory", 1}, {"cpu", 2}, {"nodes", {{"up", 4}}}}}}},
      .as_of_ns = 5};
  const Json bins =
      *shaped_answer(endpoint("GET", "/v1/nodes/bins"), *parse_target("/v1/nodes/bins"), told);
  EXPECT_EQ(bins["grid"][1][2], 4);
  EXPECT_EQ(bins["total"], 4);
  EXPECT_EQ(bins["as_of_ns"], 5);
}

// The page is what others write clients by.
TEST(HttpPage, HasEachEndpointAndItsParameters) {
  const std::string text = page();
  for (const Endpoint& each : all_endpoints()) {
    std::string shown(each.path);
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"{job}", "JOB"},
             {"{node}", "NODE"}, {"{task}", "TASK"}, {"{stream}", "STREAM"}}) {
      if (const auto at = shown.find(from); at != shown.npos) shown.replace(at, from.size(), to);
    }
    const std::string name = "`" + std::string(each.method) + " " + shown + "`";
    if (!each.verb.empty()) {
      EXPECT_THAT(text, HasSubstr("| " + name + " | `" + std::string(each.verb) + "` |"));
    }
    // These two have words of their own.
    if (each.way == Way::stream || each.way == Way::topics) continue;
    if (each.way == Way::login) continue;
    std::vector<std::string_view> words;
    for (const Parameter& parameter : each.query) words.push_back(parameter.name);
    for (const Parameter& parameter : each.body) words.push_back(parameter.name);
    const auto at = text.find("\n- " + name + ":");
    EXPECT_EQ(at == text.npos, words.empty() && each.way != Way::submit) << name;
    if (at == text.npos) continue;
    const auto end = std::min(text.find("\n- ", at + 1), text.find("\n\n", at + 1));
    const std::string list = text.substr(at, end - at);
    for (const std::string_view word : words) {
      EXPECT_THAT(list, HasSubstr("`" + std::string(word) + "`")) << name;
    }
  }
}

TEST(HttpPage, HasEachKindOfErrorWithItsStatus) {
  const std::string text = page();
  for (const char* const kind :
      {"usage", "session", "forbidden", "refused", "not_found", "method", "conflict", "too_large",
          "media_type", "range", "host", "header", "away", "full", "stopping", "timeout"}) {
    EXPECT_THAT(text,
        HasSubstr(
            "| `" + std::string(kind) + "` | " + std::to_string(status_of_kind(kind)) + " |"));
  }
  EXPECT_EQ(status_of_kind("something new"), 500);
}

TEST(Problem, IsWhatTheStandardSays) {
  const Response answer = problem_answer({"busy", "wait \"here\"\n"});
  EXPECT_EQ(answer.status, 429);
  const Json body = Json::parse(answer.body);
  EXPECT_EQ(body["kind"], "busy");
  EXPECT_EQ(body["title"], "Too Many Requests");
  EXPECT_EQ(body["status"], 429);
  EXPECT_EQ(body["detail"], "wait \"here\"\n");
}

// The agent says when to come again in ns, HTTP knows whole seconds alone.
TEST(Problem, SaysWhenToComeAgain) {
  const auto seconds = [](const Trouble& trouble) -> std::string {
    for (const auto& [name, value] : problem_answer(trouble).headers) {
      if (name == "Retry-After") return value;
    }
    return "none";
  };
  EXPECT_EQ(seconds({"busy", "", 1}), "1");
  EXPECT_EQ(seconds({"busy", "", 200'000'000}), "1");
  EXPECT_EQ(seconds({"busy", "", 1'000'000'000}), "1");
  EXPECT_EQ(seconds({"quota", "", 1'000'000'001}), "2");
  EXPECT_EQ(seconds({"full", "", 59'500'000'000}), "60");
  EXPECT_EQ(seconds({"busy", ""}), "2") << "it is not known";
  EXPECT_EQ(seconds({"away", ""}), "2");
  EXPECT_EQ(seconds({"conflict", "", 1}), "none");
  EXPECT_EQ(Json::parse(problem_answer({"busy", "", 200'000'000}).body)["retry_ns"], 200'000'000);
  EXPECT_FALSE(Json::parse(problem_answer({"busy", ""}).body).contains("retry_ns"));
}

TEST(OpenApi, NamesEachOperationOnce) {
  const Json document = Json::parse(openapi_text());
  EXPECT_EQ(document["openapi"], "3.1.0");
  std::set<std::string> operations;
  std::size_t count = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      EXPECT_TRUE(operations.insert(operation["operationId"]).second) << path;
      EXPECT_FALSE(operation["responses"].empty());
      ++count;
    }
  }
  EXPECT_EQ(count, all_endpoints().size());
}

/// A value of an example, as it stands in a query.
std::string query_text(const Json& example) {
  if (example.is_string()) return example.get<std::string>();
  if (!example.is_array()) return example.dump();
  std::string list;
  for (const Json& each : example) list += (list.empty() ? "" : ",") + query_text(each);
  return list;
}

// tests/web asks a real agent for each of them.
TEST(OpenApi, HasAnExampleOfEachParameterAndBody) {
  const Json document = Json::parse(openapi_text());
  for (const Endpoint& each : all_endpoints()) {
    std::string method;
    for (const char c : each.method) method += static_cast<char>(c - 'A' + 'a');
    const Json& operation = document["paths"][std::string(each.path)][method];
    std::string target(each.path);
    std::string query;
    for (const Json& parameter : operation["parameters"]) {
      const std::string name = parameter["name"];
      ASSERT_TRUE(parameter.contains("example")) << operation["operationId"] << " " << name;
      const std::string value = query_text(parameter["example"]);
      // Cursors and ids of cells are known from answers alone.
      const bool told =
          name == "cell" || (name == "after" && parameter["schema"]["type"] == "string");
      EXPECT_EQ(value.empty(), told) << name;
      if (parameter["in"] == "header") continue;
      if (parameter["in"] == "path") {
        const auto at = target.find("{" + name + "}");
        ASSERT_NE(at, target.npos) << name;
        target.replace(at, name.size() + 2, value);
      } else {
        query += (query.empty() ? "?" : "&") + name + "=" + value;
      }
    }
    Json body;
    if (operation.contains("requestBody")) {
      body = operation["requestBody"]["content"]["application/json"]["example"];
      EXPECT_TRUE(body.is_object() && !body.empty()) << operation["operationId"];
    }
    // A job's members are the agent's to judge.
    if (each.way == Way::submit) continue;
    const std::string text = members(
        each.method, each.path, target + query, body.is_null() ? std::string() : body.dump());
    EXPECT_EQ(text.find("usage: "), text.npos) << target << query << " " << text;
  }
}

TEST(OpenApi, SaysWhatARequestMustHave) {
  const Json document = Json::parse(openapi_text());
  EXPECT_EQ(document["paths"]["/v1/find"]["get"]["parameters"][0]["required"], true);
  const Json& jobs = document["paths"]["/v1/jobs"]["get"]["parameters"];
  EXPECT_FALSE(jobs[0].contains("required"));
  EXPECT_EQ(jobs[0]["example"], 10);
  const Json& retry = document["paths"]["/v1/jobs/{job}/retry"]["post"]["requestBody"];
  EXPECT_EQ(retry["content"]["application/json"]["example"], Json::parse(R"({"tasks":[1]})"));
}

}  // namespace
}  // namespace dunlin::web
