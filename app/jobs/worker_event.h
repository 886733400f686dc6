#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace app {

// One line of `bscope run --progress jsonl`: {"event":"iteration","t":1.5,"index":3,...}.
struct WorkerEvent
{
    enum class Kind : int {
        Started,
        Rows,
        Iteration,
        Warning,
        Locked,
        Finishing,
        Finished,
        Failed,
        Other
    };

    Kind kind = Kind::Other;
    double time = 0;                // seconds since the worker began
    QString file, build, outcome;   // started: file, build; finished: file, outcome
    QString message;                // warning, locked, failed
    int iterations = 0, warmup = 0; // started: planned iterations, and the warm-up ones among them
    int index = -1;                 // iteration
    std::optional<double> loss;     // iteration, nats per token
    double duration = 0;            // iteration, ns on the run's timeline
    std::int64_t rows = 0;          // rows: committed so far
};

// Returns nullopt unless the line is a JSON object with an "event"; the worker or a library may
// print other lines.
std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line);

} // namespace app
