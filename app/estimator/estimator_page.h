#pragma once

#include "app/estimator/estimate.h"
#include "app/shell/page.h"
#include "app/ui/controls.h"
#include "app/ui/latest.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/study/reproduce.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace app {

class Band;
class BoundFields;
class DataTable;
class MemoryBars;
class SceneView;
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

// Compares micro-batch sizes with and without BPipe. Every edit updates the answer at once, except
// the memory of the devices, which is simulated in the background.
class EstimatorPage : public Page
{
    Q_OBJECT

public:
    // The columns of the micro-batch sizes.
    enum Column : int {
        Size,
        Count,
        StageMfu,
        Kernels,
        Mfu,
        SpeedUp,
        BreakEven,
        Without,
        With,
        Transfer
    };

    explicit EstimatorPage(const ThemeController& theme, QWidget* parent = nullptr);

    QString title() const override { return tr("Estimator"); }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    QJsonObject state() const override;
    void restoreState(const QJsonObject& state) override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    using Sizes = TableModel<engine::BpipeRow>; // in the order in which they were typed
    Sizes::Columns sizeColumns() const;
    void makeActions();
    QWidget* makeForm();
    QWidget* makeCentre();
    QWidget* makeSources();
    void connectAll();

    void estimate();
    void refuse(const QString& reason);
    void showAnswer();
    void choose(int row);
    void showColumns();
    void showSources();
    void showMemory(const engine::Result<BpipeMemory>& memory);
    void showBars(const BpipeMemory& memory);
    void readPublished();

    const ThemeController& m_theme;
    Background m_reading{this};
    using MemoryRequest = std::pair<EstimateRequest, int>; // and the micro-batch size
    Latest<MemoryRequest, engine::Result<BpipeMemory>> m_memory{
        this,
        [](const MemoryRequest& asked, const auto&) {
            return bpipeMemory(asked.first, asked.second);
        },
        [this](const engine::Result<BpipeMemory>& memory) { showMemory(memory); }};
    std::optional<engine::BpipeQuestion> m_question;
    std::optional<engine::BpipeAnswer> m_answer; // nullopt: the input is not valid
    int m_row = 1;                               // the shown row of m_answer
    int m_chosen = 1; // the row that the user chose; kept if m_answer has fewer rows
    bool m_isShowing = false;

    Sizes* m_sizes;
    EstimatorForm* m_form;
    DataTable* m_table;
    Band* m_band;
    QLabel *m_summary, *m_note, *m_memoryTitle, *m_memoryHint, *m_steps;
    MemoryBars* m_bars;
    SceneView* m_chart;
    TableModel<profiler::Reproduced>* m_published;
    DataTable* m_publishedTable;
    QVBoxLayout* m_sources;
    QWidget *m_formColumn = nullptr, *m_dock = nullptr; // m_dock: the sources
    QPushButton* m_simulateButton = nullptr;
    QAction *m_simulate, *m_copyCommand, *m_copyTable, *m_reset, *m_showSources;
};

} // namespace app
