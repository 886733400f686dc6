#include "profiler/import/merge_gpu.h"

#include "profiler/import/string_table.h"

#include <algorithm>
#include <unordered_map>

namespace profiler {

using namespace engine;

namespace {

class Merger
{
public:
    explicit Merger(std::int64_t origin)
        : m_origin(origin)
    { }

    void add(const JobRank& rank, DeviceId device, const std::vector<OpOfIteration>& ops);
    GpuTrace done()
    {
        m_trace.strings = m_strings.texts();
        return std::move(m_trace);
    }

private:
    Window moved(Window window) const { return {window.begin - m_origin, window.end - m_origin}; }
    std::uint32_t text(const GpuTrace& of, std::uint32_t string)
    {
        return m_strings.number(of.strings[string]);
    }
    GpuPlace placed(GpuPlace place);
    std::uint32_t correlation(std::uint32_t of);
    template<class Row>
    std::vector<Row> placedRows(const std::vector<Row>& rows,
                                const std::vector<std::uint32_t>& works,
                                const std::vector<OpOfIteration>& ops);
    void addHost(const JobRank& rank, const std::vector<OpOfIteration>& ops);

    std::int64_t m_origin;
    GpuTrace m_trace;
    StringTable m_strings;
    std::uint32_t m_device = 0, m_nextContext = 1, m_nextCorrelation = 1, m_firstThread = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> m_contexts, m_correlations; // of one rank
};

GpuPlace Merger::placed(GpuPlace place)
{
    const auto [context, isNew] = m_contexts.emplace(place.context, m_nextContext);
    if (isNew) {
        m_trace.contexts.push_back({m_nextContext, m_device});
        ++m_nextContext;
    }
    place.context = context->second;
    place.device = m_device;
    place.correlation = correlation(place.correlation);
    return place;
}

std::uint32_t Merger::correlation(std::uint32_t of)
{
    if (of == 0)
        return 0;
    const auto [known, isNew] = m_correlations.emplace(of, m_nextCorrelation);
    m_nextCorrelation += isNew ? 1 : 0;
    return known->second;
}

template<class Row>
std::vector<Row> Merger::placedRows(const std::vector<Row>& rows,
                                    const std::vector<std::uint32_t>& works,
                                    const std::vector<OpOfIteration>& ops)
{
    std::vector<Row> placedOnes = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        placedOnes[i].window = moved(rows[i].window);
        placedOnes[i].place = placed(rows[i].place);
        if (i < works.size() && works[i] < ops.size())
            placedOnes[i].of = ops[works[i]];
        m_trace.health.withoutOp += placedOnes[i].of.isKnown() ? 0 : 1;
    }
    std::ranges::stable_sort(placedOnes, {}, [](const Row& row) { return row.window.begin; });
    return placedOnes;
}

void append(auto& all, auto rows)
{
    all.insert(all.end(), rows.begin(), rows.end());
}

void Merger::add(const JobRank& rank, DeviceId device, const std::vector<OpOfIteration>& ops)
{
    const GpuTrace& gpu = rank.trace.gpu;
    m_device = static_cast<std::uint32_t>(device.isValid() ? device.value : 0);
    m_contexts.clear();
    m_correlations.clear();
    auto kernels = placedRows(gpu.kernels, rank.work.ofKernel, ops);
    for (GpuKernel& kernel : kernels)
        kernel.name = text(gpu, kernel.name);
    append(m_trace.kernels, std::move(kernels));
    const std::int64_t kernelsWithoutOp = m_trace.health.withoutOp;
    auto copies = placedRows(gpu.copies, rank.work.ofCopy, ops);
    for (GpuCopy& copy : copies)
        copy.sourceDevice = copy.targetDevice = m_device;
    append(m_trace.copies, std::move(copies));
    append(m_trace.memsets, placedRows(gpu.memsets, rank.work.ofMemset, ops));
    m_trace.health.withoutOp = kernelsWithoutOp; // counts kernels only
    addHost(rank, ops);
    m_firstThread += static_cast<std::uint32_t>(rank.trace.threads.size());
}

void Merger::addHost(const JobRank& rank, const std::vector<OpOfIteration>& ops)
{
    const GpuTrace& gpu = rank.trace.gpu;
    for (GpuCall call : gpu.calls) {
        call.window = moved(call.window);
        call.name = text(gpu, call.name);
        call.thread += m_firstThread;
        call.correlation = correlation(call.correlation);
        m_trace.calls.push_back(call);
    }
    for (const HostRange& range : rank.trace.ranges) {
        GpuRange one;
        one.window = moved(range.window);
        one.text = text(gpu, range.name);
        one.domain = m_strings.number("");
        one.thread = m_firstThread + range.thread;
        m_trace.ranges.push_back(one);
    }
    for (std::size_t i = 0; i < ops.size(); ++i)
        if (ops[i].isKnown() && !ops[i].isOtherCopys())
            m_trace.launches.push_back({moved(rank.work.works[i].host), ops[i], m_firstThread});
}
} // namespace

GpuTrace mergeGpu(const Job& job, const Placement& placement, const OpsOfWorks& ops,
                  std::int64_t origin)
{
    Merger merger(origin);
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank)
        if (!job.ranks[rank].trace.gpu.kernels.empty())
            merger.add(job.ranks[rank], placement.deviceOfRank[rank], ops[rank]);
    return merger.done();
}

} // namespace profiler
