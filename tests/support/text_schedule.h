#pragma once

#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "tests/catch.h"

#include <initializer_list>
#include <sstream>
#include <string>

// Schedules written as people read them, one string per device: {"0F0 0B0", "1F0 1B0"}. A stage is
// where its first op is. Brackets join ops: "(2F3 1B0)". Evicts and loads get their partner.
namespace tests {

inline engine::Schedule scheduleFrom(std::initializer_list<std::string> programs)
{
    engine::Schedule schedule;
    schedule.scheme = "file";
    for (const std::string& program : programs) {
        auto& ops = schedule.program.emplace_back();
        std::istringstream words(program);
        bool joint = false;
        for (std::string word; words >> word;) {
            if (word.starts_with('(')) {
                word.erase(0, 1);
                joint = true;
            }
            if (word.ends_with(')')) {
                word.pop_back();
                joint = false;
            }
            auto op = engine::parseOp(word);
            INFO(word);
            REQUIRE(op);
            if (joint)
                op->flags = engine::OpFlag::JointWithNext;
            ops.push_back(*op);
        }
    }
    engine::Shape& shape = schedule.shape;
    shape.devices = static_cast<int>(schedule.program.size());
    for (const auto& ops : schedule.program)
        for (const engine::Op& op : ops) {
            shape.stages = std::max(shape.stages, op.stage.value + 1);
            shape.microBatches = std::max(shape.microBatches, op.microBatch.value + 1);
            shape.replicas = std::max(shape.replicas, op.replica + 1);
            if (op.slice != engine::Op::kWhole)
                shape.slices = std::max(shape.slices, op.slice + 1);
        }
    schedule.deviceOf.assign(shape.replicas,
                             engine::IdVector<engine::StageId, engine::DeviceId>(shape.stages));
    for (int d = shape.devices - 1; d >= 0; --d)
        for (const engine::Op& op : schedule.program[{d}])
            schedule.deviceOf[op.replica][op.stage] = engine::DeviceId{d};
    for (int d = 0; d < shape.devices; ++d)
        for (engine::Op& op : schedule.program[{d}])
            if (engine::isCopy(op.kind))
                op.peer = static_cast<std::uint16_t>(
                    engine::stashPartner(engine::DeviceId{d}, shape).value);
    return schedule;
}

} // namespace tests
