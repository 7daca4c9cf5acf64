// SPDX-License-Identifier: MIT
#include "node/read_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

// nlohmann's own reader has no bounds: it builds objects of ordered_json by comparing each key with
// all before, and what it builds is copied and written by recursion. So this one builds by itself,
// from the events of the parser, which holds no more of a nested text than a bit for each level.
namespace dunlin {
namespace {

/// Puts a member into an object. False if a map has it; of a list end_of_object() finds out.
template <typename Object, typename Document>
bool put_member(Object& object, std::string& key, Document&& value, Document*& place) {
  if constexpr (requires { object.try_emplace(std::move(key), std::move(value)); }) {
    const auto [at, fresh] = object.try_emplace(std::move(key), std::move(value));
    place = &at->second;
    return fresh;
  } else {
    using List = typename Object::Container;
    place = &static_cast<List&>(object).emplace_back(std::move(key), std::move(value)).second;
    return true;
  }
}

/// A key that the object has twice; null if none is. A map has none.
template <typename Object>
const std::string* repeated_key(const Object& object) {
  if constexpr (requires {
                  typename Object::key_compare::is_transparent;
                  object.lower_bound("");
                }) {
    return nullptr;
  }
  std::vector<const std::string*> keys;
  keys.reserve(object.size());
  for (const auto& member : object) keys.push_back(&member.first);
  const auto same = [](const std::string* a, const std::string* b) { return *a == *b; };
  std::ranges::sort(keys, [](const std::string* a, const std::string* b) { return *a < *b; });
  const auto found = std::ranges::adjacent_find(keys, same);
  return found == keys.end() ? nullptr : *found;
}

/// Builds a value from the events of nlohmann's parser. An event that returns false ends it.
template <typename Document>
class Builder {
 public:
  bool null() { return put(Document(nullptr)); }
  bool boolean(bool value) { return put(Document(value)); }
  bool number_integer(typename Document::number_integer_t value) { return put(Document(value)); }
  bool number_unsigned(typename Document::number_unsigned_t value) { return put(Document(value)); }
  bool number_float(typename Document::number_float_t value, const std::string&) {
    return put(Document(value));
  }
  bool string(std::string& value) { return put(Document(std::move(value))); }
  bool binary(typename Document::binary_t&) { return false; }  // Not of texts.
  bool start_object(std::size_t) { return open(Document::object()); }
  bool start_array(std::size_t) { return open(Document::array()); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool end_object() {
    const auto& object = open_.back()->template get_ref<const typename Document::object_t&>();
    open_.pop_back();
    const std::string* const twice = repeated_key(object);
    return twice == nullptr || refuse_repeated(*twice);
  }
  bool key(std::string& name) {
    key_ = std::move(name);
    if (open_.back()->size() < kJsonMembersMax) return true;
    return refuse("an object of more than " + std::to_string(kJsonMembersMax) + " members");
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }

  Document value;
  std::string why;

 private:
  bool refuse(std::string reason) {
    why = std::move(reason);
    return false;
  }
  bool refuse_repeated(const std::string& name) {
    constexpr std::size_t kShown = 64;
    return refuse("an object that says '" + name.substr(0, kShown) + "' twice");
  }
  bool put(Document&& item) { return place(std::move(item)) != nullptr; }
  bool open(Document&& container) {
    if (open_.size() >= kJsonDepthMax) {
      return refuse("nested deeper than " + std::to_string(kJsonDepthMax) + " levels");
    }
    Document* const placed = place(std::move(container));
    if (placed == nullptr) return false;
    open_.push_back(placed);
    return true;
  }
  /// Null if there is no room for it. A place stays as long as its value is open: only the
  /// innermost open value grows.
  Document* place(Document&& item) {
    if (++values_ > kJsonValuesMax) {
      refuse("more than " + std::to_string(kJsonValuesMax) + " values");
      return nullptr;
    }
    if (open_.empty()) return &(value = std::move(item));
    Document& within = *open_.back();
    if (within.is_array()) {
      auto& list = within.template get_ref<typename Document::array_t&>();
      return &list.emplace_back(std::move(item));
    }
    auto& object = within.template get_ref<typename Document::object_t&>();
    Document* placed = nullptr;
    std::string name = key_;
    if (put_member(object, name, std::move(item), placed)) return placed;
    refuse_repeated(key_);
    return nullptr;
  }

  std::vector<Document*> open_;
  std::string key_;
  std::size_t values_ = 0;
};

}  // namespace

template <typename Document>
Document read_json(std::string_view text, std::string* why) {
  Builder<Document> builder;
  const bool whole = Document::sax_parse(text, &builder);
  if (why != nullptr) *why = builder.why;
  return whole ? std::move(builder.value) : Document(Document::value_t::discarded);
}

template nlohmann::json read_json(std::string_view text, std::string* why);
template nlohmann::ordered_json read_json(std::string_view text, std::string* why);

}  // namespace dunlin
