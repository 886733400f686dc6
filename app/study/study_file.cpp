#include "app/study/study_file.h"

#include "app/shell/run_saver.h"
#include "app/study/study_options.h"
#include "app/ui/text.h"
#include "app/ui/unsaved_dialog.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/study/edit_study.h"

#include <QFileInfo>

namespace app {

StudyFile::StudyFile(const profiler::Study& study, RunSaver& saver, QWidget* page)
    : QObject(page)
    , m_saver(saver)
    , m_page(*page)
    , m_saved(study)
    , m_edited(study)
{ }

QString StudyFile::baseName() const
{
    return m_name.isEmpty() ? QStringLiteral("study") : m_name;
}

QString StudyFile::title() const
{
    const QString title = m_name.isEmpty() ? tr("Study") : tr("Study: %1").arg(m_name);
    return isModified() ? title + QStringLiteral(" \u2022") : title;
}

engine::Result<profiler::Study> StudyFile::open(const QString& nameOrFile)
{
    auto study = TRY(openStudy(nameOrFile));
    const bool isFile = nameOrFile.endsWith(QStringLiteral(".toml")); // as SpecFile::textOf()
    const QFileInfo file(nameOrFile);
    m_path = isFile ? file.absoluteFilePath() : QString();
    m_name = isFile ? file.completeBaseName() : nameOrFile;
    m_onDisk.remember(m_path);
    m_saved = m_edited = study;
    return study;
}

bool StudyFile::save()
{
    const auto answer
        = m_path.isEmpty() ? FileOnDisk::Answer::SaveAs : m_onDisk.askBeforeSaving(&m_page);
    if (answer == FileOnDisk::Answer::SaveAs)
        return saveAs();
    if (answer == FileOnDisk::Answer::Cancel)
        return false;
    const auto written = engine::saveFile(m_path.toStdString(), profiler::studyToml(m_edited),
                                          engine::IfExists::Replace);
    if (!written) {
        Q_EMIT failed(fromUtf8(written.error().message));
        return false;
    }
    m_saved = m_edited;
    m_onDisk.remember(m_path);
    Q_EMIT titleChanged();
    Q_EMIT saved(m_path);
    return true;
}

bool StudyFile::saveAs()
{
    const QString file = m_saver.saveStudy(m_edited, baseName());
    if (file.isEmpty())
        return false;
    m_path = file;
    m_name = QFileInfo(file).completeBaseName();
    m_saved = m_edited;
    m_onDisk.remember(file);
    Q_EMIT titleChanged();
    return true;
}

bool StudyFile::mayDiscard()
{
    if (!isModified())
        return true;
    UnsavedDialog dialog(m_name.isEmpty() ? tr("The study") : m_name, 0, &m_page);
    dialog.exec();
    return dialog.choice() == UnsavedDialog::Choice::Save
        ? save()
        : dialog.choice() == UnsavedDialog::Choice::Discard;
}

} // namespace app
