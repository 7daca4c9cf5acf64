// SPDX-License-Identifier: MIT
#include <set>

#include "node/client/abi.h"
#include "tests/client/library_world.h"

// What libdunlin asks a real agent, and how it tells what went wrong.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

std::string id_of(dunlin_job* job) {
  char id[64] = "";
  EXPECT_EQ(dunlin_job_id(job, 60'000, id, sizeof(id)), DUNLIN_OK);
  return id;
}

class LibraryAnswers : public LibraryWorld {
 protected:
  static Json read(const dunlin::Answer& answer) { return Json::parse(answer.text()); }
};

// All of them, page by page, though one page holds two.
TEST_F(LibraryAnswers, ListJobsPageByPage) {
  dunlin::Client client = open();
  std::set<std::string> submitted;
  for (int i = 0; i < 5; ++i) {
    submitted.insert(client.submit(job_of("true")).id(kLong));
  }
  const auto now = std::chrono::system_clock::now();
  EXPECT_TRUE(eventually([&] { return jobs().size() == 5 && jobs()[4]["finished"] == true; }));
  const dunlin::Query query = dunlin::Query()
                                  .with("ended_since_at_ns", dunlin::at_ns(now) - 3'600'000'000'000)
                                  .with("limit", 2)
                                  .with("sort", "oldest");
  EXPECT_TRUE(eventually([&] { return read(client.jobs(query))["matching"] == 5; }));
  std::set<std::string> listed;
  int pages = 0;
  std::optional<dunlin::Answer> page = client.jobs(query, kLong);
  for (; page && pages < 10; page = page->next(kLong)) {
    ++pages;
    const Json jobs = read(*page)["jobs"];
    for (const Json& job : jobs) {
      EXPECT_GT(job["ended_at_ns"], 0);
      EXPECT_TRUE(listed.insert(job["job"]).second) << "each once";
    }
  }
  EXPECT_EQ(listed, submitted);
  EXPECT_EQ(pages, 3);
  const std::vector<std::string> one = {*submitted.begin()};
  const Json chosen = read(client.jobs(dunlin::Query().with("ids", one), kLong))["jobs"];
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0]["job"], one[0]);
  EXPECT_EQ(read(client.usage({}, kLong))["total"]["jobs"], 5);
}

TEST_F(LibraryAnswers, TellOfNodesAndTasksAndThePast) {
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(job_of("sleep 1000", R"("count":2,"name":"long")"));
  EXPECT_TRUE(eventually([&] { return job.info().running == 2; }));
  EXPECT_EQ(read(client.node("a", kLong))["node"]["name"], "a");
  const Json tasks = read(client.node_tasks({}, kLong));
  EXPECT_EQ(tasks["running"], 2);
  EXPECT_EQ(tasks["tasks"][0]["job"], job.id(kLong));
  const std::optional<dunlin::Answer> rest =
      client.node_tasks(dunlin::Query().with("limit", 1), kLong).next(kLong);
  ASSERT_TRUE(rest);
  EXPECT_EQ(read(*rest)["tasks"][0]["index"], 1);
  EXPECT_FALSE(rest->next());
  const Json timeline =
      read(client.timeline(job.id(kLong), dunlin::Query().with("bins", 10), kLong));
  EXPECT_EQ(timeline["count"], 2);
  EXPECT_LE(timeline["bins"], 10);
  const Json bins = read(client.task_bins(job.id(kLong), dunlin::Query().with("bins", 1), kLong));
  ASSERT_EQ(bins["bins"].size(), 1u);
  EXPECT_EQ(bins["bins"][0]["counts"]["running"], 2);
  EXPECT_EQ(read(client.node_bins(kLong))["total"], 1);
  const std::vector<std::string> figures = {
      read(client.past())["figures"][0]["name"].get<std::string>()};
  EXPECT_EQ(
      read(client.past(dunlin::Query().with("figures", figures), kLong))["figures"].size(), 1u);
  EXPECT_EQ(read(client.overlay({}, kLong))["node_name"], "a");
  job.cancel(kLong);
}

