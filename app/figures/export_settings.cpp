#include "app/figures/export_settings.h"

#include "app/documents/run_document.h"
#include "app/ui/text.h"

#include <QFileInfo>
#include <QSettings>
#include <QUrl>

#include <array>

namespace app {
namespace {

constexpr std::array kEnds{".pdf", ".svg", ".png", ".tex"}; // indexed by FigureFormat

constexpr std::array kOutputs{&ExportSettings::pdf, &ExportSettings::svg, &ExportSettings::png,
                              &ExportSettings::tikz}; // indexed by FigureFormat
QString key(const engine::FieldFacts& facts)
{
    return QString::fromStdString(facts.table + '/' + facts.key);
}

constexpr QLatin1String kOwn("own/"), kGroup("figurePresets");

// Returns the group of QSettings for a preset of the user. The name is percent-encoded, because a
// slash would start a subgroup.
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
        if (this->*kOutputs[f])
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

engine::Fields<ExportSettings> exportFields()
{
    using E = ExportSettings;
    static const std::vector<engine::Field<E>> kFields = [] {
        std::vector<engine::Field<E>> fields;
        for (const auto& field : figureFields())
            fields.push_back({field, field.get, field.set, field.off});
        fields.push_back(engine::field<E>(engine::inFileOnly(kFigureTable, "preset"), &E::preset));
        constexpr std::array kTitles{"PDF", "SVG", "PNG", "TikZ"};
        constexpr std::array kFlags{"--pdf", "--svg", "--png", "--tikz"};
        for (std::size_t f = 0; f < kOutputs.size(); ++f)
            fields.push_back(engine::field<E>(
                engine::option(kFigureTable, kFlags[f], kTitles[f], "Write this format"),
                kOutputs[f]));
        fields.push_back(engine::field<E>(
            engine::option(kFigureTable, "--recipe", "Save a recipe beside the figure",
                           "Write NAME.figure.toml, from which bubblescope figure --update draws "
                           "the figure again"),
            &E::recipe));
        fields.push_back(
            {engine::inFileOnly(kFigureTable, "folder"),
             [](const E& settings) { return QFileInfo(settings.base).path().toStdString(); },
             [](E& settings, std::string_view text) -> engine::Result<void> {
                 settings.base = fromUtf8(text);
                 return {};
             }});
        return fields;
    }();
    return kFields;
}

ExportSettings loadExportSettings(const QSettings& settings)
{
    ExportSettings exported;
    for (const auto& field : exportFields())
        if (!field.key.empty() && settings.contains(key(field)))
            static_cast<void>(engine::setChecked(
                field, exported, settings.value(key(field)).toString().toStdString()));
    return exported;
}

void saveExportSettings(QSettings& settings, const ExportSettings& exported)
{
    for (const auto& field : exportFields())
        if (!field.key.empty())
            settings.setValue(key(field), QString::fromStdString(field.get(exported)));
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

QString figureTitle(const std::vector<std::shared_ptr<const engine::Run>>& runs, int iteration)
{
    QStringList titles;
    for (const auto& run : runs)
        titles << QStringLiteral("%1, %2").arg(
            QString::fromStdString(run->info.label.empty() ? run->info.scheme : run->info.label),
            shapeText(*run));
    QString all = titles.join(QStringLiteral("; "));
    if (iteration < 0)
        return all;
    const engine::Timeline& timeline = runs.front()->timeline;
    const bool isNumber = timeline.iterations[static_cast<std::size_t>(iteration)].kind
        == engine::Iteration::Kind::Measured;
    const QString name = iterationName(timeline, iteration);
    return all + QStringLiteral(", ")
        + (isNumber ? QStringLiteral("iteration %1").arg(name) : name);
}

} // namespace app
