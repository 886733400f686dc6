#include "tests/catch.h"
#include "tests/conformance/kernels/suite.h"

#include <fmt/format.h>

using namespace engine;
using namespace kernel_test;

namespace {

const char* nameOf(AttentionKind kind)
{
    switch (kind) {
    case AttentionKind::Standard:
        return "attention standard";
    case AttentionKind::Recompute:
        return "attention recompute";
    case AttentionKind::Flash:
        return "attention flash";
    }
    return "";
}

std::vector<AttentionShape> shapes(AttentionKind kind)
{
    std::vector<AttentionShape> all;
    const auto add = [&all, kind](int samples, int sequence, int heads, int keyHeads, int size) {
        for (const AttentionMask mask : {AttentionMask::Causal, AttentionMask::Bidirectional})
            all.push_back({.samples = samples,
                           .sequence = sequence,
                           .heads = heads,
                           .keyHeads = keyHeads,
                           .headSize = size,
                           .kind = kind,
                           .mask = mask});
    };
    add(1, 1, 1, 1, 2);
    add(2, 6, 4, 4, 4);
    add(2, 13, 6, 2, 5);
    add(1, 70, 2, 1, 8);
    add(1, 65, 2, 1, 36);
    add(1, 33, 1, 1, 128); // these on tensor cores, where numbers are bfloat16
    add(2, 40, 2, 1, 64);
    add(1, 130, 2, 2, 64);
    if (hasLarge())
        add(8, 1024, 12, 12, 64);
    return all;
}

std::string textOf(const AttentionShape& s)
{
    return fmt::format("{} x {}, {}/{} heads of {}{}", s.samples, s.sequence, s.heads, s.keyHeads,
                       s.headSize, s.mask == AttentionMask::Causal ? ", causal" : "");
}

// What attention keeps: scores, or wide sums.
Array kept(const AttentionShape& s, Role role)
{
    const bool isWide = s.kind == AttentionKind::Flash;
    return {role, Numbers(isWide ? s.keptSums() : s.keptScores()), isWide};
}
template<class Real>
KeptAttention<Real> keptIn(const AttentionShape& s, const Memory<Real>& memory, std::size_t array)
{
    if (s.kind == AttentionKind::Flash)
        return {.logSums = memory.wide(array)};
    return {.scores = memory(array)};
}

// Of the largest that any type of numbers wants, forward or backward.
Array workspace(const AttentionShape& s)
{
    return scratch(std::max({s.forwardWorkspace<float>(), s.forwardWorkspace<bfloat16>(),
                             s.backwardWorkspace<float>(), s.backwardWorkspace<bfloat16>()}))
        .wide();
}

// As the model makes it: workspaces are as large as the device wants them.
template<class Real>
AttentionShape shapeFor(const Kernels<Real>& kernels, AttentionShape shape)
{
    shape.headsAtOnce = kernels.headsAtOnce(shape);
    return shape;
}

void checkAttention(AttentionKind kind)
{
    for (const AttentionShape& s : shapes(kind)) {
        AttentionShape largest = s;
        largest.headsAtOnce = s.samples * s.heads;
        const int rows = static_cast<int>(s.rows());
        const std::size_t qkv = s.rows() * static_cast<std::size_t>(s.qkvWidth()),
                          width = s.rows() * static_cast<std::size_t>(s.width());
        const auto forward = [s, rows](const auto& kernels, const auto& memory) {
            kernels.attention({.shape = shapeFor(kernels, s),
                               .qkv = memory.matrix(0, rows, s.qkvWidth()),
                               .kept = keptIn(s, memory, 1),
                               .out = memory.matrix(2, rows, s.width()),
                               .earlier = {},
                               .workspace = memory.wide(3)});
        };
        const double flops
            = 4.0 * s.samples * s.heads * s.sequence * static_cast<double>(s.sequence) * s.headSize;
        conforms({.name = nameOf(s.kind),
                  .shape = textOf(s),
                  .arrays = {in(qkv, 1), kept(s, Role::Out), out(width), workspace(largest)},
                  .tolerance = 4e-6,
                  .narrowTolerance = 0x1p-7,
                  .roundsInside = true,
                  .multiplies = true,
                  .flops = flops},
                 [forward](const auto& kernels, const auto& memory) { forward(kernels, memory); });
        conforms({.name = std::string(nameOf(s.kind)) + " backward",
                  .shape = textOf(s),
                  .arrays = {inOut(qkv, 1), kept(s, Role::Scratch), scratch(width),
                             workspace(largest), in(width, 2)},
                  .tolerance = 1e-5,
                  .narrowTolerance = 0x1p-6,
                  .roundsInside = true,
                  .multiplies = true,
                  .flops = 3 * flops},
                 [=](const auto& kernels, const auto& memory) {
                     forward(kernels, memory);
                     kernels.attentionBackward({.shape = shapeFor(kernels, s),
                                                .qkv = memory.matrix(0, rows, s.qkvWidth()),
                                                .kept = keptIn(s, memory, 1),
                                                .out = memory.matrix(2, rows, s.width()),
                                                .dOut = memory.matrix(4, rows, s.width()),
                                                .keyGradients = nullptr,
                                                .earlier = {},
                                                .workspace = memory.wide(3)});
                 });
    }
}

} // namespace

