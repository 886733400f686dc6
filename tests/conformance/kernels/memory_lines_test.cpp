// How much of an arena was written: the device counts it, and finds what this process finds in a
// copy.
#include "engine/backend/kernels.h"
#include "engine/pipeline/pipeline.h"
#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <vector>

using namespace engine;

namespace {

constexpr std::byte kFilled{0xFF};

std::vector<std::shared_ptr<const Device>> devices()
{
    std::vector<std::shared_ptr<const Device>> all{kernel_test::cpu()};
    if (kernel_test::isEmulated())
        all.push_back(kernel_test::emulatedCuda());
    if (kernel_test::gpu())
        all.push_back(*kernel_test::gpu());
    return all;
}

void write(const Arena& arena, Bytes offset)
{
    const std::byte other{0xFE};
    arena.write({offset, 1}, {&other, 1});
}

// As it was done before devices counted: everything is copied here, and looked at a byte at a time.
Bytes touchedInCopy(const Arena& arena)
{
    const std::vector<std::byte> copied = arena.read({0, arena.size()});
    Bytes touched = 0;
    for (std::size_t line = 0; line < copied.size(); line += kLine)
        for (std::size_t i = line; i < line + kLine; ++i)
            if (copied[i] != kFilled) {
                touched += kAlignment;
                break;
            }
    return touched;
}

} // namespace

TEST_CASE("a byte anywhere in a line touches that line alone, on every device")
{
    for (const auto& device : devices()) {
        INFO(device->info().name);
        const Arena arena(Bytes{3} * kAlignment, device.get());
        CHECK(arena.touched() == 0);
        for (Bytes i = 0; i < kAlignment; ++i) {
            const Arena fresh(Bytes{3} * kAlignment, device.get());
            write(fresh, kAlignment + i);
            CHECK(fresh.touched() == kAlignment);
        }
    }
}

TEST_CASE("a device counts the lines of a copy in any order of its threads")
{
    using cuda_on_cpu::Order;
    for (const auto& device : devices())
        for (const Bytes size : {Bytes{64}, Bytes{64} * 255, Bytes{64} * 256, Bytes{64} * 1000}) {
            INFO(device->info().name << ", " << size);
            const Arena arena(size, device.get());
            for (Bytes at = 0; at < size; at += 64 + at / 3)
                write(arena, at);
            const Bytes truth = touchedInCopy(arena);
            CHECK(truth > 0);
            for (const Order order : {Order::Forward, Order::Backward, Order::Shuffled}) {
                cuda_on_cpu::runIn(order);
                CHECK(arena.touched() == truth);
            }
            cuda_on_cpu::runIn(Order::Forward);
        }
}

// 1024 chunks are the most: each block counts two turns of lines here.
TEST_CASE("of a large arena no line is missed or counted twice")
{
    for (const auto& device : devices()) {
        INFO(device->info().name);
        const Arena arena(Bytes{64} * (1024 * 256 + 77), device.get());
        for (Bytes at = 63; at < arena.size(); at += Bytes{64} * 1001)
            write(arena, at);
        write(arena, arena.size() - 1);
        CHECK(arena.touched() == touchedInCopy(arena));
    }
}

TEST_CASE("lines are unlike any value, and what is no whole line does not count")
{
    std::vector<std::byte> memory(3 * kLine + 5, std::byte{7});
    CHECK(linesUnlike(std::byte{7}, memory) == 0);
    CHECK(linesUnlike(std::byte{0}, memory) == 3);
    memory.back() = std::byte{8};
    CHECK(linesUnlike(std::byte{7}, memory) == 0);
    memory[2 * kLine - 1] = std::byte{8};
    CHECK(linesUnlike(std::byte{7}, memory) == 1);
    for (const auto& device : devices()) {
        INFO(device->info().name);
        const DeviceMemory placed = device->allocate(static_cast<Bytes>(memory.size()));
        device->upload(memory, placed.get());
        CHECK(device->kernels().linesUnlike(std::byte{7}, {placed.get(), memory.size()}) == 1);
        CHECK(device->kernels().linesUnlike(std::byte{8}, {placed.get(), memory.size()}) == 3);
        CHECK(device->kernels().linesUnlike(std::byte{7}, {}) == 0);
    }
}
