#include "profiler/whatif/run_edits.h"

#include "engine/base/field.h"
#include "engine/base/text.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {

tl::unexpected<Error> refused(const std::string& reason)
{
    return fail(Error::Code::InvalidArgument, reason);
}

// Returns the name of a class of links, which is also its section in hardware files.
std::string_view linksName(LinkTier links)
{
    return links == LinkTier::InNode ? "node" : "network";
}

// Returns the fields by which an edit selects an op: all except peer and version.
auto nameOf(const Op& op)
{
    return std::tuple(op.kind, op.stage, op.microBatch, op.replica, op.slice);
}

std::optional<DeviceId> parseDevice(std::string_view text)
{
    const auto number = parseInteger<int>(text);
    return number && *number >= 0 ? std::optional(DeviceId{*number}) : std::nullopt;
}

// Parses the text in front of '=', which selects ops. Returns false if it is invalid.
bool parseSelection(std::string_view text, RunEdit& edit)
{
    for (const LinkTier links : {LinkTier::InNode, LinkTier::AcrossNodes})
        if (text == linksName(links)) {
            edit.links = links;
            return true;
        }
    const std::size_t colon = text.find(':'), dash = text.find('-');
    if (colon != std::string_view::npos) {
        edit.device = parseDevice(text.substr(0, colon));
        const auto kind = parseKindShortName(text.substr(colon + 1));
        if (kind)
            edit.kind = *kind;
        return edit.device && edit.kind;
    }
    if (dash != std::string_view::npos) {
        edit.device = parseDevice(text.substr(0, dash));
        edit.peer = parseDevice(text.substr(dash + 1));
        return edit.device && edit.peer;
    }
    edit.device = parseDevice(text);
    if (edit.device)
        return true;
    if (const auto kind = parseKindShortName(text)) {
        edit.kind = *kind;
        return true;
    }
    if (const auto op = parseOp(text)) {
        edit.op = *op;
        return true;
    }
    return false;
}

bool hasTransfer(const RunEdit& edit, const Schedule& schedule, std::span<const int> nodes)
{
    for (const DeviceId device : schedule.program.ids())
        for (const Op& op : schedule.program[device])
            if (isTransfer(op.kind) && edit.selects(op, device, otherDevice(schedule, op), nodes))
                return true;
    return false;
}

template<class Is>
bool hasOp(const Schedule& schedule, std::optional<DeviceId> device, Is is)
{
    for (const DeviceId d : schedule.program.ids())
        if ((!device || *device == d) && std::ranges::any_of(schedule.program[d], is))
            return true;
    return false;
}

} // namespace

bool RunEdit::selectsAs(const RunEdit& other) const
{
    if (op && other.op)
        return nameOf(*op) == nameOf(*other.op);
    if (peer && other.peer && device == other.peer && peer == other.device)
        return true;
    return op.has_value() == other.op.has_value() && kind == other.kind && device == other.device
        && peer == other.peer && links == other.links;
}

bool RunEdit::selects(const Op& one, DeviceId on, DeviceId to, std::span<const int> nodes) const
{
    if (op)
        return nameOf(*op) == nameOf(one);
    if (links) {
        const auto nodeOf = [&](DeviceId d) { return nodes[static_cast<std::size_t>(d.value)]; };
        const auto known = static_cast<int>(nodes.size());
        return isTransfer(one.kind) && std::max(on.value, to.value) < known
            && (nodeOf(on) == nodeOf(to)) == (*links == LinkTier::InNode);
    }
    if (peer)
        return isTransfer(one.kind)
            && ((on == *device && to == *peer) || (on == *peer && to == *device));
    if (device && *device != on)
        return false;
    return kind ? *kind == one.kind : isCompute(one.kind);
}

std::string toString(const RunEdit& edit)
{
    std::string selection;
    if (edit.op)
        selection = toString(*edit.op);
    else if (edit.links)
        selection = linksName(*edit.links);
    else if (edit.peer)
        selection = fmt::format("{}-{}", edit.device->value, edit.peer->value);
    else if (edit.device && edit.kind)
        selection = fmt::format("{}:{}", edit.device->value, kindShortName(*edit.kind));
    else
        selection = edit.device ? std::to_string(edit.device->value)
                                : std::string(kindShortName(*edit.kind));
    return selection + '=' + numberText(edit.factor);
}

Result<RunEdit> parseRunEdit(std::string_view text)
{
    const std::size_t equals = text.find('=');
    const auto factor
        = equals < text.size() ? parseNumber(text.substr(equals + 1)) : std::optional<double>();
    RunEdit edit;
    if (!factor || !parseSelection(text.substr(0, equals), edit))
        return refused(fmt::format("{}: give a device, a kind of op, both, an op, a link or all "
                                   "links, and a factor: 1=1.5, F=1.5, 1:F=1.5, 2F3=1.5, 0-1=1.5, "
                                   "node=1.5 or network=1.5",
                                   text));
    edit.factor = *factor;
    return edit;
}

Result<void> checkEdit(const RunEdit& edit, const Schedule& schedule, std::span<const int> nodes)
{
    if (!(edit.factor >= RunEdit::kLeastFactor && edit.factor <= RunEdit::kMostFactor))
        return refused(fmt::format("{} is not a slow-down factor; give one from {} to {}",
                                   numberText(edit.factor), RunEdit::kLeastFactor,
                                   RunEdit::kMostFactor));
    for (const auto& device : {edit.device, edit.peer})
        if (device && !schedule.program.has(*device))
            return refused(fmt::format("the run has no device {}; give a device from 0 to {}",
                                       device->value, schedule.program.size() - 1));
    if (edit.op
        && !hasOp(schedule, {}, [&](const Op& op) { return nameOf(op) == nameOf(*edit.op); }))
        return refused(fmt::format("the run has no op {}; give one of its ops, as in 2F3",
                                   toString(*edit.op)));
    if (edit.links && nodes.empty())
        return refused("the run does not name several nodes; slow a link between two devices, as "
                       "in 0-1=1.5");
    if (edit.links && !hasTransfer(edit, schedule, nodes))
        return refused(fmt::format("no message is sent {} nodes; slow other links",
                                   *edit.links == LinkTier::InNode ? "within" : "between"));
    if (edit.peer && !hasTransfer(edit, schedule, nodes))
        return refused(fmt::format("no message is sent between devices {} and {}; give two devices "
                                   "with neighbouring stages",
                                   edit.device->value, edit.peer->value));
    if (edit.kind
        && !hasOp(schedule, edit.device, [&](const Op& op) { return op.kind == *edit.kind; }))
        return refused(
            fmt::format("{} has no {}; give a kind of op that it has",
                        edit.device ? fmt::format("device {}", edit.device->value) : "the run",
                        kindShortName(*edit.kind)));
    return {};
}

double slowdownOf(std::span<const RunEdit> edits, std::span<const int> nodes,
                  const Schedule& schedule, const Op& op, DeviceId device)
{
    if (edits.empty())
        return 1;
    const DeviceId to = isTransfer(op.kind) ? otherDevice(schedule, op) : device;
    double factor = 1;
    for (const RunEdit& edit : edits)
        factor *= edit.selects(op, device, to, nodes) ? edit.factor : 1;
    return factor;
}

} // namespace profiler
