#include "app/documents/iterations_model.h"

#include "profiler/analysis/metrics.h"

namespace app {
namespace {

using engine::Iteration;

QString nameOf(Iteration::Kind kind, int number)
{
    if (kind == Iteration::Kind::Replay)
        return IterationsModel::tr("typical ops");
    return kind == Iteration::Kind::Warmup ? IterationsModel::tr("warm-up %1").arg(number)
                                           : QString::number(number);
}

} // namespace

std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first)
{
    std::vector<IterationRow> rows;
    for (std::size_t i = first; i < run.timeline.iterations.size(); ++i) {
        const engine::Iteration& iteration = run.timeline.iterations[i];
        IterationRow row{iteration.kind,
                         iteration.number,
                         iteration.window.duration(),
                         0,
                         iteration.loss,
                         iteration.gradientNorm,
                         {}};
        if (const auto metrics = profiler::metrics(run, static_cast<int>(i))) {
            row.bubbleRatio = metrics->bubbleRatio;
            row.tokensPerSecond = metrics->tokensPerSecond;
        }
        rows.push_back(row);
    }
    return rows;
}

QString iterationName(const engine::Timeline& timeline, int iteration)
{
    if (iteration < 0 || iteration >= static_cast<int>(timeline.iterations.size()))
        return {};
    const engine::Iteration& chosen = timeline.iterations[static_cast<std::size_t>(iteration)];
    return nameOf(chosen.kind, chosen.number);
}

IterationsModel::IterationsModel(QObject* parent)
    : TableModel(parent)
{
    clear();
}

void IterationsModel::update(const engine::RunInfo& info, std::size_t first,
                             std::vector<IterationRow> rows)
{
    if (rows.empty() || first > this->rows().size())
        return;
    m_time = timeScale(info, rows.front().duration);
    TableModel::update(first, std::move(rows));
    describe(columns());
}

IterationsModel::Columns IterationsModel::columns() const
{
    using Row = IterationRow;
    const auto optional = [](const QString& title, std::optional<double> Row::*value, int decimals,
                             double unit = 1) {
        return TableColumn<Row>(title, [=](const Row& row) {
            const auto& known = row.*value;
            return known ? number(*known / unit, decimals) : QStringLiteral("–");
        });
    };
    Columns columns = {
        {tr("Iteration"), [](const Row& row) { return nameOf(row.kind, row.number); },
         Qt::AlignLeft},
        {{QStringLiteral("%1"), m_time},
         [this](const Row& row) { return m_time.text(static_cast<double>(row.duration)); }},
        {tr("Bubble, %"), [](const Row& row) { return number(row.bubbleRatio * 100, 1); }},
        optional(tr("Loss"), &Row::loss, 2),
        optional(tr("Gradient norm"), &Row::gradientNorm, 3),
        optional(tr("k tokens/s"), &Row::tokensPerSecond, 1, 1000),
    };
    for (auto& column : columns)
        column.with(kHintRole, [](const Row& row) { return row.kind == Iteration::Kind::Warmup; })
            .with(kStrongRole, [](const Row& row) { return row.kind == Iteration::Kind::Replay; });
    return columns;
}

} // namespace app
