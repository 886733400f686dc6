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

constexpr std::array kReproduced{
    Measure(column("what"), Of<&R::what>()),
    Measure(column("conditions"), Of<&R::conditions>()),
    Measure(column("published"), Of<&R::published>()),
    Measure(column("computed"), Of<&R::computed>()),
    Measure(column("deviation", "deviation", Unit::Change), Of<&R::deviation>()),
    Measure(column("tolerance"), Of<&R::tolerance>()),
    Measure(column("within"), Of<&R::isWithin>()),
    Measure(column("grade"), Of<&R::grade>()),
    Measure(column("mapping"), [](const R& r) { return textOrUnknown(r.mapping); }),
    Measure(column("cause"), [](const R& r) { return textOrUnknown(r.cause); }),
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
