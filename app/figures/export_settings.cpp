#include "app/figures/export_settings.h"

#include <QFileInfo>
#include <QSettings>
#include <QUrl>

#include <array>

namespace app {
namespace {

constexpr std::array kEnds{".pdf", ".svg", ".png", ".tex"}; // by FigureFormat

struct Flag
{
    const char* key;
    bool profiler::FigureOptions::*field;
};
constexpr std::array kFlags{
    Flag{"microBatches", &profiler::FigureOptions::microBatches},
    Flag{"directionMark", &profiler::FigureOptions::directionMark},
    Flag{"bubbleShare", &profiler::FigureOptions::bubbleShare},
    Flag{"timeAxis", &profiler::FigureOptions::timeAxis},
    Flag{"legend", &profiler::FigureOptions::legend},
    Flag{"memory", &profiler::FigureOptions::memory},
    Flag{"title", &profiler::FigureOptions::title},
    Flag{"notes", &profiler::FigureOptions::notes},
};

struct Output
{
    const char* key;
    bool ExportSettings::*field;
};
constexpr std::array kOutputs{
    Output{"pdf", &ExportSettings::pdf}, Output{"svg", &ExportSettings::svg},
    Output{"png", &ExportSettings::png}, Output{"tikz", &ExportSettings::tikz}}; // by FigureFormat

QString key(const char* name)
{
    return QStringLiteral("figure/") + QLatin1String(name);
}

constexpr QLatin1String kOwn("own/"), kGroup("figurePresets");

// A name may hold a slash, which parts groups.
QString groupOf(const QString& preset)
{
    return QString(kGroup) + QLatin1Char('/')
        + QString::fromLatin1(QUrl::toPercentEncoding(preset.mid(kOwn.size())));
}

double between(const QVariant& value, double low, double high, double otherwise)
{
    bool good = false;
    const double number = value.toDouble(&good);
    return good && number >= low && number <= high ? number : otherwise;
}

} // namespace

std::vector<FigureFormat> ExportSettings::formats() const
{
    std::vector<FigureFormat> chosen;
    for (std::size_t f = 0; f < kOutputs.size(); ++f)
        if (this->*kOutputs[f].field)
            chosen.push_back(FigureFormat(f));
    return chosen;
}

QString ExportSettings::file(FigureFormat format) const
{
    return base + QLatin1String(kEnds[static_cast<std::size_t>(format)]);
}

QString figureBase(const QString& file)
{
    const QString trimmed = file.trimmed();
    return figureFormat(trimmed) ? trimmed.left(trimmed.lastIndexOf(QLatin1Char('.'))) : trimmed;
}

ExportSettings loadExportSettings(const QSettings& settings)
{
    ExportSettings exported;
    profiler::FigureOptions& options = exported.options;
    const auto value = [&](const char* name) { return settings.value(key(name)); };
    options.width = between(value("width"), 72, 7200, options.width);
    options.fontSize = between(value("fontSize"), profiler::kSmallestType, 72, options.fontSize);
    options.font = value("font").toString().toStdString();
    const std::string palette = value("palette").toString().toStdString();
    if (profiler::loadPalette(palette, profiler::ThemeMode::Light))
        options.palette = palette;
    options.bubbles = profiler::BubbleStyle(static_cast<int>(between(value("bubbles"), 0, 2, 0)));
    for (const Flag& flag : kFlags)
        options.*flag.field = settings.value(key(flag.key), options.*flag.field).toBool();
    exported.preset
        = settings.value(key("preset"), QStringLiteral("acm-column")).toString().toStdString();
    exported.times = FigureTimes(static_cast<int>(between(value("times"), 0, 1, 0)));
    for (const Output& output : kOutputs)
        exported.*output.field = settings.value(key(output.key), exported.*output.field).toBool();
    exported.dpi = static_cast<int>(between(value("dpi"), 72, 1200, exported.dpi));
    exported.base = value("folder").toString();
    return exported;
}

void saveExportSettings(QSettings& settings, const ExportSettings& exported)
{
    const profiler::FigureOptions& options = exported.options;
    const auto set = [&](const char* name, const QVariant& v) { settings.setValue(key(name), v); };
    set("width", options.width);
    set("fontSize", options.fontSize);
    set("font", QString::fromStdString(options.font));
    set("palette", QString::fromStdString(options.palette));
    set("bubbles", static_cast<int>(options.bubbles));
    for (const Flag& flag : kFlags)
        set(flag.key, options.*flag.field);
    set("preset", QString::fromStdString(exported.preset));
    set("times", static_cast<int>(exported.times));
    for (const Output& output : kOutputs)
        set(output.key, exported.*output.field);
    set("dpi", exported.dpi);
    set("folder", QFileInfo(exported.base).path());
}

QString ownPreset(const QString& name)
{
    return kOwn + name;
}

bool isOwnPreset(const QString& preset)
{
    return preset.startsWith(kOwn);
}

QStringList ownPresets(QSettings& settings)
{
    settings.beginGroup(kGroup);
    QStringList names;
    for (const QString& group : settings.childGroups())
        names.append(QUrl::fromPercentEncoding(group.toLatin1()));
    settings.endGroup();
    names.sort(Qt::CaseInsensitive);
    return names;
}

void saveOwnPreset(QSettings& settings, const QString& name, const ExportSettings& exported)
{
    settings.beginGroup(groupOf(ownPreset(name)));
    saveExportSettings(settings, exported);
    settings.endGroup();
}

ExportSettings loadOwnPreset(QSettings& settings, const QString& preset, const QString& base)
{
    settings.beginGroup(groupOf(preset));
    ExportSettings exported = loadExportSettings(settings);
    settings.endGroup();
    exported.preset = preset.toStdString();
    exported.base = base;
    return exported;
}

void removeOwnPreset(QSettings& settings, const QString& preset)
{
    settings.remove(groupOf(preset));
}

QString figureName(const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    QStringList names;
    for (const auto& run : runs)
        names << QString::fromStdString(run->info.scheme);
    QString name = names.join(QLatin1Char('-'));
    if (runs.size() == 1)
        name += QStringLiteral("-d%1-n%2")
                    .arg(runs[0]->schedule.shape.devices)
                    .arg(runs[0]->schedule.shape.microBatches);
    return name.left(60);
}

} // namespace app
