// SPDX-License-Identifier: MIT
#include "node/agent/contacts.h"

#include <algorithm>
#include <utility>

#include "node/agent_options.h"

// A machine often starts before its name server, and a contact's name may move to a new machine
// years after the agent began. So names are looked up again: one that fails after ever longer
// waits, one that resolved whenever the node looks for a way in, also after ever longer waits.
// The last addresses of a name that fails stay in use, because a name server that is down says
// nothing about the contact.
namespace dunlin::node {

Result<std::vector<HostAndPort>> Contacts::parse(
    std::string_view join, std::uint16_t default_port) {
  std::vector<HostAndPort> contacts;
  for (const std::string& item : split_list(join)) {
    auto where = split_address(item, default_port);
    if (!where) return failure(where.error().kind, "agent.join: " + where.error().text);
    contacts.push_back(std::move(*where));
  }
  return contacts;
}

Contacts::Contacts(Port& port, const std::vector<HostAndPort>& contacts) : port_(port) {
  for (const HostAndPort& where : contacts) {
    Contact& contact = contacts_.emplace_back();
    contact.where = where;
    if (const auto address = numeric_address(where)) {
      contact.numeric = true;
      contact.addresses = {*address};
    }
  }
}

void Contacts::start(overlay::Time now) {
  use();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!contacts_[i].numeric) look_up(now, i);
  }
}

void Contacts::wake(overlay::Time now) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].again <= now) look_up(now, i);
  }
}

overlay::Time Contacts::deadline() const {
  overlay::Time earliest = overlay::kNever;
  for (const Contact& contact : contacts_) earliest = std::min(earliest, contact.again);
  return earliest;
}

void Contacts::rejoin(overlay::Time now) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& contact = contacts_[i];
    const bool due = now - contact.asked_at >= contact.wait;
    // One in trouble has a time of its own, `again`.
    if (contact.numeric || contact.asking || !contact.trouble.empty() || !due) continue;
    contact.wait = std::min(2 * contact.wait, kWaitMax);
    look_up(now, i);
  }
}

void Contacts::look_up(overlay::Time now, std::size_t number) {
  Contact& contact = contacts_[number];
  contact.again = overlay::kNever;
  contact.asking = true;
  contact.asked_at = now;
  port_.look_up(number, contact.where);
}

void Contacts::on_answer(
    overlay::Time now, std::size_t number, const Result<std::vector<overlay::Address>>& found) {
  Contact& contact = contacts_[number];
  contact.asking = false;
  if (!found) {
    contact.again = now + contact.wait;
    contact.wait = std::min(2 * contact.wait, kWaitMax);
    if (contact.trouble == found.error().text) return;
    contact.trouble = found.error().text;
    port_.tell_unresolved(contact.where.host, contact.trouble);
    return;
  }
  const bool failed = !std::exchange(contact.trouble, "").empty();
  // Name servers give the addresses of a name in turns: another order is no change.
  const bool same = std::ranges::is_permutation(contact.addresses, *found);
  const bool moved = !same && !contact.addresses.empty();
  if (failed || moved) {
    contact.wait = kWaitMin;
    port_.tell_resolved(contact.where.host, *found);
  }
  if (same) return;
  contact.addresses = *found;
  use();
}

void Contacts::use() const {
  std::vector<overlay::Endpoint> all;
  for (const Contact& contact : contacts_) {
    for (const overlay::Address& address : contact.addresses) all.push_back({{}, address});
  }
  // With none at all the peer keeps those that it has.
  if (!all.empty()) port_.use(all);
}

}  // namespace dunlin::node
