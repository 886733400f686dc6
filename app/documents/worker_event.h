#pragma once

#include <QByteArray>
#include <QString>

#include <optional>
#include <vector>

namespace app {

// An event of a worker: one line of --progress jsonl (app/cli/PROGRESS.md), such as
// {"event":"iteration","t":1.5,"index":3,...}. The comment of a field names the events that have
// it.
struct WorkerEvent
{
    enum class Kind : int {
        Started,
        Rows,
        Ops,
        Iteration,
        Points,
        Warning,
        Locked,
        Finishing,
        Finished,
        Failed,
        Other
    };

    Kind kind = Kind::Other;
    double time = 0;              // seconds since the worker started
    QString file, build, outcome; // "started": `file`, `build`; "finished": `file`, `outcome`
    QString message;              // "warning", "locked", "failed"
    // "started": numbers of planned iterations (including warm-up) and of warm-up iterations
    int iterations = 0, warmup = 0;
    int index = -1;             // "iteration", "ops"
    std::optional<double> loss; // "iteration": mean loss in nats per token
    double duration = 0;        // "iteration": duration in ns on the timeline of the run
    std::int64_t rows = 0;      // "rows": number of rows committed so far
    //  * "points": `done` of `all` points of a study are evaluated; `left` is the estimated time
    //    left in seconds.
    //  * "ops": `done` of `all` ops of the iteration are complete; `devices` has the number of
    //    complete ops of each device, or is empty.
    std::int64_t done = 0, all = 0;
    std::vector<int> devices;
    double left = 0;
};

// Returns nullopt if the line is not a JSON object with an "event"; the worker or a library may
// print other lines.
std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line);

} // namespace app
