#include "app/run/progress_panel.h"

#include "app/run/loss_plot.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace app {

ProgressPanel::ProgressPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_iterations(new IterationsModel(this))
    , m_loss(new LossPlot(theme))
    , m_table(named(new DataTable(theme, 26), "iterationsTable", tr("Iterations")))
    , m_logLine(named(makeLabel({}, "small"), "lastLogLine"))
{
    m_table->setModel(m_iterations);
    m_logLine->setFont(codeFont(12));
    m_logLine->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* openLog = makeButton(tr("open log"), QStringLiteral("openLog"), "link");

    auto* columns = spaced(new QHBoxLayout, {}, 0,
                           {{makeLossColumn(), 576}, makeLine(Qt::Vertical), {m_table, 516}});
    auto* log = makeSurface("alt");
    log->setFixedHeight(24);
    spaced(new QHBoxLayout(log), {12, 0, 8, 0}, 8, {{m_logLine, 1}, openLog});
    spaced(new QVBoxLayout(this), {}, 0, {{columns, 1}, makeLine(Qt::Horizontal), log});

    connect(openLog, &QPushButton::clicked, this, &ProgressPanel::logRequested);
    connect(m_table, &QTableView::clicked, this,
            [this](const QModelIndex& index) { Q_EMIT iterationChosen(index.row()); });
    connect(m_iterations, &QAbstractItemModel::rowsInserted, m_table,
            &QAbstractItemView::scrollToBottom);
}

QWidget* ProgressPanel::makeLossColumn()
{
    auto* head = spaced(
        new QHBoxLayout, {12, 6, 12, 0}, 8,
        {makeLabel(tr("Loss"), "dock"),
         makeLabel(tr("nats per token; dots are micro-batches, the line is the mean"), "hint"),
         kStretch});
    auto* loss = makeSurface("plain");
    spaced(new QVBoxLayout(loss), {}, 0, {head, {m_loss, 1}});
    return loss;
}

void ProgressPanel::showLoss(const engine::Run& run)
{
    m_loss->show(lossSeries(run));
}

void ProgressPanel::showLogLine(const QString& line)
{
    m_logLine->setText(line);
    m_logLine->setToolTip(line);
}

} // namespace app
