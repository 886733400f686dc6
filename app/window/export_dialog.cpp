#include "app/window/export_dialog.h"

#include "app/figures/write_figure.h"
#include "app/range/range_panel.h"
#include "app/ui/controls.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "profiler/figure/font_metrics.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPainter>
#include <QPointer>
#include <QRadioButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSettings>
#include <QSignalBlocker>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using Look = BoundFields::Look;

QString paletteHint(const std::string& palette)
{
    if (palette == "default")
        return FigureOptionsPanel::tr("safe for colour-blind readers");
    if (palette == "grey")
        return FigureOptionsPanel::tr("prints without colour");
    if (palette == "dualpipe")
        return FigureOptionsPanel::tr("F and B look alike in deuteranopia");
    return {};
}

QIcon swatches(const profiler::Palette& palette)
{
    const profiler::Colour colours[] = {palette.forward, palette.backward, palette.weight,
                                        palette.communication, palette.optimizer};
    QPixmap pixmap(56, 11);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    for (int i = 0; i < 5; ++i) {
        painter.fillRect(11 * i, 0, 11, 11, toQt(colours[i]));
        painter.setPen(QColor(0x8B, 0x95, 0xA4));
        painter.drawRect(11 * i, 0, 11, 10);
    }
    return {pixmap};
}

QLineEdit* makeReadOnly(const char* name)
{
    auto* field = new QLineEdit;
    field->setObjectName(QString::fromLatin1(name));
    field->setReadOnly(true);
    return field;
}

void shape(QWidget* widget, int width, const QString& unit, int decimals, double step)
{
    auto* spin = static_cast<QDoubleSpinBox*>(widget);
    spin->setFixedWidth(width);
    spin->setSuffix(unit);
    spin->setDecimals(decimals);
    spin->setSingleStep(step);
}

} // namespace

FigureOptionsPanel::FigureOptionsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_table(exportFields().begin(), exportFields().end())
    , m_fields(theme)
    , m_layout(spaced(new QVBoxLayout(this), {18, 14, 18, 14}, 10))
{
    limitFields();
    addSize();
    addPalettes();
    addContents();
    addOutput();
    m_layout->addStretch();
    connect(&m_fields, &BoundFields::edited, this, &FigureOptionsPanel::edited);
}

FigureOptionsPanel::Field& FigureOptionsPanel::field(std::string_view flag)
{
    return *std::ranges::find(m_table, flag, &Field::flag);
}

void FigureOptionsPanel::limitFields()
{
    for (Field& each : m_table) {
        if (!each.flag.starts_with("--no-"))
            continue;
        // The form negates the option: a box is ticked if the part is drawn.
        each.get = [get = each.get](const ExportSettings& settings) {
            return get(settings) == "true" ? "false" : "true";
        };
        each.set = [set = each.set](ExportSettings& settings, std::string_view text) {
            return set(settings, text == "true" ? "false" : "true");
        };
    }
    const auto limit = [this](const char* flag, bool Available::*has, const QString& absent) {
        field(flag).off = [this, has, absent](const ExportSettings& settings) {
            const bool isMeasured
                = m_available.isComparable && settings.times == FigureTimes::Measured;
            const QString reason = !(m_available.*has) ? absent
                : !isMeasured ? tr("Not available in a schematic: select measured")
                              : QString();
            return reason.toStdString();
        };
    };
    limit("--memory", &Available::hasMemory, tr("These runs have no recorded memory"));
    limit("--notes", &Available::hasNotes, tr("These runs have no notes"));
    limit("--communication", &Available::isComparable,
          tr("Abstract units and milliseconds cannot share an axis"));
    limitRange();
    field("--recipe").off = [this](const ExportSettings&) {
        return m_available.hasFiles ? std::string()
                                    : tr("These runs have no files: save them first").toStdString();
    };
    Field& times = field("--times");
    times.get = [this, get = times.get](const ExportSettings& settings) {
        return m_available.isComparable ? get(settings) : "schematic";
    };
    times.off = [this](const ExportSettings&) {
        return m_available.isComparable
            ? std::string()
            : tr("Abstract units and milliseconds cannot share an axis").toStdString();
    };
    field("--dpi").off = [](const ExportSettings& settings) {
        return settings.png ? std::string() : tr("Only for PNG").toStdString();
    };
}

// Limits the range to two choices: the whole iteration or the marked range.
void FigureOptionsPanel::limitRange()
{
    Field& range = field("--range");
    range.kind = engine::FieldKind::Choice;
    range.names = {"whole iteration", "marked range"};
    range.help = "Draw the whole iteration, or the range that is marked in the timeline";
    range.get = [names = range.names](const ExportSettings& settings) {
        return std::string(names[settings.options.range.isWhole() ? 0 : 1]);
    };
    range.set = [this, names = range.names](ExportSettings& settings, std::string_view text) {
        settings.options.range = text == names[1] ? m_available.marked : profiler::FigureRange();
        return engine::Result<void>();
    };
    range.off = [this](const ExportSettings& settings) {
        const QString reason = m_available.marked.isWhole()
            ? tr("Mark a range in the timeline first (R)")
            : settings.times == FigureTimes::Schematic
            ? tr("Not available in a schematic: select measured")
            : QString();
        return reason.toStdString();
    };
}

