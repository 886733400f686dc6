#include "engine/cost/unit_cost_fields.h"

#include "engine/base/try.h"

#include <fmt/format.h>

namespace engine {
namespace {

using C = UnitCosts;

constexpr std::string_view kCosts = "Costs in units", kLinks = "Links in units";

using GetCost = std::function<std::optional<Fraction>(const C&)>;
using SetCost = std::function<Result<void>(C&, Fraction)>;

// A field for a cost. "" resets an optional cost; any other text must be a cost.
Field<C> cost(FieldFacts facts, GetCost get, SetCost store)
{
    facts.kind = FieldKind::Cost;
    const std::string flag = facts.longFlag();
    return {std::move(facts),
            [get = std::move(get)](const C& costs) {
                const auto value = get(costs);
                return value ? textOf(*value) : std::string();
            },
            [flag, store = std::move(store)](C& costs, std::string_view text) -> Result<void> {
                const auto value = TRY(
                    inContext(fmt::format("{} {}", flag, excerpt(text)), parseFraction(text)));
                return store(costs, value);
            }};
}

Field<C> cost(std::string_view flag, std::string_view label, std::string_view help,
              Fraction C::*member)
{
    return cost(
        option("", flag, label, help, "U"), [member](const C& costs) { return costs.*member; },
        [member](C& costs, Fraction value) -> Result<void> {
            costs.*member = value;
            return {};
        });
}

Field<C> optionalCost(std::string_view flag, std::string_view label, std::string_view help,
                      std::string_view defaultText, std::optional<Fraction> C::*member)
{
    Field<C> field = cost(
        option("", flag, label, help, "U").withDefault(defaultText),
        [member](const C& costs) { return costs.*member; },
        [member](C& costs, Fraction value) -> Result<void> {
            costs.*member = value;
            return {};
        });
    field.isOptional = true;
    field.set = [member, set = field.set](C& costs, std::string_view text) -> Result<void> {
        if (!text.empty())
            return set(costs, text);
        (costs.*member).reset();
        return {};
    };
    return field;
}

// A field for I or W. Setting I or W sets B to their sum.
Field<C> half(std::string_view flag, std::string_view label, std::string_view help,
              Fraction C::*member)
{
    return cost(
        option("", flag, label, help, "U").withDefault("half of B"),
        [member](const C& costs) { return costs.*member; },
        [member](C& costs, Fraction value) -> Result<void> {
            C changed = costs;
            changed.*member = value;
            const auto both = sum(changed.inputGradient, changed.weightGradient);
            if (!both)
                return tl::unexpected(costsTooLarge());
            changed.backward = *both;
            costs = changed;
            return {};
        });
}

Field<C> wholeBackward()
{
    Field<C> field = cost(
        option("", "--backward", "Backward", "B, both gradients", "U").withDefault("I + W"),
        [](const C& costs) { return costs.backward; },
        [](C& costs, Fraction value) -> Result<void> {
            const auto each = product(value, Fraction{1, 2});
            if (!each)
                return tl::unexpected(costsTooLarge());
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
        return invalid("--stage-cost {}: write STAGE=FORWARD:BACKWARD, as in 0=1.5:3",
                       excerpt(text));
    const auto forward = parseFraction(text.substr(equals + 1, colon - equals - 1));
    const auto backward = parseFraction(text.substr(colon + 1));
    if (!forward || !backward) {
        const auto wrong = text.substr(forward ? colon + 1 : equals + 1);
        return invalid("--stage-cost {}: {}", excerpt(wrong.substr(0, wrong.find(':'))),
                       (forward ? backward : forward).error().message);
    }
    return UnitCosts::Stage{*number, *forward, *backward};
}

Field<C> stageCosts()
{
    FieldFacts facts
        = option("", "--stage-cost", "Unequal stages",
                 "F and B of one stage (embedding, head); repeat for other stages", "STAGE=F:B");
    facts.kind = FieldKind::List;
    return {std::move(facts),
            [](const C& costs) {
                std::string text;
                for (const UnitCosts::Stage& stage : costs.stages)
                    text += fmt::format("{}{}={}:{}", text.empty() ? "" : "\n", stage.stage,
                                        textOf(stage.forward), textOf(stage.backward));
                return text;
            },
            [](C& costs, std::string_view text) -> Result<void> {
                std::vector<UnitCosts::Stage> stages;
                const auto all = TRY(itemsByKey("--stage-cost", text));
                for (const std::string_view item : all) {
                    const auto stage = TRY(parseStage(item));
                    stages.push_back(stage);
                }
                costs.stages = std::move(stages);
                return {};
            }};
}

Field<C> joint()
{
    return cost(
        option("", "--joint", "Joint F and B, ×",
               "Duration of joint ops (F&B), relative to the sum of both", "FACTOR"),
        [](const C& costs) { return costs.rules.joint; },
        [](C& costs, Fraction value) -> Result<void> {
            if (value.numerator == 0)
                return invalid("--joint 0: joint ops need a duration; use a factor above 0");
            costs.rules.joint = value;
            return {};
        });
}

Field<C> slowDown()
{
    return cost(
        option("", "--slow-down", "Slow-down in all-reduces, ×",
               "Slow-down factor of compute during an all-reduce of its device", "FACTOR"),
        [](const C& costs) { return costs.rules.slowDown; },
        [](C& costs, Fraction value) -> Result<void> {
            if (value.numerator < value.denominator)
                return invalid("--slow-down {}: the factor must be at least 1", textOf(value));
            costs.rules.slowDown = value;
            return {};
        });
}

Field<C> jitter()
{
    return cost(
        option("", "--jitter", "Jitter, %",
               "Vary every duration uniformly by up to this percentage", "PCT"),
        [](const C& costs) { return product(costs.rules.jitter, Fraction{100}); },
        [](C& costs, Fraction value) -> Result<void> {
            const auto share = product(value, Fraction{1, 100});
            if (!share || share->numerator > share->denominator)
                return invalid("--jitter {}: must be a percentage from 0 to 100", textOf(value));
            costs.rules.jitter = *share;
            return {};
        });
}

std::string linkText(Fraction p2p, Fraction latency)
{
    if (p2p.numerator == 0 && latency.numerator == 0)
        return "free";
    return textOf(p2p) + " units"
        + (latency.numerator > 0 ? ", " + textOf(latency) + " latency" : "");
}

constexpr double kMostDevices = 65535, kMostSeed = 18446744073709551615.0;

std::vector<Field<C>> costFields()
{
    return {
        cost("--forward", "Forward F", "F", &C::forward),
        wholeBackward(),
        half("--input-gradient", "Input gradient I", "I, the input gradient", &C::inputGradient),
        half("--weight-gradient", "Weight gradient W", "W, the weight gradient",
             &C::weightGradient),
        cost("--p2p", "P2P message", "Time for which a message occupies its link", &C::p2p),
        cost("--latency", "Latency", "Time from the end of a message on its link to its arrival",
             &C::latency),
        cost("--allreduce", "All-reduce",
             "All-reduce of the gradients of a device, or UNSHARD of its weights", &C::allReduce),
        cost("--optimizer", "Optimizer", "Optimizer step of a device", &C::optimizer),
        cost("--transfer", "Evict or load", "Evict or load of a device's stash for one micro-batch",
             &C::transfer),
        optionalCost("--recompute-cost", "Recompute, × F",
                     "Duration of a recompute op, relative to the forward", "full 1, attention 0.2",
                     &C::recompute),
        stageCosts(),
    };
}

std::vector<Field<C>> linkFields()
{
    constexpr std::string_view kSame = "as within a node";
    return {
        field<C>(option("", "--devices-per-node", "Devices per node",
                        "Devices of a node; see --mapping", "K")
                     .between(0, kMostDevices)
                     .withDefault("all"),
                 &C::devicesPerNode),
        optionalCost("--p2p-across", "P2P across nodes", "--p2p between nodes", kSame,
                     &C::p2pAcross),
        optionalCost("--latency-across", "Latency across nodes", "--latency between nodes", kSame,
                     &C::latencyAcross),
        optionalCost("--transfer-across", "Evict across nodes", "--transfer between nodes", kSame,
                     &C::transferAcross),
        optionalCost("--allreduce-across", "All-reduce across nodes",
                     "--allreduce of a stage whose devices are in several nodes", kSame,
                     &C::allReduceAcross),
        field<C>(option("", "--nics-per-node", "NICs per node",
                        "Transfers that share a NIC or the port of a device divide its "
                        "bandwidth; 0: they do not slow one another down",
                        "K")
                     .between(0, kMostDevices),
                 &C::nicsPerNode),
    };
}

std::vector<Field<C>> interferenceFields()
{
    return {
        joint(),
        slowDown(),
        lifted(field<TimingRules>(option("", "--blocking", "Blocking sends",
                                         "A send blocks compute until it is complete"),
                                  &TimingRules::blockingSend),
               &C::rules),
        lifted(
            field<TimingRules>(
                option("", "--receive", "Receives",
                       "eager: a message arrives as early as its link allows; deferred: a RECV "
                       "is executed at its place in the order and blocks its device until the "
                       "message has arrived")
                    .oneOf({receiveName(ReceiveRule::Eager), receiveName(ReceiveRule::Deferred)}),
                &TimingRules::receive),
            &C::rules),
        jitter(),
        lifted(
            field<TimingRules>(option("", "--seed", "Seed of the jitter", "Seed of --jitter", "S")
                                   .between(0, kMostSeed),
                               &TimingRules::seed),
            &C::rules),
    };
}

} // namespace

Fields<UnitCosts> unitCostFields()
{
    static const std::vector<Field<C>> kFields = [] {
        std::vector<Field<C>> fields;
        const auto add = [&fields](std::string_view group, std::vector<Field<C>> ofGroup) {
            for (Field<C>& field : ofGroup) {
                field.group = group;
                fields.push_back(std::move(field));
            }
        };
        add(kCosts, costFields());
        add(kLinks, linkFields());
        add(kInterference, interferenceFields());
        return fields;
    }();
    return kFields;
}

Result<void> checkUnitCosts(const UnitCosts& costs)
{
    const bool acrossNodes = costs.p2pAcross || costs.latencyAcross || costs.transferAcross
        || costs.allReduceAcross || costs.nicsPerNode > 0;
    if (costs.devicesPerNode == 0 && acrossNodes)
        return invalid("costs between nodes need a node size; add --devices-per-node");
    if (costs.nicsPerNode > costs.devicesPerNode)
        return invalid("--nics-per-node {}: a device uses one NIC; use at most {}",
                       costs.nicsPerNode, costs.devicesPerNode);
    return {};
}

std::string_view receiveName(ReceiveRule rule)
{
    return rule == ReceiveRule::Eager ? "eager" : "deferred";
}

std::string blockingText(const TimingRules& rules)
{
    std::string text = rules.blockingSend ? "; blocking sends" : "";
    if (rules.receive == ReceiveRule::Deferred)
        text += "; a RECV blocks its device (--receive deferred)";
    return text;
}

std::string linkText(const UnitCosts& costs)
{
    std::string within = linkText(costs.p2p, costs.latency);
    const auto add = [&within](std::string_view what, Fraction cost) {
        if (cost.numerator > 0)
            within += fmt::format("; {} {} units", what, textOf(cost));
    };
    add("all-reduces", costs.allReduce);
    add("evicts and loads", costs.transfer);
    if (costs.devicesPerNode == 0)
        return within;
    return fmt::format(
        "{}; {} between nodes of {} devices", within,
        linkText(costs.p2pAcross.value_or(costs.p2p), costs.latencyAcross.value_or(costs.latency)),
        costs.devicesPerNode);
}

} // namespace engine
