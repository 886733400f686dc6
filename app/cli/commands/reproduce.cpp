#include "profiler/study/reproduce.h"

#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct ReproduceOptions
{
    std::string paper;
    bool json = false;
};

using R = Reproduced;

constexpr MeasureInfo number(std::string_view key)
{
    return {key, key, Unit::None, kColumn};
}

constexpr std::array kReproduced{
    Measure<R>({"what", "what", Unit::None, kColumn}, Of<&R::what>()),
    Measure<R>({"conditions", "conditions", Unit::None, kColumn}, Of<&R::conditions>()),
    Measure<R>(number("published"), Of<&R::published>()),
    Measure<R>(number("computed"), Of<&R::computed>()),
    Measure<R>({"deviation", "deviation", Unit::Change, kColumn}, Of<&R::deviation>()),
    Measure<R>(number("tolerance"), Of<&R::tolerance>()),
    Measure<R>({"within", "within", Unit::None, kColumn}, Of<&R::isWithin>()),
    Measure<R>({"grade", "grade", Unit::None, kColumn}, Of<&R::grade>()),
    Measure<R>({"mapping", "mapping", Unit::None, kColumn},
               [](const R& r) { return textOrUnknown(r.mapping); }),
    Measure<R>({"cause", "cause", Unit::None, kColumn},
               [](const R& r) { return textOrUnknown(r.cause); }),
};

Result<int> print(const ReproduceOptions& options)
{
    const auto [answers, rows]
        = TRY(reproduce(options.paper == "bitpipe" ? Paper::BitPipe : Paper::Bpipe));
    Sheet sheet;
    sheet.data("paper", options.paper);
    sheet.data("answers", Reading::List(answers.begin(), answers.end()));
    for (const std::string& answer : answers)
        sheet.sentence(answer + ".");
    sheet.table(Table(kReproduced, rows), "rows");
    sheet.sentence(fmt::format("{} of {} numbers are within their tolerance",
                               std::ranges::count_if(rows, &Reproduced::isWithin), rows.size()));
    cli::print(sheet, options.json);
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
