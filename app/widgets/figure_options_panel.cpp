#include "app/widgets/figure_options_panel.h"

#include "app/widgets/controls.h"
#include "app/widgets/segment_control.h"
#include "profiler/figure/font_metrics.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPainter>
#include <QRadioButton>
#include <QSpinBox>

namespace app {
namespace {

using profiler::FigureOptions;

struct Content
{
    const char* text;
    const char* name;
    bool FigureOptions::*field;
};
// In the order of the two columns, left to right.
constexpr std::array<Content, 7> kContents{
    Content{QT_TRANSLATE_NOOP("Figure", "Micro-batch numbers"), "numbers",
            &FigureOptions::microBatches},
    Content{QT_TRANSLATE_NOOP("Figure", "Time axis"), "axis", &FigureOptions::timeAxis},
    Content{QT_TRANSLATE_NOOP("Figure", "Direction mark"), "direction",
            &FigureOptions::directionMark},
    Content{QT_TRANSLATE_NOOP("Figure", "Legend"), "legend", &FigureOptions::legend},
    Content{QT_TRANSLATE_NOOP("Figure", "Bubble, % per row"), "shares",
            &FigureOptions::bubbleShare},
    Content{QT_TRANSLATE_NOOP("Figure", "Title"), "title", &FigureOptions::title},
    Content{QT_TRANSLATE_NOOP("Figure", "Memory strip"), "memory", &FigureOptions::memory}};
constexpr std::size_t kMemory = 6;

// What is said of a palette at the right of its name.
QString remark(const std::string& palette)
{
    if (palette == "default")
        return FigureOptionsPanel::tr("safe for colour-blind readers");
    if (palette == "grey")
        return FigureOptionsPanel::tr("prints without colour");
    if (palette == "dualpipe")
        return FigureOptionsPanel::tr("F and B close, deuteranopia");
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
    return QIcon(pixmap);
}

QHBoxLayout* row(QWidget* label, QWidget* field)
{
    auto* layout = new QHBoxLayout;
    layout->setSpacing(8);
    layout->addWidget(label);
    layout->addStretch();
    layout->addWidget(field);
    return layout;
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

FigureOptionsPanel::FigureOptionsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(18, 14, 18, 14);
    m_layout->setSpacing(10);
    addSize();
    addPalettes();
    addContents();
    addOutput();
    m_layout->addStretch();
}

QVBoxLayout* FigureOptionsPanel::addSection(const QString& title)
{
    if (m_layout->count() > 0)
        m_layout->addWidget(makeLine(Qt::Horizontal));
    auto* section = new QVBoxLayout;
    section->setSpacing(8);
    section->addWidget(makeLabel(title, "section"));
    m_layout->addLayout(section);
    return section;
}

void FigureOptionsPanel::addSize()
{
    auto* section = addSection(tr("Size"));
    m_preset = new QComboBox;
    m_preset->setObjectName(QStringLiteral("figurePreset"));
    for (const auto& preset : profiler::figurePresets())
        m_preset->addItem(fromView(preset.title), fromView(preset.name));
    m_preset->addItem(tr("Other"), QString());
    m_preset->setFixedWidth(210);
    section->addLayout(row(makeLabel(tr("Preset")), m_preset));

    m_width = new QDoubleSpinBox;
    m_width->setObjectName(QStringLiteral("figureWidth"));
    m_width->setRange(1, 100);
    m_width->setSingleStep(0.05);
    m_width->setSuffix(tr(" in"));
    m_height = new QLineEdit;
    m_height->setReadOnly(true);
    m_height->setFocusPolicy(Qt::NoFocus);
    auto* size = new QWidget;
    auto* sizeLayout = spaced(new QHBoxLayout(size), {}, 6);
    for (QWidget* widget : {static_cast<QWidget*>(m_width), static_cast<QWidget*>(m_height)})
        widget->setFixedWidth(96);
    sizeLayout->addWidget(m_width);
    sizeLayout->addWidget(makeLabel(QStringLiteral("\u00D7")));
    sizeLayout->addWidget(m_height);
    section->addLayout(row(makeLabel(tr("Width \u00D7 height")), size));

    m_font = new QComboBox;
    m_font->setObjectName(QStringLiteral("figureFont"));
    for (const auto& family : profiler::installedFonts())
        m_font->addItem(QString::fromStdString(family));
    m_size = new QDoubleSpinBox;
    m_size->setObjectName(QStringLiteral("figureType"));
    m_size->setDecimals(1);
    m_size->setRange(profiler::kSmallestType, 72);
    m_size->setSingleStep(0.5);
    m_size->setSuffix(tr(" pt"));
    auto* type = new QWidget;
    auto* typeLayout = spaced(new QHBoxLayout(type), {}, 8);
    m_font->setFixedWidth(124);
    m_size->setFixedWidth(78);
    typeLayout->addWidget(m_font);
    typeLayout->addWidget(m_size);
    section->addLayout(row(makeLabel(tr("Type")), type));

    connect(m_preset, &QComboBox::activated, this, &FigureOptionsPanel::choosePreset);
    connect(m_width, &QDoubleSpinBox::valueChanged, this, &FigureOptionsPanel::markCustom);
    connect(m_size, &QDoubleSpinBox::valueChanged, this, &FigureOptionsPanel::markCustom);
    connect(m_font, &QComboBox::activated, this, &FigureOptionsPanel::changed);
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
        section->addLayout(row(radio, makeLabel(remark(name), "hint")));
        m_palettes.push_back(radio);
        connect(radio, &QRadioButton::clicked, this, &FigureOptionsPanel::changed);
    }
}

void FigureOptionsPanel::addContents()
{
    auto* section = addSection(tr("Contents"));
    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(8);
    for (std::size_t i = 0; i < kContents.size(); ++i) {
        m_contents[i] = new QCheckBox(QCoreApplication::translate("Figure", kContents[i].text));
        m_contents[i]->setObjectName(QStringLiteral("content-") + QLatin1String(kContents[i].name));
        grid->addWidget(m_contents[i], static_cast<int>(i) / 2, static_cast<int>(i) % 2);
        connect(m_contents[i], &QCheckBox::clicked, this, &FigureOptionsPanel::changed);
    }
    section->addLayout(grid);

    m_rows = new QLineEdit;
    m_rows->setObjectName(QStringLiteral("figureRows"));
    m_rows->setPlaceholderText(tr("all devices, or 0,2-3"));
    m_rows->setFixedWidth(170);
    section->addLayout(row(makeLabel(tr("Rows")), m_rows));
    m_times = new SegmentControl(m_theme, {tr("measured"), tr("schematic")});
    m_times->setObjectName(QStringLiteral("figureTimes"));
    section->addLayout(row(makeLabel(tr("Times")), m_times));
    m_bubbles = new SegmentControl(m_theme, {tr("hatched"), tr("blank"), tr("with cause")});
    m_bubbles->setObjectName(QStringLiteral("figureBubbles"));
    section->addLayout(row(makeLabel(tr("Bubbles")), m_bubbles));
    connect(m_rows, &QLineEdit::textChanged, this, [this] {
        if (!m_quiet)
            Q_EMIT changed();
    });
    for (SegmentControl* control : {m_times, m_bubbles})
        connect(control, &SegmentControl::currentChanged, this, [this] {
            if (!m_quiet)
                Q_EMIT changed();
        });
}

void FigureOptionsPanel::addOutput()
{
    auto* section = addSection(tr("Output"));
    auto* formats = spaced(new QHBoxLayout, {}, 14);
    const std::array names{QStringLiteral("PDF"), QStringLiteral("SVG"), QStringLiteral("PNG")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        m_outputs[i] = new QCheckBox(names[i]);
        m_outputs[i]->setObjectName(QStringLiteral("output-") + names[i].toLower());
        formats->addWidget(m_outputs[i]);
        connect(m_outputs[i], &QCheckBox::clicked, this, [this] {
            showOutput();
            Q_EMIT changed();
        });
    }
    m_dpi = new QSpinBox;
    m_dpi->setObjectName(QStringLiteral("figureDpi"));
    m_dpi->setRange(72, 1200);
    m_dpi->setSingleStep(100);
    m_dpi->setSuffix(tr(" dpi"));
    m_dpi->setFixedWidth(96);
    formats->addStretch();
    formats->addWidget(m_dpi);
    section->addLayout(formats);

    m_base = new QLineEdit;
    m_base->setObjectName(QStringLiteral("figureFile"));
    m_base->setAccessibleName(tr("File, without its end"));
    auto* browse = makeButton(tr("Browse\u2026"), QStringLiteral("figureBrowse"));
    auto* file = spaced(new QHBoxLayout, {}, 8);
    file->addWidget(m_base);
    file->addWidget(browse);
    section->addLayout(file);

    m_latex = new QLineEdit;
    m_latex->setObjectName(QStringLiteral("figureLatex"));
    m_latex->setReadOnly(true);
    m_latex->setFont(codeFont(10));
    auto* copy = makeButton({}, QStringLiteral("figureCopyLatex"));
    copy->setIcon(makeIcon(Icon::Copy, m_theme.theme().chrome.text2));
    copy->setFixedWidth(30);
    copy->setToolTip(tr("Copy"));
    copy->setAccessibleName(tr("Copy the line for LaTeX"));
    auto* latex = spaced(new QHBoxLayout, {}, 8);
    latex->addWidget(m_latex);
    latex->addWidget(copy);
    section->addLayout(latex);

    connect(m_dpi, &QSpinBox::valueChanged, this, [this] {
        if (!m_quiet)
            Q_EMIT changed();
    });
    connect(m_base, &QLineEdit::textChanged, this, [this] {
        showOutput();
        if (!m_quiet)
            Q_EMIT changed();
    });
    connect(browse, &QPushButton::clicked, this, &FigureOptionsPanel::browseRequested);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_latex->text()); });
}

