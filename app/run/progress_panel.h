#pragma once

#include "app/documents/iterations_model.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace app {

class DataTable;
class LossPlot;

// The progress of training: loss plot, table of iterations, last line of the log.
class ProgressPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ProgressPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showLoss(const engine::Run& run);
    void showLogLine(const QString& line);
    IterationsModel& iterations() { return *m_iterations; }

Q_SIGNALS:
    void iterationChosen(int iteration); // index into Timeline::iterations
    void logRequested();

private:
    QWidget* makeLossColumn();

    IterationsModel* m_iterations;
    LossPlot* m_loss;
    DataTable* m_table;
    QLabel* m_logLine;
};

} // namespace app
