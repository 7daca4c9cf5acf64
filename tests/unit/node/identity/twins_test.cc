// SPDX-License-Identifier: MIT
#include "node/identity/twins.h"

#include <deque>
#include <gmock/gmock.h>
#include <map>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::PeerId;
using overlay::Time;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kUnix = 1'800'000'000;
constexpr PeerId kPeer{9};
/// How many datagrams each process has sealed.
constexpr std::uint64_t kCounter = 5000;
constexpr Address kMine = Address::v4(0x0a000001, 7700);
constexpr Address kTheirs = Address::v4(0x0a000002, 7700);

/// Processes of one identity at addresses of their own, and the network between them.
class World {
 public:
  class Process final : public Twins::Port {
   public:
    Process(World& world, const Address& at, const Twins::Start& start, std::uint32_t incarnation)
        : twins(*this, at, start),
          world_(world),
          at_(at),
          incarnation_(incarnation) {
      twins.set_incarnation(incarnation);
    }
    void send_to_twin(const Address& to, const Twin& message) override {
      said.push_back(to);
      world_.send(at_, to, message);
    }
    std::uint64_t draw_nonce() override { return ++world_.nonce_; }
    void rise_above(std::uint32_t above, PeerId) override {
      risen.push_back(above);
      incarnation_ = above + 1;
      twins.set_incarnation(incarnation_);
    }
    void meet_twin(const Address& twin, bool younger) override { met.emplace_back(twin, younger); }
    std::uint32_t incarnation() const { return incarnation_; }

    Twins twins;
    std::vector<Address> said;
    std::vector<std::uint32_t> risen;
    std::vector<std::pair<Address, bool>> met;

   private:
    World& world_;
    Address at_;
    std::uint32_t incarnation_;
  };

  /// One that began `start` seconds after the epoch of the calls, and by its wall clock was
  /// `ahead` of all others then.
  Process& add(const Address& at,
      int start,
      std::uint32_t incarnation,
      std::chrono::nanoseconds ahead = 0ns) {
    const Twins::Start began{.at = Time{std::chrono::seconds(start)},
        .wall_ns = (std::chrono::seconds(kUnix + start) + ahead).count()};
    return *processes.emplace(at.low, std::make_unique<Process>(*this, at, began, incarnation))
                .first->second;
  }
  bool tell(Process& process,
      std::uint32_t incarnation,
      const Address& address = {},
      std::uint64_t counter = kCounter) {
    return process.twins.on_elsewhere(now, {.unix_seconds = kUnix, .counter = kCounter}, kPeer,
        {.incarnation = incarnation, .address = address, .counter = counter});
  }
  void run(overlay::Duration time) {
    for (const Time end = now + time; now < end; now += 10ms) {
      for (auto& [at, process] : processes) {
        if (process->twins.deadline() <= now) process->twins.wake(now);
      }
      for (auto& [from, to, message] : std::exchange(letters_, {})) {
        const auto process = processes.find(to.low);
        if (process != processes.end()) process->second->twins.on_twin(now, from, message);
      }
    }
  }
  void send(const Address& from, const Address& to, Twin message) {
    if (of_before) message.age = 0;
    record.push_back(message);
    if (!cut) letters_.emplace_back(from, to, message);
  }

  Time now{1000s};
  bool cut = false;
  bool of_before = false;  ///< Their messages lack what came later.
  std::map<std::uint64_t, std::unique_ptr<Process>> processes;
  std::vector<Twin> record;

 private:
  std::deque<std::tuple<Address, Address, Twin>> letters_;
  std::uint64_t nonce_ = 0;
};

TEST(Twins, ANodeWithoutItsMemoryRisesAtOnceAtItsOwnAddress) {
  World world;
  auto& node = world.add(kMine, 5, 10);
  EXPECT_TRUE(world.tell(node, 500, kMine));
  EXPECT_THAT(node.risen, ElementsAre(500u));
  EXPECT_THAT(node.said, IsEmpty());
  EXPECT_THAT(node.met, IsEmpty());
}

TEST(Twins, ItLooksForATwinFirstWhereItIsNot) {
  World world;
  auto& node = world.add(kMine, 5, 10);
  world.tell(node, 500, kTheirs);
  world.run(700ms);
  EXPECT_THAT(node.risen, IsEmpty()) << "a twin may need a moment";
  EXPECT_THAT(node.said, ElementsAre(kTheirs, kTheirs, kTheirs));
  world.run(300ms);
  EXPECT_THAT(node.risen, ElementsAre(500u)) << "it was the node's own past";
  world.run(10s);
  EXPECT_EQ(node.said.size(), 3u);
  EXPECT_EQ(node.twins.deadline(), overlay::kNever);
}

