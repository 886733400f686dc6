#include "profiler/export/exporters.h"

#include <nlohmann/json.hpp>

namespace profiler {

using namespace engine;
using nlohmann::ordered_json;

std::string importJson(const Run& run)
{
    const ImportReport& report = *run.info.import;
    ordered_json ranks = ordered_json::array(), rules = ordered_json::object(),
                 leftOut = ordered_json::array(), sources = ordered_json::array(),
                 clocks = ordered_json::array();
    for (const ImportReport::Rank& rank : report.ranks) {
        ranks.push_back(rank.rank);
        sources.push_back({{"rank", rank.rank},
                           {"file", rank.file},
                           {"host", rank.host},
                           {"device", rank.deviceName}});
    }
    for (const ImportReport::Rule& rule : report.rules)
        rules[rule.name] = report.time > 0 ? ratio(rule.time, report.time) : 0.0;
    for (const ImportReport::LeftOut& one : report.leftOut)
        leftOut.push_back({{"what", one.what}, {"count", one.count}, {"ns", one.time}});
    for (const ImportReport::Clock& clock : report.clocks)
        clocks.push_back({{"host", clock.host},
                          {"offset_ns", clock.offset},
                          {"drift_ppm", clock.drift},
                          {"spread_ns", clock.spread},
                          {"pairs", clock.pairs}});
    const bool known = report.stagesKnown;
    const auto orNull
        = [](std::int64_t count) { return count > 0 ? ordered_json(count) : ordered_json(); };
    ordered_json json{
        {"ranks", ranks},
        {"missing_ranks", report.missingRanks},
        {"iterations", run.timeline.iterations.size()},
        {"kernels", report.kernels},
        {"classified", report.classified()},
        {"rules", rules},
        {"replay_error", report.replayError ? ordered_json(*report.replayError) : ordered_json()},
        {"warnings", report.warnings},
        {"lack", report.lack.empty() ? ordered_json() : ordered_json(report.lack)},
        {"clocks_known", report.clocksKnown},
        {"work_known", report.workKnown},
        {"program", report.program},
        {"scheme", run.info.scheme},
        {"stages", known ? ordered_json(run.schedule.shape.stages) : ordered_json()},
        {"micro_batches",
         report.microBatchesKnown ? ordered_json(run.schedule.shape.microBatches) : ordered_json()},
        {"tensor_parallel", orNull(report.tensorParallel)},
        {"context_parallel", orNull(report.contextParallel)},
        {"left_out", leftOut},
        {"clocks", clocks},
        {"sources", sources}};
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace profiler