QWidget* FigureOptionsPanel::add(std::string_view flag, Look look)
{
    return m_fields.add(field(flag), m_settings, "figure", look);
}

QWidget* FigureOptionsPanel::addRow(QVBoxLayout& section, std::string_view flag, Look look)
{
    QWidget* widget = add(flag, look);
    section.addLayout(makeFormRow(fromUtf8(field(flag).label), {widget}));
    return widget;
}

QVBoxLayout* FigureOptionsPanel::addSection(const QString& title)
{
    if (m_layout->count() > 0)
        m_layout->addWidget(makeLine(Qt::Horizontal));
    auto* section = spaced(new QVBoxLayout, {}, 8, {makeLabel(title, "section")});
    m_layout->addLayout(section);
    return section;
}

void FigureOptionsPanel::addSize()
{
    m_preset = named(new QComboBox, "figurePreset");
    for (const auto& preset : profiler::figurePresets())
        m_preset->addItem(fromUtf8(preset.title), fromUtf8(preset.name));
    m_preset->addItem(tr("Other"), QString());
    m_preset->setFixedWidth(210);
    m_preset->setMaxVisibleItems(20);
    connect(m_preset, &QComboBox::activated, this, &FigureOptionsPanel::choosePreset);
    QWidget *width = add("--width", Look::Spin), *size = add("--font-size", Look::Spin);
    shape(width, 92, tr(" in"), 2, 0.05);
    shape(size, 78, tr(" pt"), 1, 0.5);
    m_height = makeReadOnly("figureHeight");
    m_height->setFocusPolicy(Qt::NoFocus);
    m_height->setFixedWidth(104); // "12.90 in, auto"
    QStringList fonts;
    for (const auto& family : profiler::installedFonts())
        fonts.append(QString::fromStdString(family));
    m_font = m_fields.choice(
        "figureFont", fonts,
        [this, fonts] {
            return std::max<int>(0, fonts.indexOf(QString::fromStdString(m_settings.options.font)));
        },
        [this, fonts](int font) { m_settings.options.font = fonts.value(font).toStdString(); });
    m_font->setFixedWidth(124);
    auto* section = addSection(tr("Size"));
    section->addLayout(makeFormRow(tr("Preset"), {m_preset}));
    section->addLayout(makeFormRow(tr("Width \u00D7 height"),
                                   {width, makeLabel(QStringLiteral("\u00D7")), m_height}));
    section->addLayout(makeFormRow(tr("Font"), {m_font, size}));
}

void FigureOptionsPanel::addPalettes()
{
    auto* section = addSection(tr("Palette"));
    for (const auto& name : profiler::paletteNames()) {
        const auto palette = profiler::loadPalette(name, profiler::ThemeMode::Light);
        auto* radio = new QRadioButton(QString::fromStdString(palette->title));
        radio->setObjectName(QStringLiteral("palette-") + QString::fromStdString(name));
        radio->setIcon(swatches(*palette));
        radio->setIconSize({56, 11});
        section->addLayout(spaced(new QHBoxLayout, {}, 8,
                                  {radio, kStretch, makeLabel(paletteHint(name), "hint")}));
        m_palettes.push_back(radio);
        connect(radio, &QRadioButton::clicked, this, [this, name] {
            m_settings.options.palette = name;
            Q_EMIT changed();
        });
    }
    addRow(*section, "--colour-by", Look::ByKind);
}

void FigureOptionsPanel::addContents()
{
    constexpr const char* kParts[]
        = {"--no-numbers", "--no-axis", "--no-direction", "--no-legend",    "--no-shares",
           "--title",      "--memory",  "--notes",        "--communication"}; // row by row
    auto* section = addSection(tr("Contents"));
    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(8);
    for (const char* part : kParts)
        grid->addWidget(add(part), grid->count() / 2, grid->count() % 2);
    section->addLayout(grid);
    m_rows = static_cast<QLineEdit*>(addRow(*section, "--rows", Look::ByKind));
    m_rows->setPlaceholderText(tr("all devices, or 0,2-3"));
    addRow(*section, "--times", Look::Segments);
    m_range = static_cast<SegmentControl*>(addRow(*section, "--range", Look::Segments));
    addRow(*section, "--bubbles", Look::Segments);
}

