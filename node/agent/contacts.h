// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "node/net/resolve.h"
#include "overlay/address.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The contacts of `agent.join`, and the addresses that their names stand for now. A name that does
/// not resolve stops nothing: it is asked again, and the other contacts serve meanwhile.
class Contacts {
 public:
  /// The wait before a name is asked again, at first and after many tries.
  static constexpr overlay::Duration kWaitMin = std::chrono::seconds(1);
  static constexpr overlay::Duration kWaitMax = std::chrono::seconds(60);

  /// Receives the findings.
  class Port {
   public:
    /// Looks up contact `number`; the answer comes by on_answer(), perhaps at once.
    virtual void look_up(std::size_t number, const HostAndPort& where) = 0;
    /// Addresses came, or changed: these are all of them.
    virtual void use(const std::vector<overlay::Endpoint>& contacts) = 0;
    /// A name does not resolve, told once until that changes.
    virtual void tell_unresolved(const std::string& host, const std::string& why) = 0;
    /// A name that did not resolve does, or stands for other addresses than before.
    virtual void tell_resolved(
        const std::string& host, const std::vector<overlay::Address>& addresses) = 0;

   protected:
    ~Port() = default;
  };

  /// The items of `agent.join`. Fails (`usage`), naming it, if one is no address at all.
  static Result<std::vector<HostAndPort>> parse(std::string_view join, std::uint16_t default_port);

  /// Borrows `port`. Contacts that are spelt in numbers are never looked up.
  Contacts(Port& port, const std::vector<HostAndPort>& contacts);

  /// Tells the port the addresses in numbers, and looks up all names.
  void start(overlay::Time now);
  /// Asks names again whose time has come. At deadline(), or later.
  void wake(overlay::Time now);
  /// kNever if all names are known or being looked up.
  overlay::Time deadline() const;
  /// The node looks for a way in: names may stand for other addresses by now.
  void rejoin(overlay::Time now);
  /// The answer to look_up(). A failure keeps the addresses of before: a name server that is down
  /// must not cut a node off from contacts that still serve.
  void on_answer(
      overlay::Time now, std::size_t number, const Result<std::vector<overlay::Address>>& found);

 private:
  struct Contact {
    HostAndPort where;
    bool numeric = false;
    /// An answer is on the way: it is not asked for twice.
    bool asking = false;
    std::vector<overlay::Address> addresses;  ///< The last that were found.
    std::string trouble;                      ///< Why it does not resolve; empty if it does.
    /// Before it may be asked again; doubles with each time.
    overlay::Duration wait = kWaitMin;
    overlay::Time asked_at{};
    /// When a name that failed is asked again.
    overlay::Time again = overlay::kNever;
  };

  void look_up(overlay::Time now, std::size_t number);
  void use() const;

  Port& port_;
  std::vector<Contact> contacts_;
};

}  // namespace dunlin::node
