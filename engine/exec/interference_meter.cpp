#include "engine/exec/interference_meter.h"

#include "engine/base/median.h"

#include <map>

namespace engine {

InterferenceMeter::InterferenceMeter(const Schedule& lowered)
    : m_lowered(lowered)
    , m_alone(opCount(lowered))
    , m_concurrent(opCount(lowered))
{ }

void InterferenceMeter::addAlone(std::span<const OpTiming> iteration)
{
    for (const OpTiming& timing : iteration)
        m_alone[timing.op] = timing.opTime;
}

void InterferenceMeter::addBeside(std::span<const OpTiming> iteration)
{
    for (const OpTiming& timing : iteration)
        m_concurrent[timing.op].push_back(timing.opTime);
}

std::vector<Interference> InterferenceMeter::result() const
{
    std::map<OpKind, Interference> kinds;
    std::size_t index = 0;
    for (const auto& program : m_lowered.program)
        for (const Op& op : program) {
            std::vector<std::int64_t> concurrent = m_concurrent[index];
            const std::int64_t alone = m_alone[index++];
            if (alone <= 0 || concurrent.empty())
                continue;
            Interference& kind = kinds[op.kind];
            kind.kind = op.kind;
            kind.alone += alone;
            kind.concurrent += medianOf(concurrent);
        }
    std::vector<Interference> result;
    for (const auto& [kind, measured] : kinds)
        result.push_back(measured);
    return result;
}

} // namespace engine