void FigureOptionsPanel::addOutput()
{
    QWidget* dpi = add("--dpi");
    static_cast<QSpinBox*>(dpi)->setSuffix(tr(" dpi"));
    static_cast<QSpinBox*>(dpi)->setSingleStep(100);
    m_base = named(new QLineEdit, "figureFile", tr("File without extension"));
    connect(m_base, &QLineEdit::textChanged, this, &FigureOptionsPanel::edited);
    auto* browse = makeButton(tr("Browse\u2026"), QStringLiteral("figureBrowse"));
    connect(browse, &QPushButton::clicked, this, &FigureOptionsPanel::browseRequested);
    m_latex = makeReadOnly("figureLatex");
    m_latex->setAccessibleName(tr("Line for LaTeX"));
    m_latex->setFont(codeFont(10));
    auto* copy = makeButton({}, QStringLiteral("figureCopyLatex"));
    copy->setIcon(makeIcon(Icon::Copy, m_theme.theme().chrome.text2));
    copy->setFixedWidth(30);
    copy->setToolTip(tr("Copy"));
    copy->setAccessibleName(tr("Copy the line for LaTeX"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_latex->text()); });
    auto* section = addSection(tr("Output"));
    section->addLayout(
        spaced(new QHBoxLayout, {}, 14,
               {add("--pdf"), add("--svg"), add("--tikz"), add("--png"), kStretch, dpi}));
    section->addLayout(spaced(new QHBoxLayout, {}, 8, {m_base, browse}));
    section->addWidget(add("--recipe"));
    section->addLayout(spaced(new QHBoxLayout, {}, 8, {m_latex, copy}));
}

void FigureOptionsPanel::choosePreset()
{
    const QString preset = m_preset->currentData().toString();
    m_settings.preset = preset.toStdString();
    if (isOwnPreset(preset))
        Q_EMIT ownPresetChosen(preset);
    else if (!preset.isEmpty())
        static_cast<void>(field("--preset").set(m_settings, m_settings.preset));
    show(m_settings);
    Q_EMIT changed();
}

// Changing the width or the font size deselects the preset.
void FigureOptionsPanel::edited()
{
    m_settings.base = figureBase(m_base->text());
    const profiler::FigureOptions& options = m_settings.options;
    if (const auto preset = profiler::findFigurePreset(m_settings.preset); preset
        && (options.fontSize != preset->fontSize
            || std::abs(options.width / profiler::kPointsPerInch - preset->inches) > 1e-6)) {
        setPreset({});
        m_settings.options.height = m_settings.options.margin = 0;
    }
    showOutput();
    Q_EMIT changed();
}

// Lists the user's presets after those of publishers. Their item data is ownPreset(name).
void FigureOptionsPanel::setOwnPresets(const QStringList& names)
{
    for (int i = m_preset->count() - 1; i >= 0; --i)
        if (isOwnPreset(m_preset->itemData(i).toString()))
            m_preset->removeItem(i);
    for (const QString& name : names)
        m_preset->insertItem(m_preset->count() - 1, name, ownPreset(name));
    setPreset(m_settings.preset);
}

void FigureOptionsPanel::setPreset(const std::string& preset)
{
    m_settings.preset = preset;
    const int at = m_preset->findData(QString::fromStdString(preset));
    m_preset->setCurrentIndex(at < 0 ? m_preset->count() - 1 : at);
}

void FigureOptionsPanel::showOutput()
{
    const ExportSettings& s = m_settings;
    const auto preset = profiler::findFigurePreset(s.preset);
    const QString width = preset
        ? fromUtf8(preset->latexWidth)
        : QStringLiteral("%1in").arg(s.options.width / profiler::kPointsPerInch, 0, 'f', 2);
    const QString file = QFileInfo(s.base).fileName();
    if (s.tikz && !s.pdf)
        m_latex->setText(QStringLiteral("\\input{%1}").arg(file));
    else if (s.svg && !s.pdf && !s.png) // needs the LaTeX package svg
        m_latex->setText(QStringLiteral("\\includesvg[width=%1]{%2}").arg(width, file));
    else
        m_latex->setText(QStringLiteral("\\includegraphics[width=%1]{%2}").arg(width, file));
    m_latex->setCursorPosition(0);
}

void FigureOptionsPanel::show(const ExportSettings& settings)
{
    m_settings = settings;
    setPreset(settings.preset);
    const auto palettes = profiler::paletteNames();
    for (std::size_t p = 0; p < palettes.size(); ++p)
        m_palettes[p]->setChecked(palettes[p] == settings.options.palette);
    m_settings.options.font
        = m_font
              ->itemText(
                  std::max(0, m_font->findText(QString::fromStdString(settings.options.font))))
              .toStdString();
    const QSignalBlocker blocker(m_base);
    m_base->setText(settings.base);
    m_fields.show();
    showOutput();
}

engine::Result<ExportSettings> FigureOptionsPanel::settings() const
{
    if (const QString problem = m_fields.problem(); !problem.isEmpty())
        return engine::invalid(problem.toStdString());
    return m_settings;
}

