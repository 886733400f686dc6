#include "engine/cost/unit_cost_fields.h"

#include <fmt/format.h>

namespace engine {
namespace {

using C = UnitCosts;

constexpr std::string_view kCosts = "Costs in units", kLinks = "Links in units",
                           kRules = "Interference";

// A cost that was typed. Text that is no cost is an error of its own.
template<class Store>
Field<C> cost(FieldFacts facts, std::function<std::optional<Fraction>(const C&)> get, Store store)
{
    facts.kind = FieldKind::Cost;
    if (facts.value.empty())
        facts.value = "U";
    const std::string flag = facts.longFlag();
    return {std::move(facts),
            [get](const C& costs) {
                const auto value = get(costs);
                return value ? textOf(*value) : std::string();
            },
            [flag, store](C& costs, std::string_view text) -> Result<void> {
                const auto value = parseFraction(text);
                if (!value)
                    return fail(
                        value.error().code,
                        fmt::format("{} {}: {}", flag, excerpt(text), value.error().message));
                return store(costs, *value);
            }};
}

Field<C> cost(std::string_view group, std::string_view flag, std::string_view label,
              std::string_view help, Fraction C::*member)
{
    return cost(
        {.flag = flag, .group = group, .label = label, .help = help},
        [member](const C& costs) { return costs.*member; },
        [member](C& costs, Fraction value) -> Result<void> {
            costs.*member = value;
            return {};
        });
}

// A cost that is another's unless it is given; "" takes it back.
Field<C> optionalCost(std::string_view group, std::string_view flag, std::string_view label,
                      std::string_view help, std::string_view usual,
                      std::optional<Fraction> C::*member)
{
    Field<C> field = cost(
        {.flag = flag,
         .group = group,
         .label = label,
         .help = help,
         .usual = usual,
         .isOptional = true},
        [member](const C& costs) { return costs.*member; },
        [member](C& costs, Fraction value) -> Result<void> {
            costs.*member = value;
            return {};
        });
    field.set = [member, set = field.set](C& costs, std::string_view text) -> Result<void> {
        if (!text.empty())
            return set(costs, text);
        (costs.*member).reset();
        return {};
    };
    return field;
}

Result<void> tooLarge(std::string_view flag)
{
    return fail(Error::Code::InvalidArgument,
                fmt::format("{}: the cost is too large or too finely divided", flag));
}

// I or W: B becomes their sum.
Field<C> half(std::string_view flag, std::string_view label, std::string_view help,
              Fraction C::*member)
{
    return cost(
        {.flag = flag, .group = kCosts, .label = label, .help = help, .usual = "half of B"},
        [member](const C& costs) { return costs.*member; },
        [member, flag](C& costs, Fraction value) -> Result<void> {
            C changed = costs;
            changed.*member = value;
            const auto both = sum(changed.inputGradient, changed.weightGradient);
            if (!both)
                return tooLarge(flag);
            changed.backward = *both;
            costs = changed;
            return {};
        });
}

Field<C> wholeBackward()
{
    Field<C> field = cost(
        {.flag = "--backward",
         .group = kCosts,
         .label = "Backward",
         .help = "B, both gradients",
         .usual = "I + W"},
        [](const C& costs) { return costs.backward; },
        [](C& costs, Fraction value) -> Result<void> {
            const auto each = product(value, Fraction{1, 2});
            if (!each)
                return tooLarge("--backward");
            costs.backward = value;
            costs.inputGradient = costs.weightGradient = *each;
            return {};
        });
    field.off = [](const C& costs) {
        return sum(costs.inputGradient, costs.weightGradient) == costs.backward ? "I + W" : "";
    };
    return field;
}

Result<UnitCosts::Stage> parseStage(std::string_view text)
{
    const auto equals = text.find('='), colon = text.find(':');
    const auto number = parseInteger<int>(text.substr(0, equals));
    if (equals == std::string_view::npos || colon == std::string_view::npos || colon < equals
        || !number || *number < 0)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("--stage-cost {}: write a stage, its forward and its backward, as "
                                "in 0=1.5:3",
                                excerpt(text)));
    const auto forward = parseFraction(text.substr(equals + 1, colon - equals - 1));
    const auto backward = parseFraction(text.substr(colon + 1));
    if (!forward || !backward)
        return fail(Error::Code::InvalidArgument,
                    "--stage-cost: " + (forward ? backward : forward).error().message);
    return UnitCosts::Stage{*number, *forward, *backward};
}

Field<C> stageCosts()
{
    return {{.flag = "--stage-cost",
             .group = kCosts,
             .label = "Unequal stages",
             .help = "F and B of one stage (embedding, head); repeat it for another stage",
             .value = "s=f:b",
             .kind = FieldKind::List},
            [](const C& costs) {
                std::string text;
                for (const UnitCosts::Stage& stage : costs.stages)
                    text += fmt::format("{}{}={}:{}", text.empty() ? "" : "\n", stage.stage,
                                        textOf(stage.forward), textOf(stage.backward));
                return text;
            },
            [](C& costs, std::string_view text) -> Result<void> {
                std::vector<UnitCosts::Stage> stages;
                for (const std::string_view item : items(text)) {
                    const auto stage = parseStage(item);
                    if (!stage)
                        return tl::unexpected(stage.error());
                    stages.push_back(*stage);
                }
                costs.stages = std::move(stages);
                return {};
            }};
}

void addRules(std::vector<Field<C>>& fields)
{
    fields.push_back(cost(
        {.flag = "--joint",
         .group = kRules,
         .label = "Joint F and B, ×",
         .help = "Duration of ops that run as one (F&B), relative to their sum",
         .value = "FACTOR"},
        [](const C& c) { return c.rules.joint; },
        [](C& c, Fraction value) -> Result<void> {
            if (value.numerator == 0)
                return fail(Error::Code::InvalidArgument,
                            "--joint 0: ops that run as one take some time");
            c.rules.joint = value;
            return {};
        }));
    fields.push_back(cost(
        {.flag = "--slow-down",
         .group = kRules,
         .label = "Beside an all-reduce, ×",
         .help = "Slow-down factor of compute beside an all-reduce of its device",
         .value = "FACTOR"},
        [](const C& c) { return c.rules.slowDown; },
        [](C& c, Fraction value) -> Result<void> {
            if (value.numerator < value.denominator)
                return fail(Error::Code::InvalidArgument,
                            fmt::format("--slow-down {}: give 1 or more", textOf(value)));
            c.rules.slowDown = value;
            return {};
        }));
    Field<TimingRules> blocking
        = field<TimingRules>({.flag = "--blocking",
                              .group = kRules,
                              .label = "Blocking sends",
                              .help = "A send holds its device until it has left"},
                             &TimingRules::blockingSend);
    fields.push_back(lifted(blocking, &C::rules));
    fields.push_back(cost(
        {.flag = "--jitter",
         .group = kRules,
         .label = "Jitter, %",
         .help = "Draw every duration evenly from this many percent about its cost",
         .value = "PCT"},
        [](const C& c) { return product(c.rules.jitter, Fraction{100}); },
        [](C& c, Fraction value) -> Result<void> {
            const auto share = product(value, Fraction{1, 100});
            if (!share || share->numerator > share->denominator)
                return fail(
                    Error::Code::InvalidArgument,
                    fmt::format("--jitter {}: give a percentage from 0 to 100", textOf(value)));
            c.rules.jitter = *share;
            return {};
        }));
    constexpr double kMostSeed = 18446744073709551615.0;
    Field<TimingRules> seed = field<TimingRules>({.flag = "--seed",
                                                  .group = kRules,
                                                  .label = "Seed of the jitter",
                                                  .help = "Seed of --jitter",
                                                  .value = "S",
                                                  .least = 0,
                                                  .most = kMostSeed},
                                                 &TimingRules::seed);
    fields.push_back(lifted(seed, &C::rules));
}

std::string linkText(Fraction p2p, Fraction latency)
{
    if (p2p.numerator == 0 && latency.numerator == 0)
        return "free";
    return textOf(p2p) + " units"
        + (latency.numerator > 0 ? ", " + textOf(latency) + " latency" : "");
}

} // namespace

