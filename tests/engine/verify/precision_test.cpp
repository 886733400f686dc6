#include "engine/backend/cpu/cpu_device.h"
#include "engine/model/text_data.h"
#include "engine/model/transformer.h"
#include "engine/verify/reference.h"
#include "tests/catch.h"

#include <cmath>

using namespace engine;

namespace {

ModelSpec miniature(Family family, Precision precision)
{
    ModelSpec model;
    model.family = family;
    model.layers = 4;
    model.width = 32;
    model.heads = 4;
    model.kvHeads = family == Family::Llama ? 2 : 0;
    model.patch = family == Family::Vit ? 2 : 0;
    model.sequence = family == Family::Vit ? 25 : 24;
    model.microBatchSize = 2;
    model.vocabulary
        = 257; // BERT hides tokens; odd, so that wide numbers begin between narrow ones
    model.precision = precision;
    return model;
}

constexpr int kMicroBatches = 4;

struct Trained
{
    std::vector<double> losses;
    std::vector<float> gradients; // of the last iteration
    std::vector<float> weights;
};

Trained train(const ModelSpec& spec, int iterations)
{
    const auto device = openCpuDevice().value();
    const auto model = makeTransformer(spec, 1, *device);
    SequentialTrainer trainer(*model, device->kernels(), 1, Accumulate::Float);
    TokenBatches tokens(spec, kMicroBatches);
    const TextData text = TextData::shipped(1);
    Trained trained;
    for (int k = 0; k < iterations; ++k) {
        tokens.load(text, k);
        trained.losses.push_back(trainer.accumulate(tokens, kMicroBatches));
        const auto sum = trainer.gradients();
        trained.gradients.assign(sum.begin(), sum.end());
        trainer.update();
    }
    trained.weights.assign(trainer.weights().begin(), trainer.weights().end());
    return trained;
}

double relativeError(std::span<const float> a, std::span<const float> truth)
{
    double difference = 0, square = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(truth[i]), 2);
        square += std::pow(static_cast<double>(truth[i]), 2);
    }
    return std::sqrt(difference / square);
}

// Of every tensor.
void checkGradients(const ModelSpec& single, const ModelSpec& narrow)
{
    const auto device = openCpuDevice().value();
    const auto model = makeTransformer(single, 1, *device);
    const Trained truth = train(single, 1), rounded = train(narrow, 1);
    CHECK(rounded.losses.front() == Approx(truth.losses.front()).epsilon(1e-3));
    for (const Parameter& parameter : model->parameters(StageId{0})) {
        INFO(parameter.name);
        const auto of = [&](const Trained& trained) {
            return std::span(trained.gradients).subspan(parameter.offset, parameter.count);
        };
        const double error = relativeError(of(rounded), of(truth));
        CHECK(error < 2e-2);
        CHECK(error > 1e-5); // it is not the same arithmetic
    }
}

} // namespace

TEST_CASE("in bf16 every tensor's gradient is within 2e-2 of the one in fp32")
{
    for (const Family family : {Family::Gpt, Family::Bert, Family::Llama, Family::Vit})
        for (const AttentionKind attention : {AttentionKind::Standard, AttentionKind::Flash}) {
            INFO(nameIn(kFamilyNames, family) << ' ' << nameIn(kAttentionNames, attention));
            ModelSpec single = miniature(family, Precision::Fp32),
                      narrow = miniature(family, Precision::Bf16);
            single.attention = narrow.attention = attention;
            checkGradients(single, narrow);
        }
}

TEST_CASE("over 50 steps the loss falls in bf16 as it does in fp32")
{
    constexpr int kSteps = 50;
    const Trained single = train(miniature(Family::Gpt, Precision::Fp32), kSteps),
                  narrow = train(miniature(Family::Gpt, Precision::Bf16), kSteps);
    CHECK(single.losses.back() < single.losses.front() - 1);
    for (std::size_t k = 0; k < kSteps; ++k)
        CHECK(std::abs(narrow.losses[k] - single.losses[k]) < 1e-2);
}

// Without them a step of 1e-3 would be lost on every weight above 0.25, whose neighbours are 2e-3
// away: half of it rounds to nothing.
TEST_CASE("in bf16 the optimizer keeps master weights, and passes read them rounded")
{
    const ModelSpec spec = miniature(Family::Gpt, Precision::Bf16);
    const auto device = openCpuDevice().value();
    const auto model = makeTransformer(spec, 1, *device);
    const StageSizes sizes = model->sizes(StageId{0});
    REQUIRE(sizes.masters == sizes.parameters);
    REQUIRE(sizes.bytes(sizes.parameters) == 2 * sizes.parameters);
    REQUIRE(sizes.optimizer() == 3 * sizes.parameters);
    std::vector<bfloat16> weights(sizes.parameters);
    const std::span<std::byte> memory = std::as_writable_bytes(std::span(weights));
    std::vector<float> optimizer(sizes.optimizer());
    const std::span<float> masters = std::span(optimizer).first(sizes.masters);
    model->initialize(StageId{0}, 1, memory, masters);
    const std::vector<float> before(masters.begin(), masters.end());
    const std::vector<float> gradients(sizes.parameters, 1e-3F);
    model->update(StageId{0}, memory, gradients, optimizer, 1);
    std::size_t moved = 0, stood = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        REQUIRE(weights[i] == bfloat16(masters[i]));
        moved += masters[i] != before[i] ? 1 : 0;
        stood += weights[i] == bfloat16(before[i]) ? 1 : 0;
    }
    CHECK(moved == weights.size());
    CHECK(stood > 0); // the gains, which are 1
}

TEST_CASE("both precisions begin with the same weights, of which one rounds")
{
    const Trained single = train(miniature(Family::Llama, Precision::Fp32), 0),
                  narrow = train(miniature(Family::Llama, Precision::Bf16), 0);
    CHECK(single.weights == narrow.weights); // master weights
}

TEST_CASE("a device without bf16 fails with a message")
{
    class Single final : public Device
    {
    public:
        DeviceInfo info() const override { return {"Old GPU", "", 0}; }
        const Kernels<float>& kernels() const override { return m_cpu->kernels(); }
        DeviceMemory allocate(Bytes bytes, MemoryFor purpose) const override
        {
            return m_cpu->allocate(bytes, purpose);
        }
        void upload(std::span<const std::byte> from, std::byte* to) const override
        {
            m_cpu->upload(from, to);
        }
        void download(const std::byte* from, std::span<std::byte> to) const override
        {
            m_cpu->download(from, to);
        }
        void fill(std::span<std::byte> memory, std::byte value) const override
        {
            m_cpu->fill(memory, value);
        }
        void synchronize() const override { }

    private:
        std::shared_ptr<const CpuDevice> m_cpu = openCpuDevice().value();
    };
    const Single device;
    CHECK(checkPrecision(Precision::Fp32, device));
    const auto refused = checkPrecision(Precision::Bf16, device);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message
          == "Old GPU does not support bf16 training: use --precision fp32");
}