ExportSettings FigureOptionsPanel::drawable(const ExportSettings& settings) const
{
    ExportSettings drawn = settings;
    for (const auto& [flag, without] : {std::pair("--times", "schematic"),
                                        {"--range", "whole iteration"},
                                        {"--memory", "false"},
                                        {"--notes", "false"},
                                        {"--communication", "false"},
                                        {"--recipe", "false"}})
        if (const Field& each = *std::ranges::find(m_table, flag, &Field::flag);
            !each.off(drawn).empty())
            static_cast<void>(each.set(drawn, without));
    return drawn;
}

void FigureOptionsPanel::setHeight(double points)
{
    const QString text = m_settings.options.height > 0 ? tr("%1 in") : tr("%1 in, auto");
    m_height->setText(points > 0 ? text.arg(points / profiler::kPointsPerInch, 0, 'f', 2)
                                 : QString());
}

void FigureOptionsPanel::chooseRows()
{
    if (!isAncestorOf(window()->focusWidget()))
        m_rows->setFocus();
}

void FigureOptionsPanel::setAvailable(const Available& available)
{
    m_available = available;
    if (!available.marked.isWhole())
        m_range->setText(1, available.markedText);
    m_fields.show();
}

namespace {

constexpr int kSettleMs = 60; // so that typing a number lays out once and not per digit
constexpr int kSideWidth = 404;

constexpr double kMargin = 32, kGutter = 30, kFigureTop = 26; // pixels of the page
constexpr double kWidestColumn = 3.6 * profiler::kPointsPerInch;
constexpr double kWidestPage = 8.5 * profiler::kPointsPerInch;
constexpr int kZoomPadding = 20, kPreviewMargin = 24;
constexpr double kZoomStep = 1.25;
const QColor kPaper(Qt::white), kBars(0xDF, 0xE2, 0xE7), kCaption(0x1A, 0x1F, 0x27);

// Draws lines in place of the text of a page.
void paintBars(QPainter& painter, QRectF area)
{
    for (double y = area.top(); y + 4 < area.bottom(); y += 12)
        painter.fillRect(QRectF(area.left(), std::round(y), area.width(), 4), kBars);
}

} // namespace

// A figure on paper, which is white in both themes.
class FigureView : public QWidget
{
public:
    FigureView(const ThemeController& theme, const QString& name)
        : m_theme(theme)
    {
        setAccessibleName(name);
    }

    virtual void setScene(const profiler::Scene& scene)
    {
        m_scene = scene;
        update();
    }

protected:
    double screenScale() const { return logicalDpiX() / profiler::kPointsPerInch; }
    bool isEmpty() const { return m_scene.width <= 0; }
    void paintPaper(QPainter& painter, QPointF at, double scale) const
    {
        painter.fillRect(rect(), kPaper);
        painter.setPen(m_theme.theme().chrome.lineStrong);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        painter.save();
        painter.translate(at);
        painter.scale(scale, scale);
        paintScene(painter, m_scene);
        painter.restore();
    }

    const ThemeController& m_theme;
    profiler::Scene m_scene;
};

class FigureZoomView : public FigureView
{
public:
    explicit FigureZoomView(const ThemeController& theme)
        : FigureView(theme, QObject::tr("The figure enlarged"))
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }

    void setScene(const profiler::Scene& scene) override
    {
        FigureView::setScene(scene);
        setZoom(m_zoom);
    }
    void setZoom(double zoom) // 1 is the true size
    {
        m_zoom = std::clamp(zoom, 0.25, 8.0);
        resize(sizeHint());
        updateGeometry();
        update();
    }
    double zoom() const { return m_zoom; }
    // The largest zoom, up to 2.5, at which the whole figure fits into `width` pixels.
    double fittingZoom(int width) const
    {
        const double pixels = m_scene.width * screenScale();
        return pixels > 0 ? std::clamp((width - 2 * kZoomPadding) / pixels, 0.25, 2.5) : 2.5;
    }
    QSize sizeHint() const override
    {
        const double scale = m_zoom * screenScale();
        return {static_cast<int>(std::ceil(m_scene.width * scale)) + 2 * kZoomPadding,
                static_cast<int>(std::ceil(m_scene.height * scale)) + 2 * kZoomPadding};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        if (!isEmpty())
            paintPaper(painter, {kZoomPadding, kZoomPadding}, m_zoom * screenScale());
    }

private:
    double m_zoom = 2.5;
};

// The figure at its true size on a mock page with text around it. A figure wider than the view is
// scaled down; pageText() states the scale.
class FigurePageView : public FigureView
{
public:
    explicit FigurePageView(const ThemeController& theme)
        : FigureView(theme, QObject::tr("Figure at its true size"))
    {
        setMinimumSize(400, 180);
    }

    // "in a two-column page, this screen at 96 dpi".
    QString pageText() const
    {
        const double share = pixelsPerPoint() / screenScale();
        const QString size = share < 0.995 ? tr("shown at %1 %").arg(std::lround(100 * share))
                                           : tr("this screen at %1 dpi").arg(logicalDpiX());
        return (isSlide()        ? tr("on a slide, %1")
                    : isColumn() ? tr("in a two-column page, %1")
                                 : tr("at full page width, %1"))
            .arg(size);
    }

