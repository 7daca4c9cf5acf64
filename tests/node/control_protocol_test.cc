// SPDX-License-Identifier: MIT
#include <functional>
#include <gmock/gmock.h>
#include <set>

#include "node/net/local_connection.h"
#include "tests/node/sharing_world.h"
#include "tests/support/docs/protocol_page.h"

// What agents really answer, held against docs/design/control-protocol.md: each member that comes
// has its row and its type, and each row that promises a member is right.
namespace dunlin::node {
namespace {

using test::PageMember;
using test::PageObject;
using test::ProtocolPage;
using ::testing::HasSubstr;

class ControlProtocol : public SharingWorld {
 protected:
  const ProtocolPage page =
      test::read_protocol_page(DUNLIN_SOURCE_DIR "/docs/design/control-protocol.md");

  /// Sends a request, and holds all its replies against the page.
  Json ask(const std::string& verb, const Json& more = Json::object()) {
    const auto known = page.verbs.find(verb);
    if (known == page.verbs.end()) {
      ADD_FAILURE() << verb << " is not on the page";
      return Json::object();
    }
    asked.insert(verb);
    const Json ok = client().ok(request(verb, more), [&](const Json& part) {
      EXPECT_FALSE(known->second.before.empty()) << verb << " has replies before the last one";
      check(verb, part, known->second.before);
    });
    check(verb, ok, known->second.answer);
    return ok;
  }

  void check(const std::string& place, const Json& json, const PageObject& object) {
    ASSERT_TRUE(json.is_object()) << place << ": " << json;
    for (const auto& [name, value] : json.items()) {
      const auto member = object.find(name);
      if (member == object.end()) {
        ADD_FAILURE() << place << "." << name << " has no row";
      } else {
        check_type(place + "." + name, value, member->second.type);
      }
    }
    for (const auto& [name, member] : object) {
      EXPECT_TRUE(member.optional || json.contains(name)) << place << "." << name << " is missing";
    }
  }

  void check_type(const std::string& place, const Json& value, std::string type) {
    if (type.ends_with(" or null")) {
      if (value.is_null()) return;
      type.resize(type.size() - 8);
    }
    const std::string inner = type.substr(1, type.size() - 2);
    if (type.front() == '[' || type.front() == '{') {
      ASSERT_TRUE(type.front() == '[' ? value.is_array() : value.is_object()) << place;
      for (const Json& each : value) check_type(place, each, inner);
    } else if (const auto object = page.objects.find(type); object != page.objects.end()) {
      check(place, value, object->second);
    } else {
      EXPECT_TRUE(is_plain(value, type)) << place << ": " << value << " is no " << type;
    }
  }

  static bool is_plain(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "flag") return value.is_boolean();
    if (type == "plain" && !value.is_string()) return value.is_number() || value.is_boolean();
    if (type == "bytes" && value.is_object()) return value.contains("base64");
    if (!value.is_string()) return false;
    const auto& text = value.get_ref<const std::string&>();
    const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
    return type == "text" || type == "bytes" || type == "plain" ||
        (type == "id" && hex && text.size() == 16);
  }

  /// Asks the node that ran the first task of a job to attach a client to it.
  void attach_where_it_ran(const Json& job) {
    const Json task = ask("tasks", {{"number", job["number"]}})["tasks"][0];
    for (const auto& agent : agents) {
      TestClient there = agent->client();
      if (there.ok(request("status"))["node"] != task["worker"]) continue;
      asked.insert("attach_here");
      check("attach_here",
          there.ok(request("attach_here",
              {{"home", job["job"].get<std::string>().substr(0, 16)}, {"number", job["number"]},
                  {"lineage", job["lineage"]}, {"task", 0}, {"attempt", 1}})),
          page.verbs.at("attach_here").answer);
    }
  }

