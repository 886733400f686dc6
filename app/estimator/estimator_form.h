#pragma once

#include "app/estimator/estimate.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <vector>

class QLabel;
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

    const EstimateRequest& request() const { return m_request; }
    void setRequest(const EstimateRequest& request); // emits edited()
    QString problem() const;                         // why a text was refused; "" if none was
    // Shows the stage MFU, 0 to 1, that the roofline predicts for each micro-batch size.
    void showMfus(const std::vector<double>& of) { m_roofline = of; }

Q_SIGNALS:
    void edited();

private:
    void addRow(QVBoxLayout& rows, std::string_view flag);
    void makeAttention(QVBoxLayout& column);
    void makeStageMfu(QVBoxLayout& column);
    void makePresets(QVBoxLayout& column);
    void chooseMfu(bool isTyped);
    void showRequest();
    void showPreset();
    void changed();

    EstimateRequest m_request = defaultEstimate();
    BoundFields* m_fields;
    SegmentControl* m_mfuFrom;
    QLabel *m_attentionHint, *m_mfuHint;
    std::vector<QPushButton*> m_presets; // one per published case
    std::vector<double> m_roofline;
};

} // namespace app
