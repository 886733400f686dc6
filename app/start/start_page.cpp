#include "app/start/start_page.h"

#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/device_facts.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/setting_table.h"
#include "app/ui/text.h"
#include "app/ui/thumbnail_painter.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QPainter>
#include <QScrollArea>
#include <QSpacerItem>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {

BeginButton::BeginButton(const ThemeController& theme, const Texts& texts, Rank rank)
    : CardButton(theme)
    , m_texts(texts)
{
    m_isPrimary = rank == Rank::Primary;
    setFixedHeight(50);
    setAccessibleName(texts.title);
    setAccessibleDescription(texts.line);
}

void BeginButton::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const QColor ink = m_isPrimary ? c.primaryText : c.text;
    QColor quiet = m_isPrimary ? c.primaryText : c.text2;
    if (m_isPrimary)
        quiet.setAlphaF(0.75F);
    paintIcon(painter, m_texts.icon, QRectF(14, 17, 16, 16), m_isPrimary ? ink : c.text2);
    const QRectF box(42, 0, width() - 54.0, height());
    text(painter, QRectF(box.x(), 8, box.width() - 60, 18), m_texts.title,
         {uiFont(13, QFont::Medium), ink});
    text(painter, QRectF(box.x(), 26, box.width() - 60, 16), m_texts.line, {uiFont(12), quiet});
    text(painter, box, m_texts.keys, {uiFont(11), quiet}, Qt::AlignRight);
}

RecentRow::RecentRow(const ThemeController& theme, RecentRun run, const QDateTime& now)
    : CardButton(theme)
    , m_run(std::move(run))
    , m_when(whenText(m_run.opened, now))
{
    m_hasFrame = false;
    setFixedHeight(44);
    setToolTip(m_run.file);
    setAccessibleName(m_run.title + QStringLiteral(", ") + m_run.subtitle);
}

void RecentRow::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    painter.fillRect(QRect(0, height() - 1, width(), 1), c.grid);
    const QRectF picture(10, 12, 60, 20);
    if (m_run.thumbnail.isEmpty())
        paintIcon(painter, Icon::Compare, QRectF(32, 14, 16, 16), c.text3);
    else
        paintThumbnail(painter, picture, m_run.thumbnail, 1, theme().palette);
    const double left = paintFacts(painter);
    text(painter, QRectF(90, 5, left - 90, 18), m_run.title, {uiFont(13, QFont::Medium), c.text});
    text(painter, QRectF(90, 23, left - 90, 15), m_run.subtitle, {uiFont(11), c.text2});
}

// Draws the columns from the right and returns their left edge. A narrow row omits the bubble, then
// the mode, then the date, so that the name stays readable.
double RecentRow::paintFacts(QPainter& painter) const
{
    constexpr double kName = 190;
    const Chrome& c = theme().chrome;
    const double room = width() - 90 - kName;
    double right = width() - 10;
    if (room >= 170) {
        text(painter, QRectF(right - 100, 0, 100, 44), m_when, {uiFont(12), c.text2},
             Qt::AlignRight);
        right -= 110;
    }
    if (room >= 260) {
        paintTag(painter, QRectF(right - 74, 13, tagWidth(m_run.mode), 18), m_run.mode, theme());
        right -= 98;
    }
    if (room >= 390 && !m_run.bubble.isEmpty())
        text(painter, QRectF(right - 112, 0, 112, 44), tr("bubble %1").arg(m_run.bubble),
             {uiFont(12), c.text2}, Qt::AlignRight);
    if (room >= 390)
        right -= 118;
    engine::RunInfo info;
    info.ticksPerUnit = m_run.ticksPerUnit;
    if (m_run.iteration > 0)
        text(painter, QRectF(right - 84, 0, 84, 44), timeText(m_run.iteration, info),
             {uiFont(12), c.text}, Qt::AlignRight);
    return right - 94;
}

namespace {

// "33 units", "33 and 36 units" or "33 units each".
QString joinedAmounts(const QStringList& values, const QString& unit)
{
    if (values.size() > 1 && values.count(values.front()) == values.size())
        return SampleCard::tr("%1 each").arg(values.front() + unit);
    return values.join(SampleCard::tr(" and ")) + unit;
}

} // namespace

