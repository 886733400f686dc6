#include "app/cli/text/schedule_text.h"

#include "app/cli/text/communication_text.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

namespace {
ordered_json placement(const Schedule& schedule)
{
    ordered_json replicas = ordered_json::array();
    for (const auto& stages : schedule.deviceOf) {
        ordered_json devices = ordered_json::array();
        for (const DeviceId device : stages)
            devices.push_back(device.value);
        replicas.push_back(devices);
    }
    return replicas;
}
} // namespace

std::string scheduleText(const Schedule& schedule)
{
    std::string text;
    for (const engine::DeviceId d : schedule.program.ids()) {
        text += fmt::format("device {:<3} |", d.value);
        for (const Op& op : schedule.program[d])
            text += " " + toString(op);
        text += "\n";
    }
    return text + "\n" + transportTable(checkTransports(schedule)).text();
}

std::string scheduleJson(const Schedule& schedule)
{
    ordered_json programs = ordered_json::array();
    for (const auto& program : schedule.program) {
        ordered_json ops = ordered_json::array();
        for (const Op& op : program)
            ops.push_back(toString(op));
        programs.push_back(ops);
    }
    const Shape& shape = schedule.shape;
    return ordered_json{
               {"scheme", schedule.scheme},
               {"devices", shape.devices},
               {"stages", shape.stages},
               {"micro_batches", shape.microBatches},
               {"chunks", shape.chunks()},
               {"replicas", shape.replicas},
               {"slices", shape.slices},
               {"device_of", placement(schedule)},
               {"asynchronous", isAsynchronous(schedule)},
               {"program", programs},
               {"communication", profiler::toJson(communicationData(checkTransports(schedule)))}}
               .dump()
        + "\n";
}

} // namespace cli
