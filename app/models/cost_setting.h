#pragma once

#include "engine/cost/cost_model.h"

#include <QString>
#include <QStringList>

namespace app {

// The costs of a prediction, in hundredths of a unit: exact, and what a slider can set. A whole
// backward costs the input's part and the weights' part together.
struct CostSetting
{
    int forward = 100, inputGradient = 100, weightGradient = 100;
    int p2p = 0;       // a message keeps its link busy for this long
    int allReduce = 0; // of all gradients of a device

    bool isUsual() const { return *this == CostSetting(); } // closed forms hold
    friend bool operator==(const CostSetting&, const CostSetting&) = default;
};

engine::UnitCosts unitCosts(const CostSetting& costs);
QString hundredthsText(int hundredths);            // 250: "2.5"
QString costsText(const CostSetting& costs);       // "F 1, B 2; free links": beside a picture
QString linkText(const CostSetting& costs);        // RunInfo::link
QStringList costOptions(const CostSetting& costs); // of `bscope simulate`, what differs

} // namespace app
