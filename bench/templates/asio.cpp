// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// asio.cpp - sessions of coroutines over loopback, with a timer each.
#define ASIO_HAS_CO_AWAIT
#define ASIO_HAS_STD_COROUTINE
#include <asio.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using asio::ip::tcp;

static long answered;

static asio::awaitable<void> serve(tcp::socket socket) {
  std::string line;
  for (;;) {
    std::error_code error;
    const std::size_t length = co_await asio::async_read_until(
        socket, asio::dynamic_buffer(line), '\n',
        asio::redirect_error(asio::use_awaitable, error));
    if (error)
      co_return;
    const std::string answer = line.substr(0, length);
    line.erase(0, length);
    co_await asio::async_write(socket, asio::buffer(answer),
                               asio::use_awaitable);
    ++answered;
  }
}

static asio::awaitable<void> listen(std::shared_ptr<tcp::acceptor> acceptor,
                                    int sessions) {
  for (int i = 0; i < sessions; ++i)
    asio::co_spawn(acceptor->get_executor(),
                   serve(co_await acceptor->async_accept(asio::use_awaitable)),
                   asio::detached);
}

static asio::awaitable<void> request(tcp::endpoint where, int number) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(where, asio::use_awaitable);
  for (int i = 0; i < 50; ++i) {
    const std::string line =
        "request " + std::to_string(number * 1000 + i) + " of this session\n";
    co_await asio::async_write(socket, asio::buffer(line), asio::use_awaitable);
    std::vector<char> answer(line.size());
    co_await asio::async_read(socket, asio::buffer(answer),
                              asio::use_awaitable);
  }
  asio::steady_timer timer(socket.get_executor(),
                           std::chrono::microseconds(10));
  co_await timer.async_wait(asio::use_awaitable);
}

int main() {
  constexpr int kSessions = 10;
  asio::io_context context;
  auto acceptor = std::make_shared<tcp::acceptor>(
      context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  asio::co_spawn(context, listen(acceptor, kSessions), asio::detached);
  for (int i = 0; i < kSessions; ++i)
    asio::co_spawn(context, request(acceptor->local_endpoint(), i),
                   asio::detached);
  context.run();
  std::printf("%ld\n", answered);
}
