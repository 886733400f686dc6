#pragma once

#include "app/ui/icons.h"
#include "app/ui/numbers.h"
#include "engine/timeline/run.h"
#include "profiler/store/ledger/ledger.h"

#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace app {

// A run in the list of all runs (the ledger), with the data that the user added and facts from its
// file.
struct LedgerRun
{
    enum class State : int { Queued, Running, Finished, Stopped, Failed, Killed };

    QString file;
    int number = 0;            // given once by the ledger and never reused; 0: not known yet
    QDateTime modified, moved; // the file; `moved`: to the trash, if it is there
    // `origin` is the folder of the file before it was moved to the trash, or "".
    QString name, note, origin;
    QStringList tags;

    // `scheme` is its key, "zb-v"; `experiment` is TOML, or "" if unknown.
    QString label, scheme, mode, outcome, command, experiment;
    // Why the run failed, or why its file cannot be read; otherwise "".
    QString problem;
    QDateTime started;
    qint64 bytes = 0;                                  // size of the file
    std::vector<std::pair<QString, QString>> settings; // titles and values of settingsOf()
    // Times are in cost units if isInUnits is set, otherwise in ns.
    bool isInUnits = false;
    std::optional<double> iteration, least, most; // `least` to `most` is the 95 % interval
    std::optional<double> bubble;                 // share of the iteration
    std::optional<double> peakBytes, tokensPerSecond, lossFirst, lossLast;
    // Only for a run that has not ended: its state ("queued", "running, 2 of 5"), and the share of
    // its iterations that are complete (-1: unknown). Not stored.
    QString state;
    double share = -1;

    QString title() const { return name.isEmpty() ? label : name; }
    State kind() const;
    QString stateName() const; // "finished", "killed"
    Icon stateIcon() const;
    // In place of its results, what a run without them does, or why it failed; otherwise "".
    QString reason() const;
    QString size() const; // "4 × 8", D × N; "" if its settings are unknown
    // When it started, or when its file was written, as for a simulation; in the trash: when it was
    // moved there.
    QDateTime when() const;
    std::optional<double> perToken() const; // ns of an iteration per token
    bool isTrashed() const { return !origin.isEmpty(); }
    bool isUnderWay() const { return !state.isEmpty(); }
    bool isFailed() const { return !problem.isEmpty(); }
    bool isUnreadable() const { return isFailed() && mode.isEmpty(); }
    QString setting(const QString& title) const; // "" if the run does not have it
    // The values of a key of a search: "scheme", "state", "mode", "tag" or a setting ("D", "model",
    // "micro-batch-size"). Spaces in them are "_".
    QStringList values(const QString& key) const;
    Scale time() const; // unit of its times
    // Whether the run matches every word of a filter. A word matches if it is a part of the name,
    // scheme, note, mode, file name, a tag or the value of a setting, or "#12", its number. A word
    // such as "D:4,8" matches if one of them is among the values() of the key D.
    bool matches(const QString& filter) const;
};

// Describes a run that was read from `file`.
LedgerRun describeRun(const QString& file, const engine::Run& run);

profiler::LedgerRow toRow(const LedgerRun& run);
LedgerRun fromRow(const profiler::LedgerRow& row);

// Returns the title of a setting as users know it: "Micro-batch size" for "--micro-batch-size",
// "Model" for "model", "D" for "D".
QString settingTitle(const QString& title);
QStringList settingTitles(QStringList titles);

// Returns the titles of settings that differ between the runs, in the order of the settings of a
// run. Ignores runs whose settings are unknown.
QStringList varyingSettings(const std::vector<LedgerRun>& runs);

// The titles of all settings of the runs, in the order of the settings of a run.
QStringList knownSettings(const std::vector<LedgerRun>& runs);
// The tags of the runs that are not in the trash, sorted.
QStringList tagsOf(const std::vector<LedgerRun>& runs);
// The runs with all settings and results, each number in its own unit.
QString ledgerCsv(const std::vector<LedgerRun>& runs);

// Returns a text that names at most four of the settings: "differ in D, N, v, slices and 3 more".
// Returns "" if `settings` is empty.
QString differenceText(const QStringList& settings);

} // namespace app

Q_DECLARE_METATYPE(app::LedgerRun)
