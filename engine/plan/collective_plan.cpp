#include "engine/plan/collective_plan.h"

#include "engine/base/check.h"

#include <map>

namespace engine {
namespace {

using Planned = ExecutionPlan::PlannedCollective;

class CollectivePlanner
{
public:
    CollectivePlanner(const Schedule& lowered, const PipelineModel<float>& model)
        : m_model(model)
        , m_tied(model.tied())
        , m_hasCopies(lowered.shape.dataParallel > 1)
    { }

    void add(DeviceId device, const Op& op)
    {
        m_round = m_rounds[{op.replica, op.stage}]++;
        const std::size_t parameters = m_model.sizes(op.stage).parameters;
        const Planned::Member whole{device, op.replica, op.stage, 0};
        if (!tiesEmbeddings(op)) {
            join(op, whole, parameters);
            return;
        }
        CHECK(m_tied.has_value());
        const std::size_t first
            = op.stage == m_tied->first ? m_tied->firstOffset : m_tied->lastOffset;
        const std::size_t behind = first + m_tied->count;
        join(op, {device, op.replica, op.stage, first}, m_tied->count);
        if (m_hasCopies) {
            addRest(op, whole, first);
            addRest(op, {device, op.replica, op.stage, behind}, parameters - behind);
        }
    }

    std::vector<Planned> take() { return std::move(m_all); }

private:
    // Adds the member to the collective of its stage, or of both stages of tied embeddings.
    void join(const Op& op, const Planned::Member& member, std::size_t count)
    {
        const auto [sum, isNew] = m_sums.try_emplace({allReduceStage(op), m_round}, m_all.size());
        if (isNew)
            m_all.push_back({allReduceStage(op), m_round, count, {}});
        m_all[sum->second].members.push_back(member);
    }

    // Adds a collective for the untied parameters of a stage.
    void addRest(const Op& op, const Planned::Member& member, std::size_t count)
    {
        if (count > 0)
            m_all.push_back({allReduceStage(op), m_round, count, {member}});
    }

    const PipelineModel<float>& m_model;
    std::optional<TiedParameters> m_tied;
    bool m_hasCopies = false;
    std::vector<Planned> m_all;
    // [replica, stage] The number of ALLREDUCE ops so far.
    std::map<std::pair<std::uint8_t, StageId>, int> m_rounds;
    int m_round = 0;                                       // index of the update of the current op
    std::map<std::pair<StageId, int>, std::size_t> m_sums; // [stage, round]: index in m_all
};

} // namespace

std::vector<Planned> planCollectives(const Schedule& lowered, const PipelineModel<float>& model)
{
    CollectivePlanner planner(lowered, model);
    for (const DeviceId d : lowered.program.ids())
        for (const Op& op : lowered.program[d])
            if (op.kind == OpKind::AllReduce)
                planner.add(d, op);
    return planner.take();
}

} // namespace engine
