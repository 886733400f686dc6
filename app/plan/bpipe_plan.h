#pragma once

#include "app/plan/run_plan.h"
#include "engine/cost/bpipe_gain.h"

#include <vector>

namespace app {

// The inputs of the estimator page. The page compares micro-batch sizes with BPipe. The default is
// GPT-3 96B, as in arXiv 2401.02088.
struct BpipePlan
{
    static constexpr int kMostDevices = 4096, kMostBatch = 1 << 24, kMostReserve = 99;

    BpipePlan();

    QString model = QStringLiteral("gpt3-96b"), hardware = QStringLiteral("a100-sxm-80");
    int devices = 8;
    int batch = 128;             // sequences per iteration, in all data-parallel copies
    int reserve = 5;             // memory kept free for contexts and buffers, in percent
    engine::TrainingSetup setup; // its micro-batch size is not used
    QString sizes = QStringLiteral("1, 2, 4"); // micro-batch sizes to compare
    bool hasTypedMfu = false;                  // false: the MFU is predicted by the roofline
    // In percent, one value per micro-batch size. The text is kept even if hasTypedMfu is false.
    QString stageMfu;

    friend bool operator==(const BpipePlan&, const BpipePlan&) = default;
};

// Parses the texts and loads the presets. Error messages name the field and what to type.
engine::Result<engine::BpipeQuestion> questionOf(const BpipePlan& plan);
// Calls engine::bpipeGain(). Its error messages name the fields of the window instead of options.
engine::Result<engine::BpipeAnswer> answerOf(const engine::BpipeQuestion& question);

// A speed-up that arXiv 2401.02088 publishes for the change from the micro-batch size `from` to
// `to`. `plan` is the set-up with both sizes.
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

// Returns a plan that simulates BPipe or 1F1B with micro-batches of `size` sequences. The costs are
// those of the plan's model on its hardware.
RunPlan simulationOf(const BpipePlan& plan, const QString& scheme, int size);

} // namespace app
