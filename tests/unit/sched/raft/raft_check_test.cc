// SPDX-License-Identifier: MIT
#include "sched/raft/raft_check.h"

#include <functional>
#include <gmock/gmock.h>

#include "sched/raft/raft_log.h"
#include "sched/raft/raft_members.h"
#include "sched/raft/snapshot_pieces.h"
#include "tests/support/memory_raft_store.h"

namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;

constexpr GroupId kGroup = 7;

std::vector<RaftMember> members(std::uint64_t count) {
  std::vector<RaftMember> made;
  for (std::uint64_t i = 1; i <= count; ++i) {
    made.push_back({.replica = 0xf000000000000000 + i,
        .node = {0xa0 + i},
        .address = Address::v4(0x0a000000 + static_cast<std::uint32_t>(i), 7700),
        .role = i % 2 == 1 ? MemberRole::voter : MemberRole::standby});
  }
  return made;
}

/// A log of entries 4 to 12 in terms 2 and 3, behind a snapshot of entry 6.
StoredRaft good() {
  test::MemoryRaftStore store;
  RaftLog log({.state = {.group = kGroup, .replica = 5}, .entries = {}});
  log.set_term(store, 3);
  log.append(store, {{.term = 1, .kind = EntryKind::change, .data = encode_members(members(3))}});
  for (int i = 2; i <= 12; ++i) {
    log.append(store, {{.term = i < 8 ? 2u : 3u, .data = "entry " + std::to_string(i)}});
  }
  log.take(store,
      {.index = 6, .term = 2, .configuration_index = 1, .members = members(3), .data = "all"}, 3);
  store.commit();
  EXPECT_EQ(store.violation(), "");
  return *store.disk();
}

TEST(RaftCheck, TakesWhatAReplicaLeaves) {
  EXPECT_TRUE(verify(good()));
  EXPECT_EQ(good().entries.front().index, 4u);
  StoredRaft fresh{.state = {.group = kGroup, .replica = 5}, .entries = {}};
  fresh.state.checksum = checksum_of(fresh.state);
  EXPECT_TRUE(verify(fresh));
}

