#include "profiler/capture/range_recorder.h"

#ifdef BS_WITH_NVTX

#include <nvtx3/nvToolsExt.h>

namespace profiler {

using namespace engine;

namespace {

nvtxDomainHandle_t domainOf(void* domain)
{
    return static_cast<nvtxDomainHandle_t>(domain);
}

void nameCategories(nvtxDomainHandle_t domain)
{
    for (const RangeCategory& category : rangeCategories())
        nvtxDomainNameCategoryA(domain, static_cast<std::uint32_t>(category.id),
                                std::string(category.name).c_str());
}

} // namespace

OpRanges::OpRanges(const Schedule& schedule, NvtxGrammar grammar)
    : m_domain(nvtxDomainCreateA(kRangeDomain))
{
    if (m_domain == nullptr)
        return;
    nameCategories(domainOf(m_domain));
    for (const auto& program : schedule.program)
        for (const Op& op : program)
            m_ranges.push_back(
                {rangeText(op, schedule.shape, grammar), op.kind, rangePayload(0, op)});
}

void OpRanges::begin(OpOfIteration op) const
{
    if (m_domain == nullptr)
        return;
    const Range& range = m_ranges.at(op.op);
    const RangeCategory& category = rangeCategory(range.kind);
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = category.id;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = category.argb;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    attributes.payload.llValue = std::int64_t{op.iteration} << 32 | range.microBatch;
    // The text is plain and not a registered string, because few scripts can read registered
    // strings.
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = range.text.c_str();
    nvtxDomainRangePushEx(domainOf(m_domain), &attributes);
}

void OpRanges::end() const
{
    if (m_domain != nullptr)
        nvtxDomainRangePop(domainOf(m_domain));
}

} // namespace profiler

#else

namespace profiler {

OpRanges::OpRanges(const engine::Schedule&, engine::NvtxGrammar) { }
void OpRanges::begin(engine::OpOfIteration) const { }
void OpRanges::end() const { }

} // namespace profiler

#endif
