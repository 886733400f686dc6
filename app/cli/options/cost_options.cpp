#include "app/cli/options/cost_options.h"

#include "app/cli/options/choice.h"
#include "engine/base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kGroup = "Costs, in units: one unit is a device's forward of one micro-batch";
constexpr const char* kLinkGroup = "Links between nodes";
constexpr const char* kRuleGroup = "How ops hinder one another";

Error invalid(std::string message)
{
    return {Error::Code::InvalidArgument, std::move(message)};
}

// Reads the costs one by one and keeps the first error.
class CostReader
{
public:
    void read(const char* option, const std::string& text, Fraction& cost)
    {
        if (text.empty() || m_error)
            return;
        if (const auto parsed = parseFraction(text))
            cost = *parsed;
        else
            m_error = invalid(fmt::format("{} {}: {}", option, text, parsed.error().message));
    }
    void read(const char* option, const std::string& text, std::optional<Fraction>& cost)
    {
        if (!text.empty())
            read(option, text, cost.emplace());
    }
    // At least 1: what hinders never makes shorter.
    void readFactor(const char* option, const std::string& text, Fraction& factor)
    {
        read(option, text, factor);
        if (!m_error && factor.numerator < factor.denominator)
            m_error = invalid(fmt::format("{} {}: nothing gets faster; give a factor of at least 1",
                                          option, text));
    }
    void readPercent(const char* option, const std::string& text, Fraction& share)
    {
        read(option, text, share);
        const auto part = product(share, Fraction{1, 100});
        if (!m_error && (!part || part->numerator > part->denominator))
            m_error = invalid(fmt::format("{} {}: give a percentage from 0 to 100", option, text));
        share = part.value_or(Fraction{});
    }
    void readStage(const std::string& text, std::vector<UnitCosts::Stage>& stages)
    {
        const auto equals = text.find('='), colon = text.find(':');
        const auto number = parseInteger<int>(text.substr(0, equals));
        if (equals == std::string::npos || colon == std::string::npos || !number || *number < 0) {
            m_error = m_error.value_or(invalid(fmt::format(
                "--stage-cost {}: write a stage, its forward and its backward, as in 0=1.5:3",
                text)));
            return;
        }
        UnitCosts::Stage& stage = stages.emplace_back();
        stage.stage = *number;
        read("--stage-cost", text.substr(equals + 1, colon - equals - 1), stage.forward);
        read("--stage-cost", text.substr(colon + 1), stage.backward);
    }
    void refuse(bool condition, const char* message)
    {
        if (condition && !m_error)
            m_error = invalid(message);
    }
    const std::optional<Error>& error() const { return m_error; }

private:
    std::optional<Error> m_error;
};

void addLinkOptions(CLI::App& app, CostOptions& options)
{
    app.add_option("--devices-per-node", options.devicesPerNode,
                   "Devices 0 .. K-1 are one node, and so on [all are]")
        ->type_name("K")
        ->group(kLinkGroup)
        ->check(between(1, 65535));
    const auto add = [&app](const char* name, std::string& value, const char* help) {
        app.add_option(name, value, help)->type_name("U")->group(kLinkGroup);
    };
    add("--p2p-across", options.p2pAcross, "--p2p between nodes [the same]");
    add("--latency-across", options.latencyAcross, "--latency between nodes [the same]");
    add("--transfer-across", options.transferAcross, "--transfer between nodes [the same]");
}

void addRuleOptions(CLI::App& app, CostOptions& options)
{
    app.add_option("--joint", options.joint,
                   "Ops that run as one (F&B) take so much of their sum [1]")
        ->type_name("FACTOR")
        ->group(kRuleGroup);
    app.add_option("--slow-down", options.slowDown,
                   "Compute beside an all-reduce of its device takes so much longer [1]")
        ->type_name("FACTOR")
        ->group(kRuleGroup);
    app.add_flag("--blocking", options.blocking, "A send holds its device until it has left")
        ->group(kRuleGroup);
    app.add_option("--jitter", options.jitter,
                   "Every duration is drawn evenly from so many percent about its cost [0]")
        ->type_name("PCT")
        ->group(kRuleGroup);
    app.add_option("--seed", options.seed, "... by this seed [0]")
        ->type_name("S")
        ->check(seedNumber())
        ->group(kRuleGroup);
}
} // namespace

