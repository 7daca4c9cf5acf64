// SPDX-License-Identifier: MIT
#include "sim/workload/lines.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <zlib.h>

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::StartsWith;

class Lines : public ::testing::Test {
 protected:
  ~Lines() override { std::filesystem::remove(path_); }

  void write(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  /// The lines of the file, and the failure that ended them, if one did.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    auto file = LineFile::open(path_);
    if (!file) return {file.error().text};
    std::string line;
    while (true) {
      const auto more = file->next(line);
      if (!more) all.push_back(more.error().text);
      if (!more || !*more) return all;
      all.push_back(line);
    }
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("dunlin-lines-" + std::to_string(getpid())))
          .string();
};

/// The bytes that pairs of hexadecimal digits say.
std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

struct Packed {
  const char* name;
  const char* digits;  ///< What the packer of that name makes of three lines.
};

constexpr Packed kPacked[] = {
    {"gzip",
        "1f8b0800000000000203333430503054300412065c8640ca48c108c836553032e53204b1144c0c80880b00d1"
        "9764dc27000000"},
    {"bzip2",
        "425a683931415926535941f8164300000dd8000010400076002000310c0094f489ea42b9c9ed9b59d175a0dc"
        "8443a7c5dc914e1424107e0590c0"},
    {"xz",
        "fd377a585a0000016922de360200210116000000742fe5a3e0002600205d00188c2c4033d8d0461d24863032"
        "064dea31545f1f0478600bd9835c3a6a68000000d19764dc00013827bbbc13929042990d0100000000015"
        "95a"},
    {"zstd",
        "28b52ffd202739010031303020312031302031300a31313020322032302031352032350a3132302031203430"
        "2034300a"},
};

TEST_F(Lines, MayHoldAnyByte) {
  write(std::string_view("1\0 2\n\0\n3\n", 9));
  EXPECT_THAT(lines(), ElementsAre(std::string("1\0 2", 4), std::string("\0", 1), "3"));
}

TEST_F(Lines, EndAsUnixAndWindowsEndThem) {
  write("a\r\n\nb");
  EXPECT_THAT(lines(), ElementsAre("a", "", "b"));
  write("");
  EXPECT_THAT(lines(), ElementsAre());
}

TEST_F(Lines, AByteOrderMarkIsNoPartOfTheFirst) {
  write(
      "\xef\xbb\xbf"
      "1\n\xef\xbb\xbf"
      "2\n");
  EXPECT_THAT(lines(),
      ElementsAre("1",
          "\xef\xbb\xbf"
          "2"));
}

TEST_F(Lines, AreUnpackedWhateverPackedThem) {
  for (const Packed& packed : kPacked) {
    SCOPED_TRACE(packed.name);
    const std::string bytes = bytes_of(packed.digits);
    write(bytes);
    EXPECT_THAT(lines(), ElementsAre("100 1 10 10", "110 2 20 15 25", "120 1 40 40"));
    write(bytes + bytes + std::string(512, '\0'));  // As cat and tapes leave it.
    EXPECT_EQ(lines().size(), 6u);
  }
}

TEST_F(Lines, OfAFileThatIsCutNameThePlaceOnce) {
  for (const Packed& packed : kPacked) {
    SCOPED_TRACE(packed.name);
    const std::string bytes = bytes_of(packed.digits);
    for (const std::size_t missing : {1u, 4u, 20u}) {
      write(std::string_view(bytes).substr(0, bytes.size() - missing));
      const std::string last = lines().back();
      EXPECT_THAT(last, StartsWith(path_ + ":"));
      EXPECT_EQ(last.rfind(path_), 0u);
      EXPECT_THAT(last,
          EndsWith("the file is cut off here: its " + std::string(packed.name) + " data go on"));
    }
    write(bytes + "what is this");
    EXPECT_EQ(lines().back(), path_ + ":4: its " + packed.name + " data are damaged here");
  }
}

TEST_F(Lines, OfALongFileAreAllThere) {
  gzFile file = gzopen(path_.c_str(), "wb");
  for (int i = 0; i < 100'000; ++i) gzprintf(file, "%d 1 1 1\n", i);
  gzclose(file);
  const auto all = lines();
  ASSERT_EQ(all.size(), 100'000u);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(all[static_cast<std::size_t>(i)], std::to_string(i) + " 1 1 1");
  }
}

TEST_F(Lines, OfATextThatBeginsAsPackedDataDoesAreText) {
  write("BZh9 is no block\n");
  EXPECT_THAT(lines(), ElementsAre("BZh9 is no block"));
}

TEST_F(Lines, FailWithThePlaceIfThereIsNoFile) {
  EXPECT_THAT(lines(), ElementsAre(path_ + ": No such file or directory"));
}

TEST(OddByte, IsNamedWithItsPlace) {
  EXPECT_EQ(odd_byte("1\t2 \xc3\xa9"), std::nullopt);
  EXPECT_EQ(odd_byte(std::string_view("12\0", 3)), "byte 3 is 0x00, which stands in no text");
  EXPECT_EQ(odd_byte("\x1b[1m"), "byte 1 is 0x1b, which stands in no text");
  EXPECT_EQ(odd_byte("a\x7f"), "byte 2 is 0x7f, which stands in no text");
}

}  // namespace
}  // namespace dunlin::sim
