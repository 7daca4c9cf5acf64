// SPDX-License-Identifier: MIT
#include "node/control/accounts/account_json.h"

#include <algorithm>
#include <string>

namespace dunlin::node {

Json shares_json() {
  Json shares = Json::object();
  for (const Share& share : kShares) {
    shares[std::string(share.name)] = {
        {"all", share.all}, {"user", share.user}, {"alone", share.alone}, {"kept", share.kept}};
  }
  return shares;
}

Json users_json(const Accounts& accounts, const Principal& viewer) {
  Json users = Json::array();
  for (const AccountPtr& account : accounts.all()) {
    if (!viewer.administrator && account->user != viewer.user) continue;
    if (account->requests == 0 && std::ranges::count(account->places, 0u) == kPlaces) continue;
    Json user = {{"user", account->user}};
    for (std::size_t i = 0; i < kPlaces; ++i) {
      user[std::string(kShares[i].name)] = account->places[i];
    }
    user["requests"] = account->requests;
    user["refused"] = account->refused;
    user["failed"] = account->failed;
    user["loop_ns"] = account->loop.count();
    user["upload_bytes"] = account->upload_bytes;
    users.push_back(std::move(user));
  }
  return users;
}

}  // namespace dunlin::node
