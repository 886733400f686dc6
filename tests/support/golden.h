#pragma once

#include "engine/base/text.h"
#include "engine/schedule/notation.h"
#include "tests/catch.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Reads the orders of tests/golden. Their columns differ from the CSV format and between files, so
// they are found by name.
namespace tests {

inline std::vector<std::string> fieldsOf(std::string line)
{
    if (line.ends_with('\r'))
        line.pop_back();
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');)
        fields.push_back(field);
    return fields;
}

// The rows of a side file, without its header.
inline std::vector<std::string> goldenRows(const std::string& file)
{
    std::ifstream stream(sourcePath("tests/golden/" + file));
    INFO(file);
    REQUIRE(stream);
    std::vector<std::string> rows;
    std::string line;
    std::getline(stream, line);
    while (std::getline(stream, line)) {
        if (line.ends_with('\r'))
            line.pop_back();
        rows.push_back(line);
    }
    return rows;
}

// [device]: the ops in their one spelling, "2F0 3B1u". Files of slices number the slices through.
inline std::vector<std::string> goldenProgram(const std::string& file, int slices = 1)
{
    const auto unit = [slices](const std::string& text) {
        const int number = engine::parseInteger<int>(text).value();
        return slices == 1
            ? text
            : std::to_string(number / slices) + "." + std::to_string(number % slices);
    };
    std::ifstream stream(sourcePath("tests/golden/" + file));
    INFO(file);
    REQUIRE(stream);
    std::string line;
    std::getline(stream, line);
    const std::vector<std::string> header = fieldsOf(line);

    std::vector<std::string> programs;
    while (std::getline(stream, line)) {
        const std::vector<std::string> fields = fieldsOf(line);
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < header.size(); ++i)
            row[header[i]] = fields.at(i);
        const bool up = row["direction"] == "up" || row["pipeline"] == "up";
        const auto device = engine::parseInteger<std::size_t>(row["device"]).value();
        programs.resize(std::max(programs.size(), device + 1));
        std::string& program = programs[device];
        program += (program.empty() ? "" : " ") + row["stage"] + row["op"] + unit(row["microbatch"])
            + (up ? "u" : "");
    }
    return programs;
}

// The same as a schedule: the golden orders on the placement of `like`.
inline engine::Schedule goldenSchedule(const std::string& file, engine::Schedule like)
{
    const std::vector<std::string> programs = goldenProgram(file);
    REQUIRE(programs.size() == like.program.size());
    for (const engine::DeviceId d : like.program.ids()) {
        like.program[d].clear();
        std::istringstream ops(programs[static_cast<std::size_t>(d.value)]);
        for (std::string op; ops >> op;)
            like.program[d].push_back(engine::parseOp(op).value());
    }
    return like;
}

// [device]: the positions of a forward and of the backward it is joined with.
inline std::vector<std::vector<std::pair<std::size_t, std::size_t>>>
goldenPairs(const std::string& file)
{
    std::ifstream stream(sourcePath("tests/golden/" + file));
    INFO(file);
    REQUIRE(stream);
    std::string line;
    std::getline(stream, line);
    REQUIRE(line.starts_with("device,index_f,index_b"));
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pairs;
    while (std::getline(stream, line)) {
        const auto number = [fields = fieldsOf(line)](std::size_t i) {
            return engine::parseInteger<std::size_t>(fields.at(i)).value();
        };
        pairs.resize(std::max(pairs.size(), number(0) + 1));
        pairs[number(0)].emplace_back(number(1), number(2));
    }
    return pairs;
}

// The joint ops of a schedule, two by two.
inline std::vector<std::vector<std::pair<std::size_t, std::size_t>>>
pairsOf(const engine::Schedule& schedule)
{
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pairs;
    for (const auto& ops : schedule.program) {
        auto& ofDevice = pairs.emplace_back();
        for (std::size_t i = 0; i < ops.size(); ++i)
            if (ops[i].flags == engine::OpFlag::JointWithNext)
                ofDevice.emplace_back(i, i + 1);
    }
    return pairs;
}

// The same as goldenProgram() of a schedule.
inline std::vector<std::string> programOf(const engine::Schedule& schedule)
{
    std::vector<std::string> programs;
    for (const auto& ops : schedule.program) {
        std::string program;
        for (const engine::Op& op : ops)
            program += (program.empty() ? "" : " ") + engine::toString(op);
        programs.push_back(program);
    }
    return programs;
}

} // namespace tests
