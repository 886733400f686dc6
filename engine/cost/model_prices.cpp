#include "engine/cost/model_prices.h"

#include "engine/base/try.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <cmath>

namespace engine {

MemoryCapacity ModelOnHardware::memory() const
{
    return {std::llround(hardware.memory), setup.reserve};
}

namespace {

constexpr double kKernelsPerLayer = 14;
// Memory traffic of a layer's elementwise kernels (norms, residuals, activation function, dropout)
// in bytes per 16-bit activation; a layer has s b h activations. The values come from a cost model;
// calibrate them.
constexpr double kForwardTraffic = 70, kBackwardTraffic = 95;
constexpr double kUpdateBytes = 30;    // Adam: reads g w m v, writes w m v and the 16-bit weight
constexpr double kGradientTraffic = 8; // weight gradients are accumulated in fp32

using Link = OpPrices::Link;
using Part = OpPrices::Part;

// Times on one tensor-parallel rank.
class Roofline
{
public:
    explicit Roofline(const ModelOnHardware& on)
        : m_on(on)
    { }

    double matmul(double flops) const
    {
        return flops / m_on.setup.tensorParallel
            / (m_on.hardware.peakFlops * m_on.hardware.matmulShare);
    }
    double traffic(double bytes) const
    {
        return bytes / m_on.setup.tensorParallel
            / (m_on.hardware.memoryBandwidth * m_on.hardware.memoryShare);
    }
    double launches(double kernels) const { return kernels * m_on.hardware.kernelLaunch; }
    LinkSpec reached(const LinkSpec& link) const
    {
        return {link.latency, link.bandwidth * m_on.hardware.linkShare};
    }
    // The forward and the backward each all-reduce the boundary tensor twice (Megatron-LM); the
    // reduce-scatter and all-gather of sequence parallelism take the same time.
    double tensorParallel() const
    {
        const double bytes = m_on.setup.activationBytes * m_on.model.sequence
            * m_on.setup.microBatchSize * m_on.model.width;
        return 2 * ringAllReduce(reached(m_on.hardware.node), m_on.setup.tensorParallel, bytes);
    }

private:
    const ModelOnHardware& m_on;
};

// Saturates at a time that checkTicks() refuses; the sum of two such times does not overflow.
std::int64_t nanoseconds(double seconds)
{
    return std::llround(std::min(0x1.8p61, seconds * 1e9));
}

double gradientBytes(const ModelOnHardware& on, double parameters)
{
    constexpr double kFp32 = 4, kBf16 = 2;
    return (on.setup.allReducePrecision == GradientPrecision::Bf16 ? kBf16 : kFp32) * parameters;
}

struct StageTimes
{
    double forward = 0, inputGradient = 0, weightGradient = 0, recompute = 0, optimizer = 0;
};

StageTimes stageTimes(const ModelOnHardware& on, const LayerTimes& layer, int stages, int stage)
{
    const Roofline roofline(on);
    const int layers = layersOf(on.model, on.setup, stages, stage);
    StageTimes times{layers * layer.forward, layers * layer.inputGradient,
                     layers * layer.weightGradient, layers * layer.recompute,
                     roofline.traffic(kUpdateBytes * on.setup.tensorParallel
                                      * stageParameters(on.model, on.setup, stages, stage))};
    if (stage == 0) {
        const double embedding = roofline.matmul(embeddingFlops(on.model, on.setup.microBatchSize));
        times.forward += embedding;
        times.weightGradient += embedding;
    }
    if (stage == stages - 1) {
        const double head = roofline.matmul(headFlops(on.model, on.setup.microBatchSize));
        const double predictions = on.model.isVit() ? 1 : on.model.sequence;
        const double loss
            = roofline.traffic(12.0 * predictions * on.setup.microBatchSize * on.model.vocabulary);
        times.forward += head + loss / 2;
        times.inputGradient += head + loss / 2;
        times.weightGradient += head;
    }
    return times;
}

class PriceList
{
public:
    PriceList(const Shape& shape, const ModelOnHardware& on, Mapping mapping,
              RecomputeIn recomputes)
        : m_shape(shape)
        , m_on(on)
        , m_recomputes(recomputes)
        , m_prices(shape)
    {
        if (!mapping.isOneNode())
            m_prices.links = std::make_shared<SharedLinks>(
                mapping, linkSharing(on.hardware, on.setup.tensorParallel));
        m_prices.mapping = std::move(mapping);
    }

