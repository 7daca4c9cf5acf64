// SPDX-License-Identifier: MIT
#include "node/access/user_rights.h"

#include <algorithm>
#include <cerrno>
#include <grp.h>
#include <memory>
#include <optional>
#include <pwd.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "node/access/principal.h"

// A process that speaks for users says a name, and no more counts of what it says: whether that
// user exists, and is an administrator, the agent asks the databases that the kernel's ids come
// from. The kernel itself knows groups of processes only, and there may be none of that user.
namespace dunlin::node {
namespace {

/// Bytes of an entry, doubled up to a bound where they are too few: a group may have thousands of
/// members.
constexpr std::size_t kEntryBytes = std::size_t{16} << 10;
constexpr std::size_t kEntryBytesMax = std::size_t{16} << 20;
constexpr int kUserGroupsMax = 65'536;

/// Calls `look(entry, text, size, &found)`, a function such as getpwnam_r(), with enough room.
/// Its errno, or 0; `found` is null if there is no such entry.
template <typename Entry, typename Look>
int look_up_entry(Entry& entry, std::vector<char>& text, Entry*& found, Look look) {
  for (text.resize(kEntryBytes);; text.resize(text.size() * 2)) {
    const int code = look(&entry, text.data(), text.size(), &found);
    if (code != ERANGE || text.size() >= kEntryBytesMax) return code;
  }
}

/// A user's own name, id and first group.
struct SystemUser {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// Empty if there is no such user. Sets `trouble` if that cannot be known.
std::optional<SystemUser> system_user(const std::string& name, int& trouble) {
  std::vector<char> text;
  passwd entry{};
  passwd* found = nullptr;
  const int code = look_up_entry(
      entry, text, found, [&](auto... more) { return ::getpwnam_r(name.c_str(), more...); });
  if (found != nullptr) return SystemUser{entry.pw_name, entry.pw_uid, entry.pw_gid};
  // These, too, mean that there is none, says the manual of getpwnam_r().
  const bool none = code == 0 || code == ENOENT || code == ESRCH || code == EBADF || code == EPERM;
  trouble = none ? 0 : code;
  return std::nullopt;
}

/// As requests of the user's own processes are called: a user may have several names for one id.
std::string first_name_of(const SystemUser& user) {
  std::vector<char> text;
  passwd entry{};
  passwd* found = nullptr;
  look_up_entry(entry, text, found, [&](auto... more) { return ::getpwuid_r(user.uid, more...); });
  return found != nullptr ? entry.pw_name : user.name;
}

std::optional<gid_t> group_of(const char* name) {
  std::vector<char> text;
  group entry{};
  group* found = nullptr;
  look_up_entry(entry, text, found, [&](auto... more) { return ::getgrnam_r(name, more...); });
  return found != nullptr ? std::optional(entry.gr_gid) : std::nullopt;
}

bool is_member(const SystemUser& user, gid_t wanted) {
  std::vector<gid_t> groups(64);
  for (;;) {
    int count = static_cast<int>(groups.size());
    const int told = ::getgrouplist(user.name.c_str(), user.gid, groups.data(), &count);
    if (told >= 0) return std::ranges::count(groups.data(), groups.data() + told, wanted) > 0;
    // It says how much room it takes; what is beyond the bound is no group of administrators.
    if (count <= static_cast<int>(groups.size()) || count > kUserGroupsMax) return false;
    groups.resize(static_cast<std::size_t>(count));
  }
}

}  // namespace

UserRights rights_of(const std::string& user, const char* admins) {
  UserRights rights;
  const auto known = system_user(user, rights.trouble);
  if (!known) return rights;
  rights.name = first_name_of(*known);
  rights.administrator = known->uid == 0 || known->uid == ::geteuid();
  if (rights.administrator) return rights;
  const auto group = group_of(admins);
  rights.administrator = group && is_member(*known, *group);
  return rights;
}

struct SystemRights::Request {
  uv_work_t uv{};
  SystemRights* owner = nullptr;  ///< Null when it has gone.
  std::string user;
  UserRights rights;
};

SystemRights::~SystemRights() {
  for (Request* const request : open_) {
    request->owner = nullptr;
    uv_cancel(reinterpret_cast<uv_req_t*>(&request->uv));
  }
}

const UserRights* SystemRights::find(const std::string& user) const {
  const auto known = known_.find(user);
  if (known == known_.end() || uv_now(&loop_) >= known->second.until) return nullptr;
  return &known->second.rights;
}

void SystemRights::look_up(const std::string& user) {
  const bool begun = std::ranges::count(open_, user, &Request::user) > 0;
  if (begun || open_.size() >= kLookupsMax) return;
  auto request = std::make_unique<Request>();
  request->uv.data = request.get();
  request->owner = this;
  request->user = user;
  const int status = uv_queue_work(
      &loop_, &request->uv,
      [](uv_work_t* work) {
        auto* const mine = static_cast<Request*>(work->data);
        mine->rights = rights_of(mine->user, kAdminGroup);
      },
      on_done);
  if (status == 0) open_.insert(request.release());
}

void SystemRights::on_done(uv_work_t* work, int status) {
  const std::unique_ptr<Request> request(static_cast<Request*>(work->data));
  SystemRights* const self = request->owner;
  if (self == nullptr || status != 0) return;
  self->open_.erase(request.get());
  if (self->known_.size() >= kUsersMax) self->known_.clear();
  const overlay::Duration keep = request->rights.trouble != 0 ? kTroubleKeep : kKeep;
  const auto kept = std::chrono::duration_cast<std::chrono::milliseconds>(keep).count();
  self->known_[request->user] = {.rights = std::move(request->rights),
      .until = uv_now(&self->loop_) + static_cast<std::uint64_t>(kept)};
  self->on_found_();
}

}  // namespace dunlin::node
