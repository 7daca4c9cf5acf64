// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// The targets of links in pages exist. Pages outlive the files that they name, and no reader clicks
// on all links.
namespace dunlin::tidy {
namespace {

struct Exception {
  std::string_view path;
  std::string_view reason;
};

/// Files that may name what is not there.
constexpr std::array kExcused = {
    Exception{"CHANGELOG.md", "it only ever grows"},
    Exception{"docs/design/renames.md", "its first column is what things were called"},
    Exception{"tests/tidy/link_rules_test.cc", "it plants what is wrong"},
};

/// Where files of the repository stand, as pages name them.
constexpr std::string_view kFolders[] = {"overlay/", "sched/", "config/", "node/", "sim/", "web/",
    "tools/", "tests/", "cmake/", "docs/", "examples/"};

constexpr std::size_t kColumnsMax = 110;

bool is_page(const File& file) {
  return file.path.ends_with(".md");
}

/// Turns a heading into GitHub's anchor: "Next steps" becomes "next-steps".
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

std::set<std::string> anchors_of(const File& page) {
  std::set<std::string> anchors;
  for (const auto line : lines_of(page.text)) {
    const auto begin = line.find_first_not_of('#');
    if (begin == 0 || begin == std::string_view::npos || line[begin] != ' ') continue;
    anchors.insert(anchor_of(line.substr(begin + 1)));
  }
  return anchors;
}

/// `target` as seen from `page`: "docs/lab/results.md" of "../lab/results.md" in docs/guide/.
std::string resolved(std::string_view page, std::string_view target) {
  std::string folder(page.substr(0, page.rfind('/') + 1));
  while (target.starts_with("../")) {
    target.remove_prefix(3);
    if (!folder.empty()) folder.pop_back();
    folder.erase(folder.rfind('/') + 1);
  }
  return folder + std::string(target);
}

/// All targets: files, and the folders that hold them.
class Places {
 public:
  explicit Places(const std::vector<File>& files) {
    for (const File& file : files) {
      paths_.insert(file.path);
      for (auto at = file.path.find('/'); at != std::string::npos;
          at = file.path.find('/', at + 1)) {
        paths_.insert(file.path.substr(0, at + 1));
      }
      if (is_page(file)) anchors_[file.path] = anchors_of(file);
    }
  }

  bool has(const std::string& path) const {
    return paths_.contains(path) || paths_.contains(path + "/");
  }
  bool has_anchor(const std::string& page, const std::string& anchor) const {
    const auto found = anchors_.find(page);
    return found != anchors_.end() && found->second.contains(anchor);
  }

 private:
  std::set<std::string> paths_;
  std::map<std::string, std::set<std::string>> anchors_;
};

class Reader {
 public:
  Reader(const File& file, const Places& places, std::vector<Finding>& findings)
      : file_(file),
        places_(places),
        findings_(findings) {}

  void read() {
    const bool page = is_page(file_);
    std::size_t number = 0;
    for (const auto view : lines_of(file_.text)) {
      ++number;
      if (page && columns(view) > kColumnsMax) {
        add(number, "over 110 columns: break the line, or say it shorter");
      }
      const std::string line(view);
      if (page) check_links(line, number);
      if (page) check_words(line, number);
      if (!page && line.find("docs/") != std::string::npos) check_pages(line, number);
    }
  }

 private:
  void add(std::size_t line, std::string advice) {
    findings_.push_back({file_.path, line, "links", std::move(advice)});
  }

  /// [text](target), of files of the repository.
  void check_links(const std::string& line, std::size_t number) {
    static const std::regex link(R"(\]\(([^)\s]+)\))");
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1].str();
      if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
      const auto hash = target.find('#');
      const std::string path =
          hash == 0 ? file_.path : resolved(file_.path, target.substr(0, hash));
      if (!places_.has(path)) {
        add(number, path + ": there is no such file");
      } else if (hash != std::string::npos && !places_.has_anchor(path, target.substr(hash + 1))) {
        add(number, path + " has no heading for #" + target.substr(hash + 1));
      }
    }
  }

  /// `sched/job.h`: words in backticks that are paths.
  void check_words(const std::string& line, std::size_t number) {
    static const std::regex word("`([a-z]+/[\\w./-]*)`");
    for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
      const std::string path = (*at)[1].str();
      const bool ours = std::ranges::any_of(
          kFolders, [&](std::string_view folder) { return path.starts_with(folder); });
      if (ours && !places_.has(path)) add(number, path + ": there is no such file");
    }
  }

  /// Pages that comments name by their path from the top.
  void check_pages(const std::string& line, std::size_t number) {
    static const std::regex page(R"((^|[^\w./-])(docs/[\w/-]+\.md))");
    for (std::sregex_iterator at(line.begin(), line.end(), page), end; at != end; ++at) {
      if (!places_.has((*at)[2].str())) add(number, (*at)[2].str() + ": there is no such page");
    }
  }

  const File& file_;
  const Places& places_;
  std::vector<Finding>& findings_;
};

/// The table of contents of the site: each page of docs/ is in it, and each entry leads to a page.
void check_contents(const File& contents,
    const std::vector<File>& files,
    const Places& places,
    std::vector<Finding>& findings) {
  static const std::regex entry(R"(^ *- .*: ([\w./-]+\.md)$)");
  std::set<std::string> entries;
  std::size_t number = 0;
  for (const auto view : lines_of(contents.text)) {
    ++number;
    const std::string line(view);
    std::smatch found;
    if (!std::regex_match(line, found, entry)) continue;
    const std::string page = found[1].str();
    entries.insert(page);
    // Pages of docs/ are there: any line that names one is held to that.
    if (!page.starts_with("docs/") && !places.has(page)) {
      findings.push_back({contents.path, number, "links", page + ": there is no such page"});
    }
  }
  for (const File& file : files) {
    if (!file.path.starts_with("docs/") || !is_page(file) || entries.contains(file.path)) continue;
    findings.push_back(
        {file.path, 0, "links", "no reader of the site finds it: name it under nav in mkdocs.yml"});
  }
}

}  // namespace

std::vector<Finding> check_links(const std::vector<File>& files) {
  std::vector<Finding> findings;
  const Places places(files);
  for (const File& file : files) {
    const bool excused = std::ranges::count(kExcused, file.path, &Exception::path) > 0;
    if (!excused) Reader(file, places, findings).read();
    if (file.path == "mkdocs.yml") check_contents(file, files, places, findings);
  }
  return findings;
}

}  // namespace dunlin::tidy
