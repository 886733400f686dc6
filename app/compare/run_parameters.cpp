#include "app/compare/run_parameters.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/analysis/compare.h"

#include <QDialog>
#include <QHeaderView>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <set>

namespace app {
namespace {

using engine::Experiment;

const QString kNotStated = QStringLiteral("–");

// Experiment fields that are not listed, because the settings of a run already state them or
// because they do not change what runs.
const std::set<std::string, std::less<>> kCovered{
    "--scheme", "--schedule", "--devices",   "--micro-batches", "--chunks", "--data-parallel",
    "--mode",   "--model",    "--precision", "--transport",     "--trace",  "--nvtx"};

QString valueText(const std::string& value)
{
    return value.empty() ? kNotStated : fromUtf8(value);
}

void addSettings(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                 std::vector<RunParameter>& parameters)
{
    parameters.push_back({QStringLiteral("scheme"), {}});
    for (const auto& run : runs) {
        parameters.front().values << valueText(
            schemeTitle(fromUtf8(run->info.scheme)).toStdString());
        std::size_t place = 1;
        for (const auto& [title, value] : profiler::settingsOf(*run)) {
            if (title.starts_with('-'))
                continue; // titles with a dash are options, which addExperiments() adds
            if (place == parameters.size())
                parameters.push_back({fromUtf8(title), {}});
            parameters[place++].values << valueText(value);
        }
    }
}

// A run without an experiment has kNotStated for each of these settings.
void addExperiments(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                    std::vector<RunParameter>& parameters)
{
    std::vector<std::optional<Experiment>> experiments;
    for (const auto& run : runs) {
        auto experiment = engine::experimentFromToml(run->info.experiment);
        experiments.push_back(!run->info.experiment.empty() && experiment
                                  ? std::optional(std::move(*experiment))
                                  : std::nullopt);
    }
    for (const auto& field : engine::experimentFields()) {
        if (field.flag.empty() || kCovered.contains(field.longFlag()))
            continue;
        RunParameter parameter{uncapitalized(fromUtf8(field.label)), {}};
        bool isStated = false;
        for (const auto& experiment : experiments) {
            const std::string value = experiment ? field.get(*experiment) : std::string();
            isStated = isStated || !value.empty();
            parameter.values << valueText(value);
        }
        if (isStated)
            parameters.push_back(std::move(parameter));
    }
}

// "1 (14 runs), 2 (13 runs)"
QString countedValues(const RunParameter& parameter)
{
    std::map<QString, int> counts;
    for (const QString& value : parameter.values)
        ++counts[value];
    QStringList parts;
    for (const auto& [value, count] : counts)
        parts << QStringLiteral("%1 (%2)").arg(value, countOf(count, "run"));
    return parts.join(QStringLiteral(", "));
}

} // namespace

bool RunParameter::contradicts() const
{
    QStringList stated = values;
    stated.removeAll(kNotStated);
    stated.removeDuplicates();
    return stated.size() > 1;
}

std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    std::vector<RunParameter> parameters;
    if (runs.empty())
        return parameters;
    addSettings(runs, parameters);
    addExperiments(runs, parameters);
    std::ranges::stable_partition(parameters,
                                  [](const RunParameter& one) { return !one.isSame(); });
    return parameters;
}

QString sameText(const std::vector<RunParameter>& parameters)
{
    // The settings that the text can name. The flag states whether the value follows the name.
    static const std::vector<std::pair<QString, bool>> kNamed{
        {QStringLiteral("scheme"), true}, {QStringLiteral("model"), true},
        {QStringLiteral("D"), true},      {QStringLiteral("N"), true},
        {QStringLiteral("v"), true},      {QStringLiteral("hardware"), false},
        {QStringLiteral("link"), false},  {QStringLiteral("seed"), false}};
    QStringList parts;
    for (const auto& [name, hasValue] : kNamed) {
        const auto found = std::ranges::find(parameters, name, &RunParameter::name);
        if (found == parameters.end() || !found->isSame() || found->values.value(0) == kNotStated)
            continue;
        parts << (hasValue ? QStringLiteral("%1 %2").arg(name, found->values.value(0)) : name);
    }
    return parts.join(QStringLiteral(", "));
}

