#pragma once

#include "app/plan/bpipe_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {

class BoundFields;
class SegmentControl;

// The fields and presets of the estimator. A preset is marked while all fields have its values.
class EstimatorForm : public QWidget
{
    Q_OBJECT

public:
    explicit EstimatorForm(const ThemeController& theme, QWidget* parent = nullptr);

    const BpipePlan& plan() const { return m_plan; }
    void setPlan(const BpipePlan& plan); // emits edited()
    // Shows the stage MFU, 0 to 1, that the roofline predicts for each micro-batch size.
    void showMfus(const std::vector<double>& of) { m_roofline = of; }

Q_SIGNALS:
    void edited();

private:
    void makeSetup(QVBoxLayout& column);
    void makeAttention(QVBoxLayout& column);
    void makeStageMfu(QVBoxLayout& column);
    void makePresets(QVBoxLayout& column);
    void chooseMfu(bool isTyped);
    void showPlan();
    void showPreset();
    void changed();

    BpipePlan m_plan;
    BoundFields* m_fields;
    QLineEdit *m_sizes, *m_stageMfu;
    SegmentControl* m_mfuFrom;
    QLabel *m_attentionHint, *m_mfuHint;
    std::vector<QPushButton*> m_presets; // one per published case
    std::vector<double> m_roofline;
};

} // namespace app