void addCostOptions(CLI::App& app, CostOptions& options)
{
    const auto add = [&app](const char* name, std::string& value, const char* help) {
        app.add_option(name, value, help)->type_name("U")->group(kGroup);
    };
    add("--forward", options.forward, "F [1]");
    add("--backward", options.backward, "B, both gradients [I + W, else 2]");
    add("--input-gradient", options.inputGradient, "I [half of B]");
    add("--weight-gradient", options.weightGradient, "W [half of B]");
    add("--p2p", options.p2p, "A message keeps its link busy for this long [0]");
    add("--latency", options.latency, "... and arrives this much later [0]");
    add("--allreduce", options.allReduce, "All-reduce of a device's gradients [0]");
    add("--optimizer", options.optimizer, "Optimizer step of a device [0]");
    add("--transfer", options.transfer, "Evict or load of a device's stash of a micro-batch [0]");
    add("--recompute-cost", options.recompute,
        "A recompute op, times the forward it repeats [full 1, attention 0.2]");
    app.add_option("--recompute-keeps", options.recomputeKeeps,
                   "Share of an activation that stays until a recompute op [full 0, attention 0.3; "
                   "of a model its own]")
        ->type_name("SHARE")
        ->group(kGroup);
    app.add_option("--stage-cost", options.stageCosts,
                   "F and B of one stage (embedding, head); again for another one")
        ->type_name("s=f:b")
        ->allow_extra_args(false)
        ->group(kGroup);
    addLinkOptions(app, options);
    addRuleOptions(app, options);
}

Result<UnitCosts> unitCosts(const CostOptions& options)
{
    UnitCosts costs;
    CostReader reader;
    reader.read("--forward", options.forward, costs.forward);
    reader.read("--backward", options.backward, costs.backward);
    costs.inputGradient = costs.weightGradient
        = product(costs.backward, Fraction{1, 2}).value_or(Fraction{});
    reader.read("--input-gradient", options.inputGradient, costs.inputGradient);
    reader.read("--weight-gradient", options.weightGradient, costs.weightGradient);
    reader.read("--p2p", options.p2p, costs.p2p);
    reader.read("--latency", options.latency, costs.latency);
    reader.read("--allreduce", options.allReduce, costs.allReduce);
    reader.read("--optimizer", options.optimizer, costs.optimizer);
    reader.read("--transfer", options.transfer, costs.transfer);
    reader.read("--recompute-cost", options.recompute, costs.recompute);
    for (const std::string& stage : options.stageCosts)
        reader.readStage(stage, costs.stages);
    costs.devicesPerNode = options.devicesPerNode;
    reader.read("--p2p-across", options.p2pAcross, costs.p2pAcross);
    reader.read("--latency-across", options.latencyAcross, costs.latencyAcross);
    reader.read("--transfer-across", options.transferAcross, costs.transferAcross);
    reader.refuse(options.devicesPerNode == 0
                      && (costs.p2pAcross || costs.latencyAcross || costs.transferAcross),
                  "costs between nodes need --devices-per-node, which says where a node ends");
    reader.read("--joint", options.joint, costs.rules.joint);
    reader.refuse(costs.rules.joint.numerator == 0,
                  "--joint 0: ops that run as one take some time");
    reader.readFactor("--slow-down", options.slowDown, costs.rules.slowDown);
    reader.readPercent("--jitter", options.jitter, costs.rules.jitter);
    costs.rules.seed = options.seed;
    costs.rules.blockingSend = options.blocking;
    if (reader.error())
        return tl::unexpected(*reader.error());
    if (options.backward.empty())
        costs.backward = sum(costs.inputGradient, costs.weightGradient).value_or(costs.backward);
    return costs;
}

std::string linkText(const CostOptions& options)
{
    const auto of = [](const std::string& p2p, const std::string& latency) {
        if (p2p == "0" && latency == "0")
            return std::string("free");
        return p2p + " units" + (latency != "0" ? ", " + latency + " latency" : "");
    };
    std::string within = of(options.p2p, options.latency);
    if (options.p2pAcross.empty() && options.latencyAcross.empty())
        return within;
    return within + "; "
        + of(options.p2pAcross.empty() ? options.p2p : options.p2pAcross,
             options.latencyAcross.empty() ? options.latency : options.latencyAcross)
        + fmt::format(" between nodes of {}", options.devicesPerNode);
}

void addSyncOption(CLI::App& app, SyncPolicy& policy, const char* group)
{
    app.add_option("--sync", policy,
                   "All-reduce when a stage is done, the same holding the device as BitPipe's code "
                   "does, or after the last backward [eager]")
        ->type_name("eager|eager-blocking|late")
        ->group(group)
        ->transform(choice<SyncPolicy>({{"eager", SyncPolicy::Eager},
                                        {"eager-blocking", SyncPolicy::EagerBlocking},
                                        {"late", SyncPolicy::Late}}));
}

void addDataParallelOption(CLI::App& app, int& copies, const char* group)
{
    app.add_option(
           "--data-parallel", copies,
           "Copies of the whole pipeline, each with N micro-batches of its own; more than 1 "
           "adds all-reduces [1]")
        ->type_name("W")
        ->group(group)
        ->check(between(1, 65535));
}

} // namespace cli
