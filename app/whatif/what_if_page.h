#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "app/whatif/what_if.h"
#include "app/whatif/what_if_form.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QScrollArea;
class QStackedWidget;

namespace app {

class Band;
class CompareWidget;
class DataTable;
class EmptyState;

// Table of all schemes, predicted with the measured times of one run. The shortest iteration comes
// first. Schemes that are not possible or do not fit in memory come last and show the reason.
class WhatIfModel : public TableModel<WhatIfRow>
{
    Q_OBJECT

public:
    enum Column : int { Scheme, Iteration, Difference, Bubble, Memory, Fits, Range, Bars };

    // `measured` is the iteration of the run in ns.
    explicit WhatIfModel(std::int64_t measured, QObject* parent = nullptr);

    void update(const std::vector<WhatIfRow>& changed);   // other schemes keep their last values
    void setMemory(const engine::MemoryCapacity& memory); // of a device; unknown: no limit
    void setMeasured(std::int64_t measured);              // baseline of differences, in ns
    const engine::MemoryCapacity& memory() const { return m_memory; }

    const WhatIfRow* find(const QString& scheme) const; // nullptr: unknown
    int rowOf(const QString& scheme) const { return rowWith(&WhatIfRow::scheme, scheme); }
    // the scheme that fits and has the shortest iteration; "" if none fits
    QString best() const { return rowCount() > 0 && fits(at(0)) ? at(0).scheme : QString(); }
    int fitting() const;
    bool isComplete() const; // whether each scheme has a prediction or the reason why not
    bool knowsBytes() const { return m_mostBytes > 0; }
    Scale time() const { return m_time; }
    Scale bytes() const { return m_bytes; }
    // "88.0 GiB on device 0, 8.0 GiB too much (75.2 GiB usable of 79.2 GiB: reserve 5 %)"; "" if
    // the scheme fits or its memory is unknown.
    QString excess(const WhatIfRow& row) const;

private:
    int rank(const WhatIfRow& row) const override { return fits(row) ? 0 : row.isKnown ? 1 : 2; }
    bool fits(const WhatIfRow& row) const { return row.isKnown && excess(row).isEmpty(); }
    Columns columns() const;
    void rescale();
    double differenceOf(const WhatIfRow& row) const; // in % of the measured iteration
    Interval interval(const WhatIfRow& row) const;

    std::int64_t m_measured, m_mostBytes = 0;
    engine::MemoryCapacity m_memory;
    std::int64_t m_first = 0, m_last = 1; // both ends of the bars' scale, in ns
    Scale m_time, m_bytes;
};

// Predicts other schemes from the measured times of a run, which the user can change: the runs, the
// measured times, both timelines above the ranking, and the details. We make these parts when the
// times of the run are known, so that none of them has a state without a run.
class WhatIfPage : public Page
{
    Q_OBJECT

public:
    WhatIfPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

    QString title() const override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    const RunDocument* document() const override { return m_document.get(); }

private:
    void makeActions();
    void enablePrediction(bool isKnown); // actions that need the current prediction
    QWidget* makeRuns();
    QWidget* makeForm();
    QWidget* makeCentre();
    QWidget* makeTable();
    QWidget* makeDetails();

    void showDocument(); // shows an empty state until the run is read
    void start(const RunPointer& run);
    void showMeasured(const WhatIfPredictions::Predictor& predictor);
    void refuse(const QString& reason);
    void replaceRun(); // opens the import of the run, or a new run with its settings
    void takeChanges();
    void predict();
    bool isOwnOrder() const { return m_scheme == kOwnOrder; }
    void showSelected(int run, const Selection& selection);
    std::optional<OpInFocus> predictedOp() const;
    void showRow(const WhatIfRow& row);
    void choose(const QString& scheme);
    void showPrediction(const WhatIfDetails& details, const RunViewPointer& view);
    void showViews();
    void showPeak();
    const WhatIfRow* chosenRow() const; // nullptr: unknown
    WhatIfNumbers numbers() const;      // numbers of the run and the last request
    void showDetails();
    void showSentence();
    void openPrediction();
    void openSchedule(const QString& scheme);
    void openSearch();
    void copyCommand();
    QString command() const;

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    RunPointer m_run;
    RunViewPointer m_measuredView, m_predictedView; // null: not prepared yet
    ViewPreparation m_views;
    std::unique_ptr<WhatIfPredictions> m_predictions;
    WhatIfPredictions::Predictor m_measured;
    WhatIfChanges m_changes; // changes of the last request
    WhatIfChanges m_shown;   // changes that m_predictedView includes
    QString m_scheme;        // the chosen scheme
    // The selected item, with the index of its run in the comparison.
    std::pair<int, Selection> m_selected = {-1, {}};
    WhatIfDetails m_details; // of the last prediction that was no preview
    QTimer m_delay;          // delays predictions while a slider moves
    Background m_writing{this};

    QAction *m_open, *m_copy, *m_export, *m_schedule, *m_search, *m_fit, *m_undo, *m_redo, *m_reset,
        *m_shorten, *m_lengthen, *m_showRuns, *m_showDetails;
    EmptyState* m_refused; // replaces all other parts
    QStackedWidget* m_stack;
    // Made by showMeasured():
    WhatIfEdits* m_edits = nullptr;
    WhatIfModel* m_model = nullptr;
    WhatIfForm* m_form = nullptr;
    CompareWidget* m_compare = nullptr;
    DataTable* m_table = nullptr; // its current row is the chosen scheme
    QLabel* m_progress = nullptr;
    Band *m_sentence = nullptr, *m_notice = nullptr;
    QComboBox* m_schemes = nullptr;
    QScrollArea* m_detailsArea = nullptr;
};

} // namespace app
