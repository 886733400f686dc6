#pragma once

#include "app/mapping/node_scene.h"
#include "app/plan/run_plan.h"

#include <QWidget>

namespace app {

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
