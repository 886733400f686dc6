#pragma once

#include "profiler/study/study.h"

namespace profiler {

// The results of one point, compared with the points that differ only in the compared axis.
struct PointSummary
{
    struct Row
    {
        std::string title;     // "Bubble, %"
        std::string value;     // value of this point
        std::string best;      // best value of the compared points; "" if nothing is compared
        std::string bestNames; // compared values with the result `best`: "ZB-V"
        bool isBest = false;   // whether this point has the best value
        friend bool operator==(const Row&, const Row&) = default;
    };
    std::string name;   // value of the compared axis: "BitPipe"
    std::string where;  // values of the other axes: "micro-batches 8, P2P message 0.1"
    std::string reason; // why the point has no results; "" if it has results
    // The ratio to the best other point, and which one is the best along an axis; "" if nothing is
    // compared.
    std::string sentence;
    std::vector<Row> rows;
    std::optional<std::size_t> best; // the point with the shortest iteration; nullopt if unknown
};

// Summarizes a point. If `along` names another axis than the compared one, the sentence also states
// the best compared value for each of its values.
PointSummary summarizePoint(const StudyData& data, std::size_t point, std::string_view along = {});

// The name, the set-up and the metrics of a point in one line each.
std::string pointText(const PointSummary& summary);

} // namespace profiler
