#pragma once

#include "app/models/plan/run_plan.h"
#include "engine/cost/bpipe_gain.h"

#include <vector>

namespace app {

// The input of the estimator page, which compares micro-batch sizes with BPipe. Starts with GPT-3
// 96B of arXiv 2401.02088.
struct BpipePlan
{
    BpipePlan();

    QString model = QStringLiteral("gpt3-96b"), hardware = QStringLiteral("a100-sxm-80");
    int devices = 8;
    int batch = 128;             // sequences per iteration, over all copies of the pipeline
    int reserve = 5;             // percent of the memory, for contexts and buffers
    engine::TrainingSetup setup; // its micro-batch size is not used
    QString sizes = QStringLiteral("1, 2, 4"); // of micro-batches
    bool hasTypedMfu = false;                  // otherwise the roofline predicts it
    QString stageMfu; // in percent, one value per size; kept while it is not used

    friend bool operator==(const BpipePlan&, const BpipePlan&) = default;
};

// Parses the texts and loads the presets. Errors name the field and say what to type.
engine::Result<engine::BpipeQuestion> questionOf(const BpipePlan& plan);
// Returns bpipeGain(). Its errors name the fields of the window instead of the options.
engine::Result<engine::BpipeAnswer> answerOf(const engine::BpipeQuestion& question);

// A published result of arXiv 2401.02088 with its set-up. The plan's sizes contain `from` and `to`.
struct BpipeCase
{
    QString title, detail; // "GPT-3 96B, recompute", "b 1 → 2, attention recomputed"
    QString published;     // "1.35×"
    double speedUp = 1;    // as a factor
    int from = 1, to = 2;  // micro-batch sizes
    BpipePlan plan;
};
const std::vector<BpipeCase>& bpipeCases();

// The command that prints the same estimate, quoted for a shell: "bscope estimate bpipe ...".
QString estimateCommand(const BpipePlan& plan);

// Returns a plan to simulate BPipe or 1F1B with micro-batches of `size` sequences and costs from
// the plan's hardware.
RunPlan simulationOf(const BpipePlan& plan, const QString& scheme, int size);

} // namespace app