    QSize sizeHint() const override { return {736, 372}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        if (isEmpty())
            return;
        QPainter painter(this);
        const double scale = pixelsPerPoint(), figureWidth = m_scene.width * scale;
        const double left = isColumn()
            ? std::max(kMargin / 2, std::round((width() - 2 * figureWidth - kGutter) / 2))
            : std::round((width() - figureWidth) / 2);
        paintPaper(painter, {left, kFigureTop}, scale);
        paintMeasure(painter, left, figureWidth);
        if (!isSlide())
            paintText(painter, left, kFigureTop + m_scene.height * scale + 10);
    }

private:
    // Pixels per point of this screen; less if the figure would not fit.
    double pixelsPerPoint() const
    {
        return m_scene.width > 0 ? std::min(screenScale(), (width() - 2 * kMargin) / m_scene.width)
                                 : screenScale();
    }
    bool isColumn() const { return m_scene.width <= kWidestColumn; }
    bool isSlide() const { return m_scene.width > kWidestPage; }

    void paintMeasure(QPainter& painter, double left, double width) const
    {
        const QString text = tr("%1 in").arg(m_scene.width / profiler::kPointsPerInch, 0, 'f', 2);
        painter.setFont(uiFont(11));
        const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 8;
        const double y = 13.5, middle = left + width / 2, right = left + width;
        painter.setPen(QPen(QColor(0x52, 0x5B, 0x68), 1));
        for (const double x : {left, right})
            painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5));
        painter.drawLine(QPointF(left, y), QPointF(middle - half, y));
        painter.drawLine(QPointF(middle + half, y), QPointF(right, y));
        for (const double out : {-1.0, 1.0}) {
            const double tip = middle + out * width / 2;
            painter.drawLine(QPointF(tip, y), QPointF(tip - out * 5, y - 3));
            painter.drawLine(QPointF(tip, y), QPointF(tip - out * 5, y + 3));
        }
        painter.drawText(QRectF(left, y - 9, width, 18), Qt::AlignCenter, text);
    }

    void paintText(QPainter& painter, double left, double below) const
    {
        const double column = m_scene.width * pixelsPerPoint();
        const double text = paintCaption(painter, {left, below, column, 60}) + 12;
        paintBars(painter, {left, text, column, height() - text});
        if (isColumn())
            paintBars(painter,
                      {left + column + kGutter, kFigureTop, column, height() - kFigureTop});
    }

    double paintCaption(QPainter& painter, const QRectF& place) const
    {
        QFont font(QStringLiteral("serif"));
        font.setPixelSize(12);
        painter.setFont(font);
        painter.setPen(kCaption);
        const QString text = tr("Figure 1: %1.").arg(QString::fromStdString(m_scene.title));
        QRectF used;
        painter.drawText(place, Qt::AlignLeft | Qt::TextWordWrap, text, &used);
        return used.bottom();
    }
};

// Shows a figure at its true size and enlarged, in normal, grey or simulated colour-blind colours,
// with the results of the print checks.
class FigurePreview : public QWidget
{
public:
    explicit FigurePreview(const ThemeController& theme, QWidget* parent = nullptr)
        : QWidget(parent)
        , m_theme(theme)
    {
        setAttribute(Qt::WA_StyledBackground);
        setProperty("surface", QStringLiteral("window"));
        m_page->setMaximumWidth(736);
        m_band->hide();
        auto* area = new QScrollArea; // can also be scrolled by keyboard
        area->setFrameShape(QFrame::NoFrame);
        area->setWidget(m_zoom);
        area->setAccessibleName(tr("The figure, enlarged"));
        area->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
        area->setStyleSheet(QStringLiteral("QScrollArea, QScrollArea > QWidget > QWidget "
                                           "{ background: transparent; }"));
        m_checks->setColumnStretch(0, 1);
        m_checks->setColumnStretch(1, 1);
        auto* page = spaced(new QHBoxLayout, {}, 0, {m_page});
        spaced(new QVBoxLayout(this), {kPreviewMargin, 10, kPreviewMargin, 10}, 8,
               {makePageHeader(), {page, 4}, makeZoomHeader(), {area, 4}, m_band, m_checks});
    }

    void show(FigureDraft draft)
    {
        m_draft = std::move(draft);
        showScene();
        showChecks();
    }

    void addChecks(const std::vector<profiler::FigureCheck>& checks)
    {
        m_draft.checks.insert(m_draft.checks.end(), checks.begin(), checks.end());
        showChecks();
    }

    const FigureDraft& draft() const { return m_draft; }
    // The band that shows why there is no figure or no file; initially hidden.
    Band& band() { return *m_band; }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        showScene();
    }