void FigureOptionsPanel::choosePreset(int index)
{
    const auto presets = profiler::figurePresets();
    if (index < static_cast<int>(presets.size())) {
        m_quiet = true;
        m_width->setValue(presets[static_cast<std::size_t>(index)].inches);
        m_size->setValue(presets[static_cast<std::size_t>(index)].fontSize);
        m_quiet = false;
    }
    showOutput();
    Q_EMIT changed();
}

// A width or a type of one's own is no longer the preset's.
void FigureOptionsPanel::markCustom()
{
    if (m_quiet)
        return;
    m_preset->setCurrentIndex(m_preset->count() - 1);
    showOutput();
    Q_EMIT changed();
}

void FigureOptionsPanel::showOutput()
{
    m_dpi->setEnabled(m_outputs[2]->isChecked());
    const auto preset
        = profiler::findFigurePreset(m_preset->currentData().toString().toStdString());
    const QString width = preset ? fromView(preset->latexWidth)
                                 : QStringLiteral("%1in").arg(m_width->value(), 0, 'f', 2);
    m_latex->setText(QStringLiteral("\\includegraphics[width=%1]{%2}")
                         .arg(width, QFileInfo(m_base->text()).fileName()));
    m_latex->setCursorPosition(0);
}

void FigureOptionsPanel::show(const ExportSettings& settings)
{
    m_quiet = true;
    const FigureOptions& options = settings.options;
    const int preset = m_preset->findData(QString::fromStdString(settings.preset));
    m_preset->setCurrentIndex(preset < 0 ? m_preset->count() - 1 : preset);
    m_width->setValue(options.width / profiler::kPointsPerInch);
    m_size->setValue(options.fontSize);
    m_font->setCurrentIndex(std::max(0, m_font->findText(QString::fromStdString(options.font))));
    const auto palettes = profiler::paletteNames();
    for (std::size_t p = 0; p < palettes.size(); ++p)
        m_palettes[p]->setChecked(palettes[p] == options.palette);
    for (std::size_t c = 0; c < kContents.size(); ++c)
        m_contents[c]->setChecked(options.*kContents[c].field);
    m_times->setCurrent(static_cast<int>(settings.times));
    m_bubbles->setCurrent(static_cast<int>(options.bubbles));
    const bool formats[] = {settings.pdf, settings.svg, settings.png};
    for (std::size_t f = 0; f < m_outputs.size(); ++f)
        m_outputs[f]->setChecked(formats[f]);
    m_dpi->setValue(settings.dpi);
    m_base->setText(settings.base);
    showOutput();
    m_quiet = false;
}

