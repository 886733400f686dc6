#pragma once

#include "app/plan/prediction.h"
#include "app/plan/run_plan.h"
#include "app/setup/scheme_table_model.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"

#include <QObject>
#include <QTimer>
#include <QWidget>

#include <atomic>
#include <deque>
#include <memory>

class QAction;
class QLabel;
class QPushButton;

namespace app {

class DataTable;

// Predicts many requests in the background. Caches the results, but not the simulated runs.
// startOver() drops the pending requests. Uses sideThreads(), so that the large preview of a page
// is not delayed. GUI thread only.
class Predictor : public QObject
{
    Q_OBJECT

public:
    using Answer = std::shared_ptr<const engine::Result<Prediction>>;

    explicit Predictor(QObject* parent = nullptr);

    void startOver();
    void ask(const QString& key, const PredictionRequest& request);

Q_SIGNALS:
    void answered(const QString& key, const app::Predictor::Answer& answer);

private:
    Answer known(const PredictionRequest& request) const; // nullptr if it is not cached
    void remember(const PredictionRequest& request, const Answer& answer);

    Background m_background;
    // Counts calls of startOver(). Jobs in the pool read it to skip outdated requests.
    std::shared_ptr<std::atomic<int>> m_generation;
    std::deque<std::pair<PredictionRequest, Answer>> m_known; // newest first
};

// The table of all schemes with the numbers of a plan, predicted in the background, and the actions
// on its rows.
class SchemeTable : public QWidget
{
    Q_OBJECT

public:
    SchemeTable(const ThemeController& theme, QAction* copy, QWidget* parent = nullptr);

    void setPlan(const RunPlan& plan); // cancels pending predictions and soon starts new ones
    const SchemeTableModel& model() const { return *m_model; }

Q_SIGNALS:
    void answered(); // model() has new predictions
    void chosen(const QString& scheme);
    // `options` has the options of each selected scheme that can be trained; `refused` has the
    // names of the other selected schemes.
    void runRequested(const QList<QStringList>& options, const QStringList& refused);
    // In simulation mode, requests to predict and compare the selected schemes that are possible.
    void predictRequested(const std::vector<app::RunPlan>& plans, const QStringList& refused);

private:
    RunPlan planOf(std::string_view scheme) const;
    void predict();
    void showArrived();
    void showChosen();
    void showMarked();
    void runMarked();
    void predictMarked();
    QStringList marked() const;

    RunPlan m_plan;
    bool m_isSought = true; // the next results scroll to the chosen scheme
    Predictor m_predictor;
    // Results that the next update shows.
    std::vector<std::pair<QString, Predictor::Answer>> m_arrived;
    QTimer m_debounce, m_collect;
    SchemeTableModel* m_model;
    DataTable* m_view;
    QLabel* m_title;
    QPushButton* m_run;
};

} // namespace app
