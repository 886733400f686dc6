#include "engine/schedule/check/weight_versions.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

std::vector<std::int64_t> beginsOf(const Schedule& lowered, const Timeline& timeline)
{
    const Shape& shape = lowered.shape;
    const std::uint32_t stream = timeline.iterations.size() - 1;
    const OpIndex index(lowered);
    std::vector<std::int64_t> begins(shape.windows, timeline.iterations.back().window.end);
    for (const Track& track : timeline.tracks) {
        if (track.kind != Track::Kind::Compute)
            continue;
        for (auto span = track.spans.rbegin();
             span != track.spans.rend() && span->iteration == stream; ++span) {
            const Op& op = lowered.on(track.device)[index.positionOf(span->op)];
            if (op.kind != OpKind::Forward || op.stage.value != shape.stages - 1
                || op.microBatch.value % shape.microBatches != 0)
                continue;
            std::int64_t& begin = begins[op.microBatch.value / shape.microBatches];
            begin = std::min(begin, span->begin);
        }
    }
    begins.front() = timeline.iterations.back().window.begin;
    for (std::size_t k = 1; k < begins.size(); ++k)
        begins[k] = std::max(begins[k], begins[k - 1]);
    return begins;
}

void divideSpans(std::uint32_t first, const std::vector<std::int64_t>& begins, Track& track)
{
    for (auto span = track.spans.rbegin(); span != track.spans.rend() && span->iteration == first;
         ++span) {
        const auto next = std::ranges::upper_bound(begins, span->begin);
        const std::ptrdiff_t window = std::max<std::ptrdiff_t>(next - begins.begin(), 1) - 1;
        span->iteration = first + static_cast<std::uint32_t>(window);
    }
}

void setLosses(const Iteration& stream, int window, int microBatches, Iteration& iteration)
{
    const auto all = std::span(stream.microBatchLoss);
    const std::size_t first = std::size_t(window) * microBatches;
    if (all.size() < first + microBatches)
        return;
    const auto own = all.subspan(first, microBatches);
    iteration.microBatchLoss.assign(own.begin(), own.end());
    iteration.loss = std::accumulate(own.begin(), own.end(), 0.0) / microBatches;
}

} // namespace

void divideIntoWindows(const Schedule& lowered, int measured, Timeline& timeline)
{
    const Shape& shape = lowered.shape;
    if (shape.windows <= 1)
        return;
    const std::vector<std::int64_t> begins = beginsOf(lowered, timeline);
    const std::uint32_t first = timeline.iterations.size() - 1;
    for (Track& track : timeline.tracks)
        divideSpans(first, begins, track);
    const Iteration stream = std::move(timeline.iterations.back());
    timeline.iterations.pop_back();
    const int firstMeasured = std::max(0, shape.windows - windowsToDrain(shape) - measured);
    for (int k = 0; k < shape.windows; ++k) {
        Iteration& window = timeline.iterations.emplace_back();
        const bool isLast = k == shape.windows - 1;
        const bool isMeasured = k >= firstMeasured && k < firstMeasured + measured;
        window.kind = isMeasured ? Iteration::Kind::Measured : Iteration::Kind::Warmup;
        window.number = isMeasured ? k - firstMeasured : k < firstMeasured ? k : k - measured;
        window.window = {begins[k], isLast ? stream.window.end : begins[k + 1]};
        setLosses(stream, k, shape.microBatches, window);
    }
}

std::vector<std::uint32_t> iterationsOfOps(const Schedule& lowered, const Timeline& timeline)
{
    std::vector<std::uint32_t> iterations(opCount(lowered));
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans)
            iterations[span.op] = span.iteration;
    return iterations;
}

} // namespace engine
