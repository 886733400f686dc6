#include "app/models/study/study_options.h"
#include "app/models/text.h"
#include "app/pages/study/point_browser.h"
#include "app/pages/study/study_page.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/forms/form_rows.h"
#include "app/widgets/study/study_form.h"
#include "engine/base/new_file.h"
#include "profiler/study/edit_study.h"

#include <QAction>
#include <QFileInfo>

// The files of a study page: opening, saving and exporting.
namespace app {

void StudyPage::makeFileActions()
{
    m_actions.open = makeAction(
        "studyOpen", tr("Open a study…"), {},
        [this] {
            askForFile(this, tr("Open a study"), tr("Studies (*.toml);;All files (*)"),
                       [this](const QString& file) {
                           if (mayDiscard())
                               open(file);
                       });
        },
        tr("read a grid from a .toml file"));
    m_actions.save = makeAction(
        "studySave", tr("Save study"), Qt::CTRL | Qt::Key_S,
        [this] {
            m_closesWhenSaved = false;
            save();
        },
        tr("save the grid, for bscope study or for later"));
    m_actions.saveAs = makeAction("studySaveAs", tr("Save study as…"), {}, [this] {
        m_saver.saveStudy(m_frame->form->study(), baseName());
    });
    m_actions.saveReport
        = makeAction("studySaveReport", tr("Save report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S,
                     [this] { m_saver.saveStudyReport(m_browser->data(), baseName()); });
    m_actions.saveCsv = makeAction("studySaveCsv", tr("Save results as CSV…"), {}, [this] {
        m_saver.saveStudyResults(m_browser->data(), baseName());
    });
    m_actions.exportMap = makeAction("studyExportMap", tr("Export the map…"), Qt::CTRL | Qt::Key_E,
                                     [this] { exportChart(StudyPanel::Map); });
    followTheme(m_actions.open, Icon::Open, m_theme);
}

void StudyPage::open(const QString& nameOrFile)
{
    if (m_session.isRunning())
        return;
    const auto study = openStudy(nameOrFile);
    if (!study) {
        m_frame->notice->show(Band::Kind::Error, tr("Not opened."),
                              capitalized(fromUtf8(study.error().message)));
        return;
    }
    const bool isFile = QFileInfo::exists(nameOrFile);
    m_file = isFile ? QFileInfo(nameOrFile).absoluteFilePath() : QString();
    m_name = isFile ? QFileInfo(nameOrFile).completeBaseName() : nameOrFile;
    m_saved = *study;
    setStudy(*study);
    Q_EMIT titleChanged();
}

bool StudyPage::isModified() const
{
    return m_frame->form->study() != m_saved;
}

bool StudyPage::save()
{
    const profiler::Study& study = m_frame->form->study();
    if (m_file.isEmpty()) {
        m_saver.saveStudy(study, baseName());
        return false;
    }
    const auto saved = engine::saveFile(m_file.toStdString(), profiler::studyToml(study),
                                        engine::IfExists::Replace);
    if (!saved) {
        m_frame->notice->show(Band::Kind::Error, tr("Not saved."), fromUtf8(saved.error().message));
        return false;
    }
    m_saved = study;
    Q_EMIT titleChanged();
    Q_EMIT filesSaved({m_file});
    return true;
}

UnsavedDialog::Choice StudyPage::askAboutEdits()
{
    if (!isModified())
        return UnsavedDialog::Choice::Discard;
    UnsavedDialog dialog(m_name.isEmpty() ? tr("The study") : m_name, 0, this);
    dialog.exec();
    return dialog.choice();
}

bool StudyPage::mayDiscard()
{
    const auto choice = askAboutEdits();
    return choice == UnsavedDialog::Choice::Save ? save()
                                                 : choice == UnsavedDialog::Choice::Discard;
}

bool StudyPage::queryClose()
{
    const auto choice = askAboutEdits();
    m_closesWhenSaved = choice == UnsavedDialog::Choice::Save && m_file.isEmpty();
    return choice == UnsavedDialog::Choice::Save ? save()
                                                 : choice == UnsavedDialog::Choice::Discard;
}

void StudyPage::exportChart(StudyPanel panel)
{
    if (m_browser->data() != nullptr)
        m_saver.saveFigure(m_browser->figureOf(panel), baseName());
}

QString StudyPage::baseName() const
{
    return m_name.isEmpty() ? QStringLiteral("study") : m_name;
}

QString StudyPage::title() const
{
    const QString title = m_name.isEmpty() ? tr("Study") : tr("Study: %1").arg(m_name);
    return isModified() ? title + QStringLiteral(" \u2022") : title;
}

} // namespace app