QString differsText(const std::vector<RunParameter>& parameters)
{
    QStringList parts;
    for (const RunParameter& parameter : parameters)
        if (parameter.contradicts())
            parts << withoutUnit(parameter.name);
    return parts.join(QStringLiteral(", "));
}

std::vector<TableColumn<RunParameter>> parameterColumns(const QStringList& titles)
{
    using Column = TableColumn<RunParameter>;
    const auto eachRun = [titles](const RunParameter& parameter) {
        QStringList lines;
        for (qsizetype run = 0; run < titles.size() && !parameter.isSame(); ++run)
            lines << QStringLiteral("%1: %2").arg(titles[run], parameter.values.value(run));
        return lines.isEmpty() ? QVariant() : lines.join(QLatin1Char('\n'));
    };
    const auto equality = [](const RunParameter& one) {
        return one.isSame() ? QStringLiteral("same") : QStringLiteral("differs");
    };
    const auto value = [](const RunParameter& one) {
        return one.isSame() ? one.values.value(0) : countedValues(one);
    };
    return {Column(QStringLiteral("Parameter"), &RunParameter::name, Qt::AlignLeft)
                .with(kStrongRole, [](const RunParameter& one) { return !one.isSame(); }),
            Column(QStringLiteral("Across runs"), equality, Qt::AlignLeft),
            Column(QStringLiteral("Value"), value, Qt::AlignLeft).with(Qt::ToolTipRole, eachRun)};
}

namespace {

constexpr int kRow = 26, kValuePadding = 9;
constexpr int kValue = 2; // column

// Wraps long values instead of eliding them, because they often differ only at their ends.
class ValueDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Chrome& chrome = theme().chrome;
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, chrome.selected);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                          chrome.grid);
        painter->setFont(uiFont(12));
        painter->setPen(chrome.text);
        painter->drawText(option.rect.adjusted(kValuePadding, 0, -kValuePadding, 0),
                          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                          index.data().toString());
        painter->restore();
    }
};

// Makes every row high enough for its wrapped value.
void fitHeights(DataTable& table)
{
    const QFontMetrics metrics(uiFont(12));
    const QRect room(0, 0, table.columnWidth(kValue) - 2 * kValuePadding, 10000);
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QString value = table.model()->index(row, kValue).data().toString();
        const int height = metrics.boundingRect(room, Qt::TextWordWrap, value).height();
        table.setRowHeight(row, std::max(kRow, height + kRow - metrics.height()));
    }
}

} // namespace

QDialog* makeParametersDialog(const ThemeController& theme, std::vector<RunParameter> parameters,
                              const QStringList& titles, QWidget* parent)
{
    auto* dialog = named(new QDialog(parent), "parametersDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QDialog::tr("Parameters of the compared runs"));
    auto* model = new TableModel<RunParameter>(dialog);
    model->reset(parameterColumns(titles), std::move(parameters));
    auto* table = named(new DataTable(theme, kRow), "parametersTable", dialog->windowTitle());
    table->setModel(model);
    table->setRestColumn(kValue);
    table->setItemDelegateForColumn(kValue, new ValueDelegate(theme, table));
    QObject::connect(table->horizontalHeader(), &QHeaderView::sectionResized, table,
                     [table] { fitHeights(*table); });
    QPushButton* close
        = makeButton(QDialog::tr("Close"), QStringLiteral("closeParameters"), "primary");
    QObject::connect(close, &QPushButton::clicked, dialog, &QDialog::accept);
    spaced(new QVBoxLayout(dialog), {}, 0)
        ->addWidget(makeLined({{table, 1}, makeFoot({kStretch, close})}));
    dialog->resize(760, 620);
    fitToScreen(*dialog);
    return dialog;
}

} // namespace app
