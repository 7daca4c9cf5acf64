// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::sim {

/// The default of an attribute of ns-3's classes, or of ours for ns-3.
struct Ns3Attribute {
  std::string name;  ///< "ns3::UdpSocket::RcvBufSize".
  std::string value;
  friend bool operator==(const Ns3Attribute&, const Ns3Attribute&) = default;
};

/// True for names of attributes, false for names of parameters.
inline bool names_ns3_attribute(std::string_view key) {
  return key.find("::") != std::string_view::npos;
}

/// Fails (usage) if there is no such class or attribute, or if it cannot be set to this value.
Result<void> check(const Ns3Attribute& attribute);
/// Adds it to a list with each name once: the last value counts. Fails as check().
Result<void> set_attribute(std::vector<Ns3Attribute>& all, Ns3Attribute attribute);

/// Sets the defaults of attributes as long as this lives: ns-3 keeps them for the whole process.
/// Objects made meanwhile have them, unless their maker sets others.
class Ns3Defaults {
 public:
  /// Requires that each passes check().
  explicit Ns3Defaults(std::span<const Ns3Attribute> attributes);
  Ns3Defaults(const Ns3Defaults&) = delete;
  Ns3Defaults& operator=(const Ns3Defaults&) = delete;
  ~Ns3Defaults();

 private:
  std::vector<Ns3Attribute> before_;
};

/// The words of a command line, with ns-3's own `--ns3::Class::Attribute=value` turned into `--set
/// ns3::Class::Attribute=value`.
std::vector<std::string> with_ns3_attributes(std::span<const char* const> words);

}  // namespace dunlin::sim