private:
    QWidget* makePageHeader()
    {
        auto* sight
            = named(new SegmentControl(
                        m_theme, {tr("colour"), tr("grey"), tr("deuteranopia"), tr("protanopia")}),
                    "figureSight");
        sight->setCompact();
        sight->setName(tr("Colour vision"));
        connect(sight, &SegmentControl::currentChanged, this, [this](int choice) {
            m_sight = profiler::Sight(choice);
            showScene();
        });
        auto* header = new QWidget;
        spaced(new QHBoxLayout(header), {}, 10,
               {makeLabel(tr("True size"), "section"), {m_pageText, 1}, sight});
        return header;
    }

    QWidget* makeZoomHeader()
    {
        auto* out = makeButton(QStringLiteral("\u2212"), QStringLiteral("figureZoomOut"), "tool");
        auto* in = makeButton(QStringLiteral("+"), QStringLiteral("figureZoomIn"), "tool");
        out->setAccessibleName(tr("Smaller"));
        in->setAccessibleName(tr("Larger"));
        connect(out, &QPushButton::clicked, this, [this] { setZoom(m_zoom->zoom() / kZoomStep); });
        connect(in, &QPushButton::clicked, this, [this] { setZoom(m_zoom->zoom() * kZoomStep); });
        auto* header = new QWidget;
        spaced(new QHBoxLayout(header), {}, 10,
               {makeLabel(tr("Enlarged"), "section"), {m_zoomText, 1}, out, in});
        return header;
    }

    void showScene()
    {
        const profiler::Scene scene = profiler::seen(m_draft.scene, m_sight);
        m_page->setScene(scene);
        m_zoom->setScene(scene);
        if (!m_isZoomed)
            m_zoom->setZoom(m_zoom->fittingZoom(width() - 2 * kPreviewMargin - 11));
        const bool isEmpty = scene.width <= 0;
        m_pageText->setText(isEmpty ? QString() : m_page->pageText());
        m_zoomText->setText(isEmpty ? QString()
                                    : tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
    }

    void showChecks()
    {
        while (QLayoutItem* item = m_checks->takeAt(0)) {
            delete item->widget();
            delete item;
        }
        for (const profiler::FigureCheck& check : m_draft.checks) {
            auto* text
                = named(makeLabel(QString::fromStdString(check.text), "small"), "figureCheck");
            text->setWordWrap(true);
            auto* both = new QWidget;
            spaced(new QHBoxLayout(both), {}, 6,
                   {new IconLabel(m_theme, check.good ? Icon::Check : Icon::Warning,
                                  check.good ? &Chrome::ok : &Chrome::warning, 14),
                    {text, 1}});
            const int count = m_checks->count();
            m_checks->addWidget(both, count / 2, count % 2);
        }
    }

    void setZoom(double zoom)
    {
        m_isZoomed = true;
        m_zoom->setZoom(zoom);
        m_zoomText->setText(tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
    }

    const ThemeController& m_theme;
    FigureDraft m_draft;
    profiler::Sight m_sight = profiler::Sight::Colour;
    bool m_isZoomed = false; // the user has zoomed, so the figure is no longer fitted
    FigurePageView* m_page = named(new FigurePageView(m_theme), "figurePage");
    FigureZoomView* m_zoom = named(new FigureZoomView(m_theme), "figureZoom");
    QLabel *m_pageText = makeLabel({}, "small"), *m_zoomText = makeLabel({}, "small");
    Band* m_band = named(new Band(m_theme, Band::Shape::Verdict), "figureProblem");
    QGridLayout* m_checks = new QGridLayout;
};

namespace {

std::unique_ptr<QSettings> openSettings()
{
    return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                       QStringLiteral("bubblescope"),
                                       QStringLiteral("bubblescope"));
}

} // namespace

ExportDialog::ExportDialog(const ThemeController& theme,
                           std::vector<std::shared_ptr<const engine::Run>> runs, QWidget* parent)
    : QDialog(parent)
    , m_runs{std::move(runs), {}}
    , m_subtitle(named(makeLabel(figureTitle(m_runs.runs, m_iteration), "small"), "figureSubtitle"))
    , m_preview(new FigurePreview(theme))
    , m_options(new FigureOptionsPanel(theme))
    , m_export(makeButton({}, QStringLiteral("figureExport"), "primary"))
    , m_savePreset(makeButton({}, QStringLiteral("figureSavePreset")))
    , m_timer(named(new QTimer(this), "figureTyping"))
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export figure"));
    auto* side = new QWidget;
    side->setFixedWidth(kSideWidth);
    spaced(new QVBoxLayout(side), {}, 0,
           {{makeScroll(m_options), 1}, makeLine(Qt::Horizontal), makeButtons()});
    auto* title = spaced(new QHBoxLayout, {16, 9, 16, 9}, 10,
                         {makeLabel(tr("Export figure"), "section"), {m_subtitle, 1}});
    auto* body = spaced(new QHBoxLayout, {}, 0, {{m_preview, 1}, makeLine(Qt::Vertical), side});
    spaced(new QVBoxLayout(this), {}, 0, {title, makeLine(Qt::Horizontal), {body, 1}});
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

