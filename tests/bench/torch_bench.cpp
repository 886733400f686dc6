// One GPT-2 block, forward and backward, beside the same block of libtorch: same shapes, one
// thread, alternating, on the thread's CPU clock. Off unless -DBENCH_TORCH=ON and Debian's
// libtorch-dev.

#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/clock.h"
#include "engine/model/random.h"
#include "engine/model/transformer.h"

#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <cmath>

using namespace engine;

namespace {

constexpr int kSamples = 4;

class OurBlock
{
public:
    explicit OurBlock(int sequence)
        : m_device(openCpuDevice(1).value())
        , m_shape(specOf(sequence))
        , m_block(m_shape, sequence, m_device->kernels())
        , m_weights(numbers(BlockWeights<float>::count(m_shape)))
        , m_gradients(m_weights.size())
        , m_stash(BlockStash<float>::keptCount(m_shape) + BlockStash<float>::restCount(m_shape))
        , m_x(numbers(m_shape.state()))
        , m_out(m_shape.state())
        , m_dOut(numbers(m_shape.state()))
        , m_dx(m_shape.state())
        , m_workspace(TransformerBlock<float>::backwardWorkspace(m_shape)
                      + TransformerBlock<float>::forwardWorkspace(m_shape))
    { }

    void step()
    {
        const BlockWeights<const float> weights(m_weights.data(), m_shape);
        const BlockWeights<float> gradients(m_gradients.data(), m_shape);
        float* rest = m_stash.data() + BlockStash<float>::keptCount(m_shape);
        const BlockStash<float> stash(m_stash.data(), rest, m_shape);
        const BlockStash<const float> after(m_stash.data(), rest, m_shape);
        const Matrix<float> x = m_shape.stateOf(m_x.data()), dOut = m_shape.stateOf(m_dOut.data());
        m_block.forward({weights, stash, x, m_shape.stateOf(m_out.data()), {}, m_workspace.data()});
        m_block.backwardInput({weights,
                               gradients,
                               stash,
                               x,
                               dOut,
                               m_shape.stateOf(m_dx.data()),
                               {},
                               m_workspace.data()});
        m_block.backwardWeight({gradients, after, dOut});
    }
    std::string library() const { return m_device->info().library; }

private:
    static ModelSpec specOf(int sequence)
    {
        ModelSpec spec = loadModel("gpt2-124m").value();
        spec.microBatchSize = kSamples;
        spec.sequence = sequence;
        return spec;
    }
    static std::vector<float> numbers(std::size_t count)
    {
        Random random(count);
        std::vector<float> all(count);
        for (float& x : all)
            x = static_cast<float>(0.02 * random.normal());
        return all;
    }

    std::shared_ptr<const CpuDevice> m_device;
    TransformerShape m_shape;
    TransformerBlock<float> m_block;
    std::vector<float> m_weights, m_gradients, m_stash, m_x, m_out, m_dOut, m_dx, m_workspace;
};

class TorchBlock
{
public:
    explicit TorchBlock(int sequence)
        : m_sequence(sequence)
        , m_norm1(torch::nn::LayerNormOptions({kWidth}))
        , m_norm2(torch::nn::LayerNormOptions({kWidth}))
        , m_qkv(kWidth, 3 * kWidth)
        , m_project(kWidth, kWidth)
        , m_expand(kWidth, 4 * kWidth)
        , m_contract(4 * kWidth, kWidth)
        , m_hidden(torch::ones({sequence, sequence}, torch::kBool).triu(1))
        , m_x(torch::randn({kSamples, sequence, kWidth}) * 0.02)
        , m_dOut(torch::randn({kSamples, sequence, kWidth}) * 0.02)
    {
        m_x.requires_grad_(true);
    }

    void step()
    {
        const std::int64_t headSize = kWidth / kHeads;
        const auto parts = m_qkv(m_norm1(m_x)).split(kWidth, 2);
        const auto heads = [&](const torch::Tensor& t) {
            return t.view({kSamples, m_sequence, kHeads, headSize}).transpose(1, 2);
        };
        auto scores = heads(parts[0]).matmul(heads(parts[1]).transpose(2, 3))
            / std::sqrt(static_cast<double>(headSize));
        scores = scores.masked_fill(m_hidden, -INFINITY).softmax(-1);
        const auto attended = scores.matmul(heads(parts[2]))
                                  .transpose(1, 2)
                                  .contiguous()
                                  .view({kSamples, m_sequence, kWidth});
        const auto middle = m_x + m_project(attended);
        const auto out = middle + m_contract(torch::gelu(m_expand(m_norm2(middle)), "tanh"));
        out.backward(m_dOut);
    }

private:
    static constexpr std::int64_t kWidth = 768, kHeads = 12;

    std::int64_t m_sequence;
    torch::nn::LayerNorm m_norm1, m_norm2;
    torch::nn::Linear m_qkv, m_project, m_expand, m_contract;
    torch::Tensor m_hidden, m_x, m_dOut;
};

void block(benchmark::State& state, int sequence)
{
    torch::set_num_threads(1);
    OurBlock ours(sequence);
    TorchBlock theirs(sequence);
    const auto timed = [](auto& one) {
        const std::int64_t begin = threadCpuTime();
        one.step();
        return threadCpuTime() - begin;
    };
    timed(ours);
    timed(theirs);
    std::vector<double> ratios;
    std::int64_t our = 0, their = 0;
    for (auto _ : state) {
        const std::int64_t a = timed(ours), b = timed(theirs);
        our += a;
        their += b;
        ratios.push_back(static_cast<double>(b) / static_cast<double>(a));
        state.SetIterationTime(static_cast<double>(a) / 1e9);
    }
    std::ranges::nth_element(ratios, ratios.begin() + static_cast<long>(ratios.size() / 2));
    const double tokens = static_cast<double>(state.iterations()) * kSamples * sequence;
    state.SetLabel(ours.library() + ", libtorch " TORCH_VERSION);
    state.counters["ours_tokens/s"] = 1e9 * tokens / static_cast<double>(our);
    state.counters["torch_tokens/s"] = 1e9 * tokens / static_cast<double>(their);
    state.counters["times_torch"] = ratios[ratios.size() / 2];
}

} // namespace

BENCHMARK_CAPTURE(block, T64, 64)->UseManualTime()->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(block, T256, 256)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
