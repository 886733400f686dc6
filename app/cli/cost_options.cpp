#include "app/cli/cost_options.h"

#include "app/cli/choice.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <numeric>
#include <optional>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kGroup = "Costs, in units: one unit is a device's forward of one micro-batch";

Fraction reduced(std::int64_t numerator, std::int64_t denominator)
{
    const std::int64_t divisor = std::gcd(numerator, denominator);
    return {numerator / divisor, denominator / divisor};
}

Fraction half(Fraction f)
{
    return f.numerator % 2 == 0 ? Fraction{f.numerator / 2, f.denominator}
                                : Fraction{f.numerator, f.denominator * 2};
}

Fraction sum(Fraction a, Fraction b)
{
    return reduced(a.numerator * b.denominator + b.numerator * a.denominator,
                   a.denominator * b.denominator);
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
            m_error = Error{Error::Code::InvalidArgument,
                            fmt::format("{} {}: {}", option, text, parsed.error().message)};
    }
    const std::optional<Error>& error() const { return m_error; }

private:
    std::optional<Error> m_error;
};
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
}

Result<UnitCosts> unitCosts(const CostOptions& options)
{
    UnitCosts costs;
    CostReader reader;
    reader.read("--forward", options.forward, costs.forward);
    reader.read("--backward", options.backward, costs.backward);
    costs.inputGradient = costs.weightGradient = half(costs.backward);
    reader.read("--input-gradient", options.inputGradient, costs.inputGradient);
    reader.read("--weight-gradient", options.weightGradient, costs.weightGradient);
    reader.read("--p2p", options.p2p, costs.p2p);
    reader.read("--latency", options.latency, costs.latency);
    reader.read("--allreduce", options.allReduce, costs.allReduce);
    reader.read("--optimizer", options.optimizer, costs.optimizer);
    reader.read("--transfer", options.transfer, costs.transfer);
    reader.read("--recompute-cost", options.recompute, costs.recompute);
    if (reader.error())
        return tl::unexpected(*reader.error());
    if (options.backward.empty())
        costs.backward = sum(costs.inputGradient, costs.weightGradient);
    return costs;
}

std::string linkText(const CostOptions& options)
{
    const bool busy = options.p2p != "0", late = options.latency != "0";
    if (!busy && !late)
        return "free";
    return options.p2p + " units" + (late ? ", " + options.latency + " latency" : "");
}

void addSyncOption(CLI::App& app, SyncPolicy& policy, const char* group)
{
    app.add_option("--sync", policy,
                   "All-reduce when a stage is done, or after the last backward [eager]")
        ->type_name("eager|late")
        ->group(group)
        ->transform(choice<SyncPolicy>({{"eager", SyncPolicy::Eager}, {"late", SyncPolicy::Late}}));
}

} // namespace cli
