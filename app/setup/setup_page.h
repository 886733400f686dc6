#pragma once

#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/base/available_memory.h"

#include <QDialog>
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QAction;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QTextBrowser;
class QVBoxLayout;

namespace app {

class DataTable;
class EmptyState;

// A scheme with the D, N and costs of the table.
struct SchemeRow
{
    QString scheme, title;
    QString condition; // why the scheme is not possible; "" if it is possible
    std::shared_ptr<const engine::Result<Prediction>> answer; // null: not predicted yet
    bool isOutdated = false; // whether `answer` is for earlier settings

    // Null if not predicted yet, or if the validator refused the schedule.
    const Prediction* prediction() const
    {
        const bool isThere = answer != nullptr && answer->has_value();
        return isThere && (*answer)->isValid() ? &**answer : nullptr;
    }
    QString reason() const; // the condition, or the error of the simulator or the validator
};

// Table of all schemes with the same settings. Schemes that are not possible come last in any sort
// order and show their condition.
class SchemeTableModel : public TableModel<SchemeRow>
{
    Q_OBJECT

public:
    enum class Column : int {
        Scheme,
        Iteration,
        Bubble,
        Stash,
        Weights,
        Memory,
        Messages,
        Local,
        Fits
    };
    using Row = SchemeRow;

    explicit SchemeTableModel(QObject* parent = nullptr);

    // Replaces the rows. A scheme that is still possible keeps its result until the next one
    // arrives, so that the table does not flicker while a slider moves. Results that are not
    // replaced by the next answer() with results are muted.
    void setRows(std::vector<Row> rows);
    using Answer = std::shared_ptr<const engine::Result<Prediction>>;
    void answer(const QString& scheme, const Answer& one) { answer({{scheme, one}}); }
    void answer(std::vector<std::pair<QString, Answer>> answers); // sorts once
    // The time that the width of a thumbnail represents, in the unit of Thumbnail::duration. All
    // thumbnails share this scale; much longer schedules are cut.
    double thumbnailUnits() const { return m_thumbnailUnits; }
    bool hasMemory() const { return m_largestMemory > 0; } // if false, the column is omitted
    int rowOf(const QString& scheme) const { return rowWith(&Row::scheme, scheme); }
    void setChosen(const QString& scheme); // this row is drawn bold
    bool isComplete() const;               // whether each scheme has its numbers or its reason
    // Header and rows in the order shown. Refused schemes have their reason; results for earlier
    // settings are left out.
    QString csv() const;

private:
    // Rows with numbers come first, then pending rows, then refused ones.
    int rank(const Row& row) const override
    {
        return row.prediction() != nullptr ? 0 : row.reason().isEmpty() ? 1 : 2;
    }
    Columns columns() const;
    QString text(const Row& row, Column column) const;
    void show(std::vector<Row> rows); // sorts, and determines the scales

    QString m_chosen;
    double m_thumbnailUnits = 1, m_largestStash = 1; // maxima over the results so far
    Scale m_time, m_bytes;
    bool m_isInUnits = true;
    bool m_mutesOutdated = false; // whether an answer arrived since setRows()
    std::int64_t m_largestMemory = 0, m_usableMemory = 0; // bytes; 0: unknown
};

// Returns a sentence if a device does not fit: "Device 0 needs 96.20 GiB at its peak; a100-sxm-80
// has 75.2 GiB usable of 79.2 GiB: reserve 5 %. ..."; "" if all devices fit or the memory is
// unknown.
QString memoryExcess(const Prediction& prediction);

// The table of all schemes with the numbers of a plan, and the actions on its rows. We predict the
// schemes on sideThreads(), so that the large preview of the page is not delayed, and cache the
// results without the simulated runs.
class SchemeTable : public QWidget
{
    Q_OBJECT

public:
    SchemeTable(const ThemeController& theme, QAction* copy, QWidget* parent = nullptr);

    void setPlan(const RunPlan& plan); // cancels pending predictions and soon starts new ones
    const SchemeTableModel& model() const { return *m_model; }

Q_SIGNALS:
    void answered();      // model() has new predictions
    void severalMarked(); // of which the user may train each
    void chosen(const QString& scheme);
    // `options` has the options of each selected scheme that can be trained; `refused` has the
    // names of the other selected schemes.
    void runRequested(const QList<QStringList>& options, const QStringList& refused);
    // In simulation mode, requests to predict and compare the selected schemes that are possible.
    void predictRequested(const std::vector<app::RunPlan>& plans, const QStringList& refused);

private:
    RunPlan planOf(std::string_view scheme) const;
    void predict();
    void ask(const PredictionRequest& request);
    void showArrived();
    void showChosen();
    void showMarked();
    void runMarked();
    void predictMarked();
    QStringList marked() const;