SampleCard::SampleCard(const ThemeController& theme, const Sample& sample)
    : CardButton(theme)
    , m_isRecorded(!sample.recorded.isEmpty())
    , m_title(fromUtf8(sample.title))
    , m_line(fromUtf8(sample.line))
    , m_kind(m_isRecorded ? tr("emulated") : tr("simulated"))
{
    if (m_isRecorded)
        addRecorded(sample.recorded);
    else
        addPredicted(sample.runs);
    m_times = joinedAmounts(m_timeOfRuns,
                            QLatin1Char(' ')
                                + (m_isRecorded ? scaleIn(Unit::Millisecond).unit() : tr("units")));
    m_bubbles
        = tr("bubble %1").arg(joinedAmounts(m_bubbleOfRuns, kNarrowSpace + QStringLiteral("%")));
    setFixedHeight(160);
    setAccessibleName(m_title);
    setAccessibleDescription(m_line);
}

void SampleCard::addRecorded(const QStringList& files)
{
    for (const QString& file : files) {
        const auto run = profiler::readRun(file.toStdString());
        if (!run)
            continue;
        if (const auto metrics = profiler::metrics(*run))
            addRun(*run, *metrics);
    }
    m_fullWidth = std::max(1.0, duration());
}

void SampleCard::addPredicted(const std::vector<engine::ScheduleRequest>& requests)
{
    for (const engine::ScheduleRequest& request : requests) {
        if (const auto prediction = predict(PredictionRequest{.schedule = request}))
            addRun(*prediction->run, prediction->metrics);
    }
}

void SampleCard::addRun(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    const Scale milliseconds = scaleIn(Unit::Millisecond);
    m_thumbnails.push_back(makeThumbnail(run));
    double& time = m_thumbnails.back().duration;
    if (m_isRecorded)
        time = static_cast<double>(metrics.duration) / milliseconds.perUnit();
    m_timeOfRuns.append(m_isRecorded ? number(time, 1) : unitsText(time));
    m_bubbleOfRuns.append(number(metrics.bubbleRatio * 100, 1));
}

double SampleCard::duration() const
{
    double longest = 0;
    for (const Thumbnail& thumbnail : m_thumbnails)
        longest = std::max(longest, thumbnail.duration);
    return longest;
}

void SampleCard::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const double inner = width() - 32;
    text(painter, QRectF(16, 13, inner, 18), m_title, {uiFont(13, QFont::Medium), c.text});
    text(painter, QRectF(16, 31, inner, 16), m_line, {uiFont(12), c.text2});
    const double top = 57, height = 70, gap = 6;
    const auto count = static_cast<double>(m_thumbnails.size());
    const double each = (height - gap * (count - 1)) / std::max(1.0, count);
    for (std::size_t i = 0; i < m_thumbnails.size(); ++i)
        paintThumbnail(painter,
                       QRectF(16, top + static_cast<double>(i) * (each + gap), inner, each),
                       m_thumbnails[i], m_thumbnails[i].duration / m_fullWidth, theme().palette);
    paintFoot(painter, QRectF(16, 135, inner, 16));
}

// Draws kind, times and bubbles. A narrow card omits the kind, then the label of the bubbles.
void SampleCard::paintFoot(QPainter& painter, const QRectF& foot) const
{
    constexpr double kGap = 14;
    const QColor ink = theme().chrome.text2;
    const QFontMetricsF metrics(uiFont(11));
    const auto wide = [&](const QString& texts) { return metrics.horizontalAdvance(texts); };
    const double both = wide(m_times) + kGap + wide(m_bubbles);
    double left = foot.left();
    if (wide(m_kind) + kGap + both <= foot.width()) {
        text(painter, foot, m_kind, {uiFont(11), ink});
        left += wide(m_kind) + kGap;
    }
    text(painter, QRectF(left, foot.top(), foot.right() - left, foot.height()), m_times,
         {uiFont(11), ink});
    text(painter, foot, both <= foot.width() ? m_bubbles : m_bubbles.section(QLatin1Char(' '), 1),
         {uiFont(11), ink}, Qt::AlignRight);
}

namespace {

struct Hint
{
    Icon icon;
    QString text;
};

QWidget* makeHintLine(const ThemeController& theme, const Hint& hint)
{
    QLabel* text = makeLabel(hint.text, "small");
    text->setWordWrap(true);
    auto* line = new QWidget;
    spaced(new QHBoxLayout(line), {}, 10,
           {{new IconLabel(theme, hint.icon, &Chrome::text3), 0, Qt::AlignTop}, {text, 1}});
    return line;
}

} // namespace

