// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>

#include "node/net/transport.h"
#include "sched/codec.h"
#include "sched/node_spec.h"
#include "tests/newer/newer_messages.h"
#include "tests/node/agent_world.h"
#include "tests/unit/node/net_support.h"

// A node of a later build in a cluster of this one, under a job. The later one is a stub: it has
// the cluster's key and an identity, and says in each datagram what this build knows and what not.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

class NewerNode {
 public:
  NewerNode(const std::string& directory, const std::string& key) {
    std::filesystem::create_directories(directory);
    transport_ = std::move(*Transport::open(
        loop_.get(), {.bind = "127.0.0.1:0", .advertise = "", .params = {}},
        *Identity::load_or_create(directory), *Keyring::load(key), 1,
        [this](const overlay::Endpoint&, Layer layer, std::span<const std::byte> bytes) {
          if (layer != Layer::sched) return;
          const auto message = sched::decode(bytes);
          if (!message) return;
          if (const auto* facts = std::get_if<sched::Facts>(&*message)) answers_.push_back(*facts);
        },
        [](const PeerNotice&) {}));
  }
  ~NewerNode() { transport_->close(); }
  NewerNode(const NewerNode&) = delete;
  NewerNode& operator=(const NewerNode&) = delete;

  /// Says everything at once, in one datagram: the question is the last thing in it.
  void speak(const overlay::Endpoint& to, std::uint64_t request) {
    transport_->send(to, Layer::sched, newer::novelty());
    transport_->send(to, static_cast<Layer>(kLayers + 3), "a layer of a later build");
    transport_->send(to, Layer::sched, newer::bounced(newer::BounceReason::TIRED));
    transport_->send(to, Layer::node, newer::novelty());
    transport_->send(to, Layer::sched, newer::facts_request(request));
    transport_->flush();
  }
  bool run_until(const std::function<bool()>& done) { return loop_.run_until(done, 5s); }
  const std::vector<sched::Facts>& answers() const { return answers_; }

 private:
  Loop loop_;
  std::vector<sched::Facts> answers_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(AgentWorld, ANodeOfALaterBuildIsUnderstoodMessageByMessage) {
  for (const char* name : {"a", "b", "c"}) add(name);
  wait_for_nodes(*agents[0], 3);
  const auto job = submit(*agents[0], "sleep 0.2; echo $DUNLIN_TASK_INDEX", 60);
  NewerNode later(home + "/later", key);
  std::uint64_t asked = 1000;
  for (int round = 0; round < 10; ++round) {
    for (const auto& agent : agents) {
      later.speak({{}, overlay::Address::v4(0x7f000001, agent->port())}, ++asked);
      EXPECT_TRUE(later.run_until([&] {
        return std::ranges::any_of(
            later.answers(), [&](const sched::Facts& facts) { return facts.request == asked; });
      })) << "the question behind what is unknown was lost";
    }
  }
  for (const sched::Facts& facts : later.answers()) {
    EXPECT_EQ(facts.capabilities & sched::kCapabilities, sched::kCapabilities);
  }
  EXPECT_EQ(finish(*agents[0], job)["done"], 60);
  for (std::uint32_t task = 0; task < 60; ++task) {
    EXPECT_EQ(output(*agents[0], job, task), std::to_string(task) + "\n");
  }
  for (const auto& agent : agents) {
    const Json status = agent->client().ok(request("status"));
    EXPECT_GE(status["counters"]["malformed"], 20) << "what is unknown is counted";
    EXPECT_EQ(status["counters"]["messages_unknown"], 10);
  }
  wait_for_nodes(*agents[0], 3);
}

}  // namespace
}  // namespace dunlin::node