    RunPlan m_plan;
    bool m_isSought = true; // the next results scroll to the chosen scheme
    using Answer = SchemeTableModel::Answer;
    Background m_background;
    // Counts the plans. Jobs in the pool read it to skip outdated requests.
    std::shared_ptr<std::atomic<int>> m_generation = std::make_shared<std::atomic<int>>(0);
    std::deque<std::pair<PredictionRequest, Answer>> m_known; // newest first
    std::vector<std::pair<QString, Answer>> m_arrived;        // results that the next update shows
    Later m_debounce{0, [this] { predict(); }};
    Later m_collect{30, [this] { showArrived(); }};
    SchemeTableModel* m_model;
    DataTable* m_view;
    QLabel* m_title;
    QPushButton* m_run;
};

// The card of one scheme: name, one line of description, and its schedule at the current D and N. A
// scheme that is not possible is greyed and states its condition.
class SchemeCard : public CardButton
{
    Q_OBJECT

public:
    SchemeCard(const ThemeController& theme, const engine::Scheme& scheme);

    // `fullWidth` is the time that the width of a thumbnail represents, in cost units. It is the
    // same on every card.
    void showRow(const SchemeTableModel::Row& row, double fullWidth);
    // Whether the card contains every word of the filter.
    bool matches(const QString& filter) const;
    const QString& reason() const { return m_reason; } // why the scheme was refused; "" otherwise

protected:
    void paintContent(QPainter& painter) override;

private:
    QString facts(const SchemeTableModel::Row& row) const;

    const engine::Scheme& m_scheme;
    QString m_title, m_line, m_reason;
    // Whether the scheme was refused because its rule does not allow the request; false: for
    // another reason.
    bool m_isImpossible = false;
    std::shared_ptr<const engine::Result<Prediction>> m_answer; // keeps the picture alive
    double m_fullWidth = 0;                                     // 0: showRow() was not called
};

// The scheme cards in a column, by family, with a filter.
class SchemeList : public QWidget
{
    Q_OBJECT

public:
    explicit SchemeList(const ThemeController& theme, QWidget* parent = nullptr);

    void showRows(const SchemeTableModel& model);
    void setChosen(const QString& scheme);
    void setColumns(int columns);
    void focusFilter();

Q_SIGNALS:
    void chosen(const QString& scheme);
    void ownChosen(const QString& file); // see ownSchemes()

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHeader();
    void showOwn(); // lists the kept schemes, of which there may be new ones
    void reveal();  // scrolls to the chosen card unless the user has scrolled
    void addFamilies(QVBoxLayout& column);

    struct Family
    {
        QWidget* widget;
        QGridLayout* grid;
        QList<SchemeCard*> cards;
    };
    void arrange(); // lays out the filtered cards

    const ThemeController& m_theme;
    QHash<QString, SchemeCard*> m_cards; // by name of the scheme
    QList<Family> m_families;
    int m_columns = 2;
    QString m_chosen;
    bool m_keepsChosenInSight = false;
    QScrollArea* m_scroll = nullptr;
    QWidget* m_own = new QWidget;
    QLineEdit* m_filter;
    EmptyState* m_nothing; // shown if no card matches the filter
};

// A number of a scheme at the current D and N: "Bubble", "(D−1)/(N+D−1): (4−1)/(8+4−1) = 27.3 %, as
// simulated".
struct SchemeFact
{
    QString name, value;
};

// Returns closed forms with the numbers filled in, then simulated values. Without a prediction
// (nullptr), returns only the facts of the scheme itself.
std::vector<SchemeFact> schemeFacts(const engine::Scheme& scheme,
                                    const engine::ScheduleRequest& request,
                                    const Prediction* prediction);

// A paragraph of a scheme's description. A picture is shown with fixed pitch.
struct SchemeParagraph
{
    QString text;
    bool isPicture = false;

