// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <sstream>

#include "tools/capnpc_plain/model.h"

// Code is printed from templates with $names, one for each kind of field, because the shape of the
// output is then visible in the source. Decoding checks bounds and enumerators, and fails on values
// that a newer schema may have; encoding checks the same bounds with ensure().
namespace dunlin::plain {
namespace {

/// Goes on behind what was put in, so that `with` may contain `what`.
std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// Fills in $name, $Getter, $Type and $bound.
std::string fill(std::string text, const Field& field) {
  text = replaced(std::move(text), "$name", field.name);
  text = replaced(std::move(text), "$Getter", field.getter);
  text = replaced(std::move(text), "$Type", field.type);
  return replaced(std::move(text), "$bound", std::to_string(field.bound));
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// The comments of the schema become those of the code: there is one text for both.
std::string comment_lines(const std::string& comment, const std::string& indent) {
  std::string lines;
  std::istringstream from(comment);
  for (std::string line; std::getline(from, line);) {
    lines += indent + "///" + (line.empty() ? "" : " ") + line + "\n";
  }
  return lines;
}

// "sched/message" of "sched/message.capnp": as generated headers are named.
std::string stem(const std::string& file) {
  return file.substr(0, file.rfind('.'));
}

// On the heap where a message seldom has any: in place, a list takes the room of all that it may
// have.
std::string member_type(const Field& field) {
  if (!field.list) return field.type;
  return fill(field.heap ? "std::vector<$Type>" : "overlay::InlineVector<$Type, $bound>", field);
}

// The words are printed too: JSON, logs and tests then have one spelling, that of the schema.
std::string print_enum(const Enum& plain) {
  std::string out = comment_lines(plain.comment, "");
  out += "enum class " + plain.name + " : std::uint16_t {\n";
  for (const Field& word : plain.words) {
    out += comment_lines(word.comment, "  ") + "  " + word.name + ",\n";
  }
  out += "};\ninline constexpr std::string_view k" + plain.name + "Words[] = {";
  for (const Field& word : plain.words) {
    out += (&word == &plain.words.front() ? "\"" : ", \"") + word.name + "\"";
  }
  return out + "};\nconstexpr std::size_t word_count(" + plain.name + ") {\n  return std::size(k" +
      plain.name + "Words);\n}\nconstexpr std::string_view word_of(" + plain.name +
      " value) {\n  return k" + plain.name + "Words[static_cast<std::size_t>(value)];\n}\n";
}

/// Prints the bounds as constants, so that code which fills messages can keep to them.
std::string bounds(const Struct& plain) {
  std::string out;
  for (const Field& field : plain.fields) {
    if (field.bound == 0) continue;
    if (out.empty()) out += "\n";
    out += fill("  static constexpr std::size_t k$GetterMax = $bound;\n", field);
  }
  return out;
}

/// Prints a walk over the members, for printing, drawing by chance and the like.
std::string walk(const Struct& plain) {
  if (plain.fields.empty()) return "\n  static void fields(auto&, auto&&) {}\n";
  std::string out =
      "\n  /// Calls `field(name, member, bound)` in order; the bound is 0 where there is none.\n"
      "  static void fields(auto& self, auto&& field) {\n";
  for (const Field& field : plain.fields) {
    out += fill("    field(\"$name\", self.$name, std::size_t{$bound});\n", field);
  }
  return out + "  }\n";
}

/// A union becomes a variant: which alternative it is, the type says.
std::string print_variant(const Struct& plain) {
  std::string out = "using " + plain.name + " = std::variant<";
  for (const Field& field : plain.fields) {
    out += (&field == &plain.fields.front() ? "" : ", ") + field.type;
  }
  return out + ">;\n";
}

/// A struct, its bounds, its walk and its comparisons.
// Comparisons come with it: tests compare whole messages, and a member that somebody adds is
// compared at once.
std::string print_struct(const Struct& plain) {
  std::string out = "\n" + comment_lines(plain.comment, "");
  if (plain.alternatives) return out + print_variant(plain);
  out += "struct " + plain.name + " {\n";
  for (const Field& field : plain.fields) {
    out += comment_lines(field.comment, "  ");
    out += "  " + member_type(field) + " " + field.name + field.initial + ";\n";
  }
  out += bounds(plain) + walk(plain) + print_term_members(plain);
  const std::string operands =
      "(const " + plain.name + "&, const " + plain.name + "&) = default;\n";
  out += "\n  friend bool operator==" + operands;
  // Not for all: a list in place has no order, nor what is made of schema groups.
  if (plain.ordered) out += "  friend auto operator<=>" + operands;
  return out + "};\n";
}

// There are no lists of groups, nor of Text and Data: what is left is a struct.
const char* encode_element(Kind kind) {
  switch (kind) {
    case Kind::scalar:
      return "$name_list.set(i, from.$name[i]);";
    case Kind::strong:
      return "$name_list.set(i, to_wire(from.$name[i]));";
    case Kind::enumeration:
      return "$name_list.set(i, encode(from.$name[i]));";
    default:
      return "encode(from.$name[i], $name_list[i]);";
  }
}

// An enumerator is decoded like a struct here: both may be unknown, and say so.
const char* decode_element(Kind kind) {
  switch (kind) {
    case Kind::scalar:
      return "to.$name[i] = $name_list[i];";
    case Kind::strong:
      return "if (!from_wire($name_list[i], to.$name[i])) return false;";
    default:
      return "if (!decode($name_list[i], to.$name[i])) return false;";
  }
}

std::string encode_field(const Field& field) {
  if (field.list) {
    // An empty list is left out, which takes fewer bytes and reads the same.
    return fill(
        "  if (!from.$name.empty()) {\n"
        "    auto $name_list = to.init$Getter(plain::wire_size(from.$name, $bound));\n"
        "    for (unsigned i = 0; i < $name_list.size(); ++i) " +
            std::string(encode_element(field.kind)) + "\n  }\n",
        field);
  }
  switch (field.kind) {
    case Kind::scalar:
      return fill("  to.set$Getter(from.$name);\n", field);
    case Kind::strong:
      return fill("  to.set$Getter(to_wire(from.$name));\n", field);
    case Kind::enumeration:
      return fill("  to.set$Getter(encode(from.$name));\n", field);
    case Kind::record:
      // Left out if it equals its default, where the schema marks it so: fewer bytes, and it reads
      // the same.
      return fill(std::string(field.sparse ? "  if (from.$name != $Type{}) " : "  ") +
              "encode(from.$name, to.init$Getter());\n",
          field);
    case Kind::group:
      return fill("  to_wire(from.$name, to.init$Getter());\n", field);
    case Kind::text:
      return fill(
          "  if (!from.$name.empty()) to.set$Getter(plain::wire_text(from.$name, $bound));\n",
          field);
    case Kind::data:
      return fill(
          "  if (!from.$name.empty()) to.set$Getter(plain::wire_data(from.$name, $bound));\n",
          field);
  }
  return {};
}

std::string decode_field(const Field& field) {
  if (field.list) {
    // The list is read once into a local: every call of the getter counts against the traversal
    // limit.
    return fill(
        "  const auto $name_list = from.get$Getter();\n"
        "  if (!plain::resize(to.$name, $name_list.size(), $bound)) return false;\n"
        "  for (unsigned i = 0; i < $name_list.size(); ++i) {\n"
        "    " +
            std::string(decode_element(field.kind)) + "\n  }\n",
        field);
  }
  switch (field.kind) {
    case Kind::scalar:
      return fill("  to.$name = from.get$Getter();\n", field);
    case Kind::strong:
    case Kind::group:
      return fill("  if (!from_wire(from.get$Getter(), to.$name)) return false;\n", field);
    case Kind::enumeration:
    case Kind::record:
      return fill("  if (!decode(from.get$Getter(), to.$name)) return false;\n", field);
    case Kind::text:
    case Kind::data:
      return fill(
          "  if (!plain::assign(to.$name, from.get$Getter(), $bound)) return false;\n", field);
  }
  return {};
}

// A number that has no word here comes from a newer schema, and is refused.
std::string print_enum_codec(const Enum& plain) {
  return replaced(R"(
inline wire::$E encode($E from) {
  return static_cast<wire::$E>(from);
}
[[nodiscard]] inline bool decode(wire::$E from, $E& to) {
  to = static_cast<$E>(from);
  return static_cast<std::size_t>(from) < word_count(to);
}
)",
      "$E", plain.name);
}

// The index of the variant is the order of the schema's fields; which() of the wire has names.
std::string print_variant_codec(const Struct& plain) {
  std::string encoding;
  std::string decoding;
  for (std::size_t i = 0; i < plain.fields.size(); ++i) {
    const Field& field = plain.fields[i];
    const std::string index = std::to_string(i);
    encoding += fill("    case " + index + ": return encode(*std::get_if<" + index +
            ">(&from), to.init$Getter());\n",
        field);
    decoding += "    case wire::" + plain.name + "::" + upper_case(field.name) + ":\n" +
        fill("      return decode(from.get$Getter(), to.emplace<" + index + ">());\n", field);
  }
  return replaced(
      "\ninline void encode(const $S& from, wire::$S::Builder to) {\n"
      "  switch (from.index()) {\n" +
          encoding +
          "  }\n}\n"
          "[[nodiscard]] inline bool decode(wire::$S::Reader from, $S& to) {\n"
          "  switch (from.which()) {\n" +
          decoding + "  }\n  return false;  // Of a newer schema.\n}\n",
      "$S", plain.name);
}

std::string print_struct_codec(const Struct& plain) {
  if (plain.alternatives) return print_variant_codec(plain);
  std::string encoding;
  std::string decoding;
  for (const Field& field : plain.fields) {
    encoding += encode_field(field);
    decoding += decode_field(field);
  }
  if (plain.fields.empty()) {
    // Else the compiler would warn of parameters that are not used.
    encoding = "  (void)from, (void)to;  // Nothing to say but that it is one.\n";
    decoding = encoding;
  }
  return replaced("\ninline void encode(const $S& from, wire::$S::Builder to) {\n" + encoding +
          "}\n[[nodiscard]] inline bool decode(wire::$S::Reader from, $S& to) {\n" + decoding +
          "  return true;\n}\n",
      "$S", plain.name);
}

// A generated file says where to change it.
std::string banner(const Schema& schema) {
  return "// Generated by capnpc-plain from " + schema.file + ". Do not edit.\n#pragma once\n\n";
}

}  // namespace

std::string print_structs(const Schema& schema) {
  std::string out = banner(schema);
  for (const char* header :
      {"compare", "cstddef", "cstdint", "iterator", "string", "string_view", "variant", "vector"}) {
    out += std::string("#include <") + header + ">\n";
  }
  out += "\n";
  if (std::ranges::any_of(schema.structs, has_terms)) {
    out += "#include \"overlay/field_info.h\"\n";
  }
  out += "#include \"overlay/inline_vector.h\"\n";
  for (const std::string& header : schema.includes) out += "#include \"" + header + "\"\n";
  for (const std::string& file : schema.imports) out += "#include \"" + stem(file) + ".h\"\n";
  out += "\nnamespace " + schema.name_space + " {\n";
  for (const Enum& plain : schema.enums) out += "\n" + print_enum(plain);
  for (const Struct& plain : schema.structs) out += print_struct(plain);
  return out + "\n}  // namespace " + schema.name_space + "\n";
}

// Names alone, for headers that hand messages on: the whole header costs seconds of each unit.
std::string print_names(const Schema& schema) {
  std::string out = banner(schema) + "#include <cstdint>\n#include <variant>\n";
  for (const std::string& file : schema.imports) {
    out += (&file == &schema.imports.front() ? "\n" : "") + ("#include \"" + stem(file)) +
        "_fwd.h\"\n";
  }
  out +=
      "\n// The names of " + stem(schema.file) + ".h.\nnamespace " + schema.name_space + " {\n\n";
  for (const Enum& plain : schema.enums) out += "enum class " + plain.name + " : std::uint16_t;\n";
  for (const Struct& plain : schema.structs) {
    out += plain.alternatives ? print_variant(plain) : "struct " + plain.name + ";\n";
  }
  return out + "\n}  // namespace " + schema.name_space + "\n";
}

std::string print_codec(const Schema& schema) {
  std::string out = banner(schema) + "#include <cstddef>\n\n";
  out += "#include \"overlay/plain.h\"\n";
  out += "#include \"" + stem(schema.file) + ".h\"\n";
  out += "#include \"" + schema.file + ".h\"\n";
  for (const std::string& file : schema.imports) {
    out += "#include \"" + stem(file) + ".plain.h\"\n";
  }
  out += "\nnamespace " + schema.name_space + " {\n\n";
  // Argument-dependent lookup does not find these for types of std, such as Duration.
  out += "using dunlin::overlay::from_wire;\nusing dunlin::overlay::to_wire;\n";
  for (const Enum& plain : schema.enums) out += print_enum_codec(plain);
  for (const Struct& plain : schema.structs) out += print_struct_codec(plain);
  return out + "\n}  // namespace " + schema.name_space + "\n";
}

}  // namespace dunlin::plain
