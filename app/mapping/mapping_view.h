#pragma once

#include "app/mapping/mapping_study.h"
#include "app/plan/run_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <utility>

namespace app {

using NodePair = std::pair<int, int>; // from, to; equal: the links within a node

// Whether a box of this width has space for "down" and "up" beside the stages of a device.
bool fitsDirections(const QStringList& stages, double width);
// The summary of a node; without its second part if it is too wide.
QString fittingSummary(const QString& summary, double width);

// Shows the devices of a plan on the nodes of its hardware, the loads of the links, the compared
// mappings, and the memory of the model. We predict only while the view is visible, because a
// prediction with every mapping takes several simulations.
class MappingView : public QWidget
{
    Q_OBJECT

public:
    static MappingView* make(const ThemeController& theme);

    // `problem`: why the plan cannot be predicted; "" if it can.
    virtual void setPlan(const RunPlan& plan, const QString& problem) = 0;
    virtual const MappingStudy* study() const = 0;          // nullptr: none of the plan yet
    virtual const std::vector<NodePair>& links() const = 0; // by their marks
    virtual QString csv() const = 0; // the compared mappings; "" if there is no study of the plan

Q_SIGNALS:
    void csvChanged();
    void planOffered(const app::RunPlan& plan);
};

} // namespace app
