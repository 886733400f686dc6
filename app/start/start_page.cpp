#include "app/start/start_page.h"

#include "app/start/start_cards.h"
#include "app/start/start_hints.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/device_facts.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/setting_table.h"
#include "app/ui/text.h"
#include "engine/base/version.h"

#include <QGridLayout>
#include <QScrollArea>
#include <QSpacerItem>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
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
