#include "engine/backend/cpu/cpu_device.h"
#include "engine/model/probe_model.h"
#include "tests/catch.h"
#include "tests/support/bytes_of.h"

#include <algorithm>

using namespace engine;

namespace {

using Array = std::vector<float>;
using Pass = BackwardPass<std::byte, float>;

// The gradient of the weights of the only stage after one micro-batch.
template<class Backward>
Array gradientOf(const ProbeModel& model, const Backward& backward)
{
    const StageSizes sizes = model.sizes(StageId{0});
    std::vector<std::int32_t> inputs(16), targets(16);
    for (int i = 0; i < 16; ++i) {
        inputs[static_cast<std::size_t>(i)] = 7 * i;
        targets[static_cast<std::size_t>(i)] = 3 * i + 1;
    }
    Array weights(sizes.parameters), gradients(sizes.parameters), stash(sizes.stash),
        workspace(sizes.workspace);
    model.initialize(StageId{0}, 5, bytesOf(weights), {});
    model.forward(
        StageId{0},
        {bytesOf(weights), {}, bytesOf(stash), {}, bytesOf(workspace), {inputs, targets}});
    backward(Pass{bytesOf(weights),
                  bytesOf(stash),
                  {},
                  {},
                  gradients,
                  bytesOf(workspace),
                  {inputs, targets},
                  1});
    return gradients;
}

} // namespace

TEST_CASE("the probe's I and then W equal its whole backward")
{
    const auto device = openCpuDevice().value();
    const ProbeModel model(1, {16, 12}, device->kernels());
    const Array whole
        = gradientOf(model, [&](const Pass& pass) { model.backward(StageId{0}, pass); });
    const Array split = gradientOf(model, [&](const Pass& pass) {
        model.backwardInput(StageId{0}, pass);
        std::ranges::fill(pass.workspace, std::byte{0x7F}); // 3e38
        model.backwardWeight(StageId{0}, {pass.stash, pass.gradients});
    });
    CHECK(whole == split);
    CHECK(std::ranges::any_of(whole, [](float g) { return g != 0; }));
}
