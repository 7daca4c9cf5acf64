// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tools/capnpc_plain/model.h"

// The schema compiler hands over nodes in any order and by id. They are walked from the messages
// downwards, so that each struct is declared after those that it contains, as C++ wants it.
// Everything that the plain form cannot express stops the build, naming the place: a list without a
// bound, or a type without a conversion.
namespace dunlin::plain {
namespace {

namespace schema = capnp::schema;
using Type = schema::Type::Reader;

// The annotations of overlay/plain.capnp, and the namespace of /capnp/c++.capnp.
// By id, as the request names annotations: a name in that file may change, an id must not.
constexpr std::uint64_t kNamespace = 0xc1f7a3d2b4e59601;
constexpr std::uint64_t kInclude = 0xd5b9c27e3f814a02;
constexpr std::uint64_t kCxx = 0xe9d1f48a6b7c3503;
constexpr std::uint64_t kMember = 0x9c3f5a7e21d86b08;
constexpr std::uint64_t kAtMost = 0xf2a8e5c19d4b6704;
constexpr std::uint64_t kHeap = 0x8b4e6f2a7c1d9005;
constexpr std::uint64_t kSparse = 0xa7d3190c5be4f209;
constexpr std::uint64_t kKey = 0xb1f04c7d9e2a5806;
constexpr std::uint64_t kToml = 0xc48e1b6037fd920a;
constexpr std::uint64_t kFlag = 0xd2a95f38c06e710b;
constexpr std::uint64_t kValue = 0xe67b20d41f9c830c;
constexpr std::uint64_t kUnit = 0xf803a6c75d1be90d;
constexpr std::uint64_t kMin = 0x92d7c15e08b4fa0e;
constexpr std::uint64_t kMax = 0xa36e48f1b27d050f;
constexpr std::uint64_t kInitial = 0xbc19e70a54f38d10;
constexpr std::uint64_t kWas = 0xcd5a3b92e6107f11;
constexpr std::uint64_t kWireNamespace = 0xb9c6f99ebf805f2c;

using Annotations = std::map<std::uint64_t, schema::Value::Reader>;

/// By id: a declaration has each annotation once.
Annotations annotations_of(auto declaration) {
  Annotations found;
  for (auto annotation : declaration.getAnnotations()) {
    found.emplace(annotation.getId(), annotation.getValue());
  }
  return found;
}

std::string text_of(const Annotations& annotations, std::uint64_t id) {
  const auto found = annotations.find(id);
  return found == annotations.end() ? "" : found->second.getText().cStr();
}

/// Nothing if the declaration does not have the annotation.
std::optional<std::int64_t> number_of(const Annotations& annotations, std::uint64_t id) {
  const auto found = annotations.find(id);
  if (found == annotations.end()) return std::nullopt;
  return found->second.getInt64();
}

/// The words that users have for a field; none without a key. A job file has the word of the
/// protocol, unless the schema gives it one of its own.
std::optional<Term> term_of(const Annotations& annotations) {
  Term term{.key = text_of(annotations, kKey),
      .toml = text_of(annotations, kToml),
      .flag = text_of(annotations, kFlag),
      .value = text_of(annotations, kValue),
      .was = text_of(annotations, kWas),
      .min = number_of(annotations, kMin),
      .max = number_of(annotations, kMax),
      .initial = number_of(annotations, kInitial)};
  if (term.key.empty()) return std::nullopt;
  if (term.toml.empty()) term.toml = term.key;
  if (annotations.contains(kUnit)) term.unit = text_of(annotations, kUnit);
  return term;
}

/// "cpuFree" becomes "cpu_free".
std::string snake_case(const std::string& camel) {
  std::string snake;
  for (const char letter : camel) {
    if (std::isupper(letter) && !snake.empty()) snake += '_';
    snake += static_cast<char>(std::tolower(letter));
  }
  return snake;
}

// Null for what is no number and no flag.
const char* scalar_of(Type type) {
  switch (type.which()) {
    case schema::Type::BOOL:
      return "bool";
    case schema::Type::INT8:
      return "std::int8_t";
    case schema::Type::INT16:
      return "std::int16_t";
    case schema::Type::INT32:
      return "std::int32_t";
    case schema::Type::INT64:
      return "std::int64_t";
    case schema::Type::UINT8:
      return "std::uint8_t";
    case schema::Type::UINT16:
      return "std::uint16_t";
    case schema::Type::UINT32:
      return "std::uint32_t";
    case schema::Type::UINT64:
      return "std::uint64_t";
    case schema::Type::FLOAT32:
      return "float";
    case schema::Type::FLOAT64:
      return "double";
    default:
      return nullptr;
  }
}

/// Reads one file of a request. For files that it imports it makes a reader of each, which only
/// learns names.
class SchemaReader {
 public:
  SchemaReader(schema::CodeGeneratorRequest::Reader request, std::uint64_t file, std::string name)
      : request_(request),
        file_(file) {
    schema_.file = std::move(name);
    // The request names nodes by id everywhere, and has those of imported files, too.
    for (auto node : request.getNodes()) nodes_.emplace(node.getId(), node);
    for (auto info : request.getSourceInfo()) comments_.emplace(info.getId(), info);
  }

