#include "app/pages/export_dialog.h"

#include "app/models/tables/iterations_model.h"
#include "app/models/text.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/figure/figure_options_panel.h"
#include "app/widgets/figure/figure_views.h"

#include <QBoxLayout>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QScrollArea>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr int kSettleMs = 60; // lays out once while a number is typed, not per digit
constexpr int kSideWidth = 404;

std::unique_ptr<QSettings> openSettings()
{
    return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                       QStringLiteral("bubblescope"),
                                       QStringLiteral("bubblescope"));
}

QString subtitle(const std::vector<std::shared_ptr<const engine::Run>>& runs, int iteration)
{
    QStringList titles;
    for (const auto& run : runs)
        titles << QStringLiteral("%1, D %2, N %3")
                      .arg(QString::fromStdString(run->info.label.empty() ? run->info.scheme
                                                                          : run->info.label))
                      .arg(run->schedule.shape.devices)
                      .arg(run->schedule.shape.microBatches);
    QString all = titles.join(QStringLiteral("; "));
    if (iteration < 0)
        return all;
    const engine::Timeline& timeline = runs.front()->timeline;
    const bool isNumber = timeline.iterations[static_cast<std::size_t>(iteration)].kind
        == engine::Iteration::Kind::Measured;
    const QString name = iterationName(timeline, iteration);
    return all + QStringLiteral(", ")
        + (isNumber ? ExportDialog::tr("iteration %1").arg(name) : name);
}

void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

ExportDialog::ExportDialog(const ThemeController& theme,
                           std::vector<std::shared_ptr<const engine::Run>> runs, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_runs(std::move(runs))
    , m_timer(new QTimer(this))
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export figure"));
    auto* layout = spaced(new QVBoxLayout(this), {}, 0);
    auto* title = spaced(new QHBoxLayout, {16, 9, 16, 9}, 10);
    title->addWidget(makeLabel(tr("Export figure"), "section"));
    m_subtitle = makeLabel(subtitle(m_runs, m_iteration), "small");
    m_subtitle->setObjectName(QStringLiteral("figureSubtitle"));
    title->addWidget(m_subtitle, 1);
    layout->addLayout(title);
    layout->addWidget(makeLine(Qt::Horizontal));

    m_options = new FigureOptionsPanel(theme);
    auto* side = new QWidget;
    auto* sideLayout = spaced(new QVBoxLayout(side), {}, 0);
    sideLayout->addWidget(makeScroll(m_options), 1);
    sideLayout->addWidget(makeLine(Qt::Horizontal));
    sideLayout->addWidget(makeButtons());
    side->setFixedWidth(kSideWidth);

    auto* body = spaced(new QHBoxLayout, {}, 0);
    body->addWidget(makePreview(), 1);
    body->addWidget(makeLine(Qt::Vertical));
    body->addWidget(side);
    layout->addLayout(body, 1);

    m_timer->setObjectName(QStringLiteral("figureTyping"));
    m_timer->setSingleShot(true);
    m_timer->setInterval(kSettleMs);
    connect(m_timer, &QTimer::timeout, this, &ExportDialog::refresh);
    connect(m_options, &FigureOptionsPanel::changed, m_timer, qOverload<>(&QTimer::start));
    connect(m_options, &FigureOptionsPanel::browseRequested, this, &ExportDialog::browse);
    connect(m_options, &FigureOptionsPanel::ownPresetChosen, this, [this](const QString& preset) {
        m_options->show(loadOwnPreset(*openSettings(), preset, m_settings.base));
    });
    resize(1300, 876);
    loadSettings();
    m_export->setFocus();
}

ExportDialog::~ExportDialog() = default;

void ExportDialog::loadSettings()
{
    m_settings = loadExportSettings(*openSettings());
    QString folder = m_settings.base;
    if (folder.isEmpty() || !QFileInfo(folder).isDir())
        folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (!QFileInfo(folder).isDir())
        folder = QDir::homePath();
    m_settings.base = QDir(folder).filePath(figureName(m_runs));
    const bool memory = std::ranges::all_of(
        m_runs, [](const auto& run) { return !run->timeline.memory.empty(); });
    const bool comparable = std::ranges::all_of(m_runs, [this](const auto& run) {
        return run->info.inUnits() == m_runs.front()->info.inUnits();
    });
    m_options->setOwnPresets(ownPresets(*openSettings()));
    m_options->show(m_settings);
    m_options->setMemoryRecorded(memory);
    m_options->setRunsComparable(comparable);
    m_options->setHasNotes(false);
    refresh();
}

void ExportDialog::setFile(const QString& base)
{
    m_settings.base = base;
    m_options->show(m_settings);
    refresh();
}

void ExportDialog::setIteration(int iteration)
{
    m_iteration = iteration;
    m_subtitle->setText(subtitle(m_runs, iteration));
    refresh();
}

void ExportDialog::setNotes(std::vector<std::vector<engine::Note>> notes)
{
    m_notes = std::move(notes);
    m_options->setHasNotes(
        std::ranges::any_of(m_notes, [](const auto& of) { return !of.empty(); }));
    refresh();
}

void ExportDialog::refresh()
{
    m_timer->stop();
    const auto settings = m_options->settings();
    if (!settings)
        return refuse(fromUtf8(settings.error().message));
    m_settings = *settings;
    followPreset();
    ExportSettings drawn = m_options->drawable(m_settings);
    if (drawn.times == FigureTimes::Measured) // a schematic has one iteration
        drawn.options.iteration = m_iteration;
    auto draft = draftFigure(m_runs, drawn, m_notes);
    if (!draft)
        return refuse(fromUtf8(draft.error().message));
    m_draft = *std::move(draft);
    m_options->setHeight(m_draft.scene.height);
    showFiles();
    showDraft();
    showChecks();
}