TEST(Twins, AnAddressLeftIsNothing) {
  World world;
  auto& node = world.add(kMine, 5, 500);
  world.tell(node, 500, kTheirs);
  world.run(10s);
  EXPECT_THAT(node.risen, IsEmpty());
  world.tell(node, 500, kMine);
  world.tell(node, 499, kTheirs);
  EXPECT_EQ(node.said.size(), 3u) << "what is true, and what is past, is no news";
}

// The same process, twice over: its memory was set back, and it does not know.
TEST(Twins, AMachineResumedFromASnapshotRises) {
  World world;
  auto& node = world.add(kMine, 5, 500);
  world.tell(node, 500, kMine, kCounter);
  EXPECT_THAT(node.risen, IsEmpty()) << "somebody replays what it said";
  world.tell(node, 500, kMine, kCounter + 1);
  EXPECT_THAT(node.risen, ElementsAre(500u));
  EXPECT_EQ(node.incarnation(), 501u);
  world.tell(node, 500, kMine, kCounter + 2);
  EXPECT_EQ(node.risen.size(), 1u) << "the past again";

  // It was moved to another address meanwhile: a twin may live at the old one.
  auto& moved = world.add(kTheirs, 6, 500);
  world.processes.erase(kMine.low);
  world.tell(moved, 500, kMine, kCounter);
  world.tell(moved, 500, kMine, kCounter + 1);
  world.run(2s);
  EXPECT_THAT(moved.risen, ElementsAre(500u));
  EXPECT_THAT(moved.met, IsEmpty());
}

TEST(Twins, OfTwoTheYoungerStopsAndTheElderRises) {
  for (const bool elder_is_told : {true, false}) {
    for (const std::chrono::hours ahead : {-5h, 0h, 5h}) {  // The elder's wall clock.
      World world;
      auto& elder = world.add(kMine, 100, 100, ahead);
      auto& younger = world.add(kTheirs, 200, 200);
      elder_is_told ? world.tell(elder, 200, kTheirs) : world.tell(younger, 200, kMine);
      world.run(1s);
      EXPECT_THAT(elder.met, ElementsAre(std::pair(kTheirs, false))) << ahead.count();
      EXPECT_THAT(younger.met, ElementsAre(std::pair(kMine, true))) << ahead.count();
      EXPECT_THAT(elder.risen, ElementsAre(200u)) << "so that peers hear it again";
      EXPECT_THAT(younger.risen, IsEmpty());
    }
  }
}

// Each spoke with others before, and has a number whose age is of then.
TEST(Twins, TwoOfAlmostOneAgeAgreeWhenBothAsk) {
  for (const auto apart : {0ms, 10ms, 400ms, 900ms}) {
    World world;
    auto& one = world.add(kMine, 100, 100);
    auto& other = world.add(kTheirs, 100, 200);
    world.tell(one, 150, Address::v4(0x0a000003, 1));
    world.run(apart);
    world.tell(other, 250, Address::v4(0x0a000003, 1));
    world.run(20ms);
    world.tell(one, 200, kTheirs);
    world.tell(other, 200, kMine, kCounter + 1);
    world.run(2s);
    ASSERT_FALSE(one.met.empty()) << apart.count();
    ASSERT_FALSE(other.met.empty()) << apart.count();
    for (const auto& [at, stops] : one.met) EXPECT_EQ(stops, one.met[0].second);
    for (const auto& [at, stops] : other.met) EXPECT_NE(stops, one.met[0].second);
  }
}

// One is of a build of before: it tells no age, and reads none.
TEST(Twins, OfTwoWithoutAgesTheYoungerByTheWallClockStops) {
  World world;
  world.of_before = true;
  auto& elder = world.add(kMine, 100, 100);
  auto& younger = world.add(kTheirs, 200, 200, -1h);
  world.tell(elder, 200, kTheirs);
  world.run(1s);
  EXPECT_THAT(elder.met, ElementsAre(std::pair(kTheirs, true)));
  EXPECT_THAT(younger.met, ElementsAre(std::pair(kMine, false)));
}

