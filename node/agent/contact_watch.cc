// SPDX-License-Identifier: MIT
#include "node/agent/contact_watch.h"

#include "overlay/address.h"

// The part of looking contacts up that touches the loop: timers, lookups, log, and the peer. The
// decisions are those of Contacts, which knows none of them and is tested alone.
namespace dunlin::node {

ContactWatch::ContactWatch(AgentParts& parts, const std::vector<HostAndPort>& contacts)
    : parts_(parts),
      contacts_(*this, contacts),
      lookup_(parts.loop),
      wakeup_(parts.loop, [this] {
        contacts_.wake(parts_.now());
        wakeup_.at(contacts_.deadline());
      }) {
  contacts_.start(parts_.now());
  wakeup_.at(contacts_.deadline());
}

bool ContactWatch::run_periodic(bool lonely) {
  // That the peer looked for a way in is seen by its counter.
  const std::uint64_t rejoins = parts_.metrics.rejoins();
  if (rejoins == rejoins_ && !lonely) return false;
  rejoins_ = rejoins;
  look();
  return true;
}

void ContactWatch::look() {
  contacts_.rejoin(parts_.now());
  wakeup_.at(contacts_.deadline());
}

void ContactWatch::look_up(std::size_t number, const HostAndPort& where) {
  lookup_.start(where, [this, number](const Result<std::vector<overlay::Address>>& found) {
    contacts_.on_answer(parts_.now(), number, found);
    wakeup_.at(contacts_.deadline());
  });
}

void ContactWatch::use(const std::vector<overlay::Endpoint>& contacts) {
  addresses_.clear();
  for (const overlay::Endpoint& contact : contacts) addresses_.push_back(contact.address);
  parts_.peer->set_contacts(parts_.now(), contacts);
}

void ContactWatch::tell_unresolved(const std::string& host, const std::string& why) {
  parts_.log.say(overlay::Level::warn, "contact_unresolved",
      {{"host", host}, {"error", why},
          {"cure", "correct it in agent.join, or its name server; it is asked again until then"}});
}

void ContactWatch::tell_resolved(
    const std::string& host, const std::vector<overlay::Address>& addresses) {
  std::string all;
  for (const overlay::Address& address : addresses) {
    all += (all.empty() ? "" : " ") + overlay::to_string(address);
  }
  parts_.log.say(overlay::Level::info, "contact_resolved", {{"host", host}, {"addresses", all}});
}

}  // namespace dunlin::node
