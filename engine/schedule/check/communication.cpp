#include "engine/schedule/check/communication.h"

#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

struct TransportNames
{
    std::string_view name, title;
};

constexpr EnumArray<TransportKind, TransportNames, kTransports> kTransportNames{{{
    {"blocking", "blocking send and receive"},
    {"fused", "fused exchange"},
    {"one-communicator", "one communicator"},
    {"per-kind", "separate communicators for activations and gradients"},
    {"tagged", "tags or credits"},
    {"nccl", "NCCL as in Bubblescope"},
}}};

TransportVerdict verdictOf(TransportKind transport, std::optional<TransportFault> fault)
{
    TransportVerdict verdict;
    verdict.transport = transport;
    if (!fault)
        return verdict;
    verdict.safe = false;
    verdict.device = fault->place.device;
    verdict.index = fault->place.index;
    verdict.op = fault->place.op;
    verdict.reason = std::move(fault->reason);
    return verdict;
}

std::size_t countSends(const Schedule& schedule)
{
    std::size_t count = 0;
    for (const auto& ops : schedule.program)
        count += std::ranges::count_if(ops, [](const Op& op) { return isSend(op.kind); });
    return count;
}

} // namespace

std::string_view transportName(TransportKind transport)
{
    return kTransportNames[transport].name;
}

std::string_view transportTitle(TransportKind transport)
{
    return kTransportNames[transport].title;
}

CommunicationReport checkCommunication(const Schedule& lowered)
{
    CommunicationReport report;
    report.messages = countSends(lowered);
    const auto order = findOrderFault(lowered, Communicators::One);
    // Order faults come first, because a wrong message goes unnoticed; a deadlock does not.
    auto fused = order ? order : findExchangeFault(lowered, Exchange::Fused);
    report.verdicts = {
        verdictOf(TransportKind::Blocking, findExchangeFault(lowered, Exchange::OneByOne)),
        verdictOf(TransportKind::Fused, std::move(fused)),
        verdictOf(TransportKind::OneCommunicator, order),
        verdictOf(TransportKind::PerKind, findOrderFault(lowered, Communicators::PerKind)),
        verdictOf(TransportKind::Tagged, std::nullopt),
        verdictOf(TransportKind::Nccl, findNcclFault(lowered)),
    };
    return report;
}

} // namespace engine
