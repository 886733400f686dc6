#pragma once

#include "app/models/device_facts.h"
#include "app/models/plan/prediction.h"
#include "engine/exec/run_experiment.h"

#include <QString>
#include <QStringList>

namespace app {

// What the set-up page holds: everything that decides a run, with the defaults of cli.md.
struct RunPlan
{
    PredictionRequest request;
    engine::Mode mode = engine::Mode::Emulate;
    QString model = QStringLiteral("tiny");
    int microBatchSize = 2, sequence = 64;
    int iterations = 5, warmup = 2;
    int seed = 1;
    QString textFile;                     // "": the built-in language, "sample": a short story
    int layers = 0, width = 0, heads = 0; // 0: the model's
    QString attention, precision;         // "": the model's
    bool isExact = false;                 // gradients are summed bit for bit the same in any order
    int linkBandwidth = 0, linkLatency = 0; // hundredths of GB/s (0: free) and of us, emulated
    engine::Backend backend = engine::Backend::Cpu;
    engine::Carrier transport = engine::Carrier::Auto; // of a live run on GPUs
    engine::Graphs graphs = engine::Graphs::Auto;      // on GPUs
    QString trace;        // off, ops, kernels, all; "": what the backend can
    QString deviceMemory; // "16GiB"; "": no limit but the machine's

    friend bool operator==(const RunPlan&, const RunPlan&) = default;
};

// The preset models that are compiled in, and a number of one, or of a model file ("layers"); 0:
// not said.
QStringList modelPresets();
int modelNumber(const QString& model, const QString& key);
// What the preset recomputes where nothing else is asked for.
engine::Recompute modelRecompute(const QString& model);

// Options of `bscope run`, only what differs from the defaults beside scheme, D and N.
QStringList runOptions(const RunPlan& plan);
// Options of `bscope simulate` beside the schedule: costs and passes.
QStringList timingOptions(const PredictionRequest& request);
// The whole command, quoted for a shell: "bscope run --scheme bitpipe --devices 4 ...".
QString commandText(const RunPlan& plan);

// One word of a command, quoted for a shell where it has to be.
QString shellWord(const QString& word);

// The plan that an experiment (RunInfo::experiment, as this program writes it) came from; what it
// does not say keeps its default.
RunPlan planFromExperiment(const QString& toml);

// What `bscope run --transport` may say, as the command line spells it, by Carrier.
QStringList carrierWords();
QStringList graphsWords(); // by Graphs

// Why the plan cannot be run although the schedule is fine: "" when it can.
QString planProblem(const RunPlan& plan, const engine::Schedule& lowered);
// Why it cannot on this machine, although it could on another: "" when it can.
QString machineProblem(const RunPlan& plan, const DeviceFacts& here);

} // namespace app
