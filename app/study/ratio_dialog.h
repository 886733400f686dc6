#pragma once

#include "app/study/part_dialog.h"

namespace app {

// Edits a ratio of a study, or adds one. Renaming a ratio also renames it in charts and answers.
class RatioDialog : public PartDialog
{
    Q_OBJECT

public:
    // `ratio` is the index of the ratio to edit. If it equals the number of ratios, the dialog adds
    // a ratio.
    RatioDialog(const profiler::Study& study, std::size_t ratio, QWidget* parent = nullptr);

private:
    void apply(profiler::Study& study) override;

    std::size_t m_ratio;
    QLineEdit* m_name = nullptr;
    QComboBox *m_metric = nullptr, *m_direction = nullptr;
};

} // namespace app
