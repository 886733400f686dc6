#pragma once

#include "profiler/study/study_file.h"
#include "tests/catch.h"

namespace tests {

// Three schemes, four N, two transfer times; the iterations are made up.
struct SmallStudy : profiler::StudyData
{
    static constexpr const char* kToml = R"(
title = "Links"
only_fitting = true
[fixed]
devices = 4
[grid]
scheme = ["gpipe", "1f1b", "bitpipe"]
micro-batches = [4, 8, 16, 32]
p2p = [0.0, 0.5]
[[ratio]]
name = "speed_up"
inverse = true
baseline = { scheme = "gpipe" }
[[chart]]
kind = "heat-map"
title = "Bubble"
x = "micro-batches"
y = "iteration"
where = { p2p = 0.5 }
[[chart]]
kind = "pareto"
title = "Front"
x = "peak_bytes"
y = "iteration"
where = { p2p = 0.0, micro-batches = 8 }
[[chart]]
kind = "phase-map"
title = "Best"
x = "micro-batches"
rows = "p2p"
y = "iteration"
)";
    static constexpr double kGibibyte = 1 << 30;

    SmallStudy()
        : StudyData(profiler::readStudy(kToml, "s.toml").value())
    {
        for (std::size_t i = 0; i < points.size(); ++i)
            results[i] = resultOf(points[i].values);
    }

    // GPipe and 1F1B take N, and 1F1B has less memory. BitPipe takes 1 less, but pays 4 times per
    // message; it is not possible with N = 4 and does not fit with N = 32.
    static profiler::StudyResult resultOf(const std::vector<std::string>& values)
    {
        using profiler::StudyMetric;
        const double n = std::stod(values[0]), transfer = std::stod(values[1]);
        const bool isBitpipe = values[2] == "bitpipe";
        profiler::StudyResult result;
        result.isDone = true;
        if (isBitpipe && n == 4) {
            result.error = "BitPipe needs N >= 8";
            return result;
        }
        auto& of = result.values.of;
        result.values.unit = "units";
        of[StudyMetric::Iteration] = n + (isBitpipe ? 4 * transfer - 1 : transfer);
        of[StudyMetric::PeakBytes] = (values[2] == "gpipe" ? 12
                                          : isBitpipe      ? 6
                                                           : 8)
            * kGibibyte * (n == 32 ? 2 : 1);
        of[StudyMetric::DeviceMemory] = 12.5 * kGibibyte;
        of[StudyMetric::UsableMemory] = 10 * kGibibyte;
        of[StudyMetric::Fits] = *of[StudyMetric::PeakBytes] <= 10 * kGibibyte ? 1 : 0;
        return result;
    }

    std::size_t at(const char* n, const char* p2p, const char* scheme) const
    {
        const auto index = profiler::pointAt(study, {n, p2p, scheme});
        REQUIRE(index);
        return *index;
    }
};

} // namespace tests
