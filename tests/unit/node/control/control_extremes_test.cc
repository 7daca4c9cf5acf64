// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>

#include "tests/support/docs/protocol_page.h"
#include "tests/unit/node/control/client_test.h"
#include "tests/unit/node/control/extremes.h"

// Each member of each verb, replaced by nothing, by other types, by extremes: here and by way of
// another agent. Whatever it is, no handler fails, and none takes long.
namespace dunlin::node {
namespace {

using test::PageObject;
using test::ProtocolPage;

class ControlExtremesTest : public ClientTest {
 protected:
  ControlExtremesTest() {
    agent.hear_of(2, 4000);
    agent.hear_facts(2, "osprey", 4000);
    agent.dial = [this](const overlay::Endpoint&) {
      other = std::make_shared<FakeConnection>();
      return other;
    };
    agent.accounts.on_fault([this](const Account&, std::string_view verb, std::string_view fault) {
      faults += std::string(verb) + ": " + std::string(fault) + "\n";
    });
    number = submit(3);
  }
  /// A request that a handler would take.
  Json sound(const std::string& verb) const {
    Json group = {{"name", "a"}, {"command", {"true"}}, {"demand", {{"cpu_milli", 1000}}}};
    Json request = {{"verb", verb}, {"id", 7}};
    if (verb.starts_with("submit")) request["groups"] = Json::array({std::move(group)});
    if (verb == "wait") request["numbers"] = {number};
    if (verb == "find") request["name"] = "merlin.1";
    if (verb == "subscribe") request["jobs"] = {{{"job", to_string(agent.id()) + ".1"}}};
    if (verb == "submit_lines") request["lines"] = {"x"};
    return request;
  }
  /// Says it, and has another agent answer by nonsense if it went there.
  void say(const Json& request) {
    const auto begun = std::chrono::steady_clock::now();
    ControlSession client(
        agent, connection, Principal{.user = "alice", .administrator = true}, requests);
    connection->say(R"({"verb":"submit_begin","id":1,"groups":[{"command":["x"]}]})");
    connection->replies.clear();
    connection->say(compact(request));
    client.advance();
    if (other != nullptr && other->say) {
      const Json& extreme = extreme_values()[answered++ % extreme_values().size()];
      other->say(compact({{"id", 1},
          {"ok",
              {{"progress", extreme}, {"finished", extreme}, {"next", extreme},
                  {"jobs", extreme}}}}));
      other->say(compact({{"id", 1}, {"ok", extreme}}));
      other->say(compact({{"id", 1}, {"error", extreme}}));
      other->say(compact({{"id", 1}, {"error", {{"kind", "not_found"}, {"text", extreme}}}}));
      client.advance();
    }
    agent.time += std::chrono::seconds(3);
    client.advance();
    other = nullptr;
    connection->replies.clear();
    agent.scheduling.sent.clear();
    agent.feed = EventFeed();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60))
        << compact(request).substr(0, 300);
    ASSERT_EQ(faults, "") << compact(request).substr(0, 300);
  }
  /// Each member of the request, and of the objects within it that the page describes.
  /// With `step`, each takes every so manieth extreme, and the next one others.
  void vary(const Json& request,
      const PageObject& members,
      const Json::json_pointer& within,
      std::size_t step = 1) {
    const auto& values = extreme_values();
    for (const auto& [name, member] : members) {
      for (std::size_t i = first++ % step; i < values.size(); i += step) {
        Json changed = request;
        changed[within / name] = values[i];
        say(changed);
        if (HasFatalFailure()) return;
      }
    }
  }

  std::uint32_t number = 0;
  std::size_t first = 0;
  std::size_t answered = 0;
  std::string faults;
  std::shared_ptr<FakeConnection> other;
  const ProtocolPage page =
      test::read_protocol_page(DUNLIN_SOURCE_DIR "/docs/design/control-protocol.md");
};

TEST_F(ControlExtremesTest, NoMemberOfAnyVerbIsAFault) {
  for (const auto& [name, verb] : page.verbs) {
    PageObject members = verb.request;
    for (const char* const any : {"at", "job", "number", "origin", "lineage", "speaker", "id"}) {
      members.try_emplace(any);
    }
    for (const char* const where : {"", "osprey"}) {
      Json request = sound(name);
      if (*where != '\0') request["job"] = std::string(where) + ".1";
      if (*where == '\0') request["number"] = number;
      vary(request, members, Json::json_pointer(""), 4);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(ControlExtremesTest, NoMemberOfAJobIsAFault) {
  const Json request = sound("submit");
  vary(request, page.objects.at("Job"), Json::json_pointer(""));
  vary(request, page.objects.at("Group"), Json::json_pointer("/groups/0"));
  vary(request, page.objects.at("Demand"), Json::json_pointer("/groups/0/demand"));
  Json wishes = request;
  wishes["after_jobs"] = {{{"job", "1"}, {"when", "any"}}};
  vary(wishes, page.objects.at("AfterWish"), Json::json_pointer("/after_jobs/0"));
  wishes["on_end"] = {{"command", {"true"}}};
  vary(wishes, page.objects.at("OnEnd"), Json::json_pointer("/on_end"));
}

}  // namespace
}  // namespace dunlin::node
