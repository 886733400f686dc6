#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/theme.h"
#include "app/whatif/what_if.h"
#include "app/whatif/what_if_form.h"
#include "app/whatif/what_if_predictions.h"

#include <QTimer>

class QScrollArea;
class QStackedWidget;

namespace app {

class Band;
class CompareWidget;
class EmptyState;
class WhatIfModel;
class WhatIfTable;

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
    WhatIfTable* m_table = nullptr;
    Band *m_sentence = nullptr, *m_notice = nullptr;
    QComboBox* m_schemes = nullptr;
    QScrollArea* m_detailsArea = nullptr;
};

} // namespace app
