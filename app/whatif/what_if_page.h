#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/theme.h"
#include "app/whatif/what_if_form.h"
#include "app/whatif/what_if_predictions.h"
#include "app/whatif/what_if_text.h"

#include <QCoreApplication>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>
#include <utility>

class QComboBox;
class QScrollArea;
class QStackedWidget;

namespace app {

class Band;
class CompareWidget;
class EmptyState;
class RunsDock;
class RunsModel;
class WhatIfForm;
class WhatIfTable;
class WhatIfModel;

// The actions of the what-if page, by menu.
class WhatIfActions
{
    Q_DECLARE_TR_FUNCTIONS(WhatIfActions)

public:
    WhatIfActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;
    void enablePrediction(bool isKnown); // actions that need the current prediction
    void enableOp(bool isSelected);
    void enableEdits(bool canUndo, bool canRedo, bool canReset);

    QAction *open, *copy, *exportFigure, *schedule, *fit, *undo, *redo, *reset, *shorten, *lengthen,
        *showRuns, *showDetails;
};

// The layout of the what-if page: the runs, the measured times, both timelines above the ranking,
// and the details. It hides parts if the window is small. The page creates the content of the
// parts.
class WhatIfFrame : public QWidget
{
    Q_OBJECT

public:
    // `actions` must outlive the frame.
    WhatIfFrame(const ThemeController& theme, const WhatIfActions& actions, RunsModel& runs);

    // `excess` states the memory of the fullest device if it is over the limit; "" if it is not.
    void showVerdict(const WhatIfVerdict& verdict, const QString& excess);
    // Shows why there are no predictions. A button opens the report of an imported run, or a new
    // run with the settings of `run`. The button is hidden if neither is possible or if `run` is
    // nullptr (not read yet).
    void refuse(const QString& reason, const engine::Run* run);
    void showFailure(const QString& bold, const engine::Error& error); // shows why an action failed
    // Folds the details first, then the list of runs. A part that the user opened stays open until
    // the size class of the page changes.
    void fold(int width);

    RunsDock* runs;
    WhatIfForm* form;
    CompareWidget* compare;
    WhatIfTable* table;
    Band *sentence, *notice;
    QComboBox* schemes;
    QScrollArea* details;
    EmptyState* refused; // replaces all other parts; see refuse()
    QStackedWidget* stack;

private:
    QWidget* makeForm();
    QWidget* makeCentre(const ThemeController& theme);
    QWidget* makeToolbar(const ThemeController& theme);
    QWidget* makeDetails(const ThemeController& theme);

    const WhatIfActions& m_actions;
    bool m_hasRoomForRuns = true, m_hasRoomForDetails = true;
};

// Predicts other schemes from the measured times of a run, which the user can change.
class WhatIfPage : public Page
{
    Q_OBJECT

public:
    WhatIfPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

    QString title() const override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override { return m_actions.of(menu); }
    const RunDocument* document() const override { return m_document.get(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectActions();
    void connectAll();

    void showDocument(); // shows an empty state until the run is read
    void start(const RunPointer& run);
    void showMeasured(const WhatIfPredictions::Predictor& predictor);
    void refuse(const QString& reason);
    void predict();
    void preview(); // predicts only the run's own order, at once
    bool isOwnOrder() const { return m_scheme == kOwnOrder; }
    void showSelected(int run, const Selection& selection);
    std::optional<OpInFocus> predictedOp() const;
    void showRows(const std::vector<WhatIfRow>& rows);
    void choose(const QString& scheme);
    void showPrediction(const WhatIfDetails& details, const RunViewPointer& view);
    void showViews();
    void showPeak();
    WhatIfNumbers numbers() const; // numbers of the run and the last request
    void showDetails();
    void showSentence();
    void openPrediction();
    void openSchedule(const QString& scheme);
    void copyCommand();

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    RunPointer m_run;
    RunViewPointer m_measuredView, m_predictedView; // null: not prepared yet
    ViewPreparation m_views;
    std::unique_ptr<WhatIfPredictions> m_predictions;
    WhatIfPredictions::Predictor m_measured;
    WhatIfChanges m_changes; // changes of the last request
    QString m_scheme;        // the chosen scheme
    // The selected item, with the index of its run in the comparison.
    std::pair<int, Selection> m_selected = {-1, {}};
    WhatIfDetails m_details; // details of the shown prediction
    WhatIfModel* m_model = nullptr;
    QTimer m_delay; // delays predictions while a slider moves
    Background m_writing{this};
    WhatIfActions m_actions;
    WhatIfFrame* m_frame;
};

} // namespace app
