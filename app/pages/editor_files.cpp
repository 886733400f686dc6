#include "app/jobs/run_library.h"
#include "app/models/plan/run_plan.h"
#include "app/models/text.h"
#include "app/pages/editor_page.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/editor/unsaved_dialog.h"
#include "engine/base/new_file.h"
#include "engine/base/version.h"
#include "engine/schedule/formats/csv.h"
#include "profiler/store/trace_store.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>

// Files, commands and runs that the editor makes from its schedule.
namespace app {

bool EditorPage::isModified() const
{
    return m_edited != nullptr && !m_edited->undoStack().isClean();
}

bool EditorPage::queryClose()
{
    if (!isModified())
        return true;
    UnsavedDialog dialog(m_name, m_edited->undoStack().index(), this);
    dialog.exec();
    if (dialog.choice() == UnsavedDialog::Choice::Save)
        return save();
    return dialog.choice() == UnsavedDialog::Choice::Discard;
}

bool EditorPage::save()
{
    return m_file.isEmpty() ? saveAs() : saveTo(m_file);
}

bool EditorPage::saveAs()
{
    QFileDialog dialog(this, tr("Save the schedule"), m_file,
                       tr("Schedules (*.csv);;All files (*)"));
    dialog.setObjectName(QStringLiteral("saveScheduleDialog"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("csv"));
    if (m_file.isEmpty())
        dialog.selectFile(QString::fromStdString(m_edited->schedule().scheme)
                          + QStringLiteral("-edited.csv"));
    return dialog.exec() == QDialog::Accepted && saveTo(dialog.selectedFiles().value(0));
}

bool EditorPage::saveTo(const QString& file)
{
    const auto saved = engine::saveFile(file.toStdString(), engine::writeCsv(m_edited->schedule()),
                                        engine::IfExists::Replace);
    if (!saved) {
        m_band->show(Band::Kind::Error, tr("Not saved."),
                     tr("%1. The changes are not lost.").arg(fromUtf8(saved.error().message)));
        return false;
    }
    m_file = file;
    m_name = QFileInfo(file).fileName();
    m_edited->undoStack().setClean();
    if (m_check->isValid())
        m_band->show(Band::Kind::Ok, tr("Saved."), file);
    else
        m_band->show(Band::Kind::Warning, tr("Saved, but not valid."),
                     tr("%1 can be edited; simulate and run refuse it.").arg(file));
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
    return true;
}

QString EditorPage::simulateCommand() const
{
    RunPlan plan = m_plan;
    plan.experiment.mode = engine::Mode::Simulate;
    plan.experiment.scheduleFile = QFileInfo(m_file).absoluteFilePath().toStdString();
    return commandText(plan);
}

// Commands name a file, so the schedule must be saved first.
void EditorPage::copyCommand()
{
    if ((m_file.isEmpty() || isModified()) && !save())
        return;
    const QString command = simulateCommand();
    QGuiApplication::clipboard()->setText(command);
    m_band->show(
        Band::Kind::Ok, tr("Copied."),
        tr("%1 (`bscope run` in place of `bscope simulate` trains with it.)").arg(command));
}

void EditorPage::simulate()
{
    const QString file = newRunFile({QStringLiteral("--schedule"), m_name});
    engine::Run run = *m_check->prediction.run;
    run.info.scheme = "file";
    run.info.label = m_name.toStdString();
    run.info.program = engine::buildId();
    if (!m_file.isEmpty() && !isModified())
        run.info.command = simulateCommand().toStdString();
    if (const auto written = profiler::writeRun(file.toStdString(), run); !written)
        m_band->show(Band::Kind::Error, tr("Not written."), fromUtf8(written.error().message));
    else
        Q_EMIT openRequested(file);
}

void EditorPage::train()
{
    const QString problem = planProblem(RunPlan(), m_check->prediction.run->schedule);
    if (!problem.isEmpty()) {
        m_band->show(Band::Kind::Warning, tr("Cannot run."), problem);
        return;
    }
    if ((m_file.isEmpty() || isModified()) && !save())
        return;
    Q_EMIT startRequested({QStringLiteral("--schedule"), m_file});
}

} // namespace app
