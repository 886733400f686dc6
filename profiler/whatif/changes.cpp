#include "profiler/whatif/changes.h"

#include "engine/base/field.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/schedule/notation.h"
#include "profiler/whatif/stage_times.h"

#include <fmt/format.h>

#include <cmath>

namespace profiler {

using namespace engine;

namespace {

using Values = std::vector<std::string>;
using Changes = WhatIfChanges;

std::string plain(double value)
{
    return fmt::format("{:.6g}", value);
}

std::string text(const std::pair<const Changes::Cell, std::int64_t>& time)
{
    return fmt::format("{}{}={}", time.first.stage, kindName(time.first.kind),
                       plain(static_cast<double>(time.second) / 1e6));
}

std::string text(const Changes::Speed& speed)
{
    return fmt::format("{}={}", speed.stage, plain(speed.factor));
}

std::string text(const LayerMove& move)
{
    return fmt::format("{}:{}={}", move.from.value, move.to.value, move.count);
}

std::string text(const RunEdit& edit)
{
    return toString(edit);
}

template<class List>
Values texts(const List& list)
{
    Values all;
    for (const auto& one : list)
        all.push_back(text(one));
    return all;
}

Values textIf(bool isChanged, const std::string& value)
{
    return isChanged ? Values{value} : Values();
}

tl::unexpected<Error> refused(const std::string& option, const std::string& reason)
{
    return fail(Error::Code::InvalidArgument, option + ": " + reason);
}

// Applies each of `list`; names the option and its value if it cannot be applied.
template<class List, class Apply>
Result<void> each(const char* flag, const List& list, Apply apply)
{
    for (const auto& one : list)
        if (const Result<void> done = apply(one); !done)
            return refused(fmt::format("{} {}", flag, text(one)), done.error().message);
    return {};
}

Result<void> applyMove(const LayerMove& move, int layers, const Run& run, MeasuredTimes& times)
{
    if (layers == 0)
        return fail(Error::Code::InvalidArgument,
                    "the run does not state the layers of the model; add --layers L");
    TransformerSpec model;
    model.layers = layers;
    const int stages = run.schedule.shape.stages;
    const int own = times.stages.has(move.from) ? layersOf(model, stages, move.from.value) : 0;
    return moveLayers(times, move.from, move.to, move.count, own);
}

// Returns the parts of "3F=12.4": what is before and after the first of `separator`.
std::pair<std::string_view, std::string_view> parts(std::string_view value, char separator)
{
    const std::size_t at = std::min(value.find(separator), value.size());
    return {value.substr(0, at), value.substr(std::min(at + 1, value.size()))};
}

} // namespace

Result<void> apply(const Changes& changes, const Run& run, MeasuredTimes& times)
{
    TRY(each("--op-time", changes.times, [&](const auto& time) {
        return setMedian(times, StageId{time.first.stage}, time.first.kind, time.second);
    }));
    if (changes.weightShare)
        if (const auto set = setWeightShare(times, *changes.weightShare); !set)
            return refused("--weight-share", set.error().message);
    TRY(each("--stage-speed", changes.speeds, [&](const Changes::Speed& speed) -> Result<void> {
        if (!times.stages.has(StageId{speed.stage})
            || !(speed.factor >= 0.001 && speed.factor <= 1000))
            return fail(Error::Code::InvalidArgument,
                        fmt::format("give a stage from 0 to {} and a factor from 0.001 to 1000, "
                                    "as in 2=1.5",
                                    times.stages.size() - 1));
        times.stages[StageId{speed.stage}].factor /= speed.factor;
        return {};
    }));
    TRY(each("--move-layers", changes.moves,
             [&](const LayerMove& move) { return applyMove(move, changes.layers, run, times); }));
    setTensorParallel(times, changes.tensorParallel);
    if (changes.removesStragglers)
        removeStragglers(run, times);
    TRY(each("--slow", changes.slowdowns,
             [&](const RunEdit& edit) { return checkEdit(edit, run.schedule, times.nodes); }));
    times.slowdowns = changes.slowdowns;
    times.messageDelay = changes.messageDelay;
    return {};
}

std::vector<std::string> arguments(const Changes& changes, int measured, bool ownOrder)
{
    std::vector<RunEdit> slow = changes.slowdowns;
    if (!ownOrder)
        std::erase_if(slow, [](const RunEdit& edit) { return edit.op.has_value(); });
    const std::pair<const char*, Values> options[] = {
        {"--micro-batches",
         textIf(changes.microBatches != measured, std::to_string(changes.microBatches))},
        {"--link-speed", textIf(changes.linkSpeed != 1, plain(changes.linkSpeed))},
        {"--op-time", texts(changes.times)},
        {"--weight-share",
         textIf(changes.weightShare.has_value(), plain(changes.weightShare.value_or(0)))},
        {"--stage-speed", texts(changes.speeds)},
        {"--layers", textIf(!changes.moves.empty(), std::to_string(changes.layers))},
        {"--move-layers", texts(changes.moves)},
        {"--tensor-parallel", textIf(changes.tensorParallel != 1, plain(changes.tensorParallel))},
        {"--no-stragglers", textIf(changes.removesStragglers, {})},
        {"--slow", texts(slow)},
        {"--link-delay",
         textIf(changes.messageDelay > 0, plain(static_cast<double>(changes.messageDelay) / 1e3))}};
    std::vector<std::string> all;
    for (const auto& [flag, values] : options)
        for (const std::string& value : values) {
            all.emplace_back(flag);
            if (!value.empty()) // a flag has no value
                all.push_back(value);
        }
    return all;
}

Result<void> addChange(Changes& changes, std::string_view flag, std::string_view value)
{
    const auto [what, amount] = parts(value, '=');
    const auto refuse
        = [&](const char* reason) { return refused(fmt::format("{} {}", flag, value), reason); };
    if (flag == "--slow") {
        const auto edit = parseRunEdit(value);
        if (!edit)
            return fail(edit.error().code, fmt::format("--slow {}", edit.error().message));
        changes.slowdowns.push_back(*edit);
    } else if (flag == "--op-time") {
        const std::size_t digits = std::min(what.find_first_not_of("0123456789"), what.size());
        const auto stage = parseInteger<int>(what.substr(0, digits));
        const auto kind = parseKindShortName(what.substr(digits));
        const auto time = parseNumber(amount);
        if (!stage || !kind || !time || !(*time >= 1e-6 && *time <= 1e9))
            return refuse("give a stage, a kind of op and milliseconds, as in 3F=12.4");
        changes.times[{*stage, *kind}] = std::llround(*time * 1e6);
    } else if (flag == "--stage-speed") {
        const auto stage = parseInteger<int>(what);
        const auto factor = parseNumber(amount);
        if (!stage || !factor)
            return refuse("give a stage and a factor from 0.001 to 1000, as in 2=1.5");
        changes.speeds.push_back({*stage, *factor});
    } else {
        const auto [from, to] = parts(what, ':');
        const auto first = parseInteger<int>(from), second = parseInteger<int>(to),
                   count = parseInteger<int>(amount);
        if (!first || !second || !count)
            return refuse("give FROM:TO=COUNT, as in 3:2=1");
        changes.moves.push_back({StageId{*first}, StageId{*second}, *count});
    }
    return {};
}

} // namespace profiler