TEST(Twins, OfTwoThatWereOneProcessExactlyOneStops) {
  World world;
  auto& one = world.add(kMine, 100, 100);
  auto& other = world.add(kTheirs, 100, 100);
  world.tell(one, 100, kTheirs);
  world.tell(other, 100, kMine);
  world.run(1s);
  ASSERT_FALSE(one.met.empty());
  ASSERT_FALSE(other.met.empty());
  for (const auto& [at, stops] : one.met) EXPECT_EQ(stops, one.met[0].second);
  for (const auto& [at, stops] : other.met) EXPECT_NE(stops, one.met[0].second);
}

TEST(Twins, ANodeThatHearsItselfMeetsNobody) {
  World world;
  auto& node = world.add(kMine, 5, 100);
  world.processes.emplace(kTheirs.low, std::move(world.processes.at(kMine.low)));
  world.processes.erase(kMine.low);  // It is where it asks: its address has two names.
  world.tell(node, 100, kTheirs);
  world.run(5s);
  EXPECT_EQ(node.said.size(), 3u);
  EXPECT_THAT(node.met, IsEmpty());
}

// A recording of what twins said in the past, played again.
TEST(Twins, BelieveNothingThatIsReplayed) {
  World world;
  auto& elder = world.add(kMine, 100, 100);
  world.add(kTheirs, 200, 200);
  world.tell(elder, 200, kTheirs);
  world.run(1s);
  const std::vector<Twin> recorded = world.record;
  ASSERT_GE(recorded.size(), 3u);
  auto& now = world.add(Address::v4(0x0a000003, 1), 300, 300);
  for (int i = 0; i < 100; ++i) {
    for (const Twin& twin : recorded) now.twins.on_twin(world.now, kTheirs, twin);
    world.run(10ms);
  }
  EXPECT_THAT(now.met, IsEmpty());
  EXPECT_THAT(now.risen, IsEmpty());
  EXPECT_LE(now.said.size(), 21u) << "at most twenty answers a second";
}

// A clock was three days ahead when a node started. Its copy started one incarnation later, and
// ran beside it for good.
TEST(Twins, ANodeWhoseClockWasDaysAheadMeetsItsCopy) {
  World world;
  constexpr auto kDaysAhead = static_cast<std::uint32_t>(kUnix) + 3 * 86'400;
  auto& elder = world.add(kMine, 100, kDaysAhead);
  auto& younger = world.add(kTheirs, 200, kDaysAhead + 1);
  EXPECT_TRUE(world.tell(elder, kDaysAhead + 1, kTheirs));
  world.run(1s);
  EXPECT_THAT(elder.met, ElementsAre(std::pair(kTheirs, false)));
  EXPECT_THAT(younger.met, ElementsAre(std::pair(kMine, true)));
  EXPECT_FALSE(world.tell(elder, kDaysAhead + 2000, kTheirs)) << "not by so many starts";
}

TEST(Twins, NobodyPushesANodeBeyondTheClock) {
  World world;
  auto& node = world.add(kMine, 5, 10);
  EXPECT_FALSE(world.tell(node, static_cast<std::uint32_t>(kUnix) + 200'000, kMine));
  EXPECT_FALSE(world.tell(node, 0xffffffff, kTheirs));
  world.run(10s);
  EXPECT_THAT(node.risen, IsEmpty());
  EXPECT_THAT(node.said, IsEmpty());
  EXPECT_TRUE(world.tell(node, static_cast<std::uint32_t>(kUnix) + 3600, kMine))
      << "a clock that was an hour ahead";
  EXPECT_EQ(node.risen.size(), 1u);
}

TEST(Twins, TwoThatCannotMeetRiseMoreAndMoreSlowly) {
  World world;
  world.cut = true;
  auto& one = world.add(kMine, 100, 100);
  auto& other = world.add(kTheirs, 200, 200);
  for (int i = 0; i < 600; ++i) {  // Ten minutes. Peers tell the one that is behind, once a second.
    if (one.incarnation() < other.incarnation()) world.tell(one, other.incarnation(), kTheirs);
    if (other.incarnation() < one.incarnation()) world.tell(other, one.incarnation(), kMine);
    world.run(1s);
  }
  EXPECT_GE(one.risen.size(), 2u);
  EXPECT_LE(one.risen.size() + other.risen.size(), 24u);
}

}  // namespace
}  // namespace dunlin::node