Fields<UnitCosts> unitCostFields()
{
    static const std::vector<Field<C>> kFields = [] {
        constexpr double kMostDevices = 65535;
        constexpr std::string_view kSame = "the same";
        std::vector<Field<C>> fields{
            cost(kCosts, "--forward", "Forward F", "F", &C::forward),
            wholeBackward(),
            half("--input-gradient", "Backward, input I", "I, the gradient of the input",
                 &C::inputGradient),
            half("--weight-gradient", "Backward, weights W", "W, the gradient of the weights",
                 &C::weightGradient),
            cost(kCosts, "--p2p", "P2P message", "Time for which a message keeps its link busy",
                 &C::p2p),
            cost(kCosts, "--latency", "Latency",
                 "Time from the end of a message on its link to its arrival", &C::latency),
            cost(kCosts, "--allreduce", "All-reduce", "All-reduce of a device's gradients",
                 &C::allReduce),
            cost(kCosts, "--optimizer", "Optimizer", "Optimizer step of a device", &C::optimizer),
            cost(kCosts, "--transfer", "Evict or load",
                 "Evict or load of a device's stash of a micro-batch", &C::transfer),
            optionalCost(kCosts, "--recompute-cost", "Recompute, × F",
                         "A recompute op, relative to the forward that it repeats",
                         "full 1, attention 0.2", &C::recompute),
            stageCosts(),
            field<C>({.flag = "--devices-per-node",
                      .group = kLinks,
                      .label = "Devices per node",
                      .help = "Devices 0 .. K-1 are one node, K .. 2K-1 the next",
                      .value = "K",
                      .least = 0,
                      .most = kMostDevices,
                      .usual = "all"},
                     &C::devicesPerNode),
            optionalCost(kLinks, "--p2p-across", "P2P across nodes", "--p2p between nodes", kSame,
                         &C::p2pAcross),
            optionalCost(kLinks, "--latency-across", "Latency across nodes",
                         "--latency between nodes", kSame, &C::latencyAcross),
            optionalCost(kLinks, "--transfer-across", "Evict across nodes",
                         "--transfer between nodes", kSame, &C::transferAcross),
        };
        addRules(fields);
        return fields;
    }();
    return kFields;
}

Result<void> checkUnitCosts(const UnitCosts& costs)
{
    if (costs.devicesPerNode == 0
        && (costs.p2pAcross || costs.latencyAcross || costs.transferAcross))
        return fail(Error::Code::InvalidArgument,
                    "costs between nodes need --devices-per-node, which says where a node ends");
    return {};
}

std::string linkText(const UnitCosts& costs)
{
    const std::string within = linkText(costs.p2p, costs.latency);
    if (costs.devicesPerNode == 0)
        return within;
    return fmt::format(
        "{}; {} between nodes of {}", within,
        linkText(costs.p2pAcross.value_or(costs.p2p), costs.latencyAcross.value_or(costs.latency)),
        costs.devicesPerNode);
}

} // namespace engine
