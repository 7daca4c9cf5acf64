// SPDX-License-Identifier: MIT
#pragma once

#include <capnp/schema.capnp.h>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// A schema, reduced to the facts that plain C++ needs.
namespace dunlin::plain {

/// A schema that this plugin does not understand, or that lacks a bound. Names the place.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The way in which a field, or an element of a list, crosses the wire.
enum class Kind { scalar, strong, enumeration, record, group, text, data };

/// The words that users have for a field, by the annotations of overlay/plain.capnp, where each is
/// told.
struct Term {
  std::string key;
  std::string toml;
  std::string flag;
  std::string value;
  std::string unit = "none";
  std::string was;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  std::optional<std::int64_t> initial;
};

/// A member of a struct, an alternative of a union, or a word of an enum.
struct Field {
  std::string name;     ///< snake_case.
  std::string getter;   ///< As capnp capitalises it: "CpuFree" of getCpuFree().
  std::string type;     ///< The C++ type; that of an element, if `list`.
  std::string initial;  ///< The initialiser of the member: " = 0", "{}".
  std::string comment;
  /// Of an element, if `list`.
  Kind kind = Kind::scalar;
  bool list = false;
  /// A list that is a std::vector: where a message seldom has any.
  bool heap = false;
  bool sparse = false;       ///< A struct that is left out where it says nothing.
  bool ordered = true;       ///< Has operator<=>, as far as this schema tells.
  std::uint32_t bound = 0;   ///< The bound of a list, Text or Data.
  std::optional<Term> term;  ///< None: users have no word for it.
};

/// Its plain form has the numbers of the schema, and its words as text.
struct Enum {
  std::string name;
  std::string comment;
  std::vector<Field> words;  ///< Only `name` and `comment`.
};

/// A struct of the schema, and whether it is a struct of C++ or a variant.
struct Struct {
  std::string name;
  std::string comment;
  std::vector<Field> fields;
  bool alternatives = false;  ///< True if all of it is one union: a std::variant.
  bool ordered = true;
};

/// One file of the schema.
struct Schema {
  std::string file;        ///< "overlay/message.capnp"
  std::string name_space;  ///< Holds the plain structs; those of capnp are in its `wire`.
  /// Headers that have the types which its annotations name.
  std::vector<std::string> includes;
  std::vector<std::string>
      imports;  ///< Other schemas with plain structs: "sched/raft/message.capnp".
  std::vector<Enum> enums;
  std::vector<Struct> structs;  ///< Each after those that it contains.
};

/// Reads one file of the request. Its structs may contain structs and enums of files that it
/// imports. Throws Unsupported.
Schema read_schema(capnp::schema::CodeGeneratorRequest::Reader request,
    capnp::schema::CodeGeneratorRequest::RequestedFile::Reader file);

/// The header with the structs alone: protocol code includes it.
std::string print_structs(const Schema& schema);
/// The header with their names: for headers that mention a message and look into none.
std::string print_names(const Schema& schema);
/// The header that copies between them and capnp's: one codec.cc includes it.
std::string print_codec(const Schema& schema);
/// True if users have words for any field.
bool has_terms(const Struct& plain);
/// The members of a struct about those fields: where what is known of them is, constants of their
/// bounds, and a walk over them. Empty if there are none.
std::string print_term_members(const Struct& plain);
/// The source with what users know of the fields; empty if that is nothing.
std::string print_terms(const Schema& schema);

}  // namespace dunlin::plain
