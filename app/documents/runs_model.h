#pragma once

#include "app/documents/run_document.h"

#include <QAbstractListModel>
#include <QStringList>

#include <memory>
#include <vector>

namespace app {

// The open runs of a window, in the order in which they were opened. Ticked runs are compared. New
// runs are ticked until the user changes a tick. Documents are shared with the pages that show
// them.
class RunsModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role : int {
        SubtitleRole = Qt::UserRole + 1, // the name of the file
        ValueRole,                       // "115.3" (reported iteration), "3 of 5" (while it runs)
        ModeRole,                        // "emulated"
        RunningRole,                     // bool
        ProgressRole,                    // double from 0 to 1; -1 if not running
        QueuedRole,                      // bool
    };

    explicit RunsModel(QObject* parent = nullptr);

    void add(std::shared_ptr<RunDocument> document);
    void remove(const RunDocument* document);
    std::shared_ptr<RunDocument> at(int row) const { return m_rows[toIndex(row)].document; }
    std::shared_ptr<RunDocument> find(const QString& file) const; // null: not open
    int rowOf(const RunDocument* document) const;                 // -1: not open
    std::vector<std::shared_ptr<RunDocument>> checked() const;
    QStringList notices() const; // notices of all runs that have one
    void setChecked(const RunDocument* document, bool checked);
    // Exchanges the positions of two runs.
    void swap(const RunDocument* one, const RunDocument* other);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row
    {
        std::shared_ptr<RunDocument> document;
        bool checked = false;
        QString path; // absolute
        mutable QString canonical;

        const QString& canonicalPath() const; // "": the file is missing
    };
    static std::size_t toIndex(int row) { return static_cast<std::size_t>(row); }
    void rowChanged(const RunDocument* document);
    void moveRow(int from, int to);

    std::vector<Row> m_rows;
    bool m_hasChoice = false; // whether the user changed a tick
};

// Returns the duration of the reported iteration: "115.3 ms"; "" if the run has none.
QString iterationText(const engine::Run* run);
QString modeText(const engine::RunInfo& info); // "emulated", "live, oversubscribed"

} // namespace app