StartHints::StartHints(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("startHints"));
    QPushButton* hide = makeButton(tr("Hide"), QStringLiteral("hideHints"), "link");
    hide->setFixedHeight(16);
    hide->setAccessibleName(tr("Hide the hints"));
    hide->setToolTip(tr("Hide the hints; Settings (Ctrl+,) shows them again"));
    connect(hide, &QPushButton::clicked, this, &StartHints::dismissed);
    auto* head = spaced(new QHBoxLayout, {}, 8, {{makeLabel(tr("Hints"), "section"), 1}, hide});
    auto* column = spaced(new QVBoxLayout(this), {0, 12, 0, 0}, 8, {head});
    const Hint hints[] = {
        {Icon::Chart,
         tr("Open a sample and click a hatched bubble: Details names the op that it waits for.")},
        {Icon::Compare,
         tr("Change a number of a new run: its schedule, bubble and memory are predicted at "
            "once.")},
        {Icon::Search,
         tr("Ctrl+K finds every command, run, scheme and setting; ? lists the keys.")},
    };
    for (const Hint& hint : hints)
        column->addWidget(makeHintLine(theme, hint));
}

namespace {

engine::ScheduleRequest of(const char* scheme, int devices, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return request;
}

// Each build has its own folder, so that runs of another build are not shown.
QString sampleFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation)
        + QStringLiteral("/bubblescope/samples-") + fromUtf8(engine::buildId());
}

QString fileOf(const engine::ScheduleRequest& request)
{
    return sampleFolder()
        + QStringLiteral("/%1-D%2-N%3.sqlite")
              .arg(QString::fromStdString(request.scheme))
              .arg(request.devices)
              .arg(request.microBatches);
}

// The recorded runs of the sample; empty unless all of them exist.
QStringList recordedFiles(const Sample& sample)
{
    const QString folder = recordedSampleFolder(QCoreApplication::applicationDirPath());
    if (folder.isEmpty())
        return {};
    QStringList files;
    for (const engine::ScheduleRequest& request : sample.runs) {
        files.append(QStringLiteral("%1/%2-d%3-n%4.sqlite")
                         .arg(folder, QString::fromStdString(request.scheme))
                         .arg(request.devices)
                         .arg(request.microBatches));
        if (!QFileInfo(files.back()).isReadable())
            return {};
    }
    return files;
}

engine::Result<void> writeSample(const engine::ScheduleRequest& request, const QString& file)
{
    auto prediction = TRY(predict(PredictionRequest{.schedule = request}));
    engine::Run run = *prediction.run;
    run.info.command = "bscope simulate --scheme " + request.scheme + " --devices "
        + std::to_string(request.devices) + " --micro-batches "
        + std::to_string(request.microBatches);
    run.info.program = engine::buildId();
    return profiler::writeRun(file.toStdString(), run, engine::IfExists::Replace);
}

} // namespace

std::vector<Sample> samples()
{
    std::vector<Sample> all = {
        {"BitPipe and 1F1B",
         "Two runs on one time axis.",
         {of("1f1b", 4, 8), of("bitpipe", 4, 8)},
         {}},
        {"BitPipe", "Two directions, two chunks per device.", {of("bitpipe", 4, 8)}, {}},
        {"1F1B", "Alternates forward and backward.", {of("1f1b", 4, 8)}, {}},
        {"GPipe", "All forwards first, so all stashes are kept.", {of("gpipe", 4, 8)}, {}},
        {"GPipe and 1F1B",
         "Equal bubble, different memory.",
         {of("gpipe", 4, 8), of("1f1b", 4, 8)},
         {}},
        {"BitPipe on eight devices",
         "Sixteen stages, eight micro-batches.",
         {of("bitpipe", 8, 8)},
         {}},
    };
    std::erase_if(all, [](const Sample& sample) {
        return std::ranges::any_of(sample.runs, [](const engine::ScheduleRequest& request) {
            return engine::findScheme(request.scheme) == nullptr;
        });
    });
    if (!all.empty())
        all.front().recorded = recordedFiles(all.front());
    return all;
}

QString recordedSampleFolder(const QString& programFolder)
{
    constexpr const char* kPlaces[] = {"../share/bubblescope/sample_runs", "../../../sample_runs"};
    for (const char* place : kPlaces) {
        QString folder
            = QDir::cleanPath(programFolder + QLatin1Char('/') + QString::fromLatin1(place));
        if (QFileInfo(folder).isDir())
            return folder;
    }
    return {};
}

