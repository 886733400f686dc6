#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace app {

// One execution of an op.
struct Event
{
    engine::Window window;
    std::uint32_t op = 0; // OpIndex
    engine::DeviceId device;
    engine::Track::Kind lane = engine::Track::Kind::Compute;
    engine::Op what;
};

// Every op of one iteration, on every lane: sorted by its start until a header is clicked.
class EventsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int {
        Op,
        Kind,
        Device,
        Stage,
        MicroBatch,
        Direction,
        Start, // from the start of the iteration
        Duration,
        End,
    };
    static constexpr int kColumns = 9;

    explicit EventsModel(QObject* parent = nullptr);

    void show(RunPointer run, int iteration); // index into Timeline::iterations; -1: none
    int iteration() const { return m_iteration; }
    const Event& eventAt(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    // -1: that op did not run on that lane in this iteration.
    int rowOf(std::uint32_t op, engine::Track::Kind lane) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    QString text(const Event& event, Column column) const;
    void arrange();

    RunPointer m_run;
    int m_iteration = -1;
    engine::Window m_window;
    Scale m_time;
    std::vector<Event> m_rows; // in shown order
    Column m_sortedBy = Column::Start;
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

} // namespace app
