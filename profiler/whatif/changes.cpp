#include "profiler/whatif/changes.h"

#include "engine/base/field.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "profiler/whatif/stage_times.h"

#include <fmt/format.h>

#include <cmath>

namespace profiler {

using namespace engine;

namespace {

using Changes = WhatIfChanges;

std::string plain(double value)
{
    return fmt::format("{:.6g}", value);
}

std::string text(const std::pair<const Changes::Cell, std::int64_t>& time)
{
    return fmt::format("{}{}={}", time.first.stage, kindName(time.first.kind),
                       plain(time.second / 1e6));
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

tl::unexpected<Error> refused(const std::string& option, const std::string& reason)
{
    return invalid(option + ": " + reason);
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

// The layers of every stage in the run, of whose model the user may have given the layers.
std::vector<int> layersInRun(int layers, const Run& run)
{
    auto measured = stageLayers(run);
    return measured.empty() ? LayerLayout().counts(layers, run.schedule.shape.stages) : measured;
}

Result<void> applyLayout(const Changes& changes, const Run& run, MeasuredTimes& times)
{
    if (changes.layout.isDefault())
        return {};
    if (!changes.moves.empty())
        return refused("--layout", "--move-layers gives the layers, too; leave out one of them");
    if (changes.layers == 0)
        return refused("--layout",
                       "the run does not state the layers of the model; add --layers L");
    if (times.stages.size() < 3)
        return refused("--layout",
                       "the times of the embedding and the output layer are unknown in "
                       "a run of fewer than 3 stages; use --move-layers");
    times.layout = changes.layout;
    times.layers = layersInRun(changes.layers, run);
    return {};
}

Result<void> applyMove(const LayerMove& move, int layers, const Run& run, MeasuredTimes& times)
{
    if (layers == 0)
        return invalid("the run does not state the layers of the model; add --layers L");
    const auto measured = layersInRun(layers, run);
    const int own = times.stages.has(move.from) ? measured[move.from.value] : 0;
    return moveLayers(times, move.from, move.to, move.count, own);
}

// Returns the parts of "3F=12.4": what is before and after the first of `separator`.
std::pair<std::string_view, std::string_view> parts(std::string_view value, char separator)
{
    const std::size_t at = std::min(value.find(separator), value.size());
    return {value.substr(0, at), value.substr(std::min(at + 1, value.size()))};
}

std::optional<Experiment> experimentOf(const Run& run)
{
    auto experiment = experimentFromToml(run.info.experiment);
    return run.info.experiment.empty() || !experiment ? std::nullopt : std::optional(*experiment);
}

Result<std::pair<Changes::Cell, std::int64_t>> parseTime(std::string_view item)
{
    const auto [what, amount] = parts(item, '=');
    const std::size_t digits = std::min(what.find_first_not_of("0123456789"), what.size());
    const auto stage = parseInteger<int>(what.substr(0, digits));
    const auto kind = parseKindShortName(what.substr(digits));
    const auto time = parseNumber(amount);
    if (!stage || !kind || !time || !(*time >= 1e-6 && *time <= 1e9))
        return invalid("give a stage, a kind of op and milliseconds, as in 3F=12.4");
    return std::pair(Changes::Cell{*stage, *kind}, std::llround(*time * 1e6));
}

Result<Changes::Speed> parseSpeed(std::string_view item)
{
    const auto [what, amount] = parts(item, '=');
    const auto stage = parseInteger<int>(what);
    const auto factor = parseNumber(amount);
    if (!stage || !factor)
        return invalid("give a stage and a factor from 0.001 to 1000, as in 2=1.5");
    return Changes::Speed{*stage, *factor};
}

Result<LayerMove> parseMove(std::string_view item)
{
    const auto [what, amount] = parts(item, '=');
    const auto [from, to] = parts(what, ':');
    const auto first = parseInteger<int>(from), second = parseInteger<int>(to),
               count = parseInteger<int>(amount);
    if (!first || !second || !count)
        return invalid("give FROM:TO=COUNT, as in 3:2=1");
    return LayerMove{StageId{*first}, StageId{*second}, *count};
}

// The field of a repeatable option whose items `parse` reads.
template<class List, class Parse>
Field<Changes> listField(FieldFacts facts, List Changes::*member, Parse parse)
{
    facts.kind = FieldKind::List;
    const std::string flag = facts.flag;
    return {std::move(facts),
            [member](const Changes& changes) {
                std::string all;
                for (const auto& one : changes.*member)
                    all += (all.empty() ? "" : "\n") + text(one);
                return all;
            },
            [member, parse, flag](Changes& changes, std::string_view typed) -> Result<void> {
                List list;
                const auto all = TRY(itemsByKey(flag, typed));
                for (const std::string_view item : all) {
                    const auto one = parse(item);
                    if (!one)
                        return refused(fmt::format("{} {}", flag, excerpt(item)),
                                       one.error().message);
                    list.insert(list.end(), *one);
                }
                changes.*member = std::move(list);
                return {};
            }};
}

Field<Changes> weightShare()
{
    FieldFacts facts = option("", "--weight-share", "Share of W in B",
                              "Share of W in B, for a run whose backward is not split", "X")
                           .between(0, 1)
                           .withDefault("0.5");
    facts.kind = FieldKind::Real;
    return {facts,
            [](const Changes& c) { return c.weightShare ? plain(*c.weightShare) : std::string(); },
            [](Changes& c, std::string_view typed) -> Result<void> {
                c.weightShare = parseNumber(typed);
                return {};
            }};
}

Field<Changes> layers()
{
    auto layers = field<Changes>(option("", "--layers", "Layers of the model",
                                        "Layers of the model, spread evenly over the stages", "L")
                                     .between(1, 100'000)
                                     .withDefault("those of a recorded run"),
                                 &Changes::layers);
    layers.off = [](const Changes& changes) {
        return changes.moves.empty() && changes.layout.isDefault()
            ? "used only by --move-layers FROM:TO=COUNT and --layout"
            : "";
    };
    return layers;
}

// In µs; without a delay, --help shows no default.
Field<Changes> linkDelay()
{
    FieldFacts facts = option("", "--link-delay", "Delay of messages, µs",
                              "Time added to every message, µs", "US")
                           .between(0, 1e9);
    facts.kind = FieldKind::Real;
    return {facts,
            [](const Changes& c) {
                return c.messageDelay > 0 ? plain(c.messageDelay / 1e3) : std::string();
            },
            [](Changes& c, std::string_view typed) -> Result<void> {
                c.messageDelay = std::llround(parseNumber(typed).value_or(0) * 1e3);
                return {};
            }};
}

// A factor relative to the run, printed with six digits.
Field<Changes> factor(const FieldFacts& facts, double Changes::*member)
{
    auto result = field<Changes>(facts, member);
    result.get = [member](const Changes& changes) { return plain(changes.*member); };
    return result;
}

// The transfers that an edit selects, if the run has none that takes time; or "".
std::string freeTransfers(const RunEdit& edit, const MeasuredTimes& times)
{
    const bool isCopy = edit.kind && engine::isCopy(*edit.kind);
    const bool isMessage = edit.peer || edit.links || (edit.kind && isSend(*edit.kind));
    if (edit.op
        || !(isCopy ? times.copies.median() == 0 : isMessage && times.message.median() == 0))
        return {};
    return isCopy ? "Evicts and loads" : "Messages";
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
            return invalid("give a stage from 0 to {} and a factor from 0.001 to 1000, "
                           "as in 2=1.5",
                           times.stages.size() - 1);
        times.stages[StageId{speed.stage}].factor /= speed.factor;
        return {};
    }));
    TRY(each("--move-layers", changes.moves,
             [&](const LayerMove& move) { return applyMove(move, changes.layers, run, times); }));
    TRY(applyLayout(changes, run, times));
    setTensorParallel(times, changes.tensorParallel);
    if (changes.removesStragglers)
        removeStragglers(run, times);
    TRY(each("--slow", changes.slowdowns,
             [&](const RunEdit& edit) { return checkEdit(edit, run.schedule, times.nodes); }));
    times.slowdowns = changes.slowdowns;
    for (const RunEdit& edit : changes.slowdowns)
        if (const std::string free = freeTransfers(edit, times); !free.empty())
            times.assumptions.push_back(fmt::format(
                "{} take no time in the run, so --slow {} changes nothing.", free, toString(edit)));
    times.messageDelay = changes.messageDelay;
    return {};
}

int modelLayers(const Run& run)
{
    const auto experiment = experimentOf(run);
    return experiment ? experiment->model.layers : 0;
}

std::vector<int> stageLayers(const Run& run)
{
    const auto experiment = experimentOf(run);
    const int stages = run.schedule.shape.stages;
    if (!experiment || !experiment->model.layout.check("", experiment->model.layers, stages))
        return {};
    return experiment->model.layout.counts(experiment->model.layers, stages);
}

IdVector<StageId, double> stageFlops(const Run& run)
{
    IdVector<StageId, double> flops;
    const auto experiment = experimentOf(run);
    const std::vector<int> layers = stageLayers(run);
    if (!experiment || layers.empty())
        return flops;
    const TransformerSpec model = transformerSpec(experiment->model);
    for (std::size_t s = 0; s < layers.size(); ++s)
        flops.push_back(layers[s] * (layerFlops(model, 1) + attentionFlops(model, 1))
                        + (s == 0 ? embeddingFlops(model, 1) : 0)
                        + (s + 1 == layers.size() ? headFlops(model, 1) : 0));
    return flops;
}

Result<WhatIfPredictor> withChanges(const WhatIfPredictor& measured, Changes changes)
{
    const Run& run = measured.run();
    const auto width = static_cast<int>(changes.tensorParallel);
    if (changes.layers == 0)
        changes.layers = modelLayers(run);
    if (const auto experiment = experimentOf(run);
        experiment && width > 1 && width == changes.tensorParallel)
        TRY(checkHeads(experiment->model.name, experiment->model.heads, width));
    WhatIfPredictor predictor = measured;
    TRY(apply(changes, run, predictor.times()));
    return predictor;
}

std::vector<std::string> arguments(Changes changes, int measured, bool ownOrder)
{
    if (!ownOrder)
        std::erase_if(changes.slowdowns, [](const RunEdit& edit) { return edit.op.has_value(); });
    auto all = engine::arguments(whatIfFields(), changes, Changes());
    if (changes.microBatches != measured)
        all.insert(all.begin(), {"--micro-batches", std::to_string(changes.microBatches)});
    return all;
}

Fields<WhatIfChanges> whatIfFields()
{
    static const std::vector<Field<Changes>> kFields = [] {
        std::vector<Field<Changes>> fields{
            factor(option("", "--link-speed", "Speed of the links",
                          "Speed of the links relative to the measured speed", "X")
                       .between(0.001, 1000),
                   &Changes::linkSpeed),
            listField(option("", "--stage-speed", "Speeds of stages",
                             "Speed of a stage relative to the measured speed, repeatable",
                             "STAGE=X"),
                      &Changes::speeds, parseSpeed),
            listField(option("", "--op-time", "Times of ops",
                             "Median of F, B, I or W of a stage in ms, in place of the measured "
                             "one; repeatable",
                             "3F=MS"),
                      &Changes::times, parseTime),
            weightShare(),
            listField(option("", "--move-layers", "Layers per stage",
                             "Move layers from one stage to another, repeatable", "FROM:TO=COUNT"),
                      &Changes::moves, parseMove),
            layers(),
            layoutField(option("", "--layout", "Layers per stage", kLayoutHelp)
                            .withDefault("as in the run"),
                        &Changes::layout),
            factor(option("", "--tensor-parallel", "Tensor parallelism",
                          "Tensor-parallel size relative to the measured one; ops divide evenly, "
                          "without communication",
                          "X")
                       .between(0.01, 100),
                   &Changes::tensorParallel),
            listField(option("", "--slow", "Slow-down factor",
                             "Slow-down factor of a device (1=1.5), a kind of op (F=1.5), a kind "
                             "on a device (1:F=1.5), a link (0-1=1.5), all links within or between "
                             "nodes (node=1.5, network=1.5) or, with --own-order, an op (2F3=1.5); "
                             "repeatable",
                             "WHAT=X"),
                      &Changes::slowdowns, parseRunEdit),
            linkDelay(),
            field<Changes>(option("", "--no-stragglers", "Stragglers",
                                  "Make every device at least as fast as the median device"),
                           &Changes::removesStragglers)};
        for (auto& field : fields)
            field.group = "Options";
        return fields;
    }();
    return kFields;
}

} // namespace profiler
