#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "profiler/analysis/predicted_info.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace app {

// Of a forward, where only attention is made again, in hundredths.
constexpr int kAttentionShare = static_cast<int>(100 * profiler::kAttentionShare.numerator
                                                 / profiler::kAttentionShare.denominator);

// The costs of a prediction, in hundredths of a unit: exact, and what a slider can set. A whole
// backward costs the input's part and the weights' part together.
struct CostSetting
{
    static constexpr int kSame = -1; // between nodes as within them; recompute: the pass's own

    int forward = 100, inputGradient = 100, weightGradient = 100;
    int p2p = 0, latency = 0; // a message keeps its link busy for p2p and arrives latency later
    int allReduce = 0;        // of all gradients of a device
    int optimizer = 0, transfer = 0; // of a device; evict or load of a stash
    int recompute = kSame;           // times the forward it repeats
    int joint = 100, slowDown = 100; // factors: F and B as one; compute beside an all-reduce
    int jitter = 0, seed = 0;        // hundredths of a percent about each cost, drawn by seed
    bool blockingSend = false;       // a send holds its device until it has left
    int devicesPerNode = 0;          // 0: one node
    int p2pAcross = kSame, latencyAcross = kSame, transferAcross = kSame;
    QString stages; // "0=1.5:3 7=2:4": F and B of stages that differ

    bool isUsual() const { return *this == CostSetting(); } // closed forms hold
    bool isSimple() const; // nothing but F, I, W, P2P and all-reduce differs
    friend bool operator==(const CostSetting&, const CostSetting&) = default;
};

// InvalidArgument: `stages` cannot be read, or costs between nodes without a node.
engine::Result<engine::UnitCosts> unitCosts(const CostSetting& costs);
QString hundredthsText(int hundredths);            // 250: "2.5"
QString costsText(const CostSetting& costs);       // "F 1, B 2; free links": beside a picture
QString linkText(const CostSetting& costs);        // RunInfo::link
QStringList costOptions(const CostSetting& costs); // of `bscope simulate`, what differs

} // namespace app
