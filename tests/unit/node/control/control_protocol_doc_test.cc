// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <regex>
#include <set>

#include "node/control/control_session.h"
#include "node/control/job_json.h"
#include "node/control/stopping.h"
#include "node/control/submit/ignored.h"
#include "overlay/field_info.h"
#include "sched/replica/record.h"
#include "sched/resources.h"
#include "sched/task.h"
#include "tests/support/docs/protocol_page.h"

// The page docs/design/control-protocol.md, held against the code: no verb and no member of a
// request without its row, and no row without its code. Real answers are looked at by tests/node.
namespace dunlin::node {
namespace {

using test::PageMember;
using test::PageObject;
using test::ProtocolPage;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ProtocolPage& page() {
  static const ProtocolPage read =
      test::read_protocol_page(DUNLIN_SOURCE_DIR "/docs/design/control-protocol.md");
  return read;
}

std::set<std::string> first_words(std::string_view section) {
  std::set<std::string> words;
  for (const auto& table : page().tables) {
    if (table.section != section) continue;
    for (const auto& row : table.rows) words.insert(test::quoted_words(row.front()).at(0));
  }
  return words;
}

/// Names of members that the handlers look for in requests.
std::set<std::string> members_read() {
  static const std::regex reading(R"re((?:\.|->)(?:numbers?|flag|list|(?:byte_)?texts?|bytes)re"
                                  R"re(|byte_members|object|element|find)\()re"
                                  R"re("(\w+)")re");
  std::set<std::string> names;
  for (const auto& file :
      std::filesystem::recursive_directory_iterator(DUNLIN_SOURCE_DIR "/node/control")) {
    // These read replies, of other agents or before they leave.
    const std::string name = file.path().filename();
    if (!file.is_regular_file() || name == "relay_pending.cc" || name == "pending.cc") continue;
    const std::string text = test::page_text(file.path().string());
    for (std::sregex_iterator at(text.begin(), text.end(), reading), end; at != end; ++at) {
      names.insert((*at)[1].str());
    }
  }
  // Those of terms are named by the schemas.
  const auto take = [&](const overlay::FieldInfo& info, const auto&) { names.emplace(info.key); };
  const sched::replica::PutJob job;
  sched::replica::PutJob::terms(job, take);
  const sched::replica::PutGroup group;
  sched::replica::PutGroup::terms(group, take);
  const sched::Resources demand;
  sched::Resources::terms(demand, take);
  // Members of `rates`.
  for (const sched::Rate& rate : sched::kRates) names.erase(std::string(rate.key));
  const TaskSpec spec;
  TaskSpec::terms(spec, take);
  names.erase("verb");
  names.erase("id");
  names.erase("speaker");  // Any request may have these two.
  names.erase("tell_waits");
  return names;
}

std::set<std::string> members_documented() {
  std::set<std::string> names;
  const auto add = [&](const PageObject& object) {
    for (const auto& [name, member] : object) names.insert(name);
  };
  for (const auto& [name, verb] : page().verbs) add(verb.request);
  for (const char* const object :
      {"Job", "Group", "Demand", "AfterWish", "OnEnd", "ClassWeight", "Speaker", "JobWish"}) {
    add(page().objects.at(object));
  }
  return names;
}

TEST(ControlProtocolPage, HasEveryVerb) {
  std::set<std::string> documented;
  for (const auto& [name, verb] : page().verbs) documented.insert(name);
  std::set<std::string> known;
  for (const auto verb : control_verbs()) known.emplace(verb);
  EXPECT_EQ(documented, known);
}

TEST(ControlProtocolPage, HasEveryMemberThatIsRead) {
  const auto read = members_read();
  EXPECT_GT(read.size(), 30u);
  EXPECT_EQ(read, members_documented());
}

// What is not listed there is ignored, and said to be.
TEST(ControlProtocolPage, NoMemberOfASubmitThatItHasIsIgnored) {
  const auto all = [](const PageObject& object) {
    Json json = Json::object();
    for (const auto& [name, member] : object) json[name] = nullptr;
    return json;
  };
  Json request = all(page().verbs.at("submit").request);
  Json group = all(page().objects.at("Group"));
  group["demand"] = all(page().objects.at("Demand"));
  request["groups"] = Json::array({group});
  request["after_jobs"] = Json::array({all(page().objects.at("AfterWish"))});
  request["on_end"] = all(page().objects.at("OnEnd"));
  EXPECT_THAT(ignored_members(request), IsEmpty());
  request["groups"][0]["nothing"] = 1;
  EXPECT_EQ(ignored_members(request), std::vector<std::string>{"groups[0].nothing"});
}

TEST(ControlProtocolPage, HasEveryKindOfError) {
  std::set<std::string> kinds;
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::elsewhere); ++kind) {
    kinds.emplace(word_of(static_cast<ErrorKind>(kind)));
  }
  kinds.emplace(kind_word(about_to_stop("a reason")));
  EXPECT_EQ(first_words("Errors"), kinds);
}

TEST(ControlProtocolPage, HasEveryOutcome) {
  EXPECT_EQ(first_words("Outcomes"),
      (std::set<std::string>(std::begin(sched::kOutcomeWords), std::end(sched::kOutcomeWords))));
}

TEST(ControlProtocolPage, TypesAreThoseOfItsTable) {
  const auto known = [](std::string type) {
    for (const char* const wrap : {"[]", "{}"}) {
      if (type.front() == wrap[0] && type.back() == wrap[1]) {
        type = type.substr(1, type.size() - 2);
      }
    }
    if (type.ends_with(" or null")) type.resize(type.size() - 8);
    static const std::set<std::string> plain = {
        "text", "bytes", "id", "integer", "number", "flag", "plain"};
    return plain.contains(type) || page().objects.contains(type);
  };
  const auto check = [&](const std::string& place, const PageObject& object) {
    for (const auto& [name, member] : object) {
      EXPECT_TRUE(known(member.type)) << place << "." << name << ": " << member.type;
    }
  };
  for (const auto& [name, object] : page().objects) check(name, object);
  for (const auto& [name, verb] : page().verbs) {
    check(name, verb.request);
    check(name, verb.before);
    check(name, verb.answer);
  }
}

/// The error of a job in which member `name` of `object` ("Job", "Group", "Demand") is `value`.
std::string problem(const std::string& object, const std::string& name, const Json& value) {
  Json group = {{"command", Json::array({"true"})}};
  Json job = {{"groups", Json::array({group})}};
  if (object == "Job") job[name] = value;
  if (object == "Group") group[name] = value;
  if (object == "Demand") group["demand"] = {{name, value}};
  if (object != "Job") job["groups"] = Json::array({group});
  const auto parsed = parse_job(job);
  return parsed ? "" : parsed.error().text;
}

// A value of another type is refused, and the text names the member.
TEST(ControlProtocolPage, MembersOfAJobHaveTheirTypes) {
  for (const std::string object : {"Job", "Group", "Demand"}) {
    ASSERT_THAT(page().objects.at(object), Not(IsEmpty()));
    for (const auto& [name, member] : page().objects.at(object)) {
      const Json wrong = member.type == "integer" ? Json("seven") : Json(7);
      EXPECT_THAT(problem(object, name, wrong), HasSubstr(name + "' must be")) << object;
      EXPECT_EQ(problem(object, name, nullptr).empty(), !member.required) << object << "." << name;
    }
  }
}

}  // namespace
}  // namespace dunlin::node