  Schema read() {
    const auto file = nodes_.at(file_);
    const Annotations annotations = annotations_of(file);
    schema_.name_space = text_of(annotations, kNamespace);
    if (schema_.name_space.empty()) stop("", "a file needs a $Plain.namespace");
    // Generated code names both: wire::X is what capnp generates, X the plain struct beside it.
    if (text_of(annotations, kWireNamespace) != schema_.name_space + "::wire") {
      stop("", "$Cxx.namespace must be \"" + schema_.name_space + "::wire\"");
    }
    std::istringstream includes(text_of(annotations, kInclude));
    for (std::string header; includes >> header;) schema_.includes.push_back(header);
    // In the order of the file, but for what must stand before what it is part of.
    for (auto nested : file.getNestedNodes()) declare(nested.getId(), "");
    return std::move(schema_);
  }

 private:
  [[noreturn]] void stop(const std::string& place, const std::string& what) const {
    throw Unsupported(schema_.file + ": " + place + (place.empty() ? "" : ": ") + what);
  }

  /// Its own name: what capnp displays has that of the file and of the scopes before it.
  std::string name_of(schema::Node::Reader node) const {
    return node.getDisplayName().cStr() + node.getDisplayNamePrefixLength();
  }

  /// What the schema says of it in a comment, or of one of its members; empty without one.
  std::string comment_of(std::uint64_t node) const {
    const auto found = comments_.find(node);
    return found == comments_.end() ? "" : found->second.getDocComment().cStr();
  }

  std::string comment_of(std::uint64_t node, unsigned member) const {
    const auto found = comments_.find(node);
    if (found == comments_.end() || member >= found->second.getMembers().size()) return "";
    return found->second.getMembers()[member].getDocComment().cStr();
  }

  /// Reads a declaration once. Returns its name; a name of another file is qualified.
  std::string declare(std::uint64_t id, const std::string& place) {
    const auto node = nodes_.at(id);
    const std::string name = name_of(node);
    if (node.getScopeId() != file_) return declare_imported(node, place);
    if (done_.contains(id)) return name;
    // In place, a struct that contains itself would be infinite.
    if (!begun_.insert(id).second) stop(place, name + " contains itself");
    if (node.isEnum()) {
      read_enum(node);
    } else if (node.isStruct()) {
      read_struct(node);
    } else {
      stop(name, "only structs and enums have a plain form");
    }
    done_.insert(id);
    return name;
  }

  /// Names a declaration of another file. Its plain form is made from that file.
  std::string declare_imported(schema::Node::Reader node, const std::string& place) {
    const auto scope = nodes_.find(node.getScopeId());
    const bool top = scope != nodes_.end() && scope->second.isFile();
    const std::string space = top ? text_of(annotations_of(scope->second), kNamespace) : "";
    if (space.empty()) {
      stop(place, name_of(node) + " is not at the top of a file with a $Plain.namespace");
    }
    // Read only to learn its names and whether its structs are ordered; nothing of it is printed
    // here.
    auto& reader = imported_[scope->first];
    if (!reader) {
      const std::string file = scope->second.getDisplayName().cStr();
      reader = std::make_unique<SchemaReader>(request_, scope->first, file);
      schema_.imports.push_back(file);
    }
    const std::string name = reader->declare(node.getId(), place);
    if (node.isStruct()) structs_.emplace(space + "::" + name, reader->structs_.at(name));
    return space + "::" + name;
  }

  /// Reads its words in the order of their numbers, which are then those of the plain enum.
  void read_enum(schema::Node::Reader node) {
    Enum plain{.name = name_of(node), .comment = comment_of(node.getId()), .words = {}};
    for (unsigned i = 0; i < node.getEnum().getEnumerants().size(); ++i) {
      Field word;
      word.name = snake_case(node.getEnum().getEnumerants()[i].getName());
      word.comment = comment_of(node.getId(), i);
      plain.words.push_back(std::move(word));
    }
    schema_.enums.push_back(std::move(plain));
  }

