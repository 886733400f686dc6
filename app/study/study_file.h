#pragma once

#include "app/ui/file_on_disk.h"
#include "profiler/study/study.h"

#include <QObject>
#include <QString>

class QWidget;

namespace app {

class RunSaver;

// Opens and saves the file of an edited study, and asks before edits are lost.
class StudyFile : public QObject
{
    Q_OBJECT

public:
    // `page` owns the object and is the parent of its dialogs. `saver` outlives it.
    StudyFile(const profiler::Study& study, RunSaver& saver, QWidget* page);

    const QString& path() const { return m_path; } // "": not saved yet
    const QString& name() const { return m_name; } // name of the preset or file; "": a new study
    QString baseName() const;                      // suggested name of saved files
    QString title() const;
    bool isModified() const { return m_edited != m_saved; }

    void edit(const profiler::Study& study) { m_edited = study; }
    // Reads a preset or a file. If that fails, nothing changes.
    engine::Result<profiler::Study> open(const QString& nameOrFile);
    // save() and saveAs() return false if the user cancelled or the file cannot be written.
    // Asks for a file if path() is "", and what to do if another program changed the file.
    bool save();
    bool saveAs();     // asks for a file
    bool mayDiscard(); // asks to save or drop edits; false: cancelled, or not saved

Q_SIGNALS:
    void saved(const QString& file);
    void failed(const QString& reason);
    void titleChanged();

private:
    RunSaver& m_saver;
    QWidget& m_page;
    profiler::Study m_saved, m_edited; // m_saved: as last opened or saved
    QString m_name, m_path;
    FileOnDisk m_onDisk;
};

} // namespace app
