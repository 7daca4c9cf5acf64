// SPDX-License-Identifier: MIT
#include "node/read_json.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

namespace dunlin {
namespace {

template <typename Document>
class ReadJsonTest : public ::testing::Test {
 protected:
  /// Why a text is refused; "no JSON" of one that is none, "" of one that is read.
  static std::string refused(const std::string& text) {
    std::string why;
    const bool read = !read_json<Document>(text, &why).is_discarded();
    return read ? "" : why.empty() ? "no JSON" : why;
  }
  static std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  }
  /// An object of so many members, and more of them.
  static std::string object(std::size_t members, const std::string& more = "") {
    std::string text;
    for (std::size_t i = 0; i < members; ++i) {
      text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    }
    return "{" + text + more + "}";
  }
};

using Documents = ::testing::Types<nlohmann::json, nlohmann::ordered_json>;
TYPED_TEST_SUITE(ReadJsonTest, Documents);

TYPED_TEST(ReadJsonTest, ReadsWhatNlohmannReads) {
  for (const char* const text : {"null", "true", "-1", "18446744073709551615", "1.5", "\"\\u00e9\"",
           "[]", "{}", R"({"b":[1,{"a":null},[]],"a":-1.5,"c":{"d":"x"}})", " [ 1 , 2 ] "}) {
    EXPECT_EQ(read_json<TypeParam>(text), TypeParam::parse(text)) << text;
  }
  for (const char* const text :
      {"", "{", "nonsense", "{} x", "[1,]", "1e999", "\"\xff\"", "{1:2}"}) {
    EXPECT_EQ(this->refused(text), "no JSON") << text;
  }
}

TYPED_TEST(ReadJsonTest, CountsLevels) {
  EXPECT_EQ(this->refused(this->nested(kJsonDepthMax)), "");
  EXPECT_EQ(this->refused(this->nested(kJsonDepthMax + 1)), "nested deeper than 64 levels");
  EXPECT_EQ(this->refused(std::string(4'000'000, '[')), "nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(this->refused(objects), "nested deeper than 64 levels");
}

TYPED_TEST(ReadJsonTest, CountsMembersAndValues) {
  EXPECT_EQ(this->refused(this->object(kJsonMembersMax)), "");
  EXPECT_EQ(
      this->refused(this->object(kJsonMembersMax + 1)), "an object of more than 4096 members");
  std::string many = "[0";
  for (std::size_t i = 0; i < kJsonValuesMax; ++i) many += ",0";
  EXPECT_EQ(this->refused(many + "]"), "more than 2097152 values");
}

TYPED_TEST(ReadJsonTest, RefusesAMemberThatIsSaidTwice) {
  EXPECT_EQ(this->refused(R"({"a":1,"b":2,"a":3})"), "an object that says 'a' twice");
  EXPECT_EQ(this->refused(this->object(4000, R"(,"17":{})")), "an object that says '17' twice");
  EXPECT_EQ(this->refused(R"({"a":{"b":1},"b":{"a":1}})"), "");
}

}  // namespace
}  // namespace dunlin