void ExportDialog::showFiles()
{
    const auto files = static_cast<int>(m_settings.formats().size());
    m_export->setText(files == 1 ? tr("Export 1 file") : tr("Export %1 files").arg(files));
    const bool isNamed = !m_settings.base.isEmpty() && !m_settings.base.endsWith(u'/');
    m_export->setEnabled(files > 0 && isNamed);
    m_problem->setVisible(!m_export->isEnabled());
    if (files == 0)
        m_problem->show(Band::Kind::Warning, tr("No file:"), tr("choose a format under Output"));
    else if (!isNamed)
        m_problem->show(Band::Kind::Warning, tr("No file:"), tr("enter a name under Output"));
}

// Any changed setting deselects the user's preset.
void ExportDialog::followPreset()
{
    const QString preset = QString::fromStdString(m_settings.preset);
    if (isOwnPreset(preset)) {
        ExportSettings saved = loadOwnPreset(*openSettings(), preset, m_settings.base);
        // rows belong to these runs, not to the preset
        saved.options.devices = m_settings.options.devices;
        if (!(saved == m_settings)) {
            m_settings.preset.clear();
            m_options->setPreset({});
        }
    }
    m_savePreset->setText(isOwnPreset(QString::fromStdString(m_settings.preset))
                              ? tr("Remove preset")
                              : tr("Save as preset"));
}

void ExportDialog::saveOrRemovePreset()
{
    refresh();
    const auto stored = openSettings();
    if (const QString preset = QString::fromStdString(m_settings.preset); isOwnPreset(preset)) {
        removeOwnPreset(*stored, preset);
        m_settings.preset.clear();
    } else {
        bool isGiven = false;
        const QString name
            = QInputDialog::getText(this, tr("Save as preset"),
                                    tr("Name for size, font, palette, contents and output:"),
                                    QLineEdit::Normal, {}, &isGiven)
                  .trimmed();
        if (!isGiven || name.isEmpty())
            return;
        if (ownPresets(*stored).contains(name)
            && !mayReplace(tr("The preset %1 exists already.").arg(name),
                           tr("The current settings replace it.")))
            return;
        m_settings.preset = ownPreset(name).toStdString();
        saveOwnPreset(*stored, name, m_settings);
    }
    m_options->setOwnPresets(ownPresets(*stored));
    m_options->setPreset(m_settings.preset);
    refresh();
}

void ExportDialog::showDraft()
{
    const profiler::Scene scene = profiler::seen(m_draft.scene, m_sight);
    m_page->setScene(scene);
    m_zoom->setScene(scene);
    if (!m_zoomed)
        m_zoom->setZoom(m_zoom->fittingZoom(width() - kSideWidth - 2 * kPreviewMargin - 12));
    m_pageText->setText(m_page->pageText());
    m_zoomText->setText(tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
}

void ExportDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    showDraft();
}

void ExportDialog::showChecks()
{
    clear(m_checks);
    for (const profiler::FigureCheck& check : m_draft.checks) {
        m_checks->addWidget(new IconLabel(m_theme, check.good ? Icon::Check : Icon::Warning,
                                          check.good ? &Chrome::ok : &Chrome::warning, 14));
        auto* text = makeLabel(QString::fromStdString(check.text), "small");
        text->setObjectName(QStringLiteral("figureCheck"));
        m_checks->addWidget(text);
        m_checks->addSpacing(12);
    }
    m_checks->addStretch();
}

void ExportDialog::refuse(const QString& message)
{
    m_problem->show(Band::Kind::Error, tr("No figure:"), message);
    m_problem->setVisible(true);
    m_export->setEnabled(false);
}

void ExportDialog::setZoom(double zoom)
{
    m_zoomed = true;
    m_zoom->setZoom(zoom);
    m_zoomText->setText(tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
}

void ExportDialog::browse()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Figure"), m_settings.base, {},
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    setFile(figureBase(file));
}

bool ExportDialog::mayReplace(const QString& what, const QString& consequence)
{
    QMessageBox box(QMessageBox::NoIcon, windowTitle(), what, QMessageBox::Cancel, this);
    box.setInformativeText(consequence);
    auto* replace = box.addButton(tr("Replace"), QMessageBox::AcceptRole);
    replace->setObjectName(QStringLiteral("figureReplace"));
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == replace;
}

void ExportDialog::exportFiles()
{
    refresh(); // the last typed value may still wait for the timer
    if (!m_export->isEnabled())
        return;
    QStringList existing;
    for (const FigureFormat format : m_settings.formats())
        if (QFileInfo::exists(m_settings.file(format)))
            existing << QFileInfo(m_settings.file(format)).fileName();
    if (!existing.isEmpty()
        && !mayReplace(existing.size() == 1
                           ? tr("%1 exists already.").arg(existing.front())
                           : tr("%1 exist already.").arg(existing.join(QStringLiteral(", "))),
                       tr("The new figure replaces it.")))
        return;
    const auto files = exportFigure(m_draft.scene, m_settings);
    // creating a folder or freeing space may have solved the problem, so a retry is possible
    if (!files) {
        m_problem->show(Band::Kind::Error, tr("Not written:"), fromUtf8(files.error().message));
        m_problem->setVisible(true);
        return;
    }
    saveExportSettings(*openSettings(), m_settings);
    Q_EMIT exported(*files);
    accept();
}

} // namespace app
