// SPDX-License-Identifier: MIT
#include "node/net/identity.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "node/net/bytes.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

TEST(Identity, OutlivesRestarts) {
  const test::Scratch directory;
  const auto first = Identity::load_or_create(directory.path());
  const auto second = Identity::load_or_create(directory.path());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->id(), second->id());
  EXPECT_EQ(first->public_key(), second->public_key());
  EXPECT_NE(first->id(), Identity::generate().id());
  EXPECT_TRUE(first->id());

  struct stat status{};
  ASSERT_EQ(::stat((directory / "identity").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  // The draft it was written to is gone.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Identity, RefusesWhatOthersCanRead) {
  const test::Scratch directory;
  ASSERT_TRUE(Identity::load_or_create(directory.path()));
  ::chmod((directory / "identity").c_str(), 0644);
  const auto refused = Identity::load_or_create(directory.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_THAT(refused.error().text, HasSubstr("chmod 600"));
}

TEST(Identity, NamesTheDamagedFile) {
  const test::Scratch directory;
  ASSERT_TRUE(Identity::load_or_create(directory.path()));
  const auto path = directory / "identity";
  for (const char* text : {"", "dunlin identity 1\n", "dunlin identity 1\nabc\n", "rubbish"}) {
    std::ofstream(path, std::ios::trunc) << text;
    const auto damaged = Identity::load_or_create(directory.path());
    ASSERT_FALSE(damaged) << text;
    EXPECT_EQ(damaged.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(damaged.error().text, HasSubstr(path));
  }
}

TEST(Identity, NamesTheDirectoryThatIsNotThere) {
  const auto missing = Identity::load_or_create("/nonexistent/dunlin");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::io);
  EXPECT_THAT(missing.error().text, HasSubstr("/nonexistent/dunlin"));
}

TEST(Identity, SignsAndAgrees) {
  const Identity a = Identity::generate();
  const Identity b = Identity::generate();
  SignatureBytes signature{};
  a.sign(bytes_of("words"), signature);
  EXPECT_TRUE(verify(a.public_key(), bytes_of("words"), signature));
  EXPECT_FALSE(verify(a.public_key(), bytes_of("other"), signature));
  EXPECT_FALSE(verify(b.public_key(), bytes_of("words"), signature));

  PublicKey a_exchange;
  PublicKey b_exchange;
  ASSERT_TRUE(exchange_key(a.public_key(), a_exchange));
  ASSERT_TRUE(exchange_key(b.public_key(), b_exchange));
  Secret<32> ab;
  Secret<32> ba;
  ASSERT_TRUE(a.agree(b_exchange, ab));
  ASSERT_TRUE(b.agree(a_exchange, ba));
  EXPECT_TRUE(ab == ba);
  EXPECT_FALSE(exchange_key(PublicKey{}, a_exchange)) << "a degenerate key";
}

}  // namespace
}  // namespace dunlin::node
