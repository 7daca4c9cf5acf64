// SPDX-License-Identifier: MIT
#include <cstring>
#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "node/loop/handle.h"
#include "node/net/local_connection.h"

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;

std::string framed(std::string_view message) {
  std::string out;
  append_frame(out, message);
  return out;
}

TEST(Frames, AreCutOneByOne) {
  const std::string bytes = framed("one") + framed("") + framed(std::string(70'000, 'x'));
  std::string_view rest = bytes;
  std::string_view frame;
  EXPECT_EQ(next_frame(rest, frame), FrameState::whole);
  EXPECT_EQ(frame, "one");
  EXPECT_EQ(next_frame(rest, frame), FrameState::whole);
  EXPECT_EQ(frame, "");
  EXPECT_EQ(next_frame(rest, frame), FrameState::whole);
  EXPECT_EQ(frame.size(), 70'000u);
  EXPECT_EQ(next_frame(rest, frame), FrameState::incomplete);
}

TEST(Frames, IncompleteUntilTheLastByte) {
  const std::string bytes = framed("hello");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest = std::string_view(bytes).substr(0, size);
    std::string_view frame;
    EXPECT_EQ(next_frame(rest, frame), FrameState::incomplete) << size;
    EXPECT_EQ(rest.size(), size);
  }
}

TEST(Frames, OversizeIsTold) {
  std::string_view rest("\x01\x00\x00\x01", 4);  // 16 MiB and a byte.
  std::string_view frame;
  EXPECT_EQ(next_frame(rest, frame), FrameState::oversize);
}

/// A listening LocalConnection server, and one plain client of it.
class LocalConnectionTest : public ::testing::Test {
 protected:
  LocalConnectionTest() {
    uv_loop_init(&loop);
    listener = make_handle<uv_pipe_t>();
    uv_pipe_init(&loop, listener.get(), 0);
    listener->data = this;
    uv_pipe_bind(listener.get(), path.c_str());
    uv_listen(reinterpret_cast<uv_stream_t*>(listener.get()), 8, [](uv_stream_t* stream, int) {
      static_cast<LocalConnectionTest*>(stream->data)->on_connection(*stream);
    });
    client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~LocalConnectionTest() override {
    if (client >= 0) ::close(client);
    connection.reset();
    listener.reset();
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
  }

  void on_connection(uv_stream_t& stream) {
    connection = LocalConnection::accept(stream);
    connection->on_message([this](std::string_view text) { messages.emplace_back(text); });
    connection->on_close([this] { closed = true; });
    connection->on_drained([this] { drained = true; });
  }

  void write(std::string_view bytes) {
    ASSERT_EQ(::send(client, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    for (int i = 0; i < 20; ++i) uv_run(&loop, UV_RUN_NOWAIT);
  }

  uv_loop_t loop{};
  std::string path = ::testing::TempDir() + "dunlin_frames_" + std::to_string(::getpid()) + ".sock";
  Handle<uv_pipe_t> listener;
  std::shared_ptr<LocalConnection> connection;
  std::vector<std::string> messages;
  bool closed = false;
  bool drained = false;
  int client = -1;
};

TEST_F(LocalConnectionTest, DeliversWholeMessagesOnly) {
  const std::string bytes = framed("first") + framed("second");
  write(bytes.substr(0, 6));
  EXPECT_TRUE(messages.empty());
  write(bytes.substr(6, 5));
  EXPECT_THAT(messages, ElementsAre("first"));
  write(bytes.substr(11));
  EXPECT_THAT(messages, ElementsAre("first", "second"));
  EXPECT_FALSE(closed);
}

TEST_F(LocalConnectionTest, SendsFrames) {
  write(framed("hello"));
  EXPECT_TRUE(connection->send("world"));
  for (int i = 0; i < 5; ++i) uv_run(&loop, UV_RUN_NOWAIT);
  char buffer[64];
  const ssize_t size = ::recv(client, buffer, sizeof(buffer), 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(size)), framed("world"));
  EXPECT_TRUE(drained);
  EXPECT_EQ(connection->queued(), 0u);
}

TEST_F(LocalConnectionTest, OversizeFrameEndsTheConnection) {
  write(std::string("\xff\xff\xff\xff", 4));
  EXPECT_TRUE(closed);
  EXPECT_FALSE(connection->send("too late"));
}

TEST_F(LocalConnectionTest, HangingUpMidMessageEndsTheConnection) {
  write(framed("never whole").substr(0, 7));
  ::close(std::exchange(client, -1));
  for (int i = 0; i < 5; ++i) uv_run(&loop, UV_RUN_NOWAIT);
  EXPECT_TRUE(closed);
  EXPECT_TRUE(messages.empty());
}

TEST_F(LocalConnectionTest, ClientThatNeverReadsIsCutOff) {
  write(framed("hello"));
  const std::string large(8 << 20, 'x');
  bool sent = true;
  for (int i = 0; i < 16 && sent; ++i) sent = connection->send(large);
  EXPECT_FALSE(sent);
  for (int i = 0; i < 5; ++i) uv_run(&loop, UV_RUN_NOWAIT);
  EXPECT_TRUE(closed);
}

TEST_F(LocalConnectionTest, CloseSendsWhatIsQueuedFirst) {
  write(framed("hello"));
  connection->send("bye");
  connection->close();
  for (int i = 0; i < 5; ++i) uv_run(&loop, UV_RUN_NOWAIT);
  EXPECT_TRUE(closed);
  char buffer[64];
  EXPECT_EQ(::recv(client, buffer, sizeof(buffer), 0), 7);
  EXPECT_EQ(::recv(client, buffer, sizeof(buffer), 0), 0);
}

}  // namespace
}  // namespace dunlin::node
