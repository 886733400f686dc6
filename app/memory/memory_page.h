#pragma once

#include "app/documents/run_library.h"
#include "app/memory/memory_report.h"
#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <memory>

class QCheckBox;
class QLabel;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace app {

class DataTable;
class EmptyState;
class IterationStepper;
class MemoryAreas;
class MemoryLegend;
class SegmentControl;

// A row of showAlive(): a tensor in the memory of a device, the sum of all its tensors, a stash
// that the device has evicted (BPipe), or the total memory of its BPipe partner.
struct AliveRow
{
    enum class Kind { Tensor, Sum, Evicted, Partner };

    Kind kind = Kind::Tensor;
    QString category;
    std::optional<std::uint32_t> op;
    std::optional<std::int64_t> since;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> back; // when an evicted stash returns
};

// Shows the contents of a device's memory at one point in time.
void showAlive(TableModel<AliveRow>& model, const MemoryReport& report, engine::DeviceId device,
               std::int64_t time);
// Shows a row per device: its planned memory, its recorded or simulated memory, and the stashes
// that it moved.
void showMemory(TableModel<engine::DeviceId>& model,
                const std::shared_ptr<const MemoryReport>& report);

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
    TableModel<engine::DeviceId> m_memory;
    TableModel<AliveRow> m_alive;
    RunSaver m_saver{this};
    DataTable *m_memoryTable, *m_aliveTable;
    QLabel *m_memoryTitle, *m_aliveTitle, *m_aliveValue, *m_aliveNote;
    QAction *m_copy, *m_export, *m_open, *m_previousPeak, *m_nextPeak;
};

} // namespace app
