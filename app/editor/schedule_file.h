#pragma once

#include "app/ui/file_on_disk.h"
#include "engine/schedule/schedule.h"

#include <QObject>
#include <QString>

#include <tl/expected.hpp>

class QWidget;

namespace app {

// Reads the file of an edited schedule, asks where to save it, and writes CSV.
class ScheduleFile : public QObject
{
    Q_OBJECT

public:
    struct Refusal
    {
        QString fact, advice;
    };

    explicit ScheduleFile(QWidget* parent); // `parent` is also the parent of the dialogs

    const QString& name() const { return m_name; } // the name for display
    void setName(const QString& name) { m_name = name; }
    const QString& path() const { return m_path; } // "" until the schedule is saved

    // Reads a schedule. If the file has another program's format, path() is empty afterwards, so
    // that save() never overwrites the file, and foreign() names the format.
    tl::expected<engine::Schedule, Refusal> read(const QString& file);
    const QString& foreign() const { return m_foreign; }

    // save() and saveAs() return false if the user cancelled or failed() was emitted.
    // Asks for a file if path() is empty, and what to do if another program changed the file.
    bool save(const engine::Schedule& schedule);
    bool saveAs(const engine::Schedule& schedule);
    bool saveTo(const QString& file, const engine::Schedule& schedule);

Q_SIGNALS:
    void saved();
    void failed(const QString& message);

private:
    QWidget* m_window;
    QString m_name, m_path, m_foreign;
    FileOnDisk m_onDisk;
};

} // namespace app
