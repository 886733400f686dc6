#include "app/cluster/prediction_dock.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QGridLayout>
#include <QPainter>
#include <QScrollArea>

#include <algorithm>
#include <ranges>
#include <vector>

namespace app {
namespace {

constexpr int kDockWidth = 290;

// The number of a step, in a filled square.
class StepNumber : public ThemedWidget
{
public:
    StepNumber(const ThemeController& theme, QString number)
        : ThemedWidget(theme)
        , m_number(std::move(number))
    {
        setFixedSize(24, 24);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Chrome& c = theme().chrome;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.primary);
        painter.drawRoundedRect(rect(), 4, 4);
        painter.setPen(c.primaryText);
        painter.setFont(uiFont(12, QFont::Medium));
        painter.drawText(rect(), Qt::AlignCenter, m_number);
    }

private:
    QString m_number;
};

std::vector<std::pair<QString, QString>> factsOf(const ClusterPrediction& prediction,
                                                 const ClusterPlan& plan)
{
    const profiler::RunMetrics& metrics = prediction.metrics;
    const Scale scale = timeScale(prediction.run->info, metrics.duration);
    std::vector<std::pair<QString, QString>> facts{
        {PredictionDock::tr("Iteration"), scale.withUnit(static_cast<double>(metrics.duration))},
        {PredictionDock::tr("Bubble"), percent(metrics.bubbleRatio)},
        {PredictionDock::tr("Exposed communication"),
         scale.withUnit(prediction.loads.exposed.sum())}};
    if (metrics.tokensPerSecond)
        facts.emplace_back(PredictionDock::tr("Tokens per second"),
                           number(*metrics.tokensPerSecond, 0));
    if (metrics.mfu)
        facts.emplace_back(PredictionDock::tr("MFU"), percent(*metrics.mfu));
    std::int64_t most = 0;
    for (const auto& device : metrics.devices)
        most = std::max(most, device.peakBytes.value_or(0));
    facts.emplace_back(PredictionDock::tr("Memory, fullest device"),
                       byteScale(most).withUnit(static_cast<double>(most)));
    const engine::HardwareSpec& hardware = prediction.hardware;
    facts.emplace_back(PredictionDock::tr("GPU, assumed"), fromUtf8(hardware.name));
    facts.emplace_back(plan.nodeLink ? PredictionDock::tr("Link in a node, measured")
                                     : PredictionDock::tr("Link in a node"),
                       linkText(hardware.node));
    facts.emplace_back(plan.networkLink ? PredictionDock::tr("Link between nodes, measured")
                                        : PredictionDock::tr("Link between nodes"),
                       linkText(hardware.network));
    return facts;
}

} // namespace

PredictionDock::PredictionDock(const ThemeController& theme, QAction* compare, QWidget* parent)
    : QWidget(parent)
    , m_facts(new QGridLayout)
    , m_none(makeLabel(tr("Choose the GPU of the cluster to predict its iteration and its memory."),
                       "secondary"))
{
    setFixedWidth(kDockWidth);
    m_none->setWordWrap(true);
    m_facts->setColumnStretch(0, 1);
    spaced(m_facts, {}, 8);
    auto* content = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(content), {12, 12, 12, 12}, 10, {m_none});
    column->addLayout(m_facts);
    column->addStretch();
    auto* button = makeButton(tr("Compare"), QStringLiteral("compareClusterButton"), "", compare);
    spaced(
        new QVBoxLayout(this), {}, 0,
        {makeBar(40, 8,
                 {makeLabel(tr("Prediction"), "dock"), new Tag(theme, tr("simulated")), kStretch}),
         makeLine(Qt::Horizontal),
         {makeScroll(content), 1},
         makeLine(Qt::Horizontal),
         makeBar(53, 8, {{button, 1}})});
}

void PredictionDock::show(const ClusterPrediction* prediction, const ClusterPlan& plan)
{
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    m_rows = 0;
    m_none->setVisible(prediction == nullptr);
    if (prediction == nullptr)
        return;
    for (const auto& [name, value] : factsOf(*prediction, plan))
        addFact(name, value);
    constexpr std::size_t kMostRows = 16;
    const auto rows = nodeRows(*prediction, plan.experiment.schedule.dataParallel);
    m_facts->addWidget(makeLabel(tr("Devices of each node"), "section"), m_rows++, 0, 1, 2);
    for (const NodeRow& row : rows | std::views::take(kMostRows))
        addFact(row.firstCopy == row.lastCopy
                    ? tr("Node %1, pipeline %2").arg(row.node).arg(row.firstCopy)
                    : tr("Node %1, pipelines %2 to %3")
                          .arg(row.node)
                          .arg(row.firstCopy)
                          .arg(row.lastCopy),
                row.devices);
    if (rows.size() > kMostRows)
        addFact(tr("and %1 more nodes").arg(rows.size() - kMostRows), {});
}

void PredictionDock::addFact(const QString& name, const QString& value)
{
    m_facts->addWidget(makeLabel(name, "small"), m_rows, 0);
    m_facts->addWidget(makeLabel(value, "dock"), m_rows++, 1, Qt::AlignRight);
}

QWidget* makeStep(const ThemeController& theme, const QString& title, QLabel* note,
                  QWidget* content)
{
    auto* part = new QWidget;
    auto* head = spaced(new QHBoxLayout, {}, 12,
                        {new StepNumber(theme, title.section(QLatin1Char(' '), 0, 0)),
                         makeLabel(title.section(QLatin1Char(' '), 1), "section"), kStretch, note});
    auto* body = spaced(new QHBoxLayout, {36, 0, 0, 0}, 0, {{content, 1}});
    spaced(new QVBoxLayout(part), {16, 16, 16, 16}, 14, {head, body});
    return part;
}

} // namespace app
