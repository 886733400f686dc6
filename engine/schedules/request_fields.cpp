#include "engine/base/try.h"
#include "engine/schedules/scheme.h"

#include <fmt/format.h>

namespace engine {
namespace {

using Request = ScheduleRequest;

constexpr std::string_view kTable = "schedule", kGroup = "Schedule";

// --set key=value, or a table of strings in TOML.
Field<Request> schemeOptions()
{
    FieldFacts facts = option(kTable, "--set", "Options of the scheme",
                              "Option of the scheme; repeat for other options", "KEY=VALUE");
    facts.key = "options";
    facts.kind = FieldKind::List;
    return {std::move(facts),
            [](const Request& request) {
                std::string text;
                for (const auto& [key, value] : request.options)
                    text += fmt::format("{}{}={}", text.empty() ? "" : "\n", key, value);
                return text;
            },
            [](Request& request, std::string_view text) -> Result<void> {
                decltype(request.options) options;
                const auto all = TRY(itemsByKey("--set", text));
                for (const std::string_view item : all) {
                    const auto equals = item.find('=');
                    if (equals == 0 || equals == std::string_view::npos)
                        return invalid("--set {} has no key and value; write --set "
                                       "key=value",
                                       item);
                    options[std::string(item.substr(0, equals))] = item.substr(equals + 1);
                }
                request.options = std::move(options);
                return {};
            }};
}

} // namespace

Fields<ScheduleRequest> requestFields()
{
    static const std::vector<Field<Request>> kFields = [] {
        // The scheme or the memory may allow fewer.
        constexpr double kMost = 1'000'000, kMostCopies = 65535;
        std::vector<Field<Request>> fields;
        const auto add = [&](const FieldFacts& facts, auto member) {
            fields.push_back(field<Request>(facts, member));
        };
        add(option(kTable, "--scheme", "Scheme", "Pipeline scheme; bscope schemes lists them",
                   "NAME")
                .essential(),
            &Request::scheme);
        add(option(kTable, "-D,--devices", "Devices D", "Pipeline devices", "D")
                .between(1, kMaxDevices)
                .essential(),
            &Request::devices);
        add(option(kTable, "-N,--micro-batches", "Micro-batches N",
                   "Micro-batches of an iteration, both directions together", "N")
                .between(1, kMost)
                .essential(),
            &Request::microBatches);
        add(option(kTable, "--chunks", "Chunks v", "Chunks v per device and direction", "v")
                .between(0, kMost)
                .withDefault("the scheme's"),
            &Request::chunks);
        fields.push_back(schemeOptions());
        add(option(kTable, "--data-parallel", "Data-parallel copies W",
                   "Data-parallel copies of the pipeline, each with N micro-batches; more than 1 "
                   "adds all-reduces",
                   "W")
                .between(1, kMostCopies),
            &Request::dataParallel);
        // Mapping::of(), which knows the nodes, checks the text.
        add(option(kTable, "--mapping", "Mapping",
                   "Devices on nodes. contiguous: in sequence; replicas-together: those of an "
                   "all-reduce in one node; pair-adjacent: devices d and D-1-d side by side; or a "
                   "file",
                   "{contiguous,replicas-together,pair-adjacent}|FILE.toml"),
            &Request::mapping);
        for (Field<Request>& each : fields)
            each.group = kGroup;
        return fields;
    }();
    return kFields;
}

} // namespace engine
