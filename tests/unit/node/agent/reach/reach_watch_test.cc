// SPDX-License-Identifier: MIT
#include "node/agent/reach/reach_watch.h"

#include <gmock/gmock.h>
#include <string>
#include <utility>
#include <vector>

#include "node/codec.h"
#include "tests/support/scratch.h"
#include "tests/unit/node/control/fake_agent.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::Endpoint;
using overlay::PeerId;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// Keeps what is sent about addresses, and has ways.
class ReachTransport final : public Transport {
 public:
  explicit ReachTransport(const Endpoint& self) : self_(self) {}

  Endpoint self() const override { return self_; }
  std::uint16_t port() const override { return self_.address.port; }
  Ways& ways() override { return ways_; }
  void send(const Endpoint& to, Layer layer, std::string_view bytes) override {
    if (layer != Layer::reach) return;
    sent.emplace_back(to, decode(std::as_bytes(std::span(bytes))).value());
  }
  void send_to_twin(const Address&, std::string_view) override {}
  std::uint64_t datagrams_sealed() const override { return 0; }
  void raise(std::uint32_t) override {}
  void flush() override {}
  void on_control(Accept) override {}
  std::shared_ptr<ControlConnection> call(const Endpoint&) override { return nullptr; }
  void rotate(const Keyring&) override {}
  const TransportCounters& counters() const override { return counters_; }
  void close() override {}

  std::vector<std::pair<Endpoint, Message>> sent;

 private:
  Endpoint self_;
  Ways ways_;
  TransportCounters counters_;
};

/// Node 1, that listens at one address; its database and its peer are real.
class ReachWatchTest : public ::testing::Test {
 protected:
  ReachWatchTest() {
    parts.marks.emplace(*IdentityMarks::open(scratch.path()));
    open_store();
    parts.rng.emplace(1);
    const sched::NodeSpec self{.endpoint = {.id = {1}, .address = address_of(1)}, .name = "me"};
    parts.peer.emplace(parts.configuration.peer, self, std::vector<Endpoint>{});
    begin();
  }

  static Configuration configuration() {
    Configuration all;
    all.agent.bind = overlay::to_string(address_of(1));
    return all;
  }
  void open_store() {
    parts.records.reset();
    parts.records.emplace(
        *SqliteStore::open(scratch.path()), *parts.marks, parts.log, parts.metrics, [] {});
  }
  /// As a process does that begins, or begins anew: of ways it knows what is in the store.
  void begin() {
    watch.reset();
    parts.unreachable.clear();
    parts.transport = std::make_unique<ReachTransport>(Endpoint{{1}, address_of(1)});
    watch.emplace(parts, troubles, [](const Address&) {});
  }
  void begin_anew() {
    parts.records->commit_and_wait(parts.now());
    open_store();
    begin();
  }

  Ways& ways() { return parts.transport->ways(); }
  Address route(std::uint64_t node, const Address& told) {
    return ways().route({{node}, told}, parts.now());
  }
  /// Gossip says where that node is.
  void hear_of(std::uint64_t node, const Address& told) {
    overlay::Descriptor peer;
    peer.id = {node};
    peer.address = told;
    peer.incarnation = 1;
    const sched::Host host{.now = parts.now(),
        .rng = *parts.rng,
        .gossip = parts.outbox.gossip(),
        .out = parts.outbox.scheduling(),
        .events = parts.log,
        .store = parts.records->jobs(),
        .executor = executor,
        .cells = parts.outbox.cells(),
        .books = parts.records->books(),
        .logs = parts.records->logs()};
    parts.peer->receive(host, {peer.id, told}, overlay::Message(overlay::JoinOffer{peer}));
  }
  /// For the last 20 seconds node 2 spoke from `real`, and did not answer where it says it is.
  void speak_from_elsewhere() {
    hear_of(2, told);
    std::vector<Ways::Question> questions;
    for (auto at = parts.now() - seconds(20); at <= parts.now(); at += seconds(1)) {
      ways().route({{2}, told}, at);
      ways().heard({2}, real, at);
      ways().ask(at, [this] { return ++drawn; }, questions);
    }
  }

  template <typename Kind>
  std::vector<std::pair<PeerId, Kind>> sent() {
    parts.outbox.release(*parts.transport, 0);
    std::vector<std::pair<PeerId, Kind>> found;
    for (const auto& [to, message] : static_cast<ReachTransport&>(*parts.transport).sent) {
      if (const auto* kind = std::get_if<Kind>(&message)) found.emplace_back(to.id, *kind);
    }
    return found;
  }
  static std::vector<Address> addresses_in(const auto& places) {
    std::vector<Address> all;
    for (const NodePlace& each : places) all.push_back(each.address);
    return all;
  }
  const std::map<PeerId, KnownWay>& kept() { return parts.records->store().ways().all(); }

  const Address told = address_of(2);
  const Address real = Address::v4(0xc0a80002, 7700);
  const test::Scratch scratch;
  Loop loop;
  AgentParts parts{loop.get(), configuration()};
  KeptLaunches executor;
  Troubles troubles{parts};
  std::uint64_t drawn = 0;
  std::optional<ReachWatch> watch;
};

TEST_F(ReachWatchTest, ANodeThatIsMetIsToldWhereItIsSeen) {
  ways().heard({2}, real, parts.now());
  watch->look({});
  const auto words = sent<Whereabouts>();
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].first, PeerId{2});
  EXPECT_EQ(words[0].second.name, "me");
  EXPECT_EQ(words[0].second.seen, real);
  EXPECT_THAT(addresses_in(words[0].second.places), ElementsAre(address_of(1)));
  EXPECT_FALSE(words[0].second.unreached);
  watch->look({});
  EXPECT_EQ(sent<Whereabouts>().size(), 1u) << "it has been told";
}