engine::Result<QStringList> sampleFiles(const Sample& sample)
{
    if (!sample.recorded.isEmpty())
        return sample.recorded;
    if (!QDir().mkpath(sampleFolder()))
        return engine::fail(
            engine::Error::Code::Io,
            sampleFolder().toStdString()
                + ": the folder cannot be created; set XDG_CACHE_HOME to a writable folder");
    QStringList files;
    for (const engine::ScheduleRequest& request : sample.runs) {
        const QString file = fileOf(request);
        if (!QFileInfo::exists(file))
            TRY(writeSample(request, file));
        files.append(file);
    }
    return files;
}

namespace {

constexpr int kWidth = 1136, kBegin = 356;

QWidget* makeFact(const ThemeController& theme, Icon icon, IconLabel::Colour colour,
                  const QStringList& lines)
{
    auto* fact = new QWidget;
    fact->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    auto* row = spaced(new QHBoxLayout(fact), QMargins(), 10);
    auto* column = spaced(new QVBoxLayout, QMargins(), 1, {kStretch});
    auto* head = spaced(new QHBoxLayout, QMargins(), 8,
                        {new IconLabel(theme, icon, colour), {makeLabel(lines.value(0)), 1}});
    column->addLayout(head);
    QLabel* hint = makeLabel(lines.value(1), "hint");
    hint->setIndent(24);
    column->addWidget(hint);
    column->addStretch(1);
    row->addLayout(column);
    return fact;
}

} // namespace

