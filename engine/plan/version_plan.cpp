#include "engine/plan/version_plan.h"

#include <map>

namespace engine {
namespace {

class VersionWalk
{
public:
    VersionWalk(const StashPlanInput& input, DeviceId device)
        : m_input(input)
        , m_device(device)
        , m_program(input.lowered.on(device))
    {
        m_plan.of.assign(m_program.size(), kNoIndex);
    }

    VersionPlan all()
    {
        for (std::uint32_t i = 0; i < m_program.size(); ++i) {
            const Op& op = m_program[i];
            if (!isCompute(op.kind))
                continue;
            StageVersions& stage = m_stages[{op.replica, op.stage}];
            if (op.kind == OpKind::OptimizerStep)
                stage.updates.push_back(i);
            else
                use(i, stage);
        }
        return std::move(m_plan);
    }

private:
    struct StageVersions
    {
        // Positions of the OPTs so far. OPT k, from 0, creates version k + 1.
        std::vector<std::uint32_t> updates;
        std::map<std::size_t, std::uint32_t> kept; // version -> buffer
    };

    // Schedules store versions modulo 256; at most 255 are live at the same time.
    void use(std::uint32_t position, StageVersions& stage)
    {
        const Op& op = m_program[position];
        const std::size_t newest = stage.updates.size();
        const std::uint8_t behind = newest - op.version;
        if (behind == 0)
            return;
        const std::size_t version = newest - behind;
        const auto [buffer, isNew] = stage.kept.try_emplace(version, kNoIndex);
        if (isNew)
            buffer->second = keep(stage.updates[version], op.stage);
        m_plan.of[position] = buffer->second;
        m_plan.buffers[buffer->second].life.end = m_input.order.groupOf({m_device, position}).last;
    }

    std::uint32_t keep(std::uint32_t update, StageId stage)
    {
        const std::uint32_t number = m_plan.buffers.size();
        m_plan.of[update] = number;
        PlannedBuffer& buffer = m_plan.buffers.emplace_back();
        buffer.category = MemoryCategory::Weights;
        buffer.life.begin = update;
        const StageSizes sizes = m_input.model.sizes(stage);
        buffer.life.bytes = sizes.bytes(sizes.parameters);
        return number;
    }

    const StashPlanInput& m_input;
    DeviceId m_device;
    std::span<const Op> m_program;
    VersionPlan m_plan;
    std::map<std::pair<std::uint8_t, StageId>, StageVersions> m_stages; // replica, stage
};

} // namespace

VersionPlan planVersions(const StashPlanInput& input, DeviceId device)
{
    return VersionWalk(input, device).all();
}

} // namespace engine