TEST_F(ReachWatchTest, ANodeThatDoesNotAnswerWhereItSaysIsNotedAndTold) {
  speak_from_elsewhere();
  ways().take_new();  // It was met before, not just now.
  watch->look({});
  ASSERT_TRUE(parts.unreachable.contains({2}));
  EXPECT_EQ(parts.unreachable.at({2}), (Unreached{.told = told, .works = real}));
  ASSERT_FALSE(sent<Whereabouts>().empty());
  EXPECT_EQ(sent<Whereabouts>().back().second.unreached, told);
  ways().heard({2}, told, parts.now());
  watch->look({});
  EXPECT_TRUE(parts.unreachable.empty()) << "it does by now";
  EXPECT_FALSE(sent<Whereabouts>().back().second.unreached);
}

// It was tried where it says first again, and what was sent meanwhile was lost.
TEST_F(ReachWatchTest, TheWayThatWorkedIsTriedFirstByTheNextProcess) {
  speak_from_elsewhere();
  watch->look({});
  EXPECT_EQ(kept().at({2}).works, real);
  begin_anew();
  EXPECT_EQ(route(2, told), real);
  EXPECT_EQ(route(2, address_of(7)), address_of(7)) << "it tells another one since";
  EXPECT_EQ(route(3, address_of(3)), address_of(3));
}

TEST_F(ReachWatchTest, AWayIsForgottenWhenTheNodeIsReachedWhereItSays) {
  speak_from_elsewhere();
  watch->look({});
  begin_anew();
  hear_of(2, told);
  watch->look({});
  EXPECT_TRUE(kept().contains({2})) << "nothing was heard of it yet";
  begin();  // One that has begun looks at its ways at once, and then now and then.
  ways().heard({2}, told, parts.now());
  watch->look({});
  EXPECT_THAT(kept(), IsEmpty());
  begin_anew();
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_EQ(route(2, told), told);
}

TEST_F(ReachWatchTest, OthersAreAskedForANodeThatIsNotFound) {
  ways().heard({2}, told, parts.now());
  ways().route({{5}, address_of(5)}, parts.now() - seconds(2));
  route(5, address_of(5));
  NodeFound found{.node = {5}, .name = "osprey"};
  found.places.push_back(NodePlace{.address = real});
  const Endpoint helper{{2}, told};
  EXPECT_TRUE(watch->receive(helper, Message(found)));
  EXPECT_THAT(ways().addresses_of({5}, parts.now()), Not(Contains(real))) << "nobody asked";
  watch->look({});
  const auto asked = sent<NodeSought>();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].first, PeerId{2});
  EXPECT_EQ(asked[0].second.node, PeerId{5});
  EXPECT_TRUE(watch->receive(helper, Message(found)));
  EXPECT_THAT(ways().addresses_of({5}, parts.now()), Contains(real));
  EXPECT_EQ(parts.records->store().names().find({5}), "osprey");
}

TEST_F(ReachWatchTest, WhatIsKnownOfANodeIsToldToOneThatAsks) {
  const Endpoint asker{{2}, told};
  EXPECT_TRUE(watch->receive(asker, Message(NodeSought{.node = {3}})));
  EXPECT_TRUE(sent<NodeFound>().empty()) << "nothing is known";
  ways().heard({3}, real, parts.now());
  EXPECT_TRUE(watch->receive(asker, Message(NodeSought{.node = {3}})));
  EXPECT_TRUE(watch->receive(asker, Message(NodeSought{.node = {1}})));
  const auto found = sent<NodeFound>();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(addresses_in(found[0].second.places), ElementsAre(real));
  EXPECT_EQ(found[1].second.name, "me");
  EXPECT_THAT(addresses_in(found[1].second.places), ElementsAre(address_of(1)));
}

// Labels of its jobs go on being understood: see control/job_name.h.
TEST_F(ReachWatchTest, ItsOwnNameIsKeptForWhenItsHostIsRenamed) {
  watch->look({});
  EXPECT_EQ(parts.records->store().names().find({1}), "me");
  const sched::NodeSpec renamed{.endpoint = parts.transport->self(), .name = "renamed"};
  parts.peer.emplace(parts.configuration.peer, renamed, std::vector<Endpoint>{});
  begin_anew();
  watch->look({});
  EXPECT_EQ(parts.records->store().names().find({1}), "renamed");
  EXPECT_EQ(parts.records->store().names().former().at("me"), PeerId{1});
}

TEST_F(ReachWatchTest, WhatANodeSaysOfItselfIsTriedAndItsNameKept) {
  ways().heard({2}, told, parts.now());
  Whereabouts word{.name = "heron", .seen = address_of(1)};
  word.places.push_back(NodePlace{.address = real});
  word.places.push_back(NodePlace{.address = {}});
  EXPECT_TRUE(watch->receive({{2}, told}, Message(word)));
  EXPECT_THAT(ways().addresses_of({2}, parts.now()), ElementsAre(told, real));
  EXPECT_EQ(parts.records->store().names().find({2}), "heron");
  EXPECT_EQ(sent<Whereabouts>().size(), 1u) << "it may have begun anew, and is told in turn";
  EXPECT_FALSE(watch->receive({{2}, told}, Message(Elsewhere{}))) << "that is another layer's";
}

}  // namespace
}  // namespace dunlin::node
