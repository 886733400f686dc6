#pragma once

#include "app/widgets/compare/compare_scene.h"

namespace app {

// Drags the end of an op of one run, in its row or the row of a run with the same schedule.
class OpEndDrag
{
public:
    void setRun(int run) { m_run = run; } // whose ops change; -1: none

    bool isAt(const CompareScene& scene, QPointF at) const { return find(scene, at).has_value(); }
    // Starts a drag if the end of an op is at a point, and returns the op of the run that changes.
    std::optional<CompareScene::Mark> begin(const CompareScene& scene, QPointF at);
    // Returns the new duration divided by the duration at the last call. `pixels` counts from the
    // start of the drag. Requires begin().
    double moved(double pixels);
    bool end(); // returns whether a drag was active

private:
    struct Found
    {
        CompareScene::Mark at, changed; // the op at the point, and the same op of the run
    };
    std::optional<Found> find(const CompareScene& scene, QPointF at) const;

    int m_run = -1;
    bool m_isActive = false;
    double m_ticksPerPixel = 1;
    std::int64_t m_before = 0, m_now = 0; // the duration at the start and at the last call
};

} // namespace app