    OpPrices write()
    {
        const LayerTimes layer = layerTimes(m_on);
        for (int stage = 0; stage < m_shape.stages; ++stage) {
            const StageTimes times = stageTimes(m_on, layer, m_shape.stages, stage);
            set(OpKind::Forward, stage, times.forward);
            const double again = m_recomputes == RecomputeIn::Backward ? times.recompute : 0;
            set(OpKind::Backward, stage, again + times.inputGradient + times.weightGradient);
            set(OpKind::BackwardInput, stage, again + times.inputGradient);
            set(OpKind::BackwardWeight, stage, times.weightGradient);
            set(OpKind::Recompute, stage, times.recompute > 0 ? times.recompute : times.forward);
            set(OpKind::OptimizerStep, stage, times.optimizer);
            setAllReduce(stage);
            const double message = boundaryBytes(m_on.model, m_on.setup);
            setLinks(OpKind::SendActivation, stage, message);
            setLinks(OpKind::SendGradient, stage, message);
            const double stash = stageStashBytes(m_on.model, m_on.setup, m_shape.stages, stage);
            setLinks(OpKind::Evict, stage, stash);
            setLinks(OpKind::Load, stage, stash);
        }
        return std::move(m_prices);
    }

private:
    void set(OpKind kind, int stage, double seconds)
    {
        for (const Link link : Ids<Link>(kLinkTiers)) {
            m_prices.set(kind, StageId{stage}, Part::Whole, link, {nanoseconds(seconds), 0});
            m_prices.set(kind, StageId{stage}, Part::Slice, link,
                         {nanoseconds(seconds / m_shape.slices), 0});
        }
    }
    LinkSpec reached(Link link) const
    {
        const HardwareSpec& hardware = m_on.hardware;
        return Roofline(m_on).reached(link == Link::InIsland     ? hardware.island
                                          : link == Link::InNode ? hardware.node
                                          : link == Link::ToHost ? hardware.host
                                                                 : hardware.network);
    }
    double allReduce(const StageGroup& group, double bytes) const
    {
        const bool phases = m_on.hardware.hierarchicalAllReduce && group.tier == Link::AcrossNodes;
        return phases
            ? hierarchicalAllReduce(reached(Link::InNode), reached(Link::AcrossNodes), group, bytes)
            : ringAllReduce(reached(group.tier), group.ranks, bytes);
    }
    void setAllReduce(int stage)
    {
        const double bytes = allReduceBytes(m_on, m_shape.stages, stage);
        const bool oneNode = m_prices.mapping.isOneNode();
        const int holders = m_shape.replicas * m_shape.dataParallel;
        const StageGroup group
            = oneNode ? StageGroup{holders} : m_prices.mapping.group(StageId{stage});
        set(OpKind::AllReduce, stage, allReduce(group, bytes));
        const double weights = m_on.setup.weightBytes
            * stageParameters(m_on.model, m_on.setup, m_shape.stages, stage);
        set(OpKind::Unshard, stage, allReduce(group, weights) / 2); // an all-gather
        if (m_shape.stages < 2 || (stage > 0 && stage < m_shape.stages - 1))
            return;
        // As in allReduceCost() of exec/op_costs.cpp.
        const double tied = tiedBytes(m_on);
        const StageGroup both = oneNode ? StageGroup{2 * holders} : m_prices.mapping.tiedGroup();
        m_prices.setTied(
            StageId{stage},
            {nanoseconds(allReduce(both, tied)) + nanoseconds(allReduce(group, bytes - tied)), 0});
    }
    void setLinks(OpKind kind, int stage, double bytes)
    {
        for (const Link link : Ids<Link>(kLinkTiers)) {
            const LinkSpec spec = reached(link);
            const std::int64_t latency = isCopy(kind) ? 0 : nanoseconds(spec.latency);
            const LinkSpec busy{isCopy(kind) ? spec.latency : 0, spec.bandwidth};
            m_prices.set(kind, StageId{stage}, Part::Whole, link,
                         {nanoseconds(busy.time(bytes)), latency});
            m_prices.set(kind, StageId{stage}, Part::Slice, link,
                         {nanoseconds(busy.time(bytes / m_shape.slices)), latency});
        }
    }