StartPage::StartPage(const ThemeController& theme, Settings& settings, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_error(new Band(theme, Band::Shape::Verdict))
    , m_queue(named(new Band(theme, Band::Shape::Verdict), "queueBand"))
{
    setObjectName(QStringLiteral("startPage"));
    auto* content = new QWidget;
    content->setMaximumWidth(kWidth);
    m_column = spaced(new QVBoxLayout(content), QMargins(), 0);
    QVBoxLayout* column = m_column;
    column->addWidget(makeTitle());
    column->addSpacing(14);
    column->addWidget(makeDeviceLine());
    column->addWidget(m_error);
    column->addWidget(m_queue);
    const auto answer = [this](const QString& text, const char* name, bool start) {
        connect(m_queue->addAction(text, QString::fromLatin1(name)), &QPushButton::clicked, this,
                [this, start] {
                    m_queue->hide();
                    Q_EMIT queueAnswered(start);
                });
    };
    answer(tr("Start them"), "startQueue", true);
    answer(tr("Discard"), "discardQueue", false);
    m_queue->hide();
    column->addItem(m_gaps[0] = new QSpacerItem(0, 0));
    auto* middle = spaced(new QHBoxLayout, QMargins(), 32,
                          {{makeBegin(), 0, Qt::AlignTop}, {makeRecent(), 1, Qt::AlignTop}});
    column->addLayout(middle);
    column->addItem(m_gaps[1] = new QSpacerItem(0, 0));
    column->addWidget(makeSamples());
    column->addStretch();
    m_error->hide();

    auto* centred = new QWidget;
    spaced(new QHBoxLayout(centred), QMargins(24, 0, 24, 0), 0,
           {kStretch, {content, 1000}, kStretch});
    QScrollArea* scroll = makeScroll(centred);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    spaced(new QVBoxLayout(this), QMargins(), 0)->addWidget(scroll);
    refresh();
}

QWidget* StartPage::makeTitle()
{
    auto* title = new QWidget;
    spaced(new QHBoxLayout(title), QMargins(), 14,
           {{makeLabel(QStringLiteral("Bubblescope"), "title"), 0, Qt::AlignBaseline},
            {makeLabel(tr("Time and memory of pipeline-parallel training."), "secondary"), 1,
             Qt::AlignBaseline},
            {makeLabel(tr("Version %1").arg(fromUtf8(engine::version())), "small"), 0,
             Qt::AlignBaseline}});
    return title;
}

QWidget* StartPage::makeDeviceLine()
{
    const DeviceFacts facts = deviceFacts();
    QWidget* line = named(makeSurface("card-alt"), "deviceLine");
    line->setFixedHeight(54);
    auto* row = spaced(new QHBoxLayout(line), QMargins(16, 0, 14, 0), 40,
                       {makeFact(m_theme, Icon::Check, &Chrome::ok,
                                 {facts.cpu + QStringLiteral(", ") + countOf(facts.cores, "core"),
                                  tr("OpenBLAS; runs simulation, emulation and training")}),
                        facts.hasNvidiaDriver
                            ? makeFact(m_theme, Icon::Info, &Chrome::text3,
                                       {tr("NVIDIA driver found"), tr("see the device check")})
                            : makeFact(m_theme, Icon::Info, &Chrome::text3,
                                       {tr("No NVIDIA GPU found"),
                                        tr("No NVIDIA driver. Only runs on a GPU need one.")}),
                        kStretch});
    QPushButton* check = makeButton(tr("Device check"), QStringLiteral("deviceCheck"), "tool");
    connect(check, &QPushButton::clicked, this, &StartPage::deviceCheckRequested);
    row->addWidget(check);
    return line;
}

QWidget* StartPage::makeBegin()
{
    auto* begin = new QWidget;
    begin->setFixedWidth(kBegin);
    auto* column
        = spaced(new QVBoxLayout(begin), QMargins(), 8, {makeLabel(tr("Begin"), "section")});
    auto* newRun
        = named(new BeginButton(m_theme,
                                {Icon::Run, tr("New run"), tr("Choose a scheme and preview it"),
                                 QStringLiteral("Ctrl+N")},
                                BeginButton::Rank::Primary),
                "beginNewRun");
    connect(newRun, &CardButton::clicked, this, [this] { Q_EMIT pageRequested({"setup"}); });
    auto* open = named(
        new BeginButton(m_theme,
                        {Icon::Open, tr("Open run"), tr("Open one run, or several to compare them"),
                         QStringLiteral("Ctrl+O")},
                        BeginButton::Rank::Other),
        "beginOpen");
    connect(open, &CardButton::clicked, this, [this] { Q_EMIT filesRequested(FileKind::Runs); });
    column->addWidget(newRun);
    column->addWidget(open);
    auto* hints = new StartHints(m_theme);
    connect(hints, &StartHints::dismissed, this, [this] {
        m_settings.setValue(key::kHints, false);
        refresh();
    });
    column->addWidget(m_hints = hints);
    return begin;
}

QWidget* StartPage::makeRecent()
{
    auto* recent = new QWidget;
    auto* column = spaced(new QVBoxLayout(recent), QMargins(), 0);
    auto* head = spaced(new QHBoxLayout, QMargins(0, 0, 0, 8), 8,
                        {{makeLabel(tr("Recent"), "section"), 1}});
    QPushButton* all = makeButton(tr("All runs"), QStringLiteral("allRuns"), "link");
    all->setFixedHeight(16);
    connect(all, &QPushButton::clicked, this, [this] { Q_EMIT pageRequested({"runs"}); });
    head->addWidget(all);
    QPushButton* clear = makeButton(tr("Clear"), QStringLiteral("clearRecent"), "link");
    clear->setFixedHeight(16);
    connect(clear, &QPushButton::clicked, this, [this] {
        m_settings.clearRecent();
        refresh();
    });
    head->addWidget(clear);
    column->addLayout(head);
    column->addWidget(makeLine(Qt::Horizontal));
    m_recent = spaced(new QVBoxLayout, QMargins(), 0);
    column->addLayout(m_recent);
    return recent;
}

void StartPage::fillRecent()
{
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    constexpr std::size_t kRows = 5;
    const std::vector<RecentRun> runs = m_settings.recentRuns();
    const QDateTime now = QDateTime::currentDateTime();
    auto* clear = findChild<QPushButton*>(QStringLiteral("clearRecent"));
    QWidget* before = clear; // the last widget in the tab order so far
    for (std::size_t i = 0; i < std::min(runs.size(), kRows); ++i) {
        auto* row = named(new RecentRow(m_theme, runs[i], now), "recentRun");
        connect(row, &CardButton::clicked, this, [this, file = runs[i].file] {
            Q_EMIT pageRequested({"run", {file}});
        });
        m_recent->addWidget(row);
        setTabOrder(before, row);
        before = row;
    }
    clear->setVisible(!runs.empty());
    m_empty = nullptr;
    if (!runs.empty())
        return;
    m_empty
        = named(new EmptyState(m_theme, {Icon::Compare, {}, {}, tr("Open a sample")}), "noRecent");
    m_empty->setFixedHeight(140);
    describeEmpty();
    connect(m_empty, &EmptyState::activated, this, [this] { openSample(samples().front()); });
    m_recent->addSpacing(10);
    m_recent->addWidget(m_empty);
}

void StartPage::describeEmpty()
{
    if (m_knownRuns > 0)
        m_empty->setTexts(tr("No recent runs"),
                          tr("\"All runs\" lists %1. Samples open immediately.")
                              .arg(countOf(m_knownRuns, "recorded run")));
    else
        m_empty->setTexts(
            tr("No run yet"),
            tr("Runs that you start or open are listed here. Samples open immediately."));
}

void StartPage::setKnownRuns(int runs)
{
    m_knownRuns = runs;
    if (m_empty != nullptr)
        describeEmpty();
}

QWidget* StartPage::makeSamples()
{
    auto* widget = new QWidget;
    auto* column = spaced(new QVBoxLayout(widget), QMargins(), 10);
    auto* head = spaced(new QHBoxLayout, QMargins(), 10);
    const std::vector<Sample> all = samples();
    const bool isRecorded = !all.empty() && !all.front().recorded.isEmpty();
    const QString predicted = tr("predicted from the schedules, on one time scale");
    const QString hint = isRecorded
        ? tr("the first is recorded on a CPU, the others are %1").arg(predicted)
        : predicted;
    head->addWidget(makeLabel(tr("Sample runs"), "section"));
    head->addWidget(makeLabel(hint, "small"), 1);
    column->addLayout(head);
    auto* grid = spaced(new QGridLayout, QMargins(), 16);
    constexpr int kColumns = 3;
    int i = 0;
    double longest = 1;
    std::vector<SampleCard*> cards;
    for (const Sample& sample : all) {
        auto* card = new SampleCard(m_theme, sample);
        card->setObjectName(QStringLiteral("sample%1").arg(i));
        connect(card, &CardButton::clicked, this, [this, sample] { openSample(sample); });
        grid->addWidget(card, i / kColumns, i % kColumns);
        ++i;
        cards.push_back(card);
        if (!card->isRecorded())
            longest = std::max(longest, card->duration());
    }
    for (SampleCard* card : cards) {
        if (!card->isRecorded())
            card->setFullWidth(longest);
    }
    for (int c = 0; c < kColumns; ++c)
        grid->setColumnStretch(c, 1);
    column->addLayout(grid);
    return widget;
}

void StartPage::openSample(const Sample& sample)
{
    const auto files = sampleFiles(sample);
    if (!files)
        showError(tr("The sample was not opened."), fromUtf8(files.error().message));
    else if (files->size() == 1)
        Q_EMIT pageRequested({"run", {files->front()}});
    else
        Q_EMIT pageRequested({"compare", *files});
}

void StartPage::refresh()
{
    fillRecent();
    m_hints->setVisible(!m_isLow && m_settings.value(key::kHints).toBool());
}

void StartPage::showError(const QString& bold, const QString& sentence)
{
    m_error->show(Band::Kind::Error, bold, sentence);
}

void StartPage::offerQueue(int runs)
{
    m_queue->show(Band::Kind::Neutral, tr("%1 not started.").arg(countOf(runs, "queued run")),
                  tr("They were in the queue when the program ended."));
}

void StartPage::showEvent(QShowEvent* event)
{
    refresh();
    Page::showEvent(event);
}

// In a low window, hides the hints and reduces the gaps, so that the first row of samples is
// completely visible.
void StartPage::resizeEvent(QResizeEvent* event)
{
    constexpr int kRoomy = 680;
    const bool wasLow = std::exchange(m_isLow, height() < kRoomy);
    const int edge = m_isLow ? 16 : 36, gap = m_isLow ? 12 : 28;
    m_column->setContentsMargins(0, edge, 0, edge);
    for (QSpacerItem* item : m_gaps)
        item->changeSize(0, gap);
    m_column->invalidate();
    if (wasLow != m_isLow)
        refresh();
    Page::resizeEvent(event);
}

QStringList StartPage::statusTexts() const
{
    const DeviceFacts facts = deviceFacts();
    return {facts.cpu.toHtmlEscaped() + QStringLiteral(", ") + countOf(facts.cores, "core"),
            facts.hasNvidiaDriver ? tr("NVIDIA driver found") : tr("no GPU")};
}

} // namespace app
