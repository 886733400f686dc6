#pragma once

#include "profiler/study/study.h"

#include <QMetaType>

#include <memory>

namespace app {

// A study with its points and their results so far.
struct StudyData
{
    explicit StudyData(profiler::Study of)
        : study(std::move(of))
        , points(profiler::pointsOf(study))
        , results(points.size())
    { }

    profiler::Study study;
    std::vector<profiler::StudyPoint> points;
    std::vector<profiler::StudyResult> results; // one per point
    std::size_t done = 0, refused = 0;          // points with a result; impossible points
};
using StudyPointer = std::shared_ptr<const StudyData>;

} // namespace app

Q_DECLARE_METATYPE(app::StudyPointer)
