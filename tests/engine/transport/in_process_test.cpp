#include "engine/transport/in_process.h"
#include "tests/catch.h"

#include <array>
#include <thread>

using namespace engine;

namespace {

constexpr DeviceId kFirst{0}, kSecond{1};
using SideWork = InProcessTransport::SideWork;

template<class Numbers>
std::span<std::byte> bytesOf(Numbers& numbers)
{
    return std::as_writable_bytes(std::span(numbers));
}

} // namespace

TEST_CASE("a message waits for its slot, lands there, and has passed until the next iteration")
{
    std::array<int, 3> source{1, 2, 3}, slot{};
    InProcessTransport transport({{{kFirst, kSecond, bytesOf(source), bytesOf(slot)}}, {}, {}}, 2,
                                 SideWork::Inline);
    const Fence arrived{Fence::Kind::Arrived, 0};
    transport.beginIteration();
    CHECK_FALSE(transport.hasPassed(arrived));
    transport.post(kSecond, 0);
    CHECK(transport.send(kFirst, 0));
    CHECK(transport.wait(kSecond, arrived));
    CHECK(slot == source);
    CHECK(transport.timeOf(arrived).end >= transport.timeOf(arrived).begin);
    transport.beginIteration();
    CHECK_FALSE(transport.hasPassed(arrived));
}

TEST_CASE("two threads pass a message to and fro thousands of times, and none is lost or torn")
{
    constexpr int kRounds = 3000;
    std::array<std::array<int, 16>, 4> cells{}; // source, slot, source, slot
    Traffic traffic;
    traffic.messages.push_back({kFirst, kSecond, bytesOf(cells[0]), bytesOf(cells[1])});
    traffic.messages.push_back({kSecond, kFirst, bytesOf(cells[2]), bytesOf(cells[3])});
    for (const std::int64_t spin : {std::int64_t{0}, InProcessTransport::kSpin}) {
        InProcessTransport transport(traffic, 2, SideWork::Threads, spin);
        int wrong = 0;
        for (int round = 0; round < kRounds; ++round) {
            transport.beginIteration();
            transport.post(kSecond, 0);
            transport.post(kFirst, 1);
            std::thread echo;
            const auto answer = [&] {
                transport.wait(kSecond, {Fence::Kind::Arrived, 0});
                cells[2] = cells[1];
                transport.send(kSecond, 1);
            };
            if (round % 100 == 0) // a thread is dear: the others take turns on this one
                echo = std::thread(answer);
            cells[0].fill(round);
            transport.send(kFirst, 0);
            if (!echo.joinable())
                answer();
            transport.wait(kFirst, {Fence::Kind::Arrived, 1});
            for (const int number : cells[3])
                wrong += number != round ? 1 : 0;
            if (echo.joinable())
                echo.join();
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("an all-reduce runs on the pair's own thread and gives every member the sum")
{
    std::array<float, 5> first{1, 2, 3, 4, 5}, second{10, 20, 30, 40, 50};
    Collective collective{{kFirst, kSecond}, {first, second}, {}};
    InProcessTransport transport({{}, {}, {collective}}, 2, SideWork::Threads);
    CHECK(transport.sideThreads() == 1);
    const Fence reduced{Fence::Kind::Reduced, 0};
    transport.beginIteration();
    transport.allReduce(kFirst, 0);
    CHECK_FALSE(transport.hasPassed(reduced));
    std::thread other([&] {
        transport.allReduce(kSecond, 0);
        transport.wait(kSecond, reduced);
    });
    CHECK(transport.wait(kFirst, reduced));
    other.join();
    CHECK(first == std::array<float, 5>{11, 22, 33, 44, 55});
    CHECK(second == first);
}

TEST_CASE("copies of a device run in the order in which it calls for them")
{
    std::array<int, 2> stash{7, 8}, guest{}, back{};
    Traffic traffic;
    traffic.copies.push_back({kFirst, kSecond, bytesOf(stash), bytesOf(guest)});
    traffic.copies.push_back({kFirst, kSecond, bytesOf(guest), bytesOf(back)});
    for (const SideWork lanes : {SideWork::Inline, SideWork::Threads}) {
        guest = back = {};
        InProcessTransport transport(traffic, 2, lanes);
        transport.beginIteration();
        transport.copy(kFirst, 0);
        transport.copy(kFirst, 1);
        CHECK(transport.wait(kFirst, {Fence::Kind::Copied, 1}));
        CHECK(back == stash);
        CHECK(guest == stash);
    }
}

TEST_CASE("devices with nothing in common have side threads of their own")
{
    std::array<float, 1> a{}, b{}, c{}, d{};
    Traffic traffic;
    traffic.collectives = {{{DeviceId{0}, DeviceId{3}}, {a, b}, {}},
                           {{DeviceId{2}, DeviceId{1}}, {c, d}, {}},
                           {{DeviceId{3}, DeviceId{0}}, {b, a}, {}}};
    CHECK(InProcessTransport(traffic, 4, SideWork::Threads).sideThreads() == 2);
    CHECK(InProcessTransport(traffic, 4, SideWork::Inline).sideThreads() == 0);
}

TEST_CASE("every wait ends when the transport is aborted")
{
    std::array<int, 1> source{}, slot{};
    InProcessTransport transport({{{kFirst, kSecond, bytesOf(source), bytesOf(slot)}}, {}, {}}, 2,
                                 SideWork::Threads);
    transport.beginIteration();
    bool sent = true;
    std::thread sender([&] { sent = transport.send(kFirst, 0); }); // its slot is never posted
    std::thread killer([&] { transport.abort(); });
    CHECK_FALSE(transport.wait(kSecond, {Fence::Kind::Arrived, 0}));
    sender.join();
    killer.join();
    CHECK_FALSE(sent);
}
