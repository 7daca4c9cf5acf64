// SPDX-License-Identifier: MIT
#include "sched/cell/raft_members.h"

#include <charconv>
#include <cstring>
#include <iterator>

namespace dunlin::sched {
namespace {

constexpr char kFormat = 1;
constexpr std::size_t kHexDigits = 16;

void put_number(std::uint64_t value, std::string& out) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(value >> shift);
}

/// Takes a number from the front of `in`, of which 8 bytes must be there.
std::uint64_t take_number(std::string_view& in) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(8);
  return value;
}

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
  // One text per endpoint, or two members might be one node.
  if (!endpoint.id || address_text(endpoint) != text) return std::nullopt;
  return endpoint;
}

std::string encode_members(std::span<const RaftMember> members) {
  std::string out(1, kFormat);
  put_number(members.size(), out);
  for (const RaftMember& member : members) {
    put_number(member.replica, out);
    out += address_text({member.node, member.address});
    out += '\0';
    out += static_cast<char>(member.role);
  }
  // libraft fills up to a word.
  out.resize((out.size() + 7) / 8 * 8);
  return out;
}

std::optional<std::vector<RaftMember>> decode_members(std::string_view data) {
  if (data.size() < 9 || data.front() != kFormat) return std::nullopt;
  data.remove_prefix(1);
  const std::uint64_t count = take_number(data);
  if (count > kMembersMax) return std::nullopt;
  std::vector<RaftMember> members;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (data.size() < 8) return std::nullopt;
    RaftMember member;
    member.replica = take_number(data);
    const auto end = data.find('\0');
    if (end == std::string_view::npos || end + 1 >= data.size()) return std::nullopt;
    const auto endpoint = parse_address_text(data.substr(0, end));
    const auto role = static_cast<unsigned char>(data[end + 1]);
    if (!endpoint || role >= std::size(cell::kMemberRoleWords)) return std::nullopt;
    member.node = endpoint->id;
    member.address = endpoint->address;
    member.role = static_cast<MemberRole>(role);
    data.remove_prefix(end + 2);
    members.push_back(member);
  }
  if (!well_formed(members)) return std::nullopt;
  return members;
}

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