  /// Reads its members, and those declarations first that they need.
  void read_struct(schema::Node::Reader node) {
    Struct plain;
    plain.name = name_of(node);
    plain.comment = comment_of(node.getId());
    const auto fields = node.getStruct().getFields();
    plain.alternatives = node.getStruct().getDiscriminantCount() != 0;
    // A variant has no members beside its alternatives.
    if (plain.alternatives && node.getStruct().getDiscriminantCount() != fields.size()) {
      stop(plain.name, "a union must be all of its struct");
    }
    for (unsigned i = 0; i < fields.size(); ++i) {
      Field field = read_field(fields[i], plain.name);
      field.comment = comment_of(node.getId(), i);
      if (plain.alternatives && (field.kind != Kind::record || field.list)) {
        stop(plain.name + "." + field.name, "an alternative of a union must be a struct");
      }
      // One member without an order, and <=> of the whole would not compile.
      plain.ordered = plain.ordered && field.ordered;
      plain.fields.push_back(std::move(field));
    }
    structs_.emplace(plain.name, plain.ordered);
    schema_.structs.push_back(std::move(plain));
  }

  /// Reads one member with what its annotations say. Stops where it has no plain form.
  Field read_field(schema::Field::Reader from, const std::string& owner) {
    Field field;
    field.getter = from.getName().cStr();
    const std::string place = owner + "." + field.getter;
    field.name = snake_case(field.getter);
    // As capnp calls its accessors: getCpuFree().
    field.getter[0] = static_cast<char>(std::toupper(field.getter[0]));

    const Annotations annotations = annotations_of(from);
    const std::string strong = text_of(annotations, kCxx);
    field.heap = annotations.contains(kHeap);
    field.sparse = annotations.contains(kSparse);
    field.term = term_of(annotations);
    if (const auto bound = annotations.find(kAtMost); bound != annotations.end()) {
      field.bound = bound->second.getUint32();
    }
    constexpr const char* kUnits[] = {"none", "ns", "mib", "kib_per_second", "milli_cpu"};
    if (field.term && std::ranges::find(kUnits, field.term->unit) == std::end(kUnits)) {
      stop(place, "$Plain.unit is ns, mib, kib_per_second or milli_cpu");
    }
    if (from.isGroup()) {
      if (strong.empty()) stop(place, "a group needs a $Plain.cxx type");
      field.kind = Kind::group;
      if (annotations.contains(kMember)) field.name = text_of(annotations, kMember);
      field.type = strong;
      field.initial = "{}";
      field.ordered = false;
      return field;
    }

    // Plain members begin with 0 or empty: a field that is left out would read as another value.
    if (from.getSlot().getHadExplicitDefault()) stop(place, "a default is always 0 or empty");
    Type type = from.getSlot().getType();
    field.list = type.isList();
    if (field.list) {
      type = type.getList().getElementType();
      if (type.isText() || type.isData()) stop(place, "wrap the Text in a struct: it has a bound");
    }
    if ((field.list || type.isText() || type.isData()) && field.bound == 0) {
      stop(place, "a List, Text or Data needs a bound: add $Plain.atMost(n)");
    }
    read_type(field, type, strong, place);
    if (field.sparse && (field.list || field.kind != Kind::record)) {
      stop(place, "$Plain.sparse is for structs");
    }
    if (field.list) field.initial = "{}";
    if (field.list && !field.heap) field.ordered = false;
    return field;
  }

  /// Sets the kind, the type and the initialiser of a field. Stops at types that have no plain
  /// form.
  void read_type(Field& field, Type type, const std::string& strong, const std::string& place) {
    field.initial = "{}";
    if (const char* scalar = scalar_of(type)) {
      field.kind = strong.empty() ? Kind::scalar : Kind::strong;
      field.type = strong.empty() ? scalar : strong;
      if (strong.empty()) field.initial = type.isBool() ? " = false" : " = 0";
    } else if (!strong.empty()) {
      stop(place, "$Plain.cxx is for numbers and groups");
    } else if (type.isText() || type.isData()) {
      field.kind = type.isText() ? Kind::text : Kind::data;
      field.type = "std::string";
    } else if (type.isEnum()) {
      field.kind = Kind::enumeration;
      field.type = declare(type.getEnum().getTypeId(), place);
    } else if (type.isStruct()) {
      field.kind = Kind::record;
      field.type = declare(type.getStruct().getTypeId(), place);
      // It was declared just above, so the order is known.
      field.ordered = structs_.at(field.type);
    } else {
      stop(place, "this type has no plain form");
    }
  }

  schema::CodeGeneratorRequest::Reader request_;
  std::uint64_t file_;
  Schema schema_;
  std::map<std::uint64_t, schema::Node::Reader> nodes_;
  std::map<std::uint64_t, schema::Node::SourceInfo::Reader> comments_;
  std::set<std::uint64_t> begun_;
  std::set<std::uint64_t> done_;
  std::map<std::string, bool> structs_;  ///< Those read so far: are they ordered?
  std::map<std::uint64_t, std::unique_ptr<SchemaReader>> imported_;  ///< By the id of the file.
};

}  // namespace

Schema read_schema(schema::CodeGeneratorRequest::Reader request,
    schema::CodeGeneratorRequest::RequestedFile::Reader file) {
  return SchemaReader(request, file.getId(), file.getFilename()).read();
}

}  // namespace dunlin::plain