    friend bool operator==(const SchemeParagraph&, const SchemeParagraph&) = default;
};
std::vector<SchemeParagraph> schemeParagraphs(std::string_view details);

// Returns the description of a scheme as rich text: summary, citation, facts at the requested D and
// N, the rule for D and N, options, and the method with pictures of its order.
QString schemeHtml(const engine::Scheme& scheme, const engine::ScheduleRequest& request,
                   const Prediction* prediction);

// The description of a scheme: a diagram of the order with the current numbers, the formulas, the
// rule and the citation. The dialog stays open next to the page and follows its edits.
class SchemeDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SchemeDialog(const ThemeController& theme, QWidget* parent = nullptr);

    // `prediction` is nullptr if the scheme is not possible with these numbers.
    void show(const engine::ScheduleRequest& request, const Prediction* prediction);

private:
    QLabel* m_title;
    SchedulePreview* m_preview;
    QTextBrowser* m_text;
    QString m_scheme, m_html;
};

// Whether a run fits in the memory of this machine. The run is planned for this check but not
// started.
struct MemoryCheck
{
    // A change of the plan with which the run would fit.
    struct Change
    {
        QString text; // "Micro-batch size 2, 1.20 GiB"
        RunPlan plan;
    };

    // "" if the run fits, or if the memory that it needs is not known.
    QString problem;
    std::vector<Change> changes;
};

// Checks whether a run fits in memory. `free` is the memory in bytes that is free now; 0: unknown.
// Checks only runs on the CPU, because the worker queries the memory of GPUs. May be called on any
// thread; takes up to a second for large schedules.
MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free);
inline MemoryCheck checkMemory(const RunPlan& plan) // with the memory that is free here
{
    return checkMemory(plan, engine::availableMemory());
}

// Predicts a page's large preview and prepares it for painting. Small predictions are delivered
// before ask() returns. Others run in the thread pool, one at a time; of the waiting requests, only
// the newest is kept. The result of every job that was not dropped is delivered, so that the
// picture follows a slider. The built schedule, which does not depend on costs, is kept between
// requests. GUI thread only.
class PreviewPredictor : public QObject
{
    Q_OBJECT

public:
    struct Answer
    {
        std::shared_ptr<const engine::Result<Prediction>> prediction;
        RunViewPointer view;  // null if the prediction has no run
        bool isNewest = true; // false: a later request is pending
    };

    explicit PreviewPredictor(QObject* parent = nullptr);

    void ask(const PredictionRequest& request);
    void drop() { m_jobs.drop(); } // drops all earlier requests

Q_SIGNALS:
    void answered(const app::PreviewPredictor::Answer& answer);

private:
    Latest<PredictionRequest, Answer> m_jobs;
};

// The predicted schedule of a plan: preview, verdict with suggested fixes, facts about the scheme,
// and key numbers.
class PredictionPanel : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;
    // `explain` is the action of the panel's button.
    static PredictionPanel* make(const ThemeController& theme, QAction* explain);
    // The actions that are possible with the plan.
    struct Verdict
    {
        // isRunnable: the plan can run on this machine. isCommand: it can run on another machine,
        // so its command can be copied.
        bool isRunnable = false, isCommand = false;
        bool isEditable = false;
        QString problem; // why the plan cannot run; "" if it can, or before it is predicted
    };
    // Predicts the plan unless it has a fault.
    virtual void setPlan(const RunPlan& plan, const Fault& fault) = 0;
    virtual const Verdict& verdict() const = 0;
    // null: the plan is not possible or not yet predicted
    virtual const Prediction* prediction() const = 0;
    virtual void refuse(const QString& bold, const QString& message) = 0;
    virtual Band& band() = 0;
    virtual void setPreviewHeight(int height) = 0;
    virtual void explain() = 0; // opens a window about the scheme, which follows the plan

Q_SIGNALS:
    void judged(); // verdict() changed
    void planOffered(const app::RunPlan& plan);
};

// Sets up a run: the user chooses a scheme and sees its schedule, or its devices on the nodes of a
// machine. Every edit updates the prediction; a scheme that is not possible states the reason and
// stays in the list.
class SetupPage : public Page
{
    Q_OBJECT

public:
    static SetupPage* make(const ThemeController& theme);

    virtual const RunPlan& plan() const = 0;
    virtual void setPlan(const RunPlan& plan) = 0;
    // Replaces engine::cpuTimeOfOthers(), by which the page sees that the machine is busy; nullopt
    // while the load is not that of others.
    virtual void setCpuTimeOfOthers(std::function<std::optional<std::int64_t>()> time) = 0;
    virtual void showMapping() = 0; // instead of the predicted schedule
};

} // namespace app
