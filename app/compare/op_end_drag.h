#pragma once

#include "app/compare/compare_scene.h"

namespace app {

// Changes the duration of an op of one run while the user drags the end of the op, in the row of
// this run or of a run with the same schedule.
class OpEndDrag
{
public:
    void setRun(int run) { m_run = run; } // the run that changes; -1: none

    bool isAt(const CompareScene& scene, QPointF at) const { return find(scene, at).has_value(); }
    // Starts a drag if `at` is at the end of an op. Returns the same op in the run that changes;
    // nullopt: there is no such op.
    std::optional<CompareScene::Mark> begin(const CompareScene& scene, QPointF at);
    // Returns the new duration divided by the duration at the last call. `pixels` counts from the
    // start of the drag. Requires begin().
    double moved(double pixels);
    bool end(); // returns whether a drag was active

private:
    struct Found
    {
        // at: the op under the pointer; changed: the same op in the run whose times are edited
        CompareScene::Mark at, changed;
    };
    std::optional<Found> find(const CompareScene& scene, QPointF at) const;

    int m_run = -1;
    bool m_isActive = false;
    double m_ticksPerPixel = 1;
    // Durations in ticks: of the dragged op at the start, and of the changed op at the last call.
    std::int64_t m_before = 0, m_now = 0;
};

} // namespace app
