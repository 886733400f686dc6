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
    double time = 0;              // seconds since the worker began
    QString file, build, outcome; // started: file, build; finished: file, outcome
    QString message;              // warning, locked, failed
    // Of "started": planned iterations, and how many of them are warm-up.
    int iterations = 0, warmup = 0;
    int index = -1;             // of "iteration"
    std::optional<double> loss; // of "iteration", in nats per token
    double duration = 0;        // of "iteration", in ns on the timeline of the run
    std::int64_t rows = 0;      // of "rows": number of rows committed so far
};

// Returns nullopt if the line is not a JSON object with an "event"; the worker or a library may
// print other lines.
std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line);

} // namespace app
