#include "engine/model/probe_model.h"

#include "engine/model/layers.h"
#include "engine/model/random.h"
#include "engine/model/typed_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

constexpr int kRowsPerSecondEntry = 5;
constexpr std::int32_t kTokens = 256; // token values are bytes

// ProbeModel::number() times `factor`, as a (token, column) matrix.
std::vector<float> numbersOfTokens(int width, int factor)
{
    std::vector<float> numbers;
    for (std::int32_t token = 0; token < kTokens; ++token)
        for (int c = 0; c < width; ++c)
            numbers.push_back(factor * ProbeModel::number(token, c));
    return numbers;
}

float sign(Random& random)
{
    return random.below(2) == 0 ? 1.0F : -1.0F;
}

} // namespace

ProbeModel::ProbeModel(int stages, Size size, const Kernels<float>& kernels)
    : m_size(size)
    , m_kernels(kernels)
    , m_numbers(numbersOfTokens(size.width, 1))
    , m_negated(numbersOfTokens(size.width, -1))
    , m_inputs(kernels.constants(m_numbers))
    , m_minusTargets(kernels.constants(m_negated))
{
    const std::size_t width = size.width;
    for (int s = 0; s < stages; ++s)
        m_parameters.push_back(
            {fmt::format("probe{}.weight", s), 0, width * width, Parameter::Init::Normal, false});
}

std::size_t ProbeModel::state() const
{
    return static_cast<std::size_t>(m_size.rows) * m_size.width;
}

// The stash is x and the gradient of y. Op F of the last stage writes the gradient, y - target; op
// I writes it on other stages.
StageSizes ProbeModel::sizes(StageId stage) const
{
    return {.parameters = parameters(stage).front().count,
            .stash = 2 * state(),
            .weightStash = 2 * state(),
            .input = stage.value == 0 ? 0 : state(),
            .output = isLast(stage) ? 0 : state(),
            .workspace = state()};
}

std::span<const Parameter> ProbeModel::parameters(StageId stage) const
{
    return {&m_parameters[stage], 1};
}

void ProbeModel::initialize(StageId stage, std::uint64_t seed, std::span<std::byte> memory,
                            std::span<float> /*masters*/) const
{
    const std::span<float> weights = numbersIn<float>(memory);
    Random random(Random::combine(seed, parameters(stage).front().name));
    const std::size_t width = m_size.width;
    std::vector<std::size_t> columns(width);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    for (std::size_t i = width; i-- > 1;)
        std::swap(columns[i], columns[random.below(i + 1)]);
    std::ranges::fill(weights, 0.0F);
    for (std::size_t r = 0; r < width; ++r) {
        weights[r * width + columns[r]] = sign(random);
        if (r % kRowsPerSecondEntry == 0)
            weights[r * width + columns[(r + 1) % width]] = sign(random);
    }
}

// Computes no loss, because only gradients are compared.
void ProbeModel::forward(StageId stage, const ForwardPass<std::byte>& memory) const
{
    const auto pass = numbersIn<float>(memory);
    const int rows = m_size.rows, width = m_size.width;
    const Matrix<float> x(pass.stash.data(), rows, width);
    if (stage.value == 0)
        m_kernels.embedding(pass.tokens.inputs, m_inputs, {}, x);
    else
        m_kernels.copy(pass.input, pass.stash.first(state()));
    float* out = isLast(stage) ? x.data + state() : pass.output.data();
    linear<float>(m_kernels, x, pass.weights.data(), nullptr, {out, rows, width});
    if (!isLast(stage))
        return;
    const std::span<float> minusTarget = pass.workspace.first(state());
    m_kernels.embedding(pass.tokens.targets, m_minusTargets, {}, {minusTarget.data(), rows, width});
    m_kernels.add(minusTarget, {out, state()});
}

void ProbeModel::backward(StageId stage, const BackwardPass<std::byte, float>& memory) const
{
    backwardInput(stage, memory);
    backwardWeight(stage, {memory.stash, memory.gradients});
}

void ProbeModel::backwardInput(StageId stage, const BackwardPass<std::byte, float>& memory) const
{
    const auto pass = numbersIn<float>(memory);
    const int rows = m_size.rows, width = m_size.width;
    const Matrix<float> dy(pass.stash.data() + state(), rows, width);
    if (!isLast(stage))
        m_kernels.copy(pass.outputGradient, pass.stash.subspan(state(), state()));
    float* dx = stage.value == 0 ? pass.workspace.data() : pass.inputGradient.data();
    linearBackwardInput<float>(m_kernels, dy, pass.weights.data(), {dx, rows, width});
}

void ProbeModel::backwardWeight(StageId, const WeightPass<std::byte, float>& memory) const
{
    const auto pass = numbersIn<float>(memory);
    const int rows = m_size.rows, width = m_size.width;
    const Matrix<const float> x(pass.stash.data(), rows, width);
    const Matrix<const float> dy(pass.stash.data() + state(), rows, width);
    linearBackwardWeight<float>(m_kernels, x, dy, pass.gradients.data(), nullptr);
}

StageFlops ProbeModel::flops(StageId) const
{
    const double product = 2.0 * state() * m_size.width;
    return {.forward = product, .backwardInput = product, .backwardWeight = product};
}

} // namespace engine
