// SPDX-License-Identifier: MIT
#include "node/net/keyring.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

TEST(Keyring, SavesAndLoads) {
  const test::Scratch directory;
  const auto path = directory / "cluster.key";
  const auto made = Keyring::generate("demo");
  ASSERT_TRUE(made);
  ASSERT_TRUE(made->save(path));
  const auto loaded = Keyring::load(path);
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->cluster(), "demo");
  EXPECT_EQ(loaded->primary().id, made->primary().id);
  EXPECT_TRUE(loaded->primary().secret == made->primary().secret);

  const auto again = made->save(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::refused) << "a key file is not overwritten by chance";
  EXPECT_TRUE(made->save(path, true));
}

TEST(Keyring, RotatesOldAndNew) {
  const auto old_ring = Keyring::generate("demo").value();
  const Keyring both = old_ring.with_new_key(false);
  ASSERT_EQ(both.keys().size(), 2u);
  EXPECT_EQ(both.primary().id, old_ring.primary().id) << "the new key only opens at first";
  const Keyring renewed = old_ring.with_new_key(true);
  EXPECT_NE(renewed.primary().id, old_ring.primary().id);
  EXPECT_NE(renewed.find(old_ring.primary().id), nullptr);
  const auto read = Keyring::parse(renewed.format(), "text");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->primary().id, renewed.primary().id);

  Keyring many = old_ring;
  for (int i = 0; i < 20; ++i) many = many.with_new_key(true);
  EXPECT_EQ(many.keys().size(), Keyring::kKeysMax);
  EXPECT_TRUE(Keyring::parse(many.format(), "text"));
}

TEST(Keyring, NamesTheFileThatIsMissingOrOpenToAll) {
  const test::Scratch directory;
  const auto path = directory / "cluster.key";
  const auto missing = Keyring::load(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_THAT(missing.error().text, HasSubstr(path));
  EXPECT_THAT(missing.error().text, HasSubstr("dunlin keygen"));

  ASSERT_TRUE(test_keyring().save(path));
  ::chmod(path.c_str(), 0640);
  EXPECT_TRUE(Keyring::load(path)) << "a service's own group may read it";
  for (const mode_t mode : {0644u, 0604u, 0620u}) {
    ::chmod(path.c_str(), mode);
    const auto open_to_all = Keyring::load(path);
    ASSERT_FALSE(open_to_all) << mode;
    EXPECT_EQ(open_to_all.error().kind, ErrorKind::refused);
    EXPECT_THAT(open_to_all.error().text, HasSubstr("chmod 600"));
  }
}

TEST(Keyring, ReadsBothSpellingsAndComments) {
  const std::string hex(64, '0');
  const std::string base64 = "//////////////////////////////////////////8=";
  const auto read =
      Keyring::parse("# one\n\n  cluster\tdemo  # two\r\nkey " + hex + "\nkey " + base64, "x");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->keys().size(), 2u);
}

TEST(Keyring, ReadsWhatBeginsWithAByteOrderMark) {
  const auto ring = Keyring::generate("demo").value();
  const auto read = Keyring::parse("\xef\xbb\xbf" + ring.format(), "x");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->primary().id, ring.primary().id);
}

TEST(Keyring, NamesTheMalformedLine) {
  const std::string key = "key " + std::string(64, 'a') + "\n";
  const struct {
    std::string text;
    const char* expected;
  } cases[] = {
      {"", "no line 'cluster"},
      {"cluster demo\n", "no line 'key"},
      {key, ":1: a key before"},
      {"cluster demo\ncluster demo\n", ":2: a second cluster"},
      {"cluster a/b\n", ":1: 'a/b' is no cluster name"},
      {"cluster " + std::string(64, 'x') + "\n", "is no cluster name"},
      {"cluster demo\nkey short\n", ":2: not a key"},
      {"cluster demo\nkey " + std::string(63, 'a') + "\n", ":2: not a key"},
      {"cluster demo\nkey " + std::string(64, 'g') + "\n", ":2: not a key"},
      {"cluster demo\nkey AAAA=\n", ":2: not a key"},
      {"cluster demo\n" + key + key, ":3: the same key twice"},
      {"cluster demo extra\n", ":1: more than two words"},
      {"cluster demo\npassword x\n", ":2: expected 'cluster"},
  };
  for (const auto& [text, expected] : cases) {
    const auto read = Keyring::parse(text, "file");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(read.error().text, HasSubstr(expected));
  }
  EXPECT_FALSE(Keyring::generate("no spaces"));
  EXPECT_FALSE(Keyring::generate(""));
}

}  // namespace
}  // namespace dunlin::node