ExportDialog::~ExportDialog()
{
    if (m_isCancelled)
        *m_isCancelled = true;
}

const profiler::Scene& ExportDialog::scene() const
{
    return m_preview->draft().scene;
}

const std::vector<profiler::FigureCheck>& ExportDialog::checks() const
{
    return m_preview->draft().checks;
}

QWidget* ExportDialog::makeButtons()
{
    QWidget* buttons = makeSurface("alt");
    auto* cancel = makeButton(tr("Cancel"), QStringLiteral("figureCancel"));
    m_export->setDefault(true);
    cancel->setAutoDefault(false);
    m_savePreset->setAutoDefault(false);
    spaced(new QHBoxLayout(buttons), {18, 12, 18, 12}, 8,
           {m_savePreset, kStretch, cancel, m_export});
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_savePreset, &QPushButton::clicked, this, &ExportDialog::saveOrRemovePreset);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::exportFiles);
    return buttons;
}

void ExportDialog::loadSettings()
{
    m_settings = loadExportSettings(*openSettings());
    const QString chosen = chosenFolder(key::kExports);
    QString folder = chosen.isEmpty() ? m_settings.base : chosen;
    if (folder.isEmpty() || !QFileInfo(folder).isDir())
        folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (!QFileInfo(folder).isDir())
        folder = QDir::homePath();
    m_settings.base = QDir(folder).filePath(figureName(m_runs.runs));
    m_options->setOwnPresets(ownPresets(*openSettings()));
    m_options->show(m_settings);
    const bool inUnits = m_runs.runs.front()->info.inUnits();
    setAvailable([&](FigureOptionsPanel::Available& available) {
        available.hasMemory = std::ranges::all_of(
            m_runs.runs, [](const auto& run) { return !run->timeline.memory.empty(); });
        available.isComparable = std::ranges::all_of(
            m_runs.runs, [&](const auto& run) { return run->info.inUnits() == inUnits; });
    });
}

void ExportDialog::setAvailable(const std::function<void(FigureOptionsPanel::Available&)>& change)
{
    FigureOptionsPanel::Available available = m_options->available();
    change(available);
    m_options->setAvailable(available);
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
    m_subtitle->setText(figureTitle(m_runs.runs, iteration));
    refresh();
}

void ExportDialog::setNotes(std::vector<std::vector<engine::Note>> notes)
{
    m_notes = std::move(notes);
    setAvailable([this](FigureOptionsPanel::Available& available) {
        available.hasNotes
            = std::ranges::any_of(m_notes, [](const auto& of) { return !of.empty(); });
    });
}

void ExportDialog::setRange(engine::Window marked)
{
    const engine::Run& run = *m_runs.runs.front();
    m_rangeIteration = iterationOf(run.timeline, marked.begin);
    const engine::Window whole
        = run.timeline.iterations[static_cast<std::size_t>(m_rangeIteration)].window;
    const engine::Window part{std::max(marked.begin, whole.begin), std::min(marked.end, whole.end)};
    if (part.duration() <= 0)
        return;
    const double ticks = run.info.inUnits() ? static_cast<double>(run.info.ticksPerUnit)
                                            : scaleIn(Unit::Millisecond).perUnit();
    const auto time
        = [&](std::int64_t tick) { return static_cast<double>(tick - whole.begin) / ticks; };
    setAvailable([&](FigureOptionsPanel::Available& available) {
        available.marked = {time(part.begin), time(part.end)};
        available.markedText = rangeName(run, part);
    });
}

void ExportDialog::setFiles(const QStringList& files)
{
    m_runs.files = files;
    setAvailable([&](FigureOptionsPanel::Available& available) {
        available.hasFiles = static_cast<std::size_t>(files.size()) == m_runs.runs.size();
    });
}

ExportSettings ExportDialog::drawnSettings() const
{
    ExportSettings drawn = m_options->drawable(m_settings);
    if (drawn.times == FigureTimes::Measured) // a schematic has one iteration
        drawn.options.iteration = drawn.options.range.isWhole() ? m_iteration : m_rangeIteration;
    return drawn;
}

void ExportDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    refresh();
}

// Does nothing before the dialog is shown, because drawing a large figure takes about 100 ms and
// all settings made until then need only one drawing.
void ExportDialog::refresh()
{
    if (!isVisible())
        return;
    m_timer->stop();
    const auto settings = m_options->settings();
    if (!settings)
        return refuse(settings.error());
    m_settings = *settings;
    followPreset();
    auto draft = draftFigure(m_runs.runs, drawnSettings(), m_notes);
    if (!draft)
        return refuse(draft.error());
    m_preview->show(*std::move(draft));
    m_options->setHeight(scene().height);
    showFiles();
    m_pdfChecks.ask({scene(), m_settings.dpi});
}

