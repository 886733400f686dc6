#pragma once

#include "app/documents/run_library.h"
#include "app/memory/memory_report.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <memory>

class QCheckBox;
class QLabel;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace app {

class AliveModel;
class DataTable;
class EmptyState;
class IterationStepper;
class MemoryAreas;
class MemoryLegend;
class MemoryModel;
class SegmentControl;

// Shows the memory of one run: every device over time with a common cursor, the contents at the
// cursor, and the planned and recorded peaks.
class MemoryPage : public Page
{
    Q_OBJECT

public:
    MemoryPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

    QString title() const override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    const RunDocument* document() const override { return m_document.get(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeToolbar();
    QWidget* makeCentre();
    QWidget* makeAlive();
    void connectAll();
    void showRun();
    void showIteration(int iteration);
    void showParts(bool hasMemory); // false: shows only the stepper and an empty state
    void showAlive(engine::DeviceId device, std::int64_t time);
    void fitAreas();
    void fitTable();
    void copy();

    const ThemeController& m_theme;
    std::shared_ptr<RunDocument> m_document;
    std::shared_ptr<const MemoryReport> m_report;
    int m_iteration = -1;
    IterationStepper* m_stepper;
    QLabel* m_orderLabel;
    SegmentControl* m_order;
    QCheckBox* m_withoutMoves;
    MemoryAreas* m_areas;
    MemoryLegend* m_legend;
    QScrollArea* m_scroll;
    QSplitter *m_columns, *m_rows; // m_rows: the plots above the table
    QStackedWidget* m_content;     // m_scroll or m_empty
    EmptyState* m_empty;
    MemoryModel* m_memory;
    AliveModel* m_alive;
    DataTable *m_memoryTable, *m_aliveTable;
    QLabel *m_memoryTitle, *m_aliveTitle, *m_aliveValue, *m_aliveNote;
    QAction *m_copy, *m_open, *m_previousPeak, *m_nextPeak;
};

} // namespace app
