#pragma once

#include "app/documents/run_document.h"
#include "app/ui/table_model.h"
#include "engine/timeline/note.h"

namespace app {

// Table of the notes of a run, sorted by time. When `edited` is emitted, the owner must store the
// new text and show the notes again.
class NotesModel : public TableModel<engine::Note>
{
    Q_OBJECT

public:
    enum class Column : int { Number, Subject, Iteration, Start, Duration, Text };

    explicit NotesModel(QObject* parent = nullptr);

    void show(RunPointer run, std::vector<engine::Note> notes);

    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void edited(std::int64_t id, const QString& text);

private:
    Columns columns() const;
    QString timeText(std::int64_t ticks) const;
    std::int64_t origin(const engine::Note& note) const;

    RunPointer m_run;
};

// Returns the subject of a note: "1B5 on device 1", "all devices".
QString noteSubject(const engine::Run& run, const engine::Note& note);

} // namespace app
