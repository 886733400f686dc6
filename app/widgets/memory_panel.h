#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"
#include "app/models/theme.h"

#include <QScrollArea>

namespace app {

class MemoryPlots;

// Memory over time, one plot a device, all on one scale of time and bytes; a cursor under the
// pointer goes through all of them.
class MemoryPanel : public QScrollArea
{
    Q_OBJECT

public:
    explicit MemoryPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunPointer& run, int iteration); // index into Timeline::iterations

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    MemoryPlots* m_plots;
};

} // namespace app
