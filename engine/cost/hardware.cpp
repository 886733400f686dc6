#include "engine/cost/hardware.h"

#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kHardware{"hardware/"};
constexpr double kGiga = 1e9, kTera = 1e12, kMicro = 1e-6, kGibi = 1 << 30;

using H = HardwareSpec;

// A number that the file states in multiples of `unit`. `memberOf` returns a reference to it.
template<class MemberOf>
Field<H> number(std::string_view table, std::string_view key, double least, double most,
                double unit, MemberOf memberOf)
{
    FieldFacts facts = inFileOnly(table, key).between(least, most);
    facts.kind = FieldKind::Real;
    return {std::move(facts),
            [=](const H& hardware) { // rounded to five digits
                return numberText(*parseNumber(fmt::format("{:.5g}", memberOf(hardware) / unit)));
            },
            [=](H& hardware, std::string_view text) -> Result<void> {
                memberOf(hardware) = parseNumber(text).value_or(0) * unit;
                return {};
            }};
}

Field<H> number(std::string_view table, std::string_view key, double least, double most,
                double unit, double H::*member)
{
    return number(
        table, key, least, most,
        unit, [member](auto& hardware) -> auto& { return hardware.*member; });
}

Fields<H> hardwareFields()
{
    static const std::vector<Field<H>> kFields = [] {
        // A number above these is in another unit: MiB, GFLOP/s or bytes.
        constexpr double kMostTeraflops = 1e5, kMostGib = 65536, kMostRate = 1e6;
        constexpr double kMostDevices = 65535, kMostOversubscription = 1e3;
        std::vector<Field<H>> fields{
            field<H>(inFileOnly("", "name"), &H::name),
            number("", "teraflops", 0.001, kMostTeraflops, kTera, &H::peakFlops),
            number("", "memory_gib", 0.001, kMostGib, kGibi, &H::memory),
            number("", "memory_gb_per_second", 0.001, kMostRate, kGiga, &H::memoryBandwidth),
            field<H>(inFileOnly("", "devices_per_node").between(1, kMostDevices),
                     &H::devicesPerNode),
            field<H>(inFileOnly("", "nodes").between(0, kMostDevices), &H::nodes),
            field<H>(inFileOnly("island", "devices").between(0, kMostDevices), &H::islandDevices),
            number("node", "oversubscription", 1, kMostOversubscription, 1,
                   &H::nodeOversubscription),
            number("network", "oversubscription", 1, kMostOversubscription, 1,
                   &H::networkOversubscription),
            field<H>(inFileOnly("network", "nics_per_node").between(0, kMostDevices),
                     &H::nicsPerNode),
            {inFileOnly("network", "all_reduce").oneOf({"ring", "hierarchical"}),
             [](const H& h) { return h.hierarchicalAllReduce ? "hierarchical" : "ring"; },
             [](H& h, std::string_view text) -> Result<void> {
                 h.hierarchicalAllReduce = text == "hierarchical";
                 return {};
             }},
            number("reached", "matmul", 0.001, 1, 1, &H::matmulShare),
            number("reached", "memory", 0.001, 1, 1, &H::memoryShare),
            number("reached", "link", 0.001, 1, 1, &H::linkShare),
            number("reached", "kernel_microseconds", 0, 1e6, kMicro, &H::kernelLaunch)};
        for (const auto& [table, link] : {std::pair("node", &H::node),
                                          {"network", &H::network},
                                          {"island", &H::island},
                                          {"host", &H::host}}) {
            const auto bandwidth = [of = link](auto& h) -> auto&
            {
                return (h.*of).bandwidth;
            };
            const auto latency = [of = link](auto& h) -> auto&
            {
                return (h.*of).latency;
            };
            const double least = link == &H::host ? 0 : 0.001;
            fields.push_back(number(table, "gb_per_second", least, 1e6, kGiga, bandwidth));
            fields.push_back(number(table, "microseconds", 0, 1e6, kMicro, latency));
        }
        return fields;
    }();
    return kFields;
}

} // namespace

double ringAllReduce(const LinkSpec& link, int ranks, double bytes)
{
    return 2.0 * (ranks - 1) * link.time(bytes / ranks);
}

double hierarchicalAllReduce(const LinkSpec& node, const LinkSpec& network, const StageGroup& group,
                             double bytes)
{
    return ringAllReduce(node, group.most, bytes)
        + ringAllReduce(network, group.nodes, bytes / group.fewest);
}

NodeShape nodeShape(const HardwareSpec& hardware, int tensorParallel)
{
    return {std::max(1, hardware.devicesPerNode / tensorParallel), hardware.nodes,
            hardware.islandDevices / tensorParallel};
}

LinkSharing linkSharing(const HardwareSpec& hardware, int tensorParallel)
{
    return {tensorParallel,
            hardware.devicesPerNode,
            hardware.nicsPerNode,
            hardware.nodeOversubscription,
            hardware.networkOversubscription,
            hardware.hierarchicalAllReduce,
            hardware.network.bandwidth / hardware.node.bandwidth};
}

Result<HardwareSpec> loadHardware(std::string_view nameOrFile)
{
    const auto table = TRY(SpecFile::open(kHardware, nameOrFile, "hardware"));
    TRY(SpecFile::need(table, {"teraflops", "memory_gib", "memory_gb_per_second"}, nameOrFile));
    HardwareSpec hardware;
    hardware.name = nameOrFile;
    hardware.node = {3 * kMicro, 300 * kGiga};
    hardware.network = {10 * kMicro, 25 * kGiga};
    TRY(readSpec(hardwareFields(), table, nameOrFile, hardware));
    if (!table.at_path("island.gb_per_second"))
        hardware.island.bandwidth = hardware.node.bandwidth;
    if (!table.at_path("island.microseconds"))
        hardware.island.latency = hardware.node.latency;
    for (const auto& [key, count] : {std::pair("island.devices", hardware.islandDevices),
                                     {"network.nics_per_node", hardware.nicsPerNode}})
        if (count > hardware.devicesPerNode)
            return invalid("{}: {} must be at most devices_per_node", nameOrFile, key);
    return hardware;
}

std::vector<std::string> hardwareNames()
{
    return SpecFile::names(kHardware);
}

std::string hardwareToml(const HardwareSpec& hardware)
{
    toml::table table;
    insertFields(hardwareFields(), hardware, table);
    return tomlText(table);
}

} // namespace engine
