#include "profiler/study/reproduce.h"

#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/text/output.h"
#include "app/cli/text/table.h"
#include "engine/base/try.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;
using nlohmann::ordered_json;

namespace {
struct ReproduceOptions
{
    std::string paper;
    bool json = false;
};

std::string asText(const std::vector<Reproduced>& rows)
{
    Table table({{"what", Table::Align::Left},
                 {"published"},
                 {"computed"},
                 {"tolerance"},
                 {"within", Table::Align::Left},
                 {"grade", Table::Align::Left},
                 {"mapping", Table::Align::Left}});
    for (const Reproduced& row : rows)
        table.add({row.what, fmt::format("{:.4g}", row.published),
                   fmt::format("{:.4g}", row.computed), fmt::format("{:.3g}", row.tolerance),
                   row.isWithin() ? "yes" : "no", row.grade,
                   row.mapping.empty() ? "-" : row.mapping});
    std::string text = table.text() + "\n";
    for (const Reproduced& row : rows)
        if (!row.isWithin())
            text += fmt::format("outside: {}. {}\n", row.what,
                                row.cause.empty() ? "The cause is unknown." : row.cause);
    return text
        + fmt::format("{} of {} numbers are within their tolerance\n",
                      std::ranges::count_if(rows, &Reproduced::isWithin), rows.size());
}

std::string asJson(const ReproduceOptions& options, const std::vector<Reproduced>& rows)
{
    ordered_json all = ordered_json::array();
    for (const Reproduced& row : rows)
        all.push_back(
            {{"what", row.what},
             {"published", row.published},
             {"computed", row.computed},
             {"tolerance", row.tolerance},
             {"within", row.isWithin()},
             {"grade", row.grade},
             {"mapping", row.mapping.empty() ? ordered_json() : ordered_json(row.mapping)},
             {"cause", row.cause.empty() ? ordered_json() : ordered_json(row.cause)}});
    return jsonText({{"paper", options.paper}, {"rows", all}});
}

Result<int> print(const ReproduceOptions& options)
{
    const auto rows = TRY(reproduce(options.paper == "bitpipe" ? Paper::BitPipe : Paper::Bpipe));
    printText(options.json ? asJson(options, rows) : asText(rows));
    return 0;
}
} // namespace

Action prepareReproduce(CLI::App& app)
{
    const auto options = std::make_shared<ReproduceOptions>();
    app.add_option("PAPER", options->paper,
                   "bitpipe (arXiv 2410.19367), or bpipe (arXiv 2401.02088 and 2205.05198)")
        ->required()
        ->check(oneOf({"bitpipe", "bpipe"}));
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
