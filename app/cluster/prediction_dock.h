#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

class QAction;
class QGridLayout;
class QLabel;

namespace app {

// The prediction of a kit and the assumed hardware, with a button to compare the prediction.
class PredictionDock : public QWidget
{
    Q_OBJECT

public:
    PredictionDock(const ThemeController& theme, QAction* compare, QWidget* parent = nullptr);

    // If `prediction` is nullptr, shows a hint to choose a GPU.
    void show(const ClusterPrediction* prediction, const ClusterPlan& plan);

private:
    void addFact(const QString& name, const QString& value);

    QGridLayout* m_facts;
    int m_rows = 0; // number of used rows of m_facts
    QLabel* m_none;
};

// A step of a page, with `note` at the right. `title` starts with the number of the step.
QWidget* makeStep(const ThemeController& theme, const QString& title, QLabel* note,
                  QWidget* content);

} // namespace app
