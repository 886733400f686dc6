#include "engine/experiment/check_experiment.h"
#include "engine/schedule/passes/passes.h"
#include "engine/verify/verify.h"
#include "tests/catch.h"

#include <chrono>
#include <cstdio>

using namespace engine;

namespace {

constexpr int kLayers = 32; // D = 8, v = 4

ModelSpec wideMatrixModel()
{
    ModelSpec model;
    model.name = "miniature";
    model.layers = kLayers;
    model.width = 8;
    model.heads = 2;
    model.sequence = 8;
    return model;
}

struct Proof
{
    ScheduleRequest request;
    Mode mode = Mode::Emulate;
    bool integers = false; // the probe; else the real model, as follows
    AttentionKind attention = AttentionKind::Standard;
    Recompute recompute = Recompute::None;
};

bool fitsMatrix(const ScheduleRequest& request)
{
    const auto schedule = buildSchedule(request);
    return schedule && schedule->shape.stages <= kLayers && checkRunnable(lower(*schedule));
}

// A scheme takes v or has its own; then every v is the same schedule and counts once.
std::vector<ScheduleRequest> schedulesOf(const Scheme& scheme)
{
    std::vector<ScheduleRequest> all;
    for (const int devices : {2, 4, 8})
        for (const int units : {1, 2, 3})
            for (const int chunks : {0, 2, 4}) {
                ScheduleRequest request;
                request.scheme = scheme.name;
                request.devices = devices;
                request.microBatches = units * devices;
                request.chunks = chunks;
                const auto schedule = buildSchedule(request);
                if (!schedule || !fitsMatrix(request)
                    || (chunks > 0 && schedule->shape.chunks() != chunks))
                    continue;
                request.chunks = 0;
                if (chunks > 0 && buildSchedule(request)
                    && buildSchedule(request)->shape.chunks() == chunks)
                    continue; // as without
                request.chunks = chunks;
                all.push_back(request);
            }
    return all;
}

std::vector<Proof> everything()
{
    using enum AttentionKind;
    std::vector<Proof> proofs;
    for (const Scheme& scheme : schemes())
        for (const ScheduleRequest& request : schedulesOf(scheme))
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                proofs.push_back({request, mode, true});
                for (const AttentionKind attention : {Standard, Recompute, Flash})
                    for (const auto recompute :
                         {engine::Recompute::None, engine::Recompute::Attention,
                          engine::Recompute::Full})
                        if ((scheme.name != "seq1f1b" || recompute != engine::Recompute::Full)
                            && (attention != Flash || recompute != engine::Recompute::Attention))
                            proofs.push_back({request, mode, false, attention, recompute});
            }
    return proofs;
}

// False: the probe's sums would not be exact at this size.
bool prove(const Proof& proof)
{
    ModelSpec model = wideMatrixModel();
    model.attention = proof.attention;
    model.recompute = proof.recompute;
    INFO(proof.request.scheme << " D=" << proof.request.devices << " N="
                              << proof.request.microBatches << " v=" << proof.request.chunks << ' '
                              << modeName(proof.mode) << " integers=" << proof.integers
                              << " attention=" << static_cast<int>(proof.attention)
                              << " recompute=" << static_cast<int>(proof.recompute));
    const auto check = proof.integers
        ? checkIntegerProbe(proof.request, proof.mode)
        : checkRealGradients(proof.request, {.model = model, .mode = proof.mode});
    if (!check && proof.integers && check.error().message.find("2^24") != std::string::npos)
        return false;
    if (!check)
        FAIL(check.error().message);
    if (proof.request.scheme == "seq1f1b") // within a micro-batch the sums run differently
        CHECK(check->passed());
    else
        CHECK(check->bitEqual());
    return true;
}

} // namespace

TEST_CASE("a stride through the matrix of proofs: every scheme, D, N, v, mode, attention and "
          "recomputation")
{
    const std::vector<Proof> all = everything();
    constexpr std::size_t kStride = 61; // prime: meets every column
    int proved = 0;
    for (std::size_t i = 0; i < all.size(); i += kStride)
        proved += prove(all[i]) ? 1 : 0;
    CHECK(proved > 50);
}

// bin/test_conformance "[.matrix]"
TEST_CASE("every combination of scheme, shape, mode and precision gives sequential gradients",
          "[.matrix]")
{
    const std::vector<Proof> all = everything();
    const auto begin = std::chrono::steady_clock::now();
    int proved = 0;
    for (const Proof& proof : all)
        proved += prove(proof) ? 1 : 0;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%d proofs in %.0f s\n", proved, seconds.count());
}