engine::Result<ExportSettings> FigureOptionsPanel::settings() const
{
    ExportSettings settings;
    FigureOptions& options = settings.options;
    settings.preset = m_preset->currentData().toString().toStdString();
    options.width = m_width->value() * profiler::kPointsPerInch;
    options.fontSize = m_size->value();
    options.font = m_font->currentText().toStdString();
    const auto palettes = profiler::paletteNames();
    for (std::size_t p = 0; p < palettes.size(); ++p)
        if (m_palettes[p]->isChecked())
            options.palette = palettes[p];
    for (std::size_t c = 0; c < kContents.size(); ++c)
        options.*kContents[c].field = m_contents[c]->isEnabled() && m_contents[c]->isChecked();
    auto rows = parseRows(m_rows->text().simplified());
    if (!rows)
        return tl::unexpected(rows.error());
    options.devices = *std::move(rows);
    settings.times = FigureTimes(m_times->current());
    options.bubbles = profiler::BubbleStyle(m_bubbles->current());
    settings.pdf = m_outputs[0]->isChecked();
    settings.svg = m_outputs[1]->isChecked();
    settings.png = m_outputs[2]->isChecked();
    settings.dpi = m_dpi->value();
    settings.base = m_base->text().trimmed();
    return settings;
}

void FigureOptionsPanel::setHeight(double points)
{
    m_height->setText(tr("%1 in, auto").arg(points / profiler::kPointsPerInch, 0, 'f', 2));
}

void FigureOptionsPanel::setMemoryRecorded(bool recorded)
{
    m_contents[kMemory]->setEnabled(recorded);
    m_contents[kMemory]->setToolTip(recorded ? QString() : tr("These runs recorded no memory"));
}

void FigureOptionsPanel::setRunsComparable(bool comparable)
{
    if (!comparable)
        m_times->setCurrent(static_cast<int>(FigureTimes::Schematic));
    m_times->setEnabled(comparable);
    m_times->setToolTip(comparable ? QString()
                                   : tr("Abstract units and milliseconds share no axis"));
}

} // namespace app
