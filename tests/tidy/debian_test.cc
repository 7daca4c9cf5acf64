// SPDX-License-Identifier: MIT
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>

// Debian's packages are made of what the repository says elsewhere, too: its version, and what a
// build needs.
namespace dunlin::tidy {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(DUNLIN_SOURCE_DIR "/" + path).rdbuf();
  return text.str();
}

/// The first group of `pattern` in the file, or nothing.
std::string found_in(const std::string& path, const std::string& pattern) {
  const std::string text = text_of(path);
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  std::set<std::string> all;
  for (std::string word; words >> word;) all.insert(word);
  return all;
}

TEST(Debian, ChangelogBeginsWithTheVersionOfTheProject) {
  const std::string version =
      found_in("CMakeLists.txt", R"re(project\(dunlin VERSION ([0-9.]+))re");
  ASSERT_NE(version, "");
  EXPECT_EQ(found_in("debian/changelog", R"re(^dunlin \(([^)]+)\))re"), version);
}

TEST(Debian, LibraryIsPackedUnderTheNameOfItsInterface) {
  const std::string interface = found_in("node/client/CMakeLists.txt", "SOVERSION ([0-9]+)");
  ASSERT_NE(interface, "");
  EXPECT_EQ(found_in("debian/control", "Package: libdunlin([0-9]+)"), interface);
  EXPECT_EQ(
      found_in("debian/libdunlin" + interface + ".symbols", R"re(^libdunlin\.so\.([0-9]+) )re"),
      interface);
  // Each version of its symbols is named, or dpkg-gensymbols knows no release for it.
  const std::string map = text_of("node/client/libdunlin.map");
  const std::string symbols = text_of("debian/libdunlin" + interface + ".symbols");
  const std::regex node("(DUNLIN_[0-9]+) \\{");
  std::sregex_iterator at(map.begin(), map.end(), node);
  ASSERT_NE(at, std::sregex_iterator());
  for (; at != std::sregex_iterator(); ++at) {
    EXPECT_NE(symbols.find("(symver)" + (*at)[1].str() + " "), std::string::npos) << (*at)[1];
  }
}

TEST(Debian, PackagesAreBuiltFromWhatEveryBuildNeeds) {
  std::set<std::string> needed =
      words_of(found_in("tools/install-packages", R"re(\[build\]="([^"]+)")re"));
  ASSERT_TRUE(needed.contains("cmake"));
  // A build in a clean room has no use for a cache, and takes the Python of the machine.
  needed.erase("ccache");
  needed.erase("python3");
  std::string fields = found_in("debian/control", "Build-Depends: ([\\s\\S]*?)\n\n");
  fields = std::regex_replace(fields, std::regex("\\([^)]*\\)|,"), " ");
  std::set<std::string> declared = words_of(fields);
  for (const char* own :
      {"debhelper-compat", "dh-python", "dh-sequence-installsysusers", "python3:any"}) {
    EXPECT_EQ(declared.erase(own), 1u) << own;
  }
  EXPECT_EQ(declared, needed);
}

}  // namespace
}  // namespace dunlin::tidy
