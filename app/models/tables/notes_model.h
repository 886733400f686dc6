#pragma once

#include "app/models/run_document.h"
#include "engine/timeline/note.h"

#include <QAbstractTableModel>

#include <vector>

namespace app {

// The notes of a run, by time: number, what each is about, when, how long, its words. The words can
// be edited; who edits is told by a signal, and shows the notes anew.
class NotesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int { Number, About, Iteration, Start, Duration, Words };
    static constexpr int kColumns = 6;

    explicit NotesModel(QObject* parent = nullptr);

    void show(RunPointer run, std::vector<engine::Note> notes);
    const engine::Note& at(int row) const { return m_notes[static_cast<std::size_t>(row)]; }
    const std::vector<engine::Note>& notes() const { return m_notes; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    void edited(std::int64_t id, const QString& words);

private:
    QString text(const engine::Note& note, int row, Column column) const;

    RunPointer m_run;
    std::vector<engine::Note> m_notes;
};

// What a note is about: "1B5 on device 1", "all devices".
QString noteSubject(const engine::Run& run, const engine::Note& note);

} // namespace app
