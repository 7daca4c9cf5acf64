// SPDX-License-Identifier: MIT
#include "node/identity/identity.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "node/identity/machine_id.h"
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
  for (const char* text :
      {"", "dunlin identity 1\n", "dunlin identity 1\nabc\n", "rubbish", "dunlin identity 2\n"}) {
    std::ofstream(path, std::ios::trunc) << text;
    const auto damaged = Identity::load_or_create(directory.path());
    ASSERT_FALSE(damaged) << text;
    EXPECT_EQ(damaged.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(damaged.error().text, HasSubstr(path));
  }
}

constexpr const char* kMachine = "0123456789abcdef0123456789abcdef";
constexpr const char* kOtherMachine = "fedcba9876543210fedcba9876543210";

TEST(Identity, IsRefusedOnAnotherMachine) {
  const test::Scratch directory;
  const auto made = Identity::load_or_create(directory.path(), kMachine);
  ASSERT_TRUE(made);
  EXPECT_TRUE(Identity::load_or_create(directory.path(), kMachine));
  EXPECT_TRUE(Identity::load_or_create(directory.path())) << "a container that has no machine-id";
  const auto copy = Identity::load_or_create(directory.path(), kOtherMachine);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().kind, ErrorKind::refused);
  for (const char* cure : {"--new", "--adopt", "agent.machine_id", directory.path().c_str()}) {
    EXPECT_THAT(copy.error().text, HasSubstr(cure));
  }
  const auto adopted = Identity::adopt(directory.path(), kOtherMachine);
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->id(), made->id());
  EXPECT_TRUE(Identity::load_or_create(directory.path(), kOtherMachine));
  EXPECT_FALSE(Identity::load_or_create(directory.path(), kMachine));
}

TEST(Identity, OfBeforeMachinesWereNamedBelongsToWhereItIsOpened) {
  const test::Scratch directory;
  const std::string seed(64, 'a');
  test::write_file(directory / "identity", "dunlin identity 1\n" + seed + "\n");
  ::chmod((directory / "identity").c_str(), 0600);
  const auto unmarked = Identity::load_or_create(directory.path());
  ASSERT_TRUE(unmarked) << unmarked.error().text;
  const auto marked = Identity::load_or_create(directory.path(), kMachine);
  ASSERT_TRUE(marked) << marked.error().text;
  EXPECT_EQ(marked->id(), unmarked->id());
  EXPECT_EQ(test::file_text(directory / "identity"),
      "dunlin identity 2\n" + seed + "\nmachine " + kMachine + "\n");
  EXPECT_FALSE(Identity::load_or_create(directory.path(), kOtherMachine));
}

TEST(Identity, OfNoMachineBelongsToTheFirstThatHasAName) {
  const test::Scratch directory;
  const auto made = Identity::load_or_create(directory.path());
  ASSERT_TRUE(Identity::load_or_create(directory.path(), kMachine));
  EXPECT_FALSE(Identity::load_or_create(directory.path(), kOtherMachine));
}

TEST(MachineMark, TellsMachinesApartAndKeepsTheirIds) {
  const test::Scratch directory;
  const auto mark = [&](const std::string& text) {
    test::write_file(directory / "machine-id", text);
    return machine_mark(directory / "machine-id");
  };
  const std::string one = mark(std::string(kMachine) + "\n");
  EXPECT_EQ(one.size(), 32u);
  EXPECT_NE(one, kMachine) << "the id itself is not for others";
  EXPECT_EQ(mark(kMachine), one);
  EXPECT_NE(mark(kOtherMachine), one);
  for (const char* none : {"", "\n", "uninitialized\n", "0123", "xyz"}) EXPECT_EQ(mark(none), "");
  EXPECT_EQ(machine_mark(directory / "missing"), "");
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