TEST_CASE("standard attention and its backward")
{
    checkAttention(AttentionKind::Standard);
}

TEST_CASE("attention that recomputes its scores, and its backward")
{
    checkAttention(AttentionKind::Recompute);
}

TEST_CASE("flash attention and its backward")
{
    checkAttention(AttentionKind::Flash);
}

// Two slices of the same samples, forwards from the first and backwards from the last: the second
// adds to the gradients of the first one's keys and values.
TEST_CASE("attention over sequence slices equals the CPU's")
{
    AttentionShape small{.samples = 2, .sequence = 5, .heads = 4, .keyHeads = 2, .headSize = 4},
        large{.samples = 2, .sequence = 33, .heads = 2, .keyHeads = 1, .headSize = 64};
    std::vector<AttentionShape> all;
    for (AttentionShape s : {small, large})
        for (const AttentionKind kind :
             {AttentionKind::Standard, AttentionKind::Recompute, AttentionKind::Flash}) {
            s.slices = 2;
            s.kind = kind;
            all.push_back(s);
        }
    for (const AttentionShape& s : all) {
        AttentionShape largest = s;
        largest.headsAtOnce = s.samples * s.heads;
        const int rows = static_cast<int>(s.rows());
        const std::size_t qkv = s.rows() * static_cast<std::size_t>(s.qkvWidth()),
                          width = s.rows() * static_cast<std::size_t>(s.width());
        const Array none = Array{Role::InOut, Numbers(s.keyGradients()), true};
        conforms({.name = std::string(nameOf(s.kind)) + " in slices",
                  .shape = textOf(s) + ", 2 slices",
                  .arrays = {inOut(qkv, 1), inOut(qkv, 2), kept(s, Role::Scratch),
                             kept(s, Role::Scratch), inOut(width, 5), inOut(width, 6),
                             workspace(largest), in(width, 3), in(width, 4), none, none},
                  .tolerance = 1e-5,
                  .narrowTolerance = 0x1p-6,
                  .roundsInside = true},
                 [=](const auto& kernels, const auto& memory) {
                     using Real = std::remove_pointer_t<decltype(memory(0))>;
                     const std::span<std::byte> first[] = {std::as_writable_bytes(memory.all(0))};
                     const AttentionShape shape = shapeFor(kernels, s);
                     const auto earlierThan = [&](std::size_t slice) {
                         const auto* gradients = reinterpret_cast<std::byte*>(memory.wide(9));
                         return EarlierSlices<Real>{
                             std::span(first).first(slice), 0,
                             static_cast<std::size_t>(gradients - first[0].data())};
                     };
                     for (const std::size_t slice : {0U, 1U})
                         kernels.attention({.shape = shape,
                                            .qkv = memory.matrix(slice, rows, s.qkvWidth()),
                                            .kept = keptIn(s, memory, 2 + slice),
                                            .out = memory.matrix(4 + slice, rows, s.width()),
                                            .earlier = earlierThan(slice),
                                            .workspace = memory.wide(6)});
                     for (const std::size_t slice : {1U, 0U})
                         kernels.attentionBackward(
                             {.shape = shape,
                              .qkv = memory.matrix(slice, rows, s.qkvWidth()),
                              .kept = keptIn(s, memory, 2 + slice),
                              .out = memory.matrix(4 + slice, rows, s.width()),
                              .dOut = memory.matrix(7 + slice, rows, s.width()),
                              .keyGradients = memory.wide(9 + slice),
                              .earlier = earlierThan(slice),
                              .workspace = memory.wide(6)});
                 });
    }
}
