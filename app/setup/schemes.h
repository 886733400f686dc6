#pragma once

#include "app/plan/run_plan.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QTimer>
#include <QWidget>

#include <atomic>
#include <deque>
#include <memory>

class QAction;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
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
    int rank(const Row& row) const override;
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
    QTimer m_debounce, m_collect;
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

} // namespace app
