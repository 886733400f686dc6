#include "app/editor/schedule_file.h"

#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/read_file.h"
#include "engine/schedule/formats/schedule_file.h"

#include <QFileDialog>
#include <QFileInfo>

namespace app {

ScheduleFile::ScheduleFile(QWidget* parent)
    : QObject(parent)
    , m_window(parent)
{ }

tl::expected<engine::Schedule, ScheduleFile::Refusal> ScheduleFile::read(const QString& file)
{
    m_name = QFileInfo(file).fileName();
    m_path = file;
    m_onDisk.remember(file);
    const auto text = engine::readFile(file.toStdString());
    if (!text)
        return tl::unexpected(
            Refusal{tr("%1 cannot be read").arg(m_name),
                    tr("%1. Nothing was changed.").arg(fromUtf8(text.error().message))});
    auto schedule = engine::readScheduleText(*text);
    if (!schedule)
        return tl::unexpected(
            Refusal{tr("%1 is not a schedule").arg(m_name),
                    fromUtf8(schedule.error().message) + tr(". Nothing was changed.")});
    const auto format = engine::scheduleFormat(*text);
    if (format != engine::ScheduleFormat::Csv) {
        m_path.clear();
        m_foreign = fromUtf8(engine::formatTitle(*format));
    }
    return *std::move(schedule);
}

bool ScheduleFile::save(const engine::Schedule& schedule)
{
    const auto answer
        = m_path.isEmpty() ? FileOnDisk::Answer::SaveAs : m_onDisk.askBeforeSaving(m_window);
    if (answer == FileOnDisk::Answer::SaveAs)
        return saveAs(schedule);
    return answer == FileOnDisk::Answer::Overwrite && saveTo(m_path, schedule);
}

bool ScheduleFile::saveAs(const engine::Schedule& schedule)
{
    QFileDialog dialog(m_window, tr("Save the schedule"), m_path,
                       tr("Schedules (*.csv);;All files (*)"));
    dialog.setObjectName(QStringLiteral("saveScheduleDialog"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("csv"));
    if (m_path.isEmpty())
        dialog.selectFile(QString::fromStdString(schedule.scheme) + QStringLiteral("-edited.csv"));
    return dialog.exec() == QDialog::Accepted && saveTo(dialog.selectedFiles().value(0), schedule);
}

bool ScheduleFile::saveTo(const QString& file, const engine::Schedule& schedule)
{
    const auto written = engine::saveFile(file.toStdString(), engine::writeCsv(schedule),
                                          engine::IfExists::Replace);
    if (!written) {
        Q_EMIT failed(tr("%1. The changes are not lost.").arg(fromUtf8(written.error().message)));
        return false;
    }
    m_path = file;
    m_name = QFileInfo(file).fileName();
    m_onDisk.remember(file);
    Q_EMIT saved();
    return true;
}

} // namespace app
