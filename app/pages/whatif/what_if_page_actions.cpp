#include "app/models/text.h"
#include "app/pages/whatif/what_if_page.h"
#include "app/widgets/compare/compare_widget.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/whatif/what_if_form.h"
#include "engine/schedules/scheme.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>

#include <utility>

// The actions of the what-if page.

namespace app {
namespace {

constexpr double kStep = 1.05; // of the duration of an op, by key

} // namespace

void WhatIfPage::makeActions()
{
    m_actions.open = makeAction("openPrediction", tr("Save as prediction"),
                                Qt::CTRL | Qt::Key_Return, [this] { openPrediction(); });
    m_actions.open->setToolTip(
        tr("Writes the prediction as a simulated run and opens it (Ctrl+Return)"));
    m_actions.copy = makeAction("copyWhatIf", tr("Copy as command"), {}, [this] { copyCommand(); });
    m_actions.copy->setToolTip(tr("Copies the bscope whatif command with these changes"));
    m_actions.exportFigure
        = makeAction("exportFigure", tr("Export figure"), Qt::CTRL | Qt::Key_E, [this] {
              Q_EMIT exportRequested({m_run, m_details.run});
          });
    m_actions.schedule = makeAction("openSchedule", tr("Open the schedule"), {},
                                    [this] { openSchedule(m_scheme); });
    m_actions.blink = makeAction("blinkRuns", tr("Blink two runs"), Qt::Key_B,
                                 [this] { m_frame->compare->blink(); });
    m_actions.blink->setToolTip(tr("Swaps the measured and the predicted run in place (B)"));
    m_actions.fit = makeAction("fitRuns", tr("Fit both runs"), Qt::Key_0,
                               [this] { m_frame->compare->zoomToFit(); });
    m_actions.undo = makeAction("undoEdit", tr("Undo the edit"), QKeySequence::Undo,
                                [this] { m_frame->form->undo(); });
    m_actions.redo = makeAction("redoEdit", tr("Redo the edit"), QKeySequence::Redo,
                                [this] { m_frame->form->redo(); });
    m_actions.reset = makeAction("resetWhatIf", tr("Reset all changes"), {},
                                 [this] { m_frame->form->reset(); });
    m_actions.shorten = makeAction("shortenOp", tr("Shorten the op by 5 %"), Qt::Key_Less,
                                   [this] { m_frame->form->scaleOp(1 / kStep); });
    m_actions.lengthen = makeAction("lengthenOp", tr("Lengthen the op by 5 %"), Qt::Key_Greater,
                                    [this] { m_frame->form->scaleOp(kStep); });
    m_actions.showRuns = makeAction("showRuns", tr("Runs"), {});
    m_actions.showDetails = makeAction("showDetails", tr("Details"), {});
    for (QAction* action : {m_actions.showRuns, m_actions.showDetails}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    followTheme(m_actions.exportFigure, Icon::Export, m_theme);
    followTheme(m_actions.blink, Icon::Compare, m_theme);
    followTheme(m_actions.showRuns, Icon::Compare, m_theme);
    followTheme(m_actions.showDetails, Icon::Info, m_theme);
    enableActions(false);
    m_actions.shorten->setEnabled(false);
    m_actions.lengthen->setEnabled(false);
}

void WhatIfPage::enableActions(bool isPredicted)
{
    for (QAction* action :
         {m_actions.open, m_actions.copy, m_actions.exportFigure, m_actions.schedule})
        action->setEnabled(isPredicted);
}

void WhatIfPage::openPrediction()
{
    if (m_details.run == nullptr)
        return;
    engine::Run run = *m_details.run;
    run.info.command = whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape)
                           .toStdString();
    run.info.timing = tr("medians of %1").arg(m_document->title()).toStdString();
    run.info.started = m_run->info.started;
    const engine::Shape& shape = run.schedule.shape;
    const QStringList options{
        QStringLiteral("--scheme"),        QString::fromStdString(run.info.scheme),
        QStringLiteral("--devices"),       QString::number(shape.devices),
        QStringLiteral("--micro-batches"), QString::number(shape.microBatches)};
    m_writing.run([run = std::move(run), options] { return writeNewRun(run, options); },
                  [this](const engine::Result<QString>& file) {
                      if (file)
                          Q_EMIT openRequested(*file);
                      else
                          m_frame->notice->show(Band::Kind::Error, tr("Not written."),
                                                QString::fromStdString(file.error().message));
                  });
}

void WhatIfPage::openSchedule(const QString& scheme)
{
    PredictionRequest request;
    request.schedule.scheme = scheme == kOwnOrder ? m_run->schedule.scheme : scheme.toStdString();
    request.schedule.devices = m_run->schedule.shape.devices;
    request.schedule.microBatches = m_changes.microBatches;
    if (auto schedule = engine::buildSchedule(request.schedule))
        Q_EMIT editRequested(std::make_shared<const engine::Schedule>(*std::move(schedule)),
                             request);
}

void WhatIfPage::copyCommand()
{
    const QString command
        = whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape);
    QGuiApplication::clipboard()->setText(command);
    m_frame->notice->show(Band::Kind::Ok, tr("Copied."), command);
}

QList<QAction*> WhatIfPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::Run:
        return {m_actions.open, m_actions.schedule, m_actions.copy};
    case Menu::View:
        return {m_actions.fit, m_actions.showRuns, m_actions.showDetails};
    case Menu::Compare:
        return {m_actions.blink};
    case Menu::Analyze:
        return {m_actions.undo, m_actions.redo, m_actions.reset, m_actions.shorten,
                m_actions.lengthen};
    case Menu::Export:
        return {m_actions.exportFigure};
    default:
        return {};
    }
}

} // namespace app
