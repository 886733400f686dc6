#include "app/models/text.h"
#include "app/pages/setup_page.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/setup/scheme_list.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

#include <utility>

// The table of all schemes with the form's numbers, and the actions on its rows.
namespace app {

PredictionRequest SetupPage::requestOf(const engine::Scheme& scheme) const
{
    PredictionRequest request = plan().request();
    request.scheduleFile.clear();
    if (scheme.name != request.schedule.scheme) {
        request.schedule.scheme = scheme.name;
        request.schedule.chunks = 0;
        request.schedule.options.clear();
        request.schedule = alike(request.source, request.schedule);
    }
    return request;
}

// Every scheme at this D, N and cost. All except the chosen one have default options.
void SetupPage::predictTable()
{
    const PredictionRequest chosen = plan().request();
    std::vector<SchemeTableModel::Row> rows;
    std::vector<PredictionRequest> requests;
    for (const engine::Scheme& scheme : engine::schemes()) {
        const PredictionRequest request = requestOf(scheme);
        const auto possible = engine::checkRequest(request.schedule);
        rows.push_back({fromUtf8(scheme.name),
                        shortTitle(fromUtf8(scheme.title)),
                        possible ? QString() : fromUtf8(possible.error().message),
                        {}});
        if (possible)
            requests.push_back(request);
    }
    const QString name = QString::fromStdString(chosen.schedule.scheme);
    m_arrived.clear();
    m_table->setRows(std::move(rows));
    m_tableView->setColumnHidden(static_cast<int>(SchemeTableModel::Column::Memory),
                                 chosen.source.kind != CostSource::Kind::Hardware);
    m_table->setChosen(name);
    m_tableTitle->setText(tr("Schemes at D = %1, N = %2")
                              .arg(chosen.schedule.devices)
                              .arg(chosen.schedule.microBatches));
    for (const PredictionRequest& request : requests)
        m_tablePredictor.ask(QString::fromStdString(request.schedule.scheme), request);
    m_showCards.start();
    // Not the current row, because the table would scroll to it.
    if (markedSchemes().size() > 1)
        return; // set by the user
    m_tableView->selectionModel()->select(m_table->index(m_table->rowOf(name), 0),
                                          QItemSelectionModel::ClearAndSelect
                                              | QItemSelectionModel::Rows);
}

// Shows the results since the last update together, instead of repainting for each of them.
void SetupPage::showArrived()
{
    m_table->answer(std::exchange(m_arrived, {}));
    m_schemes->showRows(*m_table);
}

QStringList SetupPage::markedSchemes() const
{
    QStringList schemes;
    for (const QModelIndex& row : m_tableView->selectionModel()->selectedRows())
        schemes.append(m_table->at(row.row()).scheme);
    return schemes;
}

void SetupPage::showMarked()
{
    const auto count = markedSchemes().size();
    m_runMarked->setVisible(count > 1 && plan().experiment.mode != engine::Mode::Simulate);
    m_runMarked->setText(tr("Run %1 schemes").arg(count));
}

// Skips schemes that cannot be trained, and lists them.
void SetupPage::runMarked()
{
    QList<QStringList> all;
    QStringList refused;
    for (const QString& name : markedSchemes()) {
        RunPlan one = plan();
        const PredictionRequest request = requestOf(*engine::findScheme(name.toStdString()));
        one.experiment.schedule = request.schedule;
        one.experiment.scheduleFile.clear();
        const auto prepared = prepare(request);
        if (prepared && prepared->violations.empty()
            && planProblem(one, prepared->lowered).isEmpty()
            && machineProblem(one, m_here).isEmpty())
            all.append(runOptions(one));
        else
            refused.append(name);
    }
    if (!refused.isEmpty())
        m_verdict->show(Band::Kind::Warning, tr("Not all can run."),
                        tr("Skipped: %1. Choose one of them to see the reason.")
                            .arg(refused.join(QStringLiteral(", "))));
    if (!all.isEmpty())
        Q_EMIT startAllRequested(all);
}

void SetupPage::copyTable()
{
    QGuiApplication::clipboard()->setText(m_table->csv());
    m_verdict->show(Band::Kind::Ok, tr("Copied."),
                    tr("The table of %1 schemes, as it is sorted.").arg(m_table->rowCount()));
}

} // namespace app
