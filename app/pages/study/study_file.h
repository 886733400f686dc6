#pragma once

#include "app/widgets/editor/unsaved_dialog.h"
#include "app/widgets/forms/file_on_disk.h"
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
    // Asks for a file if path() is "", and what to do if another program changed the file.
    void save();
    void saveAs();     // asks for a file
    bool mayDiscard(); // asks to save or drop edits; false: cancelled, or not saved
    // Like mayDiscard(). If saving asks for a file, returns false and emits closeRequested() when
    // the study is saved.
    bool mayClose();

Q_SIGNALS:
    void saved(const QString& file);
    void failed(const QString& reason);
    void titleChanged();
    void closeRequested();

private:
    UnsavedDialog::Choice ask();           // returns Discard without edits
    enum class Written { Yes, No, Asked }; // No: failed or cancelled; Asked: for a file
    Written write();
    void adopt(const QString& file);

    RunSaver& m_saver;
    QWidget& m_page;
    profiler::Study m_saved, m_edited; // m_saved: as last opened or saved
    QString m_name, m_path;
    FileOnDisk m_onDisk;
    bool m_closesWhenSaved = false;
};

} // namespace app