  /// Reads the output of a job, and does as a library does: agrees on a version, subscribes to the
  /// job, which has ended, and to another one by one request more.
  void follow(const Json& job, const Json& more) {
    ask("output", {{"number", job["number"]}, {"follow", true}});
    EXPECT_EQ(ask("hello", {{"newest", 1}})["protocol"], 1);
    TestClient raw = client();
    const auto say = [&](Json message) {
      const std::string text = message.dump();
      std::string bytes;
      append_frame(bytes, text);
      raw.send_raw(bytes);
      asked.insert(message["verb"]);
    };
    const auto hear = [&](const Json& of, const PageObject& object) {
      const Json told = Json::parse(raw.receive())["ok"];
      check("subscribe", told, object);
      ASSERT_EQ(told["jobs"].size(), 1u);
      EXPECT_EQ(told["jobs"][0]["job"], of["job"]);
      EXPECT_EQ(told["jobs"][0]["ended"], true);
    };
    const auto wish = [](const Json& of) {
      return Json::array({{{"job", of["job"]}, {"lineage", of["lineage"]}, {"results", true}}});
    };
    const auto& before = page.verbs.at("subscribe").before;
    say({{"verb", "subscribe"}, {"id", 1}, {"jobs", wish(job)}});
    hear(job, before);
    say({{"verb", "subscribe_more"}, {"id", 2}, {"subscription", 1}, {"jobs", wish(more)}});
    check(
        "subscribe_more", Json::parse(raw.receive())["ok"], page.verbs.at("subscribe_more").answer);
    hear(more, before);
  }

  /// The verbs that tell of the past.
  void ask_for_audit_and_plan() {
    ask("audit");
    ask("plan_set", {{"policy", "assured"}, {"spare", "priority"}});
    EXPECT_TRUE(eventually([&] { return !client().ok(request("plan"))["cells"].empty(); }));
    for (const char* const verb : {"plan", "masters"}) ask(verb);
  }

  /// While tasks of the job `running` run; those of `bad` have failed.
  void ask_about_tasks(const Json& running, const Json& bad) {
    EXPECT_EQ(ask("node", {{"node", agents[1]->name()}})["node"]["name"], agents[1]->name());
    EXPECT_EQ(ask("whoami")["administrator"], true) << "the agent's own user";
    EXPECT_FALSE(ask("node_tasks")["tasks"].empty());
    EXPECT_FALSE(ask("node_bins")["cells"].empty());
    EXPECT_FALSE(ask("past")["figures"].empty());
    EXPECT_FALSE(ask("overlay")["neighbours"].empty());
    for (const char* const verb : {"tasks", "timeline", "task_bins"})
      ask(verb, {{"number", running}});
    EXPECT_FALSE(ask("timeline", {{"number", bad}})["tasks"][0]["attempts"].empty());
  }

  void ask_what_was_done() {
    EXPECT_FALSE(ask("audit_log")["actions"].empty());
    EXPECT_FALSE(ask("usage")["usage"].empty());
    EXPECT_FALSE(ask("usage", {{"cluster", true}, {"by", "node"}})["usage"].empty());
    EXPECT_FALSE(ask("usage", {{"parts", true}})["parts"].empty());
    ask("profiles");
    ask("profile_forget", {{"all", true}});
    EXPECT_FALSE(ask("events", {{"names", {"job_*"}}})["events"].empty());
  }

  /// Verbs with answers that are seen by tests of their own.
  void refuse_what_others_test(const Json& cell) {
    // A cell that has a manager is not lost.
    const Json reply = client().call(request("cells_write_off", {{"cell", cell}}));
    EXPECT_EQ(reply["error"]["kind"], "refused");
    const Json none = client().call(request("take_over", {{"job", "999999"}}));
    EXPECT_EQ(none["error"]["kind"], "not_found");
    // A client gives input while its task runs.
    EXPECT_EQ(client().call(request("input", {{"attach", 99}}))["error"]["kind"], "not_found");
    const Json here = client().call(request("node_forget", {{"node", "heron"}}));
    EXPECT_EQ(here["error"]["kind"], "not_found");
    asked.insert({"cells_write_off", "take_over", "input", "node_forget"});
  }

