// SPDX-License-Identifier: MIT
#include "node/agent/contacts.h"

#include <gmock/gmock.h>
#include <uv.h>

#include "node/net/name_lookup.h"
#include "overlay/param_entries.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::Time;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Address kA = Address::v4(0x0a000001, 7700);
constexpr Address kB = Address::v4(0x0a000002, 7700);

class ContactsTest : public ::testing::Test, private Contacts::Port {
 protected:
  Contacts& make(std::string_view join) {
    return contacts.emplace(static_cast<Contacts::Port&>(*this), *Contacts::parse(join, 7700));
  }
  void found(std::vector<Address> addresses, std::size_t number = 0) {
    contacts->on_answer(now, number, std::move(addresses));
  }
  void not_found(const std::string& why, std::size_t number = 0) {
    contacts->on_answer(now, number, failure(ErrorKind::not_found, why));
  }
  /// Lets it act for a while, with every name unknown; the waits between lookups.
  std::vector<overlay::Duration> waits_until(Time end) {
    std::vector<overlay::Duration> waits;
    while (contacts->deadline() <= end) {
      waits.push_back(contacts->deadline() - now);
      now = contacts->deadline();
      contacts->wake(now);
      not_found("unknown");
    }
    return waits;
  }

  Time now{100s};
  std::optional<Contacts> contacts;
  std::vector<std::string> asked;
  std::vector<Address> used;
  std::vector<std::string> told;

 private:
  void look_up(std::size_t, const HostAndPort& where) override { asked.push_back(where.host); }
  void use(const std::vector<overlay::Endpoint>& all) override {
    used.clear();
    for (const overlay::Endpoint& each : all) used.push_back(each.address);
  }
  void tell_unresolved(const std::string& host, const std::string& why) override {
    told.push_back(host + " fails: " + why);
  }
  void tell_resolved(const std::string& host, const std::vector<Address>& all) override {
    told.push_back(host + " is " + overlay::to_string(all.front()));
  }
};

TEST_F(ContactsTest, NumbersAreUsedAtOnceAndNeverLookedUp) {
  make("10.0.0.1, 10.0.0.2:7700").start(now);
  EXPECT_THAT(used, ElementsAre(kA, kB));
  contacts->rejoin(now + 1h);
  EXPECT_THAT(asked, IsEmpty());
  EXPECT_EQ(contacts->deadline(), overlay::kNever);
}

TEST_F(ContactsTest, OneNameThatFailsStopsNoOther) {
  make("nowhere, 10.0.0.2, here").start(now);
  EXPECT_THAT(asked, ElementsAre("nowhere", "here"));
  EXPECT_THAT(used, ElementsAre(kB));
  not_found("unknown", 0);
  found({kA}, 2);
  EXPECT_THAT(used, ElementsAre(kB, kA));
}

TEST_F(ContactsTest, ANameThatFailsIsAskedForEverAfterEverLongerWaits) {
  make("nowhere").start(now);
  not_found("unknown");
  EXPECT_THAT(waits_until(now + 250s), ElementsAre(1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s));
}

TEST_F(ContactsTest, AFailureIsToldOncePerChange) {
  make("nowhere").start(now);
  for (const char* why : {"unknown", "unknown", "no server", "no server", "unknown"}) {
    not_found(why);
  }
  EXPECT_THAT(told,
      ElementsAre("nowhere fails: unknown", "nowhere fails: no server", "nowhere fails: unknown"));
  found({kA});
  found({kA});
  EXPECT_THAT(told, SizeIs(4));
  EXPECT_EQ(told.back(), "nowhere is 10.0.0.1:7700");
}

TEST_F(ContactsTest, ANameIsLookedUpAgainAtARejoin) {
  make("here").start(now);
  found({kA, kB});
  EXPECT_THAT(told, IsEmpty()) << "all is as it should be";
  EXPECT_EQ(contacts->deadline(), overlay::kNever);
  now += 1h;
  contacts->rejoin(now);
  contacts->rejoin(now);
  EXPECT_THAT(asked, SizeIs(2)) << "one question at a time";
  found({kB, kA});
  EXPECT_THAT(told, IsEmpty()) << "another order is no change";
  contacts->rejoin(now + 1s);
  EXPECT_THAT(asked, SizeIs(2)) << "the waits grow";
  contacts->rejoin(now + 2s);
  EXPECT_THAT(asked, SizeIs(3));
  found({kB});
  EXPECT_THAT(used, ElementsAre(kB));
  EXPECT_THAT(told, ElementsAre("here is 10.0.0.2:7700"));
}

TEST_F(ContactsTest, TheLastAddressesStayWhenANameFails) {
  make("here").start(now);
  found({kA});
  now += 1h;
  contacts->rejoin(now);
  not_found("no server");
  EXPECT_THAT(used, ElementsAre(kA));
  EXPECT_LT(contacts->deadline(), overlay::kNever);
}

TEST(ContactsParse, WhatIsNoAddressAtAllIsRefused) {
  EXPECT_THAT(Contacts::parse("a,b:x", 1).error().text, HasSubstr("agent.join: 'b:x'"));
  EXPECT_THAT(Contacts::parse("a,./ver.sock", 1).error().text,
      HasSubstr("agent.join: './ver.sock' is no address"));
  EXPECT_EQ(Contacts::parse("", 1)->size(), 0u);
  const auto some = Contacts::parse("[fe80::1]:7, host", 1);
  ASSERT_TRUE(some);
  EXPECT_THAT(*some, ElementsAre(HostAndPort{"fe80::1", 7}, HostAndPort{"host", 1}));
}

TEST(NameLookupTest, NamesAreFoundBesideTheLoop) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  {
    NameLookup lookup(loop);
    std::vector<std::string> order;
    lookup.start({"localhost", 7}, [&](const Result<std::vector<Address>>& found) {
      ASSERT_TRUE(found) << found.error().text;
      EXPECT_EQ(found->front().port, 7);
      order.push_back("found");
    });
    lookup.start({"no-such-host.invalid", 7}, [&](const Result<std::vector<Address>>& found) {
      ASSERT_FALSE(found);
      EXPECT_THAT(found.error().text, HasSubstr("host 'no-such-host.invalid' does not resolve"));
    });
    order.push_back("started");
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_THAT(order, ElementsAre("started", "found"));
    lookup.start({"localhost", 7}, [](const auto&) { FAIL() << "its owner is gone"; });
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

}  // namespace
}  // namespace dunlin::node
