// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/docs/markdown.h"

// What docs/design/control-protocol.md says of requests, answers and objects.
namespace dunlin::test {

/// A member of a request, an answer or an object.
struct PageMember {
  std::string name;
  std::string type;       ///< "text", "integer", "[Task]", "id or null" ..., without '?'.
  bool optional = false;  ///< The type had a '?'.
  bool required = false;  ///< Of a request: its default is `required`.
};

/// Members by name.
using PageObject = std::map<std::string, PageMember>;

struct PageVerb {
  PageObject request;
  PageObject before;  ///< Of replies before the last one.
  PageObject answer;
};

/// The whole page. What a row in italics includes has been put in its place.
struct ProtocolPage {
  std::map<std::string, PageVerb> verbs;
  std::map<std::string, PageObject> objects;
  std::vector<MarkdownTable> tables;
};

/// Reads the page. A member with a name outside backticks stands for an object: "*Summary*".
inline ProtocolPage read_protocol_page(const std::string& path) {
  ProtocolPage page{.verbs = {}, .objects = {}, .tables = tables_of(page_text(path))};
  std::map<std::string, PageObject*> places;
  const auto column = [](const MarkdownTable& table, std::string_view name) {
    for (std::size_t i = 0; i < table.head.size(); ++i) {
      if (table.head[i] == name) return i;
    }
    return table.head.size();
  };
  const auto fill = [&](const MarkdownTable& table, PageObject& object) {
    const std::size_t fallback = column(table, "default");
    for (const auto& row : table.rows) {
      const auto names = quoted_words(row.front());
      if (names.empty()) {
        const PageObject& whole = page.objects[row.front().substr(1, row.front().size() - 2)];
        object.insert(whole.begin(), whole.end());
        continue;
      }
      PageMember member{.name = names.front(), .type = row.at(1)};
      member.optional = member.type.ends_with('?');
      if (member.optional) member.type.pop_back();
      member.required = fallback < row.size() && row[fallback] == "required";
      object[member.name] = member;
    }
  };
  // Objects first: requests and answers include them, and one object another that stands before it.
  for (const MarkdownTable& table : page.tables) {
    if (table.chapter == "Objects" && table.head.front() == "member") {
      fill(table, page.objects[table.section]);
    }
  }
  for (const MarkdownTable& table : page.tables) {
    if (table.chapter != "Requests") continue;
    PageVerb& verb = page.verbs[table.section];
    const std::string& kind = table.head.front();
    fill(table, kind == "request" ? verb.request : kind == "before" ? verb.before : verb.answer);
  }
  page.objects["Status"] = page.verbs["status"].answer;
  return page;
}

}  // namespace dunlin::test