TEST(RaftCheck, RefusesABadLogAndNamesWhatAndTheCure) {
  const auto sign = [](RaftEntry& entry) { entry.checksum = checksum_of(kGroup, entry); };
  const auto seal = [](StoredRaft& log) {
    log.snapshot->checksum = checksum_of(kGroup, *log.snapshot);
  };
  const std::pair<std::function<void(StoredRaft&)>, const char*> cases[] = {
      {[](auto& log) { log.entries.erase(log.entries.begin() + 3); }, "entry 7 is missing"},
      {[](auto& log) { log.entries[2].data[0] ^= 1; }, "entry 6 has a wrong checksum"},
      {[&](auto& log) { log.entries[7].term = 2, sign(log.entries[7]); }, "entry 11 has a term"},
      {[&](auto& log) { log.entries[8].term = 4, sign(log.entries[8]); }, "entry 12 has a term"},
      {[&](auto& log) {
         log.entries[8].kind = EntryKind::change;
         sign(log.entries[8]);
       },
          "entry 12 has impossible members"},
      {[](auto& log) { log.snapshot->data += '!'; },
          "the snapshot of entry 6 has a wrong checksum"},
      {[&](auto& log) { log.snapshot->members.clear(), seal(log); }, "impossible members"},
      {[&](auto& log) { log.snapshot->index = 2, seal(log); },
          "does not meet the entries, 4 to 12"},
      {[&](auto& log) { log.snapshot->index = 13, seal(log); }, "does not meet"},
      {[&](auto& log) { log.snapshot->term = 1, seal(log); }, "another term than that entry"},
      {[](auto& log) { log.snapshot.reset(); }, "entry 1 is missing, and there is no snapshot"},
      {[](auto& log) { log.state.vote = 9; }, "its term and vote have a wrong checksum"},
      {[](auto& log) {
         log.state.replica = 0;
         log.state.checksum = checksum_of(log.state);
       },
          "no replica id"},
  };
  for (const auto& [spoil, words] : cases) {
    StoredRaft log = good();
    spoil(log);
    const auto fine = verify(log);
    ASSERT_FALSE(fine) << words;
    EXPECT_EQ(fine.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(fine.error().text, HasSubstr(words));
    EXPECT_THAT(fine.error().text, HasSubstr("group 0000000000000007"));
    EXPECT_THAT(fine.error().text, HasSubstr("comes back as a new replica"));
  }
}

TEST(RaftMembers, RoundTrip) {
  for (const std::uint64_t count : {1u, 3u, 16u}) {
    EXPECT_EQ(decode_members(encode_members(members(count))), members(count));
  }
}

TEST(RaftMembers, RefuseWhatIsNone) {
  const std::string good = encode_members(members(2));
  for (std::size_t cut = 0; cut < good.size() - 8; ++cut) {
    EXPECT_FALSE(decode_members(good.substr(0, cut))) << cut;
  }
  EXPECT_FALSE(decode_members(encode_members(members(17))));
  auto twice = members(2);
  twice[1].node = twice[0].node;
  EXPECT_FALSE(decode_members(encode_members(twice)));
  twice = members(2);
  twice[1].replica = twice[0].replica;
  EXPECT_FALSE(decode_members(encode_members(twice)));
  EXPECT_FALSE(parse_address_text("00000000000000a1@10.0.0.1"));
  EXPECT_FALSE(parse_address_text("00000000000000A1@10.0.0.1:7700"));
  EXPECT_TRUE(parse_address_text("00000000000000a1@10.0.0.1:7700"));
}

raft::Rpc append(std::uint64_t previous, RaftTerm previous_term, std::vector<raft::Entry> with) {
  return raft::AppendEntries{.header = {1, 2, 3, 5},
      .previous_index = previous,
      .previous_term = previous_term,
      .entries = std::move(with)};
}

TEST(Plausible, RefusesWhatNoReplicaSends) {
  const raft::Entry change{1, EntryKind::change, encode_members(members(3))};
  EXPECT_TRUE(
      plausible(append(4, 2, {{2, EntryKind::command, "x"}, {5, EntryKind::command, "y"}})));
  EXPECT_TRUE(plausible(append(0, 0, {change})));
  EXPECT_FALSE(plausible(append(0, 0, {{1, EntryKind::command, "x"}}))) << "no members first";
  EXPECT_FALSE(plausible(append(4, 0, {}))) << "an entry without a term";
  EXPECT_FALSE(plausible(append(4, 2, {{1, EntryKind::command, "x"}}))) << "a term backwards";
  EXPECT_FALSE(plausible(append(4, 2, {{6, EntryKind::command, "x"}}))) << "of a later term";
  EXPECT_FALSE(plausible(append(4, 2, {{2, EntryKind::command, ""}}))) << "nothing";
  EXPECT_FALSE(plausible(append(4, 2, {{2, EntryKind::change, "x"}}))) << "no members";
  EXPECT_FALSE(plausible(raft::TimeoutNow{.header = {1, 2, 2, 5}})) << "to itself";
  EXPECT_FALSE(plausible(raft::TimeoutNow{.header = {1, 2, 3, 0}})) << "of no term";
  EXPECT_FALSE(plausible(raft::TimeoutNow{.header = {1, 0, 3, 1}})) << "of nobody";
  EXPECT_FALSE(plausible(raft::TimeoutNow{.header = {1, 2, 3, ~0ull}})) << "after which is none";
}

TEST(SnapshotPieces, AreOneInAnyOrderAndOverTries) {
  RaftSnapshot snapshot{.index = 9, .term = 2, .configuration_index = 1, .members = members(3)};
  for (std::size_t i = 0; i < 2 * kRpcDataMax + 5; ++i) snapshot.data += static_cast<char>(i / 7);
  snapshot.checksum = checksum_of(kGroup, snapshot);
  const auto pieces = pieces_of(snapshot, {kGroup, 1, 2, 5});
  ASSERT_EQ(pieces.size(), 3u);
  const auto piece = [&](std::size_t i) { return std::get<raft::InstallSnapshot>(pieces[i]); };
  for (const auto& each : pieces) EXPECT_TRUE(plausible(each));

  SnapshotPieces collected;
  EXPECT_FALSE(collected.add(kGroup, piece(2)));
  EXPECT_FALSE(collected.add(kGroup, piece(0)));
  EXPECT_FALSE(collected.add(kGroup, piece(0)));
  EXPECT_EQ(collected.add(kGroup, piece(1)), snapshot);

  // Another one in between: it starts over.
  auto other = piece(1);
  other.index = 10;
  EXPECT_FALSE(collected.add(kGroup, piece(0)));
  EXPECT_FALSE(collected.add(kGroup, other));
  EXPECT_FALSE(collected.add(kGroup, piece(1)));
  EXPECT_FALSE(collected.add(kGroup, piece(2)));
  EXPECT_EQ(collected.add(kGroup, piece(0)), snapshot);

  // Spoilt on its way, it is none.
  auto spoilt = piece(1);
  spoilt.data[0] ^= 1;
  EXPECT_FALSE(collected.add(kGroup, piece(0)));
  EXPECT_FALSE(collected.add(kGroup, spoilt));
  EXPECT_FALSE(collected.add(kGroup, piece(2)));
}

}  // namespace
}  // namespace dunlin::sched
