#include "profiler/import/classify/remove_forwards.h"

#include <cstddef>
#include <utility>

namespace profiler {

using engine::OpKind;

namespace {
bool isForwardSegment(const Work& work)
{
    return work.isSegment && work.op.kind == OpKind::Forward;
}

// By work: whether it is a forward segment without a kernel.
std::vector<bool> segmentsOfCopies(const ClassifiedRank& rank)
{
    std::vector<bool> copies;
    for (const Work& work : rank.works)
        copies.push_back(isForwardSegment(work));
    for (const std::uint32_t work : rank.ofKernel)
        if (work != ClassifiedRank::kNoWork)
            copies[work] = false;
    return copies;
}

// Finds the forward segments after the last backward of an iteration that has a forward before a
// backward, and those before the first message of an iteration if the rank receives it. An
// iteration ends with its range or, without such ranges, with its optimizer step.
class FalseForwards
{
public:
    explicit FalseForwards(std::vector<bool> found)
        : m_found(std::move(found))
    { }

    std::vector<bool> find(const ClassifiedRank& rank)
    {
        for (std::size_t i = 0; i < rank.works.size(); ++i) {
            const Work& work = rank.works[i];
            if (i > 0 && work.step != rank.works[i - 1].step)
                endIteration();
            if (isForwardSegment(work) && !m_found[i])
                m_latest.push_back(i);
            else if (engine::isBackward(work.op.kind) || engine::isTransfer(work.op.kind))
                confirm(work.op.kind);
            if (work.op.kind == OpKind::OptimizerStep && rank.steps.empty())
                endIteration();
        }
        if (!rank.steps.empty())
            endIteration();
        return std::move(m_found);
    }

private:
    void confirm(OpKind kind)
    {
        const bool isFirstMessage = engine::isTransfer(kind) && !std::exchange(m_hasMessage, true);
        if (isFirstMessage && kind == OpKind::RecvActivation)
            removeLatest();
        m_hasForward = m_hasForward || !m_latest.empty();
        m_hasBackward = m_hasBackward || engine::isBackward(kind);
        m_latest.clear();
    }
    void endIteration()
    {
        if (m_hasForward && m_hasBackward)
            removeLatest();
        m_latest.clear();
        m_hasForward = m_hasBackward = m_hasMessage = false;
    }
    void removeLatest()
    {
        for (const std::size_t work : m_latest)
            m_found[work] = true;
        m_latest.clear();
    }

    std::vector<bool> m_found;         // by work
    std::vector<std::size_t> m_latest; // forwards after the latest backward or message
    // What the iteration has had.
    bool m_hasForward = false, m_hasBackward = false, m_hasMessage = false;
};
} // namespace

void removeFalseForwards(ClassifiedRank& rank)
{
    const std::vector<bool> removed = FalseForwards(segmentsOfCopies(rank)).find(rank);
    std::vector<std::uint32_t> newIndex(rank.works.size(), ClassifiedRank::kNoWork);
    std::vector<Work> kept;
    engine::ImportReport::LeftOut leftOut{"GPU work outside forwards and backwards", 0, 0};
    for (std::size_t i = 0; i < rank.works.size(); ++i) {
        if (removed[i]) {
            ++leftOut.count;
            addTime(leftOut.time, rank.works[i].window.duration());
            continue;
        }
        newIndex[i] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(rank.works[i]);
    }
    if (leftOut.count > 0)
        rank.leftOut.push_back(leftOut);
    rank.works = std::move(kept);
    rank.renumberWorks(newIndex);
}

} // namespace profiler
