#pragma once

#include "app/documents/run_document.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace app {

// One execution of an op.
struct Event
{
    engine::Window window;
    std::uint32_t op = 0; // OpIndex
    int iteration = -1;   // index into Timeline::iterations
    engine::DeviceId device;
    engine::Track::Kind lane = engine::Track::Kind::Compute;
    engine::Op what;
};

// Table of the ops of one iteration, or of chosen ops of all iterations. It includes all lanes and
// is initially sorted by time.
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
        Iteration, // only if ops of all iterations are listed
    };
    using Filter = std::function<bool(const engine::Span&)>;

    explicit EventsModel(QObject* parent = nullptr);

    // `iteration` is an index into Timeline::iterations; -1: none. Without `only`, every op is
    // listed.
    void show(RunPointer run, int iteration, const Filter& only = {});
    // Lists ops of all iterations, at most `most`.
    void showAll(RunPointer run, const Filter& only, std::size_t most);
    // Returns the row of the op; -1 if it is not listed with that lane and iteration.
    int rowOf(std::uint32_t op, engine::Track::Kind lane, int iteration) const;

private:
    void list(std::vector<Event> events, std::int64_t longest);
    Columns columns() const;
    std::int64_t startOf(const Event& event) const; // start of the event's iteration

    RunPointer m_run;
    bool m_isOfAll = false; // lists ops of all iterations
    Scale m_time;
};

} // namespace app
