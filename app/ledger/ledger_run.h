#pragma once

#include "app/ui/numbers.h"
#include "app/ui/thumbnail.h"
#include "engine/timeline/run.h"
#include "profiler/store/ledger/ledger.h"

#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

// A run in the list of all runs (the ledger), with the data that the user added and facts from its
// file.
struct LedgerRun
{
    QString file;
    // `origin` is the folder of the file before it was moved to the trash, or "".
    QString name, note, origin;
    QStringList tags;

    // `experiment` is TOML, or "" if unknown.
    QString label, mode, outcome, command, experiment;
    // Why the run failed, or why its file cannot be read; otherwise "".
    QString problem;
    QDateTime started;
    qint64 bytes = 0;                                  // size of the file
    std::vector<std::pair<QString, QString>> settings; // titles and values of settingsOf()
    // Times are in cost units if isInUnits is set, otherwise in ns.
    bool isInUnits = false;
    std::optional<double> iteration, least, most; // `least` to `most` is the 95 % interval
    std::vector<double> iterations;               // the measured iterations, at most 200
    std::optional<double> bubble;                 // share of the iteration
    std::optional<double> peakBytes, tokensPerSecond, lossFirst, lossLast;
    std::shared_ptr<const Thumbnail> thumbnail;
    // Only for a run that has not ended: its state ("queued", "running, 2 of 5"), and the share of
    // its iterations that are complete (-1: unknown). Not stored.
    QString state;
    double share = -1;

    QString title() const { return name.isEmpty() ? label : name; }
    bool isTrashed() const { return !origin.isEmpty(); }
    bool isUnderWay() const { return !state.isEmpty(); }
    bool isFailed() const { return !problem.isEmpty(); }
    bool isUnreadable() const { return isFailed() && mode.isEmpty(); }
    QString setting(const QString& title) const; // "" if the run does not have it
    Scale time() const;                          // unit of its times
    // Whether the run matches every word of a filter. A word matches if it is a part of the name,
    // scheme, note, mode, file name, a tag or the value of a setting. A word such as "D:4" matches
    // if the setting D has the value 4.
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
QStringList varyingSettings(const std::vector<const LedgerRun*>& runs);

// Returns a text that names at most four of the settings: "differ in D, N, v, slices and 3 more".
// Returns "" if `settings` is empty.
QString differenceText(const QStringList& settings);

} // namespace app

Q_DECLARE_METATYPE(app::LedgerRun)
