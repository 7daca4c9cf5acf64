// SPDX-License-Identifier: MIT
#include "sched/raft/raft_members.h"

#include <charconv>
#include <cstring>
#include <iterator>

#include "sched/raft/little_endian.h"

// libraft stores a member's address as a text of the application's choice. Ours names the node as
// well as its address, so that the log alone tells which nodes the voters are. We read and write
// libraft's own format, because the first entry of a group is ours and the later ones are
// libraft's, and both must have the same bytes for the same members.
namespace dunlin::sched {
namespace {

constexpr char kFormat = 1;
constexpr std::size_t kHexDigits = 16;

}  // namespace

std::string address_text(const Endpoint& endpoint) {
  char digits[kHexDigits];
  const std::string id(digits, std::to_chars(digits, std::end(digits), endpoint.id.value, 16).ptr);
  return std::string(kHexDigits - id.size(), '0') + id + '@' + to_string(endpoint.address);
}

std::optional<Endpoint> parse_address_text(std::string_view text) {
  if (text.size() <= kHexDigits || text[kHexDigits] != '@') return std::nullopt;
  Endpoint endpoint;
  const auto* const end = text.data() + kHexDigits;
  const auto parsed = std::from_chars(text.data(), end, endpoint.id.value, 16);
  const auto address = overlay::parse_address(text.substr(kHexDigits + 1), 0);
  if (parsed.ec != std::errc() || parsed.ptr != end || !address) return std::nullopt;
  endpoint.address = *address;
  // An endpoint has one text only; otherwise two members might be one node.
  if (!endpoint.id || address_text(endpoint) != text) return std::nullopt;
  return endpoint;
}

std::string encode_members(std::span<const RaftMember> members) {
  std::string out(1, kFormat);
  put_number(out, std::uint64_t{members.size()});
  for (const RaftMember& member : members) {
    put_number(out, member.replica);
    out += address_text({member.node, member.address});
    out += '\0';
    out += static_cast<char>(member.role);
  }
  // libraft fills the entry up to a whole word.
  out.resize((out.size() + 7) / 8 * 8);
  return out;
}

std::optional<std::vector<RaftMember>> decode_members(std::string_view data) {
  if (data.size() < 9 || data.front() != kFormat) return std::nullopt;
  data.remove_prefix(1);
  const std::uint64_t count = take_number<std::uint64_t>(data);
  if (count > kMembersMax) return std::nullopt;
  std::vector<RaftMember> members;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (data.size() < 8) return std::nullopt;
    RaftMember member;
    member.replica = take_number<std::uint64_t>(data);
    const auto end = data.find('\0');
    if (end == std::string_view::npos || end + 1 >= data.size()) return std::nullopt;
    const auto endpoint = parse_address_text(data.substr(0, end));
    const auto role = static_cast<unsigned char>(data[end + 1]);
    if (!endpoint || role >= std::size(raft::kMemberRoleWords)) return std::nullopt;
    member.node = endpoint->id;
    member.address = endpoint->address;
    member.role = static_cast<MemberRole>(role);
    data.remove_prefix(end + 2);
    members.push_back(member);
  }
  if (!well_formed(members)) return std::nullopt;
  return members;
}

// Two replicas on one node would fail together, and count twice for a majority.
bool well_formed(std::span<const RaftMember> members) {
  if (members.size() > kMembersMax) return false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].replica == 0 || !members[i].node) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (members[k].replica == members[i].replica || members[k].node == members[i].node) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace dunlin::sched
