#pragma once

#include "app/mapping/model_facts.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;

namespace app {

class DataTable;
class IconLabel;
class MemoryBars;
class StageSizesModel;

// The memory of the model on the devices: sizes of the stages, bytes per device, and whether they
// fit.
class ModelPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ModelPanel(const ThemeController& theme, QWidget* parent = nullptr);
    void show(const MappingStudy& study, const ModelFacts& facts);

private:
    StageSizesModel* m_stages;
    DataTable* m_table;
    MemoryBars* m_bars;
    QLabel *m_model, *m_outline, *m_fit, *m_twice, *m_remedy;
    IconLabel* m_icon;
};

} // namespace app