void ExportDialog::showChecks(const Checks& checks)
{
    if (checks)
        m_preview->addChecks(*checks);
    else
        refuse(checks.error());
}

void ExportDialog::showFiles()
{
    const auto files = exportedFiles(drawnSettings()).size();
    m_export->setText(files == 1 ? tr("Export 1 file") : tr("Export %1 files").arg(files));
    const bool isNamed = !m_settings.base.isEmpty() && !m_settings.base.endsWith(u'/');
    m_export->setEnabled(files > 0 && isNamed);
    m_preview->band().setVisible(!m_export->isEnabled());
    if (files == 0)
        m_preview->band().show(Band::Kind::Warning, tr("No file:"),
                               tr("choose a format under Output"));
    else if (!isNamed)
        m_preview->band().show(Band::Kind::Warning, tr("No file:"),
                               tr("enter a name under Output"));
}

// Deselects the user's preset as soon as a setting differs from it.
void ExportDialog::followPreset()
{
    const QString preset = QString::fromStdString(m_settings.preset);
    if (isOwnPreset(preset)) {
        ExportSettings saved = loadOwnPreset(*openSettings(), preset, m_settings.base);
        // Ignores devices and range, which belong to the runs of this dialog and not to the preset.
        saved.options.devices = m_settings.options.devices;
        saved.options.range = m_settings.options.range;
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
        const QScopedValueRollback asking(m_isAsking, true);
        bool isGiven = false;
        const QString name = QInputDialog::getText(
                                 this, tr("Save as preset"),
                                 tr("Preset name (for size, font, palette, contents and output):"),
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

// A figure that is too large for a page is made smaller in the field Rows.
void ExportDialog::refuse(const engine::Error& error)
{
    const QString message = fromUtf8(error.message);
    const bool isTooLarge = error.code == engine::Error::Code::Unsupported;
    m_pdfChecks.drop();
    m_preview->show(FigureDraft());
    m_options->setHeight(0);
    m_preview->band().show(Band::Kind::Error, tr("No figure:"),
                           isTooLarge ? tr("%1: enter fewer devices under Rows")
                                            .arg(message.section(QLatin1String(": "), 0, -2))
                                      : message);
    m_export->setText(tr("Export"));
    m_export->setEnabled(false);
    if (isTooLarge)
        m_options->chooseRows();
}

// Stays open while a dialog that it opened is open. If the user presses Esc twice to close the
// inner dialog, the second Esc may arrive here.
void ExportDialog::done(int result)
{
    if (m_isAsking)
        return;
    if (m_isCancelled)
        *m_isCancelled = true;
    QDialog::done(result);
}

void ExportDialog::browse()
{
    const QScopedValueRollback asking(m_isAsking, true);
    const QString file = QFileDialog::getSaveFileName(this, tr("Figure"), m_settings.base, {},
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    setFile(figureBase(file));
}

bool ExportDialog::mayReplace(const QString& what, const QString& consequence)
{
    const QScopedValueRollback asking(m_isAsking, true);
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
    if (m_timer->isActive()) // the last typed value is still pending
        refresh();
    if (!m_export->isEnabled())
        return;
    QStringList existing;
    for (const QString& file : exportedFiles(drawnSettings()))
        if (QFileInfo::exists(file))
            existing << QFileInfo(file).fileName();
    if (!existing.isEmpty()
        && !mayReplace(existing.size() == 1
                           ? tr("%1 exists already.").arg(existing.front())
                           : tr("%1 exist already.").arg(existing.join(QStringLiteral(", "))),
                       tr("The new figure replaces it.")))
        return;
    const QPointer<QWidget> focused = focusWidget(); // setExporting() disables it
    setExporting(true);
    m_background.run(
        [scene = scene(), settings = drawnSettings(), runs = m_runs, isCancelled = m_isCancelled] {
            return exportFigure(scene, settings, runs, *isCancelled);
        },
        [this, focused](const engine::Result<QStringList>& files) {
            const bool isClosed = *m_isCancelled;
            setExporting(false);
            // After an error the user can retry, because creating a folder or freeing space may
            // solve the problem.
            if (!files && !isClosed) {
                m_preview->band().show(Band::Kind::Error, tr("Not written:"),
                                       fromUtf8(files.error().message));
                if (focused)
                    focused->setFocus();
            }
            if (!files)
                return;
            saveExportSettings(*openSettings(), m_settings);
            Q_EMIT exported(*files);
            accept();
        });
}

// Disables all settings during an export, so that the shown figure is the one that is written.
void ExportDialog::setExporting(bool isExporting)
{
    m_isCancelled = isExporting ? std::make_shared<std::atomic<bool>>(false) : nullptr;
    m_options->setEnabled(!isExporting);
    m_savePreset->setEnabled(!isExporting);
    showFiles();
    if (isExporting) {
        m_export->setEnabled(false);
        m_export->setText(tr("Exporting…"));
    }
}

} // namespace app