  /// The verbs that change a job which has not ended.
  void change(const Json& number) {
    ask("set", {{"number", number}, {"priority", 60}});
    for (const char* const verb : {"hold", "release", "cancel"}) ask(verb, {{"number", number}});
    const Json running = {{"number", submit(*agents.front(), "sleep 1000", 1)}};
    EXPECT_TRUE(eventually([&] { return ask("job", running)["counts"]["running"] == 1; }));
    EXPECT_EQ(ask("requeue", running)["requeued"], 1);
    client().ok(request("cancel", running));
  }

  /// What the agent says of a request with one member wrong.
  std::string refusal(const std::string& verb, Json more, const std::string& name, Json wrong) {
    more[name] = std::move(wrong);
    const Json reply = client().call(request(verb, more));
    if (!reply.contains("error")) return "accepted: " + reply.dump();
    EXPECT_EQ(reply["error"]["kind"], "usage") << verb << " " << name;
    return reply["error"]["text"].get<std::string>();
  }

  std::set<std::string> asked;
};

/// A job of one group.
Json job_of(const std::string& script, int count) {
  return {
      {"name", "page"}, {"groups", {{{"command", {"/bin/sh", "-c", script}}, {"count", count}}}}};
}

constexpr const char* kKey = "00112233445566778899aabbccddeeff";

Json keyed(Json job) {
  job["key"] = kKey;
  return job;
}

TEST_F(ControlProtocol, AnswersAreAsThePageSays) {
  start(2);
  for (const char* const verb : {"status", "params", "nodes"}) ask(verb);
  const Json good = ask("submit", keyed(job_of("echo hello", 3)));
  EXPECT_EQ(ask("submitted", {{"key", kKey}})["job"], good["job"]);
  const Json number = {{"number", good["number"]}};
  ask("wait", {{"numbers", Json::array({good["number"]})}, {"progress", true}});
  Json bad_job = job_of("exit 3", 2);
  bad_job["groups"][0]["retries"] = 1;
  const Json bad = ask("submit", bad_job);
  ask("watch", {{"number", bad["number"]}});
  EXPECT_FALSE(ask("job", {{"number", bad["number"]}})["failed"][0]["attempts"].empty());
  follow(good, bad);
  ask("job", number);
  ask("tasks", number);
  ask("attach", number);
  attach_where_it_ran(good);

  Json lines = job_of("sleep 1000", 0);
  lines["groups"][0]["demand"] = {{"cpu_milli", 2000}};
  const Json upload = {{"upload", 1}};
  TestClient uploads = client();
  const auto in_pieces = [&](const std::string& verb, const Json& more) {
    asked.insert(verb);
    const Json ok = uploads.ok(request(verb, more));
    check(verb, ok, page.verbs.at(verb).answer);
    return ok;
  };
  in_pieces("submit_begin", lines);
  in_pieces("submit_lines", {{"upload", 1}, {"lines", {"a", "b", "c"}}});
  const Json waiting = in_pieces("submit_end", upload);
  EXPECT_TRUE(eventually([&] {
    const Json said = ask("explain", {{"number", waiting["number"]}});
    return said["counts"]["running"] == 2 && !said["groups"][0]["probes"].empty();
  }));
  ask_about_tasks(waiting["number"], bad["number"]);
  ask("jobs", {{"all", true}});
  EXPECT_EQ(ask("jobs", {{"cluster", true}, {"all", true}})["jobs"].size(), 3u);
  ask("find", {{"name", agents[1]->name() + ".7.0-3"}});
  ask("top");
  ask("drain", {{"node", agents[1]->name()}, {"on", true}});
  ask("drain", {{"on", false}});
  change(waiting["number"]);
  ask("retry", {{"number", bad["number"]}, {"failed", true}});
  in_pieces("stop", {{"request", 1}});

  ask("share_list");
  ask("share_set", {{"set", {{{"name", "gold"}, {"weight", 5}}}}});
  ASSERT_TRUE(wait_for_tree(1, 2));
  const Json cells = ask("cells", {{"members", true}})["cells"];
  ask("cells");
  ask("shares", {{"cell", cells[0]["cell"].get<std::string>().substr(0, 8)}});
  ask_for_audit_and_plan();
  ask_what_was_done();
  refuse_what_others_test(cells[0]["cell"]);

  for (const auto& [verb, documented] : page.verbs) {
    EXPECT_TRUE(asked.contains(verb)) << verb << " was not asked: ask it here";
  }
}

TEST_F(ControlProtocol, MastersAreAsThePageSays) {
  start(1, {"--frontend.placement=federated"});
  submit(*agents[0], "sleep 1000", 1);
  EXPECT_TRUE(eventually([&] { return ask("masters")["masters"].size() == 1; }));
}

// Each member of a request is refused with its name if its value is of another type.
TEST_F(ControlProtocol, RequestsHaveTheTypesOfThePage) {
  start(1);
  const Json number = ask("submit", job_of("true", 1))["number"];
  client().ok(request("wait", {{"numbers", Json::array({number})}}));
  const auto wrong = [](const std::string& type) {
    return type == "integer" ? Json("seven") : Json(7);
  };
  for (const auto& [verb, documented] : page.verbs) {
    if (verb == "stop" || verb == "submit_lines" || verb == "submit_end") continue;
    Json base = verb == "submit" || verb == "submit_begin" ? job_of("true", 1) : Json::object();
    if (documented.request.contains("number")) base["number"] = number;
    if (verb == "drain") base["on"] = false;
    if (verb == "attach_here") {
      base.update({{"home", "0123456789abcdef"}, {"lineage", "0123456789abcdef"}, {"task", 0},
          {"attempt", 1}});
    }
    if (verb == "input") base["attach"] = 99;
    if (verb == "hello") base["newest"] = 1;
    if (verb == "plan_set") base["policy"] = "deadline";
    if (verb == "subscribe_more") base["subscription"] = 99;
    for (const auto& [name, member] : documented.request) {
      EXPECT_THAT(
          refusal(verb, base, name, wrong(member.type)), HasSubstr("'" + name + "' must be"))
          << verb;
      if (!member.required) continue;
      EXPECT_THAT(refusal(verb, base, name, nullptr), HasSubstr("'" + name + "' must be")) << verb;
    }
  }
  for (const auto& [name, member] : page.objects.at("JobWish")) {
    Json one = {{"job", "0123456789abcdef.1"}};
    one[name] = wrong(member.type);
    EXPECT_THAT(refusal("subscribe", {}, "jobs", Json::array({one})), HasSubstr("jobs[0]." + name));
  }
  for (const auto& [name, member] : page.objects.at("ClassWeight")) {
    Json one = {{"name", "gold"}, {"weight", 1}};
    one[name] = wrong(member.type);
    EXPECT_THAT(refusal("share_set", {}, "set", Json::array({one})), HasSubstr("set[0]." + name));
  }
}

TEST_F(ControlProtocol, WhatIsNoRequestIsAnswered) {
  start(1);
  TestClient raw = client();
  raw.send_raw(std::string("\x05\0\0\0hello", 9));
  Json reply = Json::parse(raw.receive());
  EXPECT_TRUE(reply["id"].is_null());
  EXPECT_EQ(reply["error"]["kind"], "usage");
  reply = raw.call({{"verb", "no_such_verb"}});
  EXPECT_THAT(reply["error"]["text"].get<std::string>(), HasSubstr("unknown verb 'no_such_verb'"));
  raw.send_raw(std::string("\xff\xff\xff\x7f", 4));  // A frame of 2 GiB: the connection ends.
  EXPECT_EQ(raw.receive(), "");
}

}  // namespace
}  // namespace dunlin::node
