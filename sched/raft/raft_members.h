// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sched/raft/raft_store.h"

// The members of a group, in the bytes that libraft writes into an entry of kind `change`: a byte
// that is 1, their number, and for each its id, its address as a text that ends with a zero byte,
// and its role.
namespace dunlin::sched {

/// "00000000deadbeef@10.0.0.1:7700": a node and its address. libraft carries this text and never
/// reads it.
std::string address_text(const Endpoint& endpoint);
/// Empty if `text` is not of address_text().
std::optional<Endpoint> parse_address_text(std::string_view text);

/// The bytes that libraft would write.
std::string encode_members(std::span<const RaftMember> members);
/// Empty if `data` is malformed, or names a replica or a node twice or more than kMembersMax.
std::optional<std::vector<RaftMember>> decode_members(std::string_view data);

/// True if no replica and no node is there twice, and they are not too many.
bool well_formed(std::span<const RaftMember> members);

}  // namespace dunlin::sched