TEST_F(LibraryAnswers, SayWhyThereIsNone) {
  dunlin::Client client = open();
  try {
    client.node("no-such-node", kLong);
    ADD_FAILURE() << "there is one";
  } catch (const dunlin::ClientError& error) {
    EXPECT_EQ(error.status(), DUNLIN_NOT_FOUND);
    EXPECT_THAT(error.what(), HasSubstr("no-such-node"));
  }
  // What changes something is no question.
  for (const char* const verb : {"cancel", "submit", "drain", "stop", ""}) {
    EXPECT_THROW(client.ask(verb), dunlin::ClientError) << verb;
  }
  dunlin_client* raw = nullptr;
  const std::string path = agent().socket();
  const char* const address = path.c_str();
  ASSERT_EQ(dunlin_client_open(&address, 1, DUNLIN_KINDS, &raw), DUNLIN_OK);
  dunlin_answer* answer = nullptr;
  for (const std::string query : {"[]", "7", "{", "{\"verb\": \"cancel\"}", "{\"speaker\": {}}"}) {
    EXPECT_EQ(dunlin_ask(raw, "jobs", query.data(), query.size(), &answer), DUNLIN_USAGE) << query;
  }
  ASSERT_EQ(dunlin_ask(raw, "status", nullptr, 0, &answer), DUNLIN_OK);
  EXPECT_EQ(dunlin_answer_wait(answer, 60'000), DUNLIN_OK);
  std::size_t size = 0;
  const std::string text = dunlin_answer_text(answer, &size);
  EXPECT_EQ(text.size(), size);
  EXPECT_EQ(Json::parse(text)["name"], "a");
  dunlin_answer* next = nullptr;
  EXPECT_EQ(dunlin_answer_next(answer, &next), DUNLIN_END);
  dunlin_answer_free(answer);
  dunlin_answer_free(nullptr);
  dunlin_client_close(raw);
}

TEST_F(LibraryAnswers, AreAskedForAnewWhenTheAgentIsBack) {
  dunlin::Client client = open();
  const std::string id = client.submit(job_of("true")).id(kLong);
  const std::string path = agent().socket();
  const char* const address = path.c_str();
  dunlin_client* raw = nullptr;
  ASSERT_EQ(dunlin_client_open(&address, 1, DUNLIN_KINDS, &raw), DUNLIN_OK);
  agent().kill9();
  const std::string query = R"({"all": true})";
  dunlin_answer* answer = nullptr;
  ASSERT_EQ(dunlin_ask(raw, "jobs", query.data(), query.size(), &answer), DUNLIN_OK);
  EXPECT_EQ(dunlin_answer_wait(answer, 300), DUNLIN_TIMEOUT);
  EXPECT_STREQ(dunlin_answer_text(answer, nullptr), "");
  agent().start();
  EXPECT_EQ(dunlin_answer_wait(answer, 60'000), DUNLIN_OK);
  EXPECT_EQ(Json::parse(dunlin_answer_text(answer, nullptr))["jobs"][0]["job"], id);
  dunlin_answer_free(answer);
  dunlin_client_close(raw);
}

TEST_F(LibraryAnswers, TellErrorsApart) {
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(job_of("cat; sleep 1000", R"("input":"client")"));
  dunlin::Input first = job.input();
  EXPECT_TRUE(first.write("mine", kLong));
  EXPECT_TRUE(eventually([&] { return job.output().read(kLong) == "mine"; }));
  dunlin::Input second = job.input();
  try {
    second.end(kLong);
    ADD_FAILURE() << "the task has two clients";
  } catch (const dunlin::ConflictError& error) {
    EXPECT_EQ(error.status(), DUNLIN_CONFLICT);
    EXPECT_THAT(error.what(), HasSubstr("has a client already"));
  }
  EXPECT_THROW(job.input().end(kLong), dunlin::RefusedError) << "which is one of those, too";
  job.cancel(kLong);
  // A program of before is told what it knows.
  const std::string path = agent().socket();
  const char* const address = path.c_str();
  dunlin_client* old = nullptr;
  ASSERT_EQ(dunlin_client_open(&address, 1, 0, &old), DUNLIN_OK);
  const std::string text = job_of("cat; sleep 1000", R"("input":"client")");
  dunlin_job* theirs = nullptr;
  ASSERT_EQ(dunlin_submit(old, text.data(), text.size(), 0, &theirs), DUNLIN_OK);
  dunlin_input* one = nullptr;
  dunlin_input* two = nullptr;
  std::size_t written = 0;
  ASSERT_EQ(dunlin_input_open(theirs, 0, &one), DUNLIN_OK);
  EXPECT_EQ(dunlin_input_write(one, "x", 1, 60'000, &written), DUNLIN_OK);
  const std::string name = client.find(id_of(theirs)).id(kLong);
  EXPECT_TRUE(eventually([&] { return client.find(name).output().read(kLong) == "x"; }));
  ASSERT_EQ(dunlin_input_open(theirs, 0, &two), DUNLIN_OK);
  EXPECT_EQ(dunlin_input_end(two, 60'000), DUNLIN_REFUSED);
  EXPECT_EQ(dunlin_job_cancel(theirs, 60'000, nullptr), DUNLIN_OK);
  dunlin_input_close(two);
  dunlin_input_close(one);
  dunlin_job_free(theirs);
  dunlin_client_close(old);
  EXPECT_EQ(dunlin_client_open(&address, 1, 4, &old), DUNLIN_USAGE) << "a flag of a later library";
}

}  // namespace
}  // namespace dunlin::node
