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

std::vector<AttentionShape> shapes()
{
    std::vector<AttentionShape> all;
    const auto add = [&all](int samples, int sequence, int heads, int keyHeads, int size) {
        for (const AttentionKind kind :
             {AttentionKind::Standard, AttentionKind::Recompute, AttentionKind::Flash})
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
    add(1, 33, 1, 1, 128);
    if (hasLarge())
        add(8, 1024, 12, 12, 64);
    return all;
}

std::string textOf(const AttentionShape& s)
{
    return fmt::format("{} x {}, {}/{} heads of {}{}", s.samples, s.sequence, s.heads, s.keyHeads,
                       s.headSize, s.mask == AttentionMask::Causal ? ", causal" : "");
}

// As the model makes it: workspaces are as large as the device wants them.
template<class Real>
AttentionShape shapeFor(const Kernels<Real>& kernels, AttentionShape shape)
{
    shape.headsAtOnce = kernels.headsAtOnce(shape);
    return shape;
}

} // namespace

TEST_CASE("attention and its backward")
{
    for (const AttentionShape& s : shapes()) {
        AttentionShape largest = s;
        largest.headsAtOnce = s.heads;
        const int rows = static_cast<int>(s.rows());
        const std::size_t qkv = s.rows() * static_cast<std::size_t>(s.qkvWidth()),
                          width = s.rows() * static_cast<std::size_t>(s.width());
        const auto forward = [s, rows](const auto& kernels, const auto& memory) {
            kernels.attention({.shape = shapeFor(kernels, s),
                               .qkv = memory.matrix(0, rows, s.qkvWidth()),
                               .kept = memory(1),
                               .out = memory.matrix(2, rows, s.width()),
                               .earlier = {},
                               .workspace = memory(3)});
        };
        const double flops
            = 4.0 * s.samples * s.heads * s.sequence * static_cast<double>(s.sequence) * s.headSize;
        conforms(
            {.name = nameOf(s.kind),
             .shape = textOf(s),
             .arrays = {in(qkv, 1), out(s.kept()), out(width), scratch(largest.forwardWorkspace())},
             .tolerance = 4e-6,
             .flops = flops},
            [forward](const auto& kernels, const auto& memory) {
                forward(kernels, memory);
                return 0.0;
            });
        conforms(
            {.name = std::string(nameOf(s.kind)) + " backward",
             .shape = textOf(s),
             .arrays = {inOut(qkv, 1), scratch(s.kept()), scratch(width),
                        scratch(std::max(largest.forwardWorkspace(), largest.backwardWorkspace())),
                        in(width, 2)},
             .tolerance = 1e-5,
             .flops = 3 * flops},
            [=](const auto& kernels, const auto& memory) {
                forward(kernels, memory);
                kernels.attentionBackward({.shape = shapeFor(kernels, s),
                                           .qkv = memory.matrix(0, rows, s.qkvWidth()),
                                           .kept = memory(1),
                                           .out = memory.matrix(2, rows, s.width()),
                                           .dOut = memory.matrix(4, rows, s.width()),
                                           .keyGradients = nullptr,
                                           .earlier = {},
                                           .workspace = memory(3)});
                return 0.0;
            });
    }
}

// Two slices of the same samples, forwards from the first and backwards from the last: the second
// adds to the gradients of the first one's keys and values.
TEST_CASE("attention over sequence slices")
{
    for (const AttentionKind kind :
         {AttentionKind::Standard, AttentionKind::Recompute, AttentionKind::Flash}) {
        const AttentionShape s{.samples = 2,
                               .sequence = 5,
                               .heads = 4,
                               .keyHeads = 2,
                               .headSize = 4,
                               .slices = 2,
                               .kind = kind};
        AttentionShape largest = s;
        largest.headsAtOnce = s.heads;
        const int rows = static_cast<int>(s.rows());
        const std::size_t qkv = s.rows() * static_cast<std::size_t>(s.qkvWidth()),
                          width = s.rows() * static_cast<std::size_t>(s.width()),
                          work = std::max(largest.forwardWorkspace(), largest.backwardWorkspace());
        const std::size_t stash = qkv + s.keyGradients(); // of a slice: qkv, then these gradients
        Array first = inOut(stash, 1), second = inOut(stash, 2);
        for (Array* each : {&first, &second})
            std::fill(each->values.begin() + static_cast<std::ptrdiff_t>(qkv), each->values.end(),
                      0.0);
        conforms({.name = std::string(nameOf(kind)) + " in slices",
                  .shape = textOf(s) + ", 2 slices",
                  .arrays = {first, second, scratch(s.kept()), scratch(s.kept()), inOut(width, 5),
                             inOut(width, 6), scratch(work), in(width, 3), in(width, 4)},
                  .tolerance = 1e-5},
                 [=](const auto& kernels, const auto& memory) {
                     using Real = std::remove_pointer_t<decltype(memory(0))>;
                     const std::span<Real> stashes[] = {memory.all(0), memory.all(1)};
                     const AttentionShape shape = shapeFor(kernels, s);
                     const auto earlierThan = [&](std::size_t slice) {
                         return EarlierSlices<Real>{std::span(stashes).first(slice), 0, qkv};
                     };
                     for (const std::size_t slice : {0U, 1U})
                         kernels.attention({.shape = shape,
                                            .qkv = memory.matrix(slice, rows, s.qkvWidth()),
                                            .kept = memory(2 + slice),
                                            .out = memory.matrix(4 + slice, rows, s.width()),
                                            .earlier = earlierThan(slice),
                                            .workspace = memory(6)});
                     for (const std::size_t slice : {1U, 0U})
                         kernels.attentionBackward(
                             {.shape = shape,
                              .qkv = memory.matrix(slice, rows, s.qkvWidth()),
                              .kept = memory(2 + slice),
                              .out = memory.matrix(4 + slice, rows, s.width()),
                              .dOut = memory.matrix(7 + slice, rows, s.width()),
                              .keyGradients = memory(slice) + qkv,
                              .earlier = earlierThan(slice),
                              .workspace = memory(6)});
                     return 0.0;
                 });
    }
}
