#include "app/figures/export_settings.h"

#include <QFileInfo>
#include <QSettings>
#include <QUrl>

#include <array>

namespace app {
namespace {

constexpr std::array kEnds{".pdf", ".svg", ".png", ".tex"}; // [FigureFormat]

struct Output
{
    const char* key;
    bool ExportSettings::*field;
};
constexpr std::array kOutputs{
    Output{"pdf", &ExportSettings::pdf}, Output{"svg", &ExportSettings::svg},
    Output{"png", &ExportSettings::png}, Output{"tikz", &ExportSettings::tikz}}; // by FigureFormat

QString key(std::string_view name)
{
    return QStringLiteral("figure/")
        + QLatin1String(name.data(), static_cast<qsizetype>(name.size()));
}

constexpr QLatin1String kOwn("own/"), kGroup("figurePresets");

// Escapes slashes in the name, which separate groups.
QString groupOf(const QString& preset)
{
    return QString(kGroup) + QLatin1Char('/')
        + QString::fromLatin1(QUrl::toPercentEncoding(preset.mid(kOwn.size())));
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
    const auto value = [&](std::string_view name, const auto& usual) {
        return settings.value(key(name), usual);
    };
    for (const auto& field : figureFields())
        if (!field.key.empty())
            static_cast<void>(engine::setChecked<FigureSettings>(
                field, exported, value(field.key, QString()).toString().toStdString()));
    exported.preset = value("preset", QStringLiteral("acm-column")).toString().toStdString();
    for (const Output& output : kOutputs)
        exported.*output.field = value(output.key, exported.*output.field).toBool();
    exported.base = value("folder", QString()).toString();
    return exported;
}

void saveExportSettings(QSettings& settings, const ExportSettings& exported)
{
    for (const auto& field : figureFields())
        if (!field.key.empty())
            settings.setValue(key(field.key), QString::fromStdString(field.get(exported)));
    settings.setValue(key("preset"), QString::fromStdString(exported.preset));
    for (const Output& output : kOutputs)
        settings.setValue(key(output.key), exported.*output.field);
    settings.setValue(key("folder"), QFileInfo(exported.base).path());
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
