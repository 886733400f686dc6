#include "engine/schedules/request_fields.h"

#include <fmt/format.h>

namespace engine {
namespace {

constexpr double kMost = 1'000'000; // the scheme refuses less
constexpr double kMostCopies = 65535;

// --set key=value; TOML: a table of texts.
Field<ScheduleRequest> schemeOptions()
{
    return {{.flag = "--set",
             .table = "schedule",
             .key = "options",
             .group = "Schedule",
             .label = "Options of the scheme",
             .help = "Option of the scheme; repeat it for another option",
             .value = "KEY=VALUE",
             .kind = FieldKind::List},
            [](const ScheduleRequest& request) {
                std::string text;
                for (const auto& [key, value] : request.options)
                    text += fmt::format("{}{}={}", text.empty() ? "" : "\n", key, value);
                return text;
            },
            [](ScheduleRequest& request, std::string_view text) -> Result<void> {
                decltype(request.options) options;
                for (const std::string_view item : items(text)) {
                    const auto equals = item.find('=');
                    if (equals == 0 || equals == std::string_view::npos)
                        return fail(Error::Code::InvalidArgument,
                                    fmt::format("--set {} has no key and value; write --set "
                                                "key=value",
                                                item));
                    options[std::string(item.substr(0, equals))] = item.substr(equals + 1);
                }
                request.options = std::move(options);
                return {};
            }};
}

} // namespace

Fields<ScheduleRequest> requestFields()
{
    using Request = ScheduleRequest;
    static const std::vector<Field<Request>> kFields{
        field<Request>({.flag = "--scheme",
                        .table = "schedule",
                        .key = "scheme",
                        .group = "Schedule",
                        .label = "Scheme",
                        .help = "Pipeline scheme; bscope schemes lists them",
                        .value = "NAME",
                        .isEssential = true},
                       &Request::scheme),
        field<Request>({.flag = "-D,--devices",
                        .table = "schedule",
                        .key = "devices",
                        .group = "Schedule",
                        .label = "Devices D",
                        .help = "Pipeline devices",
                        .value = "D",
                        .least = 0,
                        .most = kMost,
                        .isEssential = true},
                       &Request::devices),
        field<Request>({.flag = "-N,--micro-batches",
                        .table = "schedule",
                        .key = "micro_batches",
                        .group = "Schedule",
                        .label = "Micro-batches N",
                        .help = "Micro-batches of an iteration, both directions together",
                        .value = "N",
                        .least = 0,
                        .most = kMost,
                        .isEssential = true},
                       &Request::microBatches),
        field<Request>({.flag = "--chunks",
                        .table = "schedule",
                        .key = "chunks",
                        .group = "Schedule",
                        .label = "Chunks v",
                        .help = "Chunks v per device and direction",
                        .value = "v",
                        .least = 0,
                        .most = kMost,
                        .usual = "the scheme's"},
                       &Request::chunks),
        schemeOptions(),
        field<Request>({.flag = "--data-parallel",
                        .table = "schedule",
                        .key = "data_parallel",
                        .group = "Schedule",
                        .label = "Data-parallel copies W",
                        .help = "Copies of the pipeline, each with N micro-batches of its own; "
                                "more than 1 adds all-reduces",
                        .value = "W",
                        .least = 1,
                        .most = kMostCopies},
                       &Request::dataParallel),
    };
    return kFields;
}

} // namespace engine
