#include "profiler/import/placement.h"
#include "profiler/import/readers/readers.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

template<class Row>
void append(std::vector<Row>& all, std::vector<Row> rows)
{
    if (all.empty())
        all = std::move(rows);
    else
        all.insert(all.end(), rows.begin(), rows.end());
}

class Merger
{
public:
    // `shared` is the table of texts if all ranks are from one file and share it; otherwise
    // nullptr.
    Merger(std::int64_t origin, const std::vector<std::string>* shared)
        : m_origin(origin)
        , m_shared(shared)
    { }

    void add(JobRank& rank, DeviceId device, const std::vector<OpOfIteration>& ops)
    {
        GpuTrace gpu = std::exchange(rank.trace.gpu, {});
        auto& numbers = m_numbers[rank.trace.texts.get()];
        numbers.resize(rank.trace.texts->size(), kUnknown);
        m_numbersOfRank = &numbers;
        m_device = static_cast<std::uint32_t>(device.value);
        m_contexts.clear();
        collectCorrelations(gpu);
        auto kernels = placedRows(std::move(gpu.kernels), rank.work.ofKernel, ops);
        for (GpuKernel& kernel : kernels)
            kernel.name = text(rank.trace, kernel.name);
        append(m_trace.kernels, std::move(kernels));
        const std::int64_t kernelsWithoutOp = m_trace.health.withoutOp;
        auto copies = placedRows(std::move(gpu.copies), rank.work.ofCopy, ops);
        for (GpuCopy& copy : copies)
            copy.sourceDevice = copy.targetDevice = m_device;
        append(m_trace.copies, std::move(copies));
        append(m_trace.memsets, placedRows(std::move(gpu.memsets), rank.work.ofMemset, ops));
        m_trace.health.withoutOp = kernelsWithoutOp; // counts kernels only
        addHost(rank, std::move(gpu.calls), ops);
        m_firstThread += static_cast<std::uint32_t>(rank.trace.threads.size());
    }
    GpuTrace done()
    {
        m_trace.strings = m_shared != nullptr ? *m_shared : m_strings.take();
        return std::move(m_trace);
    }

private:
    Window moved(Window window) const { return {window.begin - m_origin, window.end - m_origin}; }
    std::uint32_t text(const RankTrace& of, std::uint32_t number)
    {
        if (m_shared != nullptr)
            return number;
        std::uint32_t& known = (*m_numbersOfRank)[number];
        if (known == kUnknown)
            known = m_strings.number(of.text(number));
        return known;
    }
    GpuPlace placed(GpuPlace place)
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
    void collectCorrelations(const GpuTrace& gpu)
    {
        m_firstCorrelation += m_correlations.size();
        m_correlations.clear();
        for (const GpuCall& call : gpu.calls)
            m_correlations.push_back(call.correlation);
        forGpuWork(gpu, [&](const auto& rows) {
            for (const auto& row : rows)
                m_correlations.push_back(row.place.correlation);
        });
        std::ranges::sort(m_correlations);
        m_correlations.erase(std::unique(m_correlations.begin(), m_correlations.end()),
                             m_correlations.end());
    }
    std::uint64_t correlation(std::uint64_t of) const
    {
        if (of == 0)
            return 0;
        const auto known = std::ranges::lower_bound(m_correlations, of);
        return m_firstCorrelation + static_cast<std::uint64_t>(known - m_correlations.begin());
    }
    template<class Row>
    std::vector<Row> placedRows(std::vector<Row> rows, const std::vector<std::uint32_t>& works,
                                const std::vector<OpOfIteration>& ops)
    {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].window = moved(rows[i].window);
            rows[i].place = placed(rows[i].place);
            if (i < works.size() && works[i] < ops.size())
                rows[i].of = ops[works[i]];
            m_trace.health.withoutOp += rows[i].of.isKnown() ? 0 : 1;
        }
        const auto begin = [](const Row& row) { return row.window.begin; };
        if (!std::ranges::is_sorted(rows, {}, begin)) // most recordings are sorted
            std::ranges::stable_sort(rows, {}, begin);
        return rows;
    }
    void addHost(const JobRank& rank, std::vector<GpuCall> calls,
                 const std::vector<OpOfIteration>& ops)
    {
        for (GpuCall& call : calls) {
            call.window = moved(call.window);
            call.name = text(rank.trace, call.name);
            call.thread += m_firstThread;
            call.correlation = correlation(call.correlation);
        }
        append(m_trace.calls, std::move(calls));
        for (const HostRange& range : rank.trace.ranges) {
            GpuRange one;
            one.window = moved(range.window);
            one.text = text(rank.trace, range.name);
            one.domain = kEmpty;
            one.thread = m_firstThread + range.thread;
            m_trace.ranges.push_back(one);
        }
        for (std::size_t i = 0; i < ops.size(); ++i)
            if (ops[i].isKnown())
                m_trace.launches.push_back({moved(rank.work.works[i].host), ops[i], m_firstThread});
    }

    std::int64_t m_origin;
    const std::vector<std::string>* m_shared;
    GpuTrace m_trace;
    StringTable m_strings;
    static constexpr std::uint32_t kUnknown = 0xFFFFFFFF, kEmpty = 0; // numbers in m_strings
    // For each table of texts (RankTrace::texts), the numbers of its texts in m_strings.
    std::unordered_map<const void*, std::vector<std::uint32_t>> m_numbers;
    std::vector<std::uint32_t>* m_numbersOfRank = nullptr;
    std::uint32_t m_device = 0, m_nextContext = 1, m_firstThread = 0;
    std::uint64_t m_firstCorrelation = 1;
    std::unordered_map<std::uint32_t, std::uint32_t> m_contexts; // contexts of the current rank
    std::vector<std::uint64_t> m_correlations; // correlation ids of the current rank, sorted
};

} // namespace

GpuTrace mergeGpu(Job& job, const Placement& placement, const OpsOfWorks& ops, std::int64_t origin)
{
    const auto& texts = job.ranks.front().trace.texts;
    const bool inOneFile = std::ranges::all_of(
        job.ranks, [&](const JobRank& rank) { return rank.trace.texts == texts; });
    Merger merger(origin, inOneFile ? texts.get() : nullptr);
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank)
        if (placement.deviceOfRank[rank].isValid() && !job.ranks[rank].trace.gpu.kernels.empty())
            merger.add(job.ranks[rank], placement.deviceOfRank[rank], ops[rank]);
    return merger.done();
}

} // namespace profiler
