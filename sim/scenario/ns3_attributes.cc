// SPDX-License-Identifier: MIT
#include "sim/scenario/ns3_attributes.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <ns3/config.h>
#include <ns3/string.h>
#include <ns3/type-id.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "overlay/ensure.h"
#include "sim/scenario/advice.h"

namespace dunlin::sim {
namespace {

using Information = ns3::TypeId::AttributeInformation;

/// Splits into "ns3::UdpSocket" and "RcvBufSize".
std::pair<std::string, std::string> parts_of(const std::string& name) {
  const std::size_t colons = name.rfind("::");
  return {name.substr(0, colons), name.substr(colons + 2)};
}

/// Looks at a class alone, not at those it is derived from: a default belongs to its class.
std::optional<Information> find(const ns3::TypeId& type, const std::string& attribute) {
  for (std::size_t i = 0; i < type.GetAttributeN(); ++i) {
    if (type.GetAttribute(i).name == attribute) return type.GetAttribute(i);
  }
  return std::nullopt;
}

std::vector<std::string> attributes_of(const ns3::TypeId& type) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < type.GetAttributeN(); ++i) names.push_back(type.GetAttribute(i).name);
  return names;
}

/// Asks ns-3 in a process of its own, because ns-3 aborts on some values that it cannot read.
bool is_valid(const Information& attribute, const std::string& value) {
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    // _exit(): the parent's buffers must not be written twice, nor its objects destroyed here.
    try {
      _exit(attribute.checker->CreateValidValue(ns3::StringValue(value)) ? 0 : 1);
    } catch (const std::exception&) {
      _exit(1);
    }
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

/// Names the class from which an attribute is inherited.
std::string advice_of(const ns3::TypeId& type, const std::string& attribute) {
  for (ns3::TypeId each = type; each.HasParent();) {
    each = each.GetParent();
    if (find(each, attribute)) return "; say " + each.GetName() + "::" + attribute;
  }
  return advice(attribute, attributes_of(type));
}

}  // namespace

Result<void> check(const Ns3Attribute& attribute) {
  const auto wrong = [](const std::string& text) { return failure(ErrorKind::usage, text); };
  if (!names_ns3_attribute(attribute.name)) {
    return wrong("expected a class and its attribute, as ns3::UdpSocket::RcvBufSize");
  }
  const auto [name, last] = parts_of(attribute.name);
  ns3::TypeId type;
  if (!ns3::TypeId::LookupByNameFailSafe(name, &type)) {
    return wrong("there is no class " + name + " of ns-3 here");
  }
  const auto known = find(type, last);
  if (!known) return wrong(name + " has no " + last + advice_of(type, last));
  if ((known->flags & ns3::TypeId::ATTR_CONSTRUCT) == 0) {
    return wrong(attribute.name + " cannot be set before its object is made");
  }
  if (is_valid(*known, attribute.value)) return {};
  // In ns-3's own words, as its manual has them.
  const std::string type_name = known->checker->HasUnderlyingTypeInformation()
      ? known->checker->GetUnderlyingTypeInformation()
      : known->checker->GetValueTypeName();
  return wrong(attribute.name + ": '" + attribute.value + "' is no " + type_name +
      "; by default it is " + known->originalInitialValue->SerializeToString(known->checker));
}

Result<void> set_attribute(std::vector<Ns3Attribute>& all, Ns3Attribute attribute) {
  if (auto sound = check(attribute); !sound) return sound;
  // The last word counts, as with all parameters.
  std::erase_if(all, [&](const Ns3Attribute& each) { return each.name == attribute.name; });
  all.push_back(std::move(attribute));
  return {};
}

Ns3Defaults::Ns3Defaults(std::span<const Ns3Attribute> attributes) {
  for (const Ns3Attribute& attribute : attributes) {
    const auto [name, last] = parts_of(attribute.name);
    const auto known = find(ns3::TypeId::LookupByName(name), last);
    ensure(known.has_value(), "an attribute that nobody checked");
    // Defaults of ns-3 are global: the next run in this process must find those that it would
    // alone.
    before_.push_back({attribute.name, known->initialValue->SerializeToString(known->checker)});
    ns3::Config::SetDefault(attribute.name, ns3::StringValue(attribute.value));
  }
}

Ns3Defaults::~Ns3Defaults() {
  for (const Ns3Attribute& attribute : before_) {
    // It must not abort, as SetDefault() would: this may run while an exception goes up.
    ns3::Config::SetDefaultFailSafe(attribute.name, ns3::StringValue(attribute.value));
  }
}

std::vector<std::string> with_ns3_attributes(std::span<const char* const> words) {
  std::vector<std::string> plain;
  for (const std::string word : words) {
    const std::string_view key = std::string_view(word).substr(0, word.find('='));
    // With no `=` it is not ns-3's form, and the command line tells that it is unknown.
    if (key.starts_with("--") && key.size() < word.size() && names_ns3_attribute(key)) {
      plain.insert(plain.end(), {"--set", word.substr(2)});
    } else {
      plain.push_back(word);
    }
  }
  return plain;
}

}  // namespace dunlin::sim
