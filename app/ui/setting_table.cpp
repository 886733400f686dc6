#include "app/ui/setting_table.h"

#include "app/ui/numbers.h"
#include "app/ui/settings.h"
#include "engine/base/check.h"
#include "profiler/figure/palette.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cstring>

namespace app {
namespace {

QString settingText(const char* source)
{
    return QCoreApplication::translate("SettingTable", source);
}

std::vector<Setting> lookSettings()
{
    const QString group = settingText("Appearance");
    QStringList palettes, titles;
    for (const std::string& name : profiler::paletteNames()) {
        const auto palette = profiler::loadPalette(name, profiler::ThemeMode::Light);
        if (!palette || palette->backwardHatch.lines != profiler::HatchLines::None)
            continue; // the timeline draws no backward hatch, so ops would look alike
        palettes.append(QString::fromStdString(name));
        titles.append(QString::fromStdString(palette->title));
    }
    const auto name = [](const char* value) { return QString::fromLatin1(value); };
    return {
        {.key = key::kTheme,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Theme"),
         .explanation = settingText("The system's choice is read when the program starts."),
         .byDefault = name("system"),
         .values = {name("system"), name("light"), name("dark")},
         .names = {settingText("Same as the system"), settingText("Light"), settingText("Dark")}},
        {.key = key::kPalette,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Colours of operations"),
         .explanation
         = settingText("Default suits colour-blind readers. Figures have a separate setting."),
         .byDefault = palettes.front(),
         .values = palettes,
         .names = titles},
        {.key = key::kTextSize,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Text size"),
         .explanation = settingText("Scales the whole window when it is started the next time."),
         .byDefault = name("100"),
         .values = {name("90"), name("100"), name("110"), name("120"), name("140"), name("160")},
         .names = {name("90 %"), name("100 %"), name("110 %"), name("120 %"), name("140 %"),
                   name("160 %")}}};
}

// The values are in the order of TimeUnits and MemoryUnits.
std::vector<Setting> unitSettings()
{
    const QString group = settingText("Units"), bySize = settingText("By size");
    const auto name = [](Unit unit) { return scaleIn(unit).unit(); };
    const auto always = [&](Unit unit) { return settingText("Always %1").arg(name(unit)); };
    const auto values = [](const char* fixed) {
        return QStringList{QStringLiteral("size"), QString::fromLatin1(fixed)};
    };
    return {
        {.key = key::kTimes,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Times"),
         .explanation
         = settingText("By size: %1, %2 or %3. Kernels stay in %1, abstract costs in units.")
               .arg(name(Unit::Microsecond), name(Unit::Millisecond), name(Unit::Second)),
         .byDefault = QStringLiteral("size"),
         .values = values("ms"),
         .names = {bySize, always(Unit::Millisecond)}},
        {.key = key::kMemory,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Memory"),
         .explanation
         = settingText(
               "By size: %1, %2 or %3. Exports, copied tables and loads of links keep their units.")
               .arg(name(Unit::KiB), name(Unit::MiB), name(Unit::GiB)),
         .byDefault = QStringLiteral("size"),
         .values = values("GiB"),
         .names = {bySize, always(Unit::GiB)}}};
}

std::vector<Setting> startSettings()
{
    const QString group = settingText("Start");
    return {{.key = key::kRestore,
             .group = group,
             .title = settingText("Open the tabs of the last session"),
             .explanation = settingText("Start with --no-restore to skip it once."),
             .byDefault = true}};
}

std::vector<Setting> runSettings()
{
    const QString folders = settingText("Folders"), worker = settingText("Worker");
    return {
        {.key = key::kRuns,
         .kind = Setting::Kind::Folder,
         .group = folders,
         .title = settingText("Recorded runs"),
         .explanation = settingText("New runs are saved here. Existing runs stay where they are."),
         .byDefault = QString(),
         .emptyText = settingText("the data folder of the user")},
        {.key = key::kExports,
         .kind = Setting::Kind::Folder,
         .group = folders,
         .title = settingText("Exports"),
         .explanation
         = settingText("Initial folder of the dialogs for figures, reports and traces."),
         .byDefault = QString(),
         .emptyText = settingText("the folder used last")},
        {.key = key::kWorker,
         .kind = Setting::Kind::Program,
         .group = worker,
         .title = settingText("Program"),
         .explanation = settingText("The bscope program that executes new runs."),
         .byDefault = QString(),
         .emptyText = settingText("bscope in the folder of this program")},
        {.key = key::kPatience,
         .kind = Setting::Kind::Number,
         .group = worker,
         .title = settingText("Stop timeout"),
         .explanation = settingText("Kills a worker that is still running this long after Stop."),
         .byDefault = 5,
         .least = 1,
         .most = 600,
         .unit = settingText("s")}};
}

std::vector<Setting> makeSettingTable()
{
    std::vector<Setting> table = lookSettings();
    for (std::vector<Setting> part : {unitSettings(), startSettings(), runSettings()})
        std::ranges::move(part, std::back_inserter(table));
    return table;
}

} // namespace

const std::vector<Setting>& settingTable()
{
    static const std::vector<Setting> kTable = makeSettingTable();
    return kTable;
}

const Setting& setting(const char* key)
{
    const auto& table = settingTable();
    const auto found = std::ranges::find_if(
        table, [key](const Setting& one) { return std::strcmp(one.key, key) == 0; });
    CHECK(found != table.end());
    return *found;
}

QVariant Setting::valid(const QVariant& stored) const
{
    switch (kind) {
    case Kind::Choice:
        return values.contains(stored.toString()) ? QVariant(stored.toString()) : byDefault;
    case Kind::Switch:
        return stored.canConvert<bool>() ? QVariant(stored.toBool()) : byDefault;
    case Kind::Number: {
        bool isNumber = false;
        const int number = stored.toInt(&isNumber);
        return isNumber && number >= least && number <= most ? QVariant(number) : byDefault;
    }
    case Kind::Folder:
    case Kind::Program:
        break;
    }
    return stored.toString();
}

QString chosenFolder(const char* key)
{
    const QString folder = Settings().value(key).toString();
    return QFileInfo(folder).isDir() ? folder : QString();
}

} // namespace app
