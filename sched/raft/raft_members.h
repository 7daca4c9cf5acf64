// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sched/raft/raft_store.h"

// The members of a group as libraft writes them into an entry of kind `change`: a byte that says 1,
// their number, and for each its id, its address as a text that ends with a zero byte, and its
// role.
namespace dunlin::sched {

/// "00000000deadbeef@10.0.0.1:7700": the node and where it is. libraft carries it and never looks.
std::string address_text(const Endpoint& endpoint);
/// Empty if `text` is none of address_text().
std::optional<Endpoint> parse_address_text(std::string_view text);

/// What libraft would write.
std::string encode_members(std::span<const RaftMember> members);
/// Empty if `data` is malformed, or names a replica or a node twice or more than kMembersMax.
std::optional<std::vector<RaftMember>> decode_members(std::string_view data);

/// No replica and no node is there twice, and they are not too many.
bool well_formed(std::span<const RaftMember> members);

}  // namespace dunlin::sched
