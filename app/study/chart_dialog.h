#pragma once

#include "app/study/part_dialog.h"

namespace app {

// Edits a chart of a study, or adds one.
class ChartDialog : public PartDialog
{
    Q_OBJECT

public:
    // `chart` is the index of the chart to edit. If it equals the number of charts, the dialog adds
    // a chart.
    ChartDialog(const profiler::Study& study, std::size_t chart, QWidget* parent = nullptr);

private:
    void apply(profiler::Study& study) override;

    std::size_t m_chart;
    QLineEdit* m_title = nullptr;
    QComboBox *m_kind = nullptr, *m_y = nullptr, *m_x = nullptr, *m_xColumn = nullptr,
              *m_series = nullptr, *m_rows = nullptr;
};

} // namespace app