    const Shape& m_shape;
    const ModelOnHardware& m_on;
    RecomputeIn m_recomputes;
    OpPrices m_prices;
};

} // namespace

LayerTimes layerTimes(const ModelOnHardware& on)
{
    const Roofline roofline(on);
    const TransformerSpec& model = on.model;
    const double b = on.setup.microBatchSize;
    const double size = on.setup.activationBytes / 2; // traffic is stated for 16 bits
    const double sbh = size * model.sequence * b * model.width;
    const double scores = size * model.heads * model.sequence * model.sequence * b;
    const bool flash = on.setup.attention == AttentionMode::Flash;
    const AttentionKernels kernels = attentionKernels(model, on.setup);
    const double matrices = roofline.matmul(layerFlops(model, b));
    const double attention = roofline.matmul(attentionFlops(model, b))
        + roofline.traffic(kernels.forwardTraffic * scores);
    const double communication = roofline.tensorParallel();

    LayerTimes times;
    times.forward = matrices + attention + roofline.traffic(kForwardTraffic * sbh)
        + roofline.launches(kKernelsPerLayer) + communication;
    // Flash attention recomputes the scores, so its backward takes 10 b s^2 h FLOPs instead of 8.
    times.inputGradient = matrices + roofline.matmul((flash ? 2.5 : 2) * attentionFlops(model, b))
        + roofline.traffic(kernels.backwardTraffic * scores + kBackwardTraffic * sbh)
        + roofline.launches(kKernelsPerLayer) + communication;
    times.weightGradient = matrices + roofline.traffic(kGradientTraffic * parametersPerLayer(model))
        + roofline.launches(kKernelsPerLayer / 2);
    times.recompute = on.setup.recomputesAll             ? times.forward
        : on.setup.attention == AttentionMode::Recompute ? attention
                                                         : 0;
    return times;
}

double allReduceBytes(const ModelOnHardware& on, int stages, int stage)
{
    return gradientBytes(on, stageParameters(on.model, on.setup, stages, stage));
}

double tiedBytes(const ModelOnHardware& on)
{
    return gradientBytes(on, embeddingParameters(on.model) / on.setup.tensorParallel);
}

Result<OpPrices> modelPrices(const Shape& shape, const ModelOnHardware& on, Mapping mapping,
                             const TimingRules& rules, RecomputeIn recomputes)
{
    TRY(checkParallel(on.model, on.setup, shape.stages));
    OpPrices prices = PriceList(shape, on, std::move(mapping), recomputes).write();
    prices.rules = rules;
    return prices;
}

Rebuilt rebuiltBy(const Schedule& schedule, const TrainingSetup& setup)
{
    const bool keepsForWeight = setup.recomputesAll && holds(schedule, OpKind::BackwardWeight);
    return holds(schedule, OpKind::Recompute) || keepsForWeight ? Rebuilt::WholeStage
                                                                : Rebuilt::LayerByLayer;
}

IdVector<StageId, StageBytes> stageBytes(const ModelOnHardware& on, int stages, Rebuilt rebuilt)
{
    const TrainingSetup whole
        = rebuilt == Rebuilt::WholeStage ? withoutRecompute(on.setup) : on.setup;
    IdVector<StageId, StageBytes> bytes;
    for (int stage = 0; stage < stages; ++stage) {
        const double parameters = stageParameters(on.model, on.setup, stages, stage);
        bytes.push_back({parameters * on.setup.weightBytes, parameters * on.setup.gradientBytes,
                         parameters * on.setup.optimizerBytes,
                         stageStashBytes(on.model, whole, stages, stage),
                         stageStashBytes(on.model, on.setup, stages, stage)});
    }
    return bytes;
}

double keptShare(const ModelOnHardware& on)
{
    return layerStashBytes(on.model, on.setup)
        / layerStashBytes(on.model, withoutRecompute(on.setup));
}

} // namespace engine
