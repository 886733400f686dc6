#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>

#include <vector>

namespace app {

// A setting that the user can change: its key in the settings file, its texts and its values.
struct Setting
{
    enum class Kind { Choice, Switch, Number, Folder, Program };

    const char* key = nullptr; // in the settings file: "folders/runs"
    Kind kind = Kind::Switch;
    QString group = {}, title = {}, explanation = {}; // the explanation is one line
    QVariant byDefault = {};                          // always "" for Folder and Program
    // Only for Kind::Choice: the values in the settings file, and their names on the screen.
    QStringList values = {}, names = {};
    int least = 0, most = 0; // limits of a Kind::Number
    QString unit = {};       // unit of a Kind::Number: "s"
    QString emptyText = {};  // shown while the value of a Kind::Folder or Kind::Program is ""

    // Returns `stored`, or the default if `stored` is not a possible value of the setting.
    QVariant valid(const QVariant& stored) const;
};

const std::vector<Setting>& settingTable();
const Setting& setting(const char* key); // `key` must be in the table

// Keys that the program uses by name.
namespace key {
constexpr const char *kTheme = "theme", *kPalette = "palette", *kTextSize = "textSize",
                     *kTimes = "units/times", *kMemory = "units/memory",
                     *kRestore = "session/restore", *kWorker = "worker/program",
                     *kPatience = "worker/patience", *kRuns = "folders/runs",
                     *kExports = "folders/exports";
} // namespace key

// Returns the folder that the user chose for the setting `key`; "" if none is set or it does not
// exist.
QString chosenFolder(const char* key);

} // namespace app
