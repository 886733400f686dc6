#include "app/import/rules_preview_model.h"

#include "app/ui/numbers.h"

#include <algorithm>

namespace app {
namespace {

using engine::ImportReport;

double shareOf(const ImportReport& report, std::int64_t time)
{
    return report.time > 0 ? static_cast<double>(time) / static_cast<double>(report.time) : 0;
}

} // namespace

RulesPreviewModel::RulesPreviewModel(QObject* parent)
    : TableModel(parent)
{ }

void RulesPreviewModel::show(const ImportReport& before, const std::optional<ImportReport>& after)
{
    std::vector<RulePreviewRow> rows;
    const auto rowOf = [&](const ImportReport::Rule& rule) -> RulePreviewRow& {
        const QString name = QString::fromStdString(rule.name);
        const auto known = std::ranges::find(rows, name, &RulePreviewRow::name);
        if (known != rows.end())
            return *known;
        return rows.emplace_back(RulePreviewRow{name, QString::fromStdString(rule.title), 0, 0, 0});
    };
    const ImportReport& last = after ? *after : before;
    for (const ImportReport::Rule& rule : last.rules) {
        RulePreviewRow& row = rowOf(rule);
        row.after = shareOf(last, rule.time);
        row.matches = rule.matches;
    }
    for (const ImportReport::Rule& rule : before.rules)
        rowOf(rule).before = shareOf(before, rule.time);
    rows.push_back({{}, tr("No rule matches"), 1 - before.classified(), 1 - last.classified(), 0});
    using Column = TableColumn<RulePreviewRow>;
    const auto change = [](const RulePreviewRow& row) {
        const QString text = signedNumber(100 * (row.after - row.before), 1);
        return text == QStringLiteral("0") ? QVariant(QString()) : QVariant(text);
    };
    const auto verdict = [](const RulePreviewRow& row) {
        const bool isRest = row.name.isEmpty();
        return QVariant(static_cast<int>(!isRest                      ? Verdict::Neutral
                                             : row.after < row.before ? Verdict::Better
                                                                      : Verdict::Worse));
    };
    reset(
        {Column(
             tr("Rule"),
             [](const RulePreviewRow& row) {
                 return row.name.isEmpty() ? tr("unclassified") : row.name;
             },
             Qt::AlignLeft)
             .with(kHintRole,
                   [](const RulePreviewRow& row) { return QVariant(row.name.isEmpty()); })
             .with(Qt::ToolTipRole, [](const RulePreviewRow& row) { return QVariant(row.title); }),
         Column(tr("Matches"),
                [](const RulePreviewRow& row) {
                    return row.name.isEmpty() ? QString()
                                              : number(static_cast<double>(row.matches), 0);
                }),
         Column(tr("Before, %"),
                [](const RulePreviewRow& row) { return number(100 * row.before, 1); }),
         Column(tr("After, %"),
                [](const RulePreviewRow& row) { return number(100 * row.after, 1); })
             .with(kDifferenceRole, change)
             .with(kVerdictRole, verdict)},
        std::move(rows));
}

} // namespace app
