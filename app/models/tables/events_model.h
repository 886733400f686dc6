#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"
#include "app/models/tables/table_model.h"

#include <cstdint>

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

// All ops of one iteration in all lanes, initially in time order.
class EventsModel : public TableModel<Event>
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
        Start, // relative to the start of the iteration
        Duration,
        End,
    };

    explicit EventsModel(QObject* parent = nullptr);

    // `iteration` is an index into Timeline::iterations; -1: none. `only` has one flag per op
    // (OpIndex) and selects the ops to show; empty: all.
    void show(RunPointer run, int iteration, const std::vector<bool>& only = {});
    int iteration() const { return m_iteration; }
    // Returns the row of the op; -1 if it did not run in that lane in this iteration.
    int rowOf(std::uint32_t op, engine::Track::Kind lane) const;

private:
    Columns columns() const;

    RunPointer m_run;
    int m_iteration = -1;
    engine::Window m_window;
    Scale m_time;
};

} // namespace app
