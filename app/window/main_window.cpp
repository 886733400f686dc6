#include "app/window/main_window.h"

#include "app/cluster/cluster_page.h"
#include "app/compare/compare_page.h"
#include "app/documents/run_document.h"
#include "app/editor/editor_page.h"
#include "app/estimator/estimator_page.h"
#include "app/guide/guide_page.h"
#include "app/import/import_page.h"
#include "app/layout/layout_page.h"
#include "app/ledger/ledger_page.h"
#include "app/memory/memory_page.h"
#include "app/query/query_page.h"
#include "app/run/run_page.h"
#include "app/search/search_page.h"
#include "app/settings/settings_page.h"
#include "app/setup/setup_page.h"
#include "app/shell/command_palette.h"
#include "app/shell/run_saver.h"
#include "app/start/start_page.h"
#include "app/study/study_page.h"
#include "app/ui/device_facts.h"
#include "app/ui/form.h"
#include "app/ui/message_log.h"
#include "app/ui/text.h"
#include "app/whatif/what_if_page.h"
#include "app/window/export_dialog.h"
#include "engine/base/check.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/version.h"
#include "engine/experiment/experiment.h"
#include "engine/schedules/scheme.h"
#include "profiler/store/trace_store.h"
#include "resources/resources.h"

#include <QAction>
#include <QActionGroup>
#include <QCheckBox>
#include <QCloseEvent>
#include <QDateTime>
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenuBar>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QSysInfo>
#include <QTabBar>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace app {
namespace {

QString factLine(const char* name, const QString& value)
{
    return QStringLiteral("%1: %2\n").arg(QString::fromLatin1(name), value);
}

QString screenSizes()
{
    QStringList all;
    for (const QScreen* screen : QGuiApplication::screens())
        all.append(QStringLiteral("%1 x %2, scale %3")
                       .arg(screen->size().width())
                       .arg(screen->size().height())
                       .arg(screen->devicePixelRatio()));
    return all.join(QStringLiteral("; "));
}

QString aboutText()
{
    const DeviceFacts facts = deviceFacts();
    return factLine("bubblescope", fromUtf8(engine::version()))
        + factLine("build", fromUtf8(engine::buildId()))
        + factLine("licence", QStringLiteral("Apache-2.0; libraries: THIRD_PARTY.md"))
        + factLine("Qt",
                   QStringLiteral("%1, compiled with %2, linked dynamically under the LGPL")
                       .arg(QString::fromLatin1(qVersion()), QString::fromLatin1(QT_VERSION_STR)))
        + factLine("platform", QGuiApplication::platformName())
        + factLine("system", QSysInfo::prettyProductName())
        + factLine("kernel", QSysInfo::kernelType() + QLatin1Char(' ') + QSysInfo::kernelVersion())
        + factLine("architecture", QSysInfo::currentCpuArchitecture())
        + factLine("processor", QStringLiteral("%1, %2 cores").arg(facts.cpu).arg(facts.cores))
        + factLine("NVIDIA driver",
                   facts.hasNvidiaDriver ? QStringLiteral("found") : QStringLiteral("not found"))
        + factLine("screens", screenSizes());
}

QString settingsText(const Settings& settings)
{
    QString text;
    for (const Setting& one : settingTable())
        text += factLine(one.key, settings.value(one.key).toString());
    return text;
}

QString messagesText(const QStringList& errors)
{
    const QStringList messages = keptMessages();
    return QStringLiteral("Errors of runs\n%1\n\nMessages\n%2\n")
        .arg(errors.isEmpty() ? QStringLiteral("none") : errors.join(QLatin1Char('\n')),
             messages.isEmpty() ? QStringLiteral("none") : messages.join(QLatin1Char('\n')));
}

// Returns the keys of each shortcut of an action. Shortcuts of a single key, such as "F1" and "?",
// share one entry.
QList<QStringList> shortcuts(const QAction& action)
{
    QList<QStringList> all;
    QStringList single;
    for (const QKeySequence& sequence : action.shortcuts()) {
        QStringList keys = sequence.toString().split(QLatin1Char('+'), Qt::SkipEmptyParts);
        keys.replaceInStrings(QStringLiteral("Left"), QStringLiteral("←"));
        keys.replaceInStrings(QStringLiteral("Right"), QStringLiteral("→"));
        keys.replaceInStrings(QStringLiteral("PgDown"), QStringLiteral("PgDn"));
        if (keys.size() == 1)
            single += keys;
        else if (!keys.isEmpty())
            all.append(keys);
    }
    if (!single.isEmpty())
        all.prepend(single);
    return all;
}

// Whether a list of keys contains a key: "Alt ← →" contains "Alt ←", but "Ctrl N" does not contain
// "N".
bool lists(const KeyLine& line, const QStringList& keys)
{
    for (const char* modifier : {"Ctrl", "Shift", "Alt"})
        if (line.keys.contains(QLatin1String(modifier)) != keys.contains(QLatin1String(modifier)))
            return false;
    return std::ranges::all_of(keys, [&](const QString& key) { return line.keys.contains(key); });
}

// A table of keys, drawn as caps, with a heading for each group. The lines of a group are adjacent.
QString keysHtml(const QList<KeyLine>& lines, const Chrome& chrome)
{
    QString html = QStringLiteral("<table cellpadding=2>"), group;
    for (const KeyLine& line : lines) {
        if (line.group != group)
            html += QStringLiteral("<tr><td colspan=2><b>%1</b></td></tr>")
                        .arg(line.group.toHtmlEscaped());
        group = line.group;
        html += QStringLiteral("<tr><td>");
        for (const QString& key : line.keys)
            html += QStringLiteral("<span style='background-color:%1'>&nbsp;%2&nbsp;</span> ")
                        .arg(chrome.pressed.name(), key.toHtmlEscaped());
        html += QStringLiteral("&nbsp;&nbsp;</td><td>%1</td></tr>").arg(line.text.toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

} // namespace

QList<KeyLine> keyLines(const QList<QAction*>& actions)
{
    QList<KeyLine> lines;
    const QString table = fromUtf8(resources::find("help/keys.txt"));
    for (const QString& line : table.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QStringList parts = line.split(QStringLiteral("; "));
        if (!line.startsWith(QLatin1Char('#')) && parts.size() == 3)
            lines.append({parts.at(0), parts.at(1).split(QLatin1Char(' ')), parts.at(2)});
    }
    for (const QAction* action : actions)
        for (const QStringList& keys : shortcuts(*action)) {
            const auto isThere = [&](const KeyLine& line) { return lists(line, keys); };
            if (std::ranges::none_of(lines, isThere))
                lines.append(
                    {HelpDialog::tr("View and runs"), keys,
                     action->statusTip().isEmpty()
                         ? action->text().remove(QLatin1Char('&')).remove(QChar(0x2026)).toLower()
                         : action->statusTip()});
        }
    return lines;
}

QString withoutNames(QString text)
{
    const auto hide = [&text](const QString& name, const QString& by) {
        if (name.size() > 1)
            text.replace(QRegularExpression(QStringLiteral("(?<![\\w.-])%1(?![\\w-])")
                                                .arg(QRegularExpression::escape(name))),
                         by);
    };
    const QString home = QDir::homePath();
    if (home.size() > 1)
        text.replace(home, QStringLiteral("~"));
    hide(QDir(home).dirName(), QStringLiteral("USER"));
    hide(qEnvironmentVariable("USER"), QStringLiteral("USER"));
    hide(QSysInfo::machineHostName(), QStringLiteral("HOST"));
    return text;
}

HelpDialog::HelpDialog(Topic topic, const ThemeController& theme, const Settings& settings,
                       const QStringList& errors, const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent)
    , m_files{{tr("Keys"), tr("Of timelines, the schedule editor and the current page"),
               keysHtml(keyLines(actions), theme.theme().chrome)},
              {QStringLiteral("about.txt"), tr("Versions, system, processor and screens"),
               aboutText()},
              {QStringLiteral("devices.txt"), tr("Devices and CUDA libraries, from bscope devices"),
               tr("Querying the devices…")},
              {QStringLiteral("settings.txt"), tr("The settings, without recent runs and tabs"),
               settingsText(settings)},
              {QStringLiteral("messages.txt"),
               tr("Last errors of runs and messages of the program"), messagesText(errors)}}
    , m_list(named(new QListWidget, "diagnosticsFiles", tr("Topics")))
    , m_what(makeLabel({}, "secondary"))
    , m_text(named(new QTextBrowser, "diagnosticsText", tr("Text of the topic")))
    , m_withNames(
          named(new QCheckBox(tr("Include the names of user and machine")), "diagnosticsNames"))
    , m_problem(named(makeLabel({}, "problem"), "diagnosticsProblem"))
{
    constexpr int kDriverPatience = 20'000; // ms; a driver may hang
    setObjectName(QStringLiteral("helpDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Help"));
    resize(960, 640);
    fitToScreen(*this);
    m_list->setFixedWidth(160);
    for (const File& file : m_files)
        m_list->addItem(file.name);
    m_text->setTabChangesFocus(true);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* copy
        = makeButton(tr("Copy"), "copyHelp", "", this, [this] { copyText(m_text->toPlainText()); });
    auto* close = makeButton(tr("Close"), "closeHelp");
    auto* save = makeButton(tr("Save to folder…"), "saveDiagnostics", "primary", this,
                            [this] { chooseFolder(); });
    save->setToolTip(tr("Writes the four text files, for a bug report, and nothing else: no run, "
                        "no names of files that were open"));
    spaced(new QVBoxLayout(this), {16, 16, 16, 16}, 12,
           {{spaced(new QHBoxLayout, {}, 10,
                    {m_list, {spaced(new QVBoxLayout, {}, 6, {m_what, {m_text, 1}}), 1}}),
             1},
            m_problem,
            spaced(new QHBoxLayout, {}, 8, {{m_withNames, 1}, copy, close, save})});
    connect(m_list, &QListWidget::currentRowChanged, this, &HelpDialog::showText);
    connect(m_withNames, &QCheckBox::toggled, this, &HelpDialog::showText);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(&m_worker, &QProcess::finished, this, &HelpDialog::devicesAnswered);
    connect(&m_worker, &QProcess::errorOccurred, this, &HelpDialog::devicesAnswered);
    QTimer::singleShot(kDriverPatience, &m_worker, &QProcess::kill);
    m_worker.start(workerProgram(), {QStringLiteral("devices")});
    m_list->setCurrentRow(static_cast<int>(topic));
    m_text->setFocus();
}

HelpDialog::~HelpDialog()
{
    m_worker.disconnect(this);
    m_worker.kill();
}

void HelpDialog::devicesAnswered()
{
    const QString answer = QString::fromUtf8(m_worker.readAllStandardOutput()),
                  error = QString::fromUtf8(m_worker.readAllStandardError()).trimmed();
    m_files[static_cast<std::size_t>(Topic::Devices)].text = !answer.isEmpty() ? answer
        : workerProgram().isEmpty()
        ? tr("bscope is not in the folder of this program; reinstall Bubblescope.")
        : tr("No answer: %1").arg(error.isEmpty() ? m_worker.errorString() : error);
    if (m_list->currentRow() == static_cast<int>(Topic::Devices))
        showText();
}

QString HelpDialog::shown(const File& file) const
{
    return m_withNames->isChecked() ? file.text : withoutNames(file.text);
}

void HelpDialog::showText()
{
    const auto row = static_cast<std::size_t>(m_list->currentRow());
    const bool isKeys = row == static_cast<std::size_t>(Topic::Keys);
    m_text->setFont(isKeys ? uiFont(13) : codeFont());
    m_what->setText(m_files[row].what);
    isKeys ? m_text->setHtml(m_files[row].text) : m_text->setPlainText(shown(m_files[row]));
}

void HelpDialog::chooseFolder()
{
    auto* dialog = named(
        new QFileDialog(this, tr("Save diagnostics in a folder"), chosenFolder(key::kExports)),
        "diagnosticsFolder");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &HelpDialog::saveIn);
    dialog->open();
}

void HelpDialog::saveIn(const QString& parent)
{
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const QDir folder(
        QDir(parent).filePath(QStringLiteral("bubblescope-diagnostics-%1").arg(time)));
    QString problem;
    if (!QDir().mkdir(folder.path()))
        problem = tr("%1 was not created: choose a writable folder").arg(folder.path());
    QStringList files;
    for (std::size_t i = 1; i < m_files.size() && problem.isEmpty(); ++i) {
        files.append(folder.filePath(m_files[i].name));
        const auto saved = engine::saveFile(
            files.back().toStdString(), shown(m_files[i]).toStdString(), engine::IfExists::Refuse);
        if (!saved)
            problem = fromUtf8(saved.error().message);
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (!problem.isEmpty())
        return;
    Q_EMIT saved(files);
    accept();
}

namespace {

// The background of the tabs, 36 px high. The current tab covers the line and so joins its page.
class TabStrip : public ThemedWidget
{
public:
    using ThemedWidget::ThemedWidget;

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), theme().chrome.window);
        painter.fillRect(QRect(0, height() - 1, width(), 1), theme().chrome.line);
    }
};

class Pages : public PageTabs
{
public:
    explicit Pages(const ThemeController& theme)
        : m_theme(theme)
    {
        m_stack->setBackgroundRole(QPalette::Base);
        m_stack->setAutoFillBackground(true);
        QWidget* strip = makeStrip();
        followStyleSheet(*strip);
        followStyleSheet(*m_noticeBar);
        spaced(new QVBoxLayout(this), {}, 0, {strip, m_noticeBar, {m_stack, 1}});
        connect(m_bar, &QTabBar::currentChanged, this, &Pages::fitBar); // the current tab is wider
        connect(m_bar, &QTabBar::currentChanged, this, &Pages::show);
        connect(m_plus, &QToolButton::clicked, this, &PageTabs::newRequested);
        connect(&theme, &ThemeController::changed, this, &Pages::updateIcons);
        updateIcons();
    }
    // emits nothing more
    ~Pages() override
    {
        disconnect(m_bar, nullptr, this, nullptr);
        delete m_stack;
    }
    Page* current() const override { return page(m_stack->currentIndex()); }
    QList<Page*> pages() const override
    {
        QList<Page*> pages;
        for (int i = 0; i < m_stack->count(); ++i)
            pages.append(page(i));
        return pages;
    }
    void say(Band::Kind kind, const QString& bold, const QString& sentence,
             const Action& action) override
    {
        m_runNoticeAction = action.run;
        m_noticeAction->setVisible(!action.text.isEmpty());
        if (!action.text.isEmpty()) // a hidden button keeps a text, too, for screen readers
            m_noticeAction->setText(action.text);
        m_notice->show(kind, bold, sentence);
        m_noticeBar->show();
    }
    void add(Page* page) override
    {
        connect(page, &Page::titleChanged, this, [this, page] {
            m_bar->setTabText(m_stack->indexOf(page), menuText(page->title()));
            fitBar();
        });
        connect(
            page, &Page::closeRequested, this, [this, page] { close(page); }, Qt::QueuedConnection);
        m_stack->addWidget(page);
        followStyleSheet(*page);
        const QSignalBlocker once(m_bar); // otherwise setCurrentIndex() would call show(), too
        const int index = m_bar->addTab(menuText(page->title()));
        if (page->isClosable())
            addCloseButton(page, index);
        m_bar->setCurrentIndex(index);
        fitBar();
        show(index);
    }
    void makeCurrent(Page* page) override { m_bar->setCurrentIndex(m_stack->indexOf(page)); }
    void step(int by) override
    {
        const int count = m_bar->count();
        m_bar->setCurrentIndex((m_bar->currentIndex() + by + count) % count);
    }
    bool showIf(const std::function<bool(Page*)>& isIt) override
    {
        const QList<Page*> all = pages();
        const auto found = std::ranges::find_if(all, isIt);
        if (found == all.end())
            return false;
        makeCurrent(*found);
        return true;
    }
    bool close(Page* page) override
    {
        if (!page->isClosable() || !page->queryClose())
            return false;
        const int index = m_stack->indexOf(page);
        m_stack->removeWidget(page);
        m_bar->removeTab(index);
        fitBar();
        page->deleteLater();
        show(m_bar->currentIndex());
        return true;
    }
    bool mayCloseAll() override
    {
        if (QWidget* const field
            = window()->focusWidget()) { // some fields store text on leaving only
            field->clearFocus();
            field->setFocus();
        }
        for (int i = m_stack->count() - 1; i >= 0; --i) {
            if (page(i)->isClosable() && !page(i)->queryClose()) {
                m_bar->setCurrentIndex(i);
                return false;
            }
        }
        return true;
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        QWidget::showEvent(event);
        fitBar();
    }
    // of the bar
    // A click with the middle button closes a tab.
    bool eventFilter(QObject* object, QEvent* event) override
    {
        if (event->type() == QEvent::MouseButtonRelease) {
            const auto* mouse = static_cast<QMouseEvent*>(event);
            const int index = m_bar->tabAt(mouse->position().toPoint());
            if (mouse->button() == Qt::MiddleButton && index >= 0)
                close(page(index));
        }
        return QWidget::eventFilter(object, event);
    }

private:
    QWidget* makeStrip()
    {
        m_bar->setDrawBase(false);
        m_bar->setElideMode(Qt::ElideNone);
        m_bar->setExpanding(false);
        m_bar->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
        m_bar->setMinimumWidth(1); // otherwise a single tab leaves space for scroll buttons
        m_bar->setUsesScrollButtons(true);
        m_bar->setFocusPolicy(Qt::TabFocus);
        m_bar->installEventFilter(this);
        m_plus->setToolTip(tr("New run (Ctrl+N)"));
        auto* strip = named(new TabStrip(m_theme), "tabStrip");
        strip->setFixedHeight(36);
        spaced(new QHBoxLayout(strip), QMargins(8, 0, 8, 0), 4,
               {{m_bar, 0, Qt::AlignBottom}, {m_plus, 0, Qt::AlignVCenter}, kStretch});
        return strip;
    }
    QWidget* makeNotice()
    {
        auto* bar = new QWidget;
        QPushButton* close = m_notice->addAction(tr("Close"), "closeNotice");
        close->setAccessibleName(tr("Close the notice"));
        spaced(new QVBoxLayout(bar), {}, 0, {m_notice, makeLine(Qt::Horizontal)});
        connect(close, &QPushButton::clicked, bar, &QWidget::hide);
        bar->hide();
        return bar;
    }
    void addCloseButton(Page* page, int index)
    {
        auto* button = named(new QToolButton, "closeTab", tr("Close the tab"));
        button->setToolTip(tr("Close (Ctrl+W)"));
        button->setIconSize({12, 12});
        button->setFocusPolicy(Qt::NoFocus);
        m_bar->setTabButton(index, QTabBar::RightSide, button);
        connect(button, &QToolButton::clicked, page, [this, page] { close(page); });
        updateIcons();
    }
    void updateIcons()
    {
        const QColor ink = m_theme.theme().chrome.text3;
        m_plus->setIcon(makeIcon(Icon::Plus, ink));
        for (int i = 0; i < m_bar->count(); ++i) {
            if (auto* button = qobject_cast<QToolButton*>(m_bar->tabButton(i, QTabBar::RightSide)))
                button->setIcon(makeIcon(Icon::Close, ink));
        }
    }
    // Limits the bar to the width of its tabs, so that "+" follows the last one. The size hint of
    // the bar is too wide.
    void fitBar()
    {
        m_bar->ensurePolished(); // the style sheet determines the width of a tab
        int width = 0;
        for (int i = 0; i < m_bar->count(); ++i)
            width += m_bar->tabRect(i).width();
        m_bar->setMaximumWidth(std::max(1, width));
    }
    void show(int index)
    {
        if (index < 0 || index >= m_stack->count())
            return;
        m_stack->setCurrentIndex(index);
        current()->setFocus();
        Q_EMIT currentChanged(current());
    }
    Page* page(int index) const { return static_cast<Page*>(m_stack->widget(index)); }

    const ThemeController& m_theme;
    QTabBar* m_bar = named(new QTabBar, "tabs");
    QToolButton* m_plus = named(new QToolButton, "newTab", tr("New run"));
    Band* m_notice = named(new Band(m_theme, Band::Shape::State), "notice");
    QPushButton* m_noticeAction = m_notice->addAction(tr("Open"), "noticeAction", this, [this] {
        m_noticeBar->hide();
        m_runNoticeAction();
    });
    std::function<void()> m_runNoticeAction;
    QWidget* m_noticeBar = makeNotice();
    QStackedWidget* m_stack = new QStackedWidget;
};

} // namespace

PageTabs* PageTabs::make(const ThemeController& theme)
{
    return new Pages(theme);
}

namespace {

constexpr int kSaveAfter = 1000; // ms, so that closing many tabs writes once
// ms; interval at which watchStart() is called until all runs are read
constexpr int kStartIsOver = 3000;

// "a.sqlite", "a.sqlite and b.sqlite", "a.sqlite and 3 others".
QString namesOf(const QStringList& files)
{
    if (files.size() <= 2)
        return files.join(WindowSession::tr(" and "));
    return WindowSession::tr("%1 and %2 others").arg(files.front()).arg(files.size() - 1);
}

} // namespace

SessionTab sessionTab(const Page& page)
{
    const PageKind* kind = page.kind();
    if (kind == nullptr)
        return {};
    SessionTab tab;
    const RunDocument* run = page.document();
    for (const QString& file : run != nullptr ? QStringList(run->file()) : page.files())
        if (QFileInfo::exists(file)) // a prediction has no file, a queued run has none yet
            tab.files.append(QFileInfo(file).absoluteFilePath());
    if (kind->about != PageKind::About::Nothing && tab.files.isEmpty())
        return {};
    tab.kind = QLatin1String(kind->name);
    tab.state = page.state();
    return tab;
}

Page* openTab(MainWindow& window, const SessionTab& tab, QStringList& missing)
{
    const PageKind* kind = findPageKind(tab.kind);
    if (kind == nullptr)
        return nullptr;
    PageRequest request{.kind = kind->name, .state = tab.state};
    for (const QString& file : tab.files)
        (QFileInfo::exists(file) ? request.files : missing)
            .append(QFileInfo::exists(file) ? file : QFileInfo(file).fileName());
    if ((kind->about != PageKind::About::Nothing || !tab.files.isEmpty())
        && request.files.isEmpty())
        return nullptr;
    return window.open(request);
}

WindowSession::WindowSession(MainWindow& window, Settings& settings)
    : QObject(&window)
    , m_window(window)
    , m_settings(settings)
    , m_previous(settings.session())
{ }

void WindowSession::begin(Tabs tabs)
{
    m_isSaving = m_settings.takeSession();
    tabsChanged(); // schedules saving the tabs of the command line
    if (!m_isSaving) {
        m_previous = {};
        m_window.tabs().say(Band::Kind::Neutral, tr("Another window of Bubblescope is open."),
                            tr("The tabs of this window are not saved."));
    }
    if (!m_settings.problem().isEmpty())
        m_window.tabs().say(Band::Kind::Warning, tr("The settings were reset."),
                            m_settings.problem());
    if (tabs == Tabs::LeaveClosed || !m_settings.value(key::kRestore).toBool() || !canReopen())
        return;
    if (!m_settings.isRestoring())
        return reopen();
    m_settings.setRestoring(false);
    m_window.tabs().say(Band::Kind::Warning, tr("The tabs of the last session were not opened."),
                        tr("The last start did not finish opening them."),
                        {tr("Open them"), [this] { reopen(); }});
}

void WindowSession::reopen()
{
    const Session session = std::exchange(m_previous, {});
    m_settings.setRestoring(true);
    m_startTimer.start(kStartIsOver);
    QStringList missing;
    Page* current = m_window.currentPage();
    for (std::size_t i = 0; i < session.tabs.size(); ++i) {
        Page* page = openTab(m_window, session.tabs[i], missing);
        if (page != nullptr && static_cast<int>(i) + 1 == session.current)
            current = page;
    }
    m_window.tabs().makeCurrent(current);
    missing.removeDuplicates();
    if (!missing.isEmpty())
        m_window.tabs().say(
            Band::Kind::Warning, tr("%1 not found.").arg(countOf(missing.size(), "file")),
            tr("Moved or deleted since the last session: %1.").arg(namesOf(missing)));
}

// Ends the start phase when no run is being read.
void WindowSession::watchStart()
{
    if (m_window.library().isAnyLoading())
        return m_startTimer.start(kStartIsOver);
    m_settings.setRestoring(false);
}

void WindowSession::tabsChanged()
{
    if (m_isSaving)
        m_saveTimer.start(kSaveAfter);
}

Session WindowSession::current() const
{
    Session session;
    for (Page* page : m_window.tabs().pages()) {
        SessionTab tab = sessionTab(*page);
        if (tab.kind.isEmpty())
            continue;
        session.tabs.push_back(std::move(tab));
        if (page == m_window.currentPage())
            session.current = static_cast<int>(session.tabs.size());
    }
    return session;
}

// If no tab is open, keeps the saved tabs as long as reopen() can open them.
void WindowSession::save()
{
    if (!m_isSaving)
        return;
    Session session = current();
    if (!session.tabs.empty() || !canReopen())
        m_settings.setSession(session);
}

void WindowSession::end()
{
    m_saveTimer.stop();
    m_startTimer.stop();
    if (!m_isSaving) // the session is that of another window
        return;
    m_settings.setRestoring(false);
    save();
    m_settings.leaveSession();
}

namespace {

template<auto kMake>
Page* with(const PageServices& services, const PageRequest&)
{
    return kMake(services.theme);
}

template<auto kMake>
Page* about(const PageServices& services, const PageRequest& request)
{
    return kMake(services.theme, services.library, request.runs.front());
}

Page* makeComparisonPage(const PageServices& services, const PageRequest& request)
{
    return makeComparison(services.theme, services.library, request.runs);
}

// `request` has traces, or the run that they became.
Page* makeImportPage(const PageServices& services, const PageRequest& request)
{
    return !request.runs.empty()
        ? makeImport(services.theme, services.library, request.runs.front())
        : makeImport(services.theme, services.library, request.files, request.text);
}

Page* makeCluster(const PageServices& services, const PageRequest& request)
{
    return !request.runs.empty()
        ? ClusterPage::make(services.theme, services.library, request.runs.front())
        : ClusterPage::make(services.theme, services.library,
                            clusterPlanOf(request.plan.value_or(RunPlan())));
}

Page* makeEditor(const PageServices& services, const PageRequest& request)
{
    EditorPage* page = EditorPage::make(services.theme);
    if (const engine::Schedule* schedule = request.schedule.get())
        page->edit(*schedule,
                   EditorPage::tr("%1 D %2, N %3")
                       .arg(schemeTitle(fromUtf8(schedule->scheme)))
                       .arg(schedule->shape.devices)
                       .arg(schedule->shape.microBatches),
                   request.costs);
    return page;
}

Page* makeStudy(const PageServices& services, const PageRequest& request)
{
    StudyPage* page = StudyPage::make(services.theme);
    if (!request.files.isEmpty())
        page->open(request.files.front());
    return page;
}

Page* makeSetup(const PageServices& services, const PageRequest& request)
{
    SetupPage* page = SetupPage::make(services.theme);
    page->setCpuTimeOfOthers([&library = services.library] { // not that of our own worker
        return library.isAnyRunning() ? std::nullopt : engine::cpuTimeOfOthers();
    });
    if (request.plan)
        page->setPlan(*request.plan);
    return page;
}

Page* makeRuns(const PageServices& services, const PageRequest&)
{
    return makeLedger(services.theme, services.settings, services.library, services.ledger);
}

Page* makeSettingsPage(const PageServices& services, const PageRequest&)
{
    return makeSettings(services.theme, services.settings);
}

using Tabs = PageKind::Tabs;
using About = PageKind::About;

const PageKind kPageKinds[] = {
    {"setup", Tabs::Many, About::Nothing, makeSetup, {Menu::File, "newRun", "&New run", "Ctrl+N"}},
    {"run", Tabs::PerRun, About::Runs, about<makeRunPage>},
    {"compare", Tabs::PerRuns, About::Runs, makeComparisonPage},
    {"memory", Tabs::PerRun, About::Runs, about<makeMemory>},
    {"whatif", Tabs::PerRun, About::Runs, about<makeWhatIf>},
    {"query", Tabs::PerRun, About::Runs, about<makeQuery>},
    {"import", Tabs::PerRun, About::Traces, makeImportPage},
    {"editor", Tabs::PerFile, About::Files, makeEditor},
    {"runs", Tabs::One, About::Nothing, makeRuns, {Menu::File, "allRuns", "&All runs", "Ctrl+L"}},
    {"estimator",
     Tabs::One,
     About::Nothing,
     with<makeEstimator>,
     {Menu::Run, "estimator", "&Estimator", "Ctrl+Shift+M"}},
    {"study",
     Tabs::PerFile,
     About::Nothing,
     makeStudy,
     {Menu::Run, "study", "&Study", "Ctrl+Shift+G"}},
    {"search",
     Tabs::Many,
     About::Nothing,
     with<makeSearch>,
     {Menu::Run, "search", "S&hortest schedule", "Ctrl+Shift+F"}},
    {"layout",
     Tabs::Many,
     About::Nothing,
     with<makeLayout>,
     {Menu::Run, "layout", "La&yers per stage", "Ctrl+Shift+Y"}},
    {"cluster",
     Tabs::PerRun,
     About::Nothing,
     makeCluster,
     {Menu::Run, "cluster", "Run on a clus&ter…", "Ctrl+Shift+L"}},
    {"guide", Tabs::One, About::Nothing, with<makeGuide>},
    {"settings",
     Tabs::One,
     About::Nothing,
     makeSettingsPage,
     {Menu::File, "settings", "&Settings", "Ctrl+,"}},
};

} // namespace

std::span<const PageKind> pageKinds()
{
    return kPageKinds;
}

const PageKind* findPageKind(QStringView name)
{
    const auto found = std::ranges::find_if(
        kPageKinds, [name](const PageKind& kind) { return name == QLatin1String(kind.name); });
    return found == std::end(kPageKinds) ? nullptr : &*found;
}

RunPlan planOnNodes()
{
    RunPlan plan;
    plan.experiment.schedule = {.scheme = "bitpipe",
                                .devices = 8,
                                .microBatches = 16,
                                .chunks = 0,
                                .dataParallel = 4,
                                .options = {}};
    plan.experiment.mode = engine::Mode::Simulate;
    plan.source.kind = CostSource::Kind::Hardware;
    plan.source.model = "gpt-96";
    plan.source.hardware = "a800-sxm-80";
    return plan;
}

namespace {

void openFolder(PageTabs& tabs, const QString& folder)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        tabs.say(Band::Kind::Warning, MainWindow::tr("The folder was not opened."),
                 MainWindow::tr("No file manager is available. The files are in %1.").arg(folder));
}

// Returns the files of the runs, without those that have none, such as predictions.
QStringList filesOf(const RunLibrary& library,
                    const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    QStringList files;
    for (const auto& run : runs)
        for (const auto& document : library.runs())
            if (document->run() == run && !document->file().isEmpty()) {
                files << document->file();
                break;
            }
    return files;
}

// With a button that opens their folder.
void announceFiles(PageTabs& tabs, const QStringList& files)
{
    QStringList names;
    for (const QString& file : files)
        names.append(QFileInfo(file).fileName());
    const QString folder = QFileInfo(files.value(0)).absolutePath();
    tabs.say(Band::Kind::Ok, MainWindow::tr("%1 saved.").arg(countOf(files.size(), "file")),
             MainWindow::tr("%1 in %2")
                 .arg(names.join(QStringLiteral(", ")), QDir::toNativeSeparators(folder)),
             {MainWindow::tr("Open folder"), [&tabs, folder] { openFolder(tabs, folder); }});
}

// Opens the export dialog for the runs of a page on request, and announces the files that the
// dialog and the page save.
void connectExports(MainWindow& window, Page& page, const ThemeController& theme, PageTabs& tabs)
{
    auto* saver = new RunSaver(&page);
    QObject::connect(&page, &Page::traceRequested, &window,
                     [&tabs, saver](const std::shared_ptr<RunDocument>& document) {
                         if (document->run() && !document->isPartlyRead())
                             saver->saveTrace(document->run(), document->file());
                         else
                             tabs.say(Band::Kind::Warning, MainWindow::tr("Nothing to export."),
                                      MainWindow::tr("The run has not been read yet."));
                     });
    const auto announce = [&tabs](const QStringList& files) { announceFiles(tabs, files); };
    QObject::connect(&page, &Page::filesSaved, &window, announce);
    QObject::connect(&page, &Page::exportRequested, &window,
                     [&window, &page, &theme,
                      announce](const std::vector<std::shared_ptr<const engine::Run>>& runs) {
                         auto* dialog = new ExportDialog(theme, runs, &window);
                         QObject::connect(dialog, &ExportDialog::exported, &window, announce);
                         dialog->setIteration(page.exportedIteration());
                         dialog->setNotes(page.notes());
                         dialog->setFiles(filesOf(window.library(), runs));
                         if (const auto range = page.exportedRange())
                             dialog->setRange(*range);
                         dialog->setAttribute(Qt::WA_DeleteOnClose);
                         fitToScreen(*dialog);
                         dialog->open();
                     });
}

FileQuestion questionFor(FileKind kind)
{
    switch (kind) {
    case FileKind::Schedule:
        return {MainWindow::tr("Edit a schedule file"),
                MainWindow::tr("Schedules (*.csv *.txt);;All files (*)"), "scheduleDialog",
                QFileDialog::ExistingFile};
    case FileKind::Traces:
        return {MainWindow::tr("Import traces of one job"),
                MainWindow::tr("Traces (*.json *.json.* *.sqlite *.sqlite.* *.zip *.tar *.tar.* "
                               "*.tgz);;All files (*)"),
                "tracesDialog", QFileDialog::ExistingFiles};
    case FileKind::TraceFolder:
        return {MainWindow::tr("Import a folder of traces of one job"), QString(),
                "traceFolderDialog", QFileDialog::Directory};
    case FileKind::Runs:
        break;
    }
    return {MainWindow::tr("Open runs"),
            MainWindow::tr("Runs (*.sqlite);;Schedules (*.csv);;Studies (*.toml);;All files (*)"),
            "openDialog", QFileDialog::ExistingFiles};
}

// Asks whether to stop each run in progress. Returns false if a run continues.
bool mayStopAll(RunLibrary& library, QWidget* parent)
{
    const RunLibrary::Runs runs = library.runs();
    return std::ranges::all_of(runs, [&](const auto& run) {
        return mayStop(
            *run, [&] { library.stop(*run); }, parent);
    });
}

class Logo : public ThemedWidget
{
public:
    Logo(const ThemeController& theme, QWidget* parent)
        : ThemedWidget(theme, parent)
    {
        setFixedSize(32, 30);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintLogo(painter, QRectF(11, 7, 16, 16), theme().isDark());
    }
};

} // namespace

// The menu bar: the actions of the window and of the current page, the command field at the right,
// and the palette that searches all actions, runs and schemes.
class WindowMenus : public QObject
{
public:
    WindowMenus(MainWindow& window, ThemeController& theme, Settings& settings)
        : QObject(&window)
        , m_window(window)
        , m_theme(theme)
        , m_settings(settings)
        , m_palette(new CommandPalette(theme, &window))
    {
        makeBar();
    }

    // The actions of a page come before those of the window and are removed with the page. Empty
    // menus are disabled.
    void showPage(const Page& page)
    {
        for (QMenu* menu : m_menus) {
            for (QAction* action : m_pageActions)
                menu->removeAction(action);
        }
        m_pageActions.clear();
        for (std::size_t i = 0; i < m_menus.size(); ++i) {
            const QList<QAction*> own = page.menuActions(static_cast<Menu>(i));
            QAction* before = m_menus[i]->actions().value(0);
            m_menus[i]->insertActions(before, own);
            m_pageActions += own;
            if (before != nullptr && !own.isEmpty()) {
                QAction* separator = m_menus[i]->insertSeparator(before);
                m_pageActions.append(separator);
            }
            m_menus[i]->setEnabled(!m_menus[i]->actions().isEmpty());
        }
        m_close->setEnabled(page.isClosable());
        m_reopen->setEnabled(m_window.session().canReopen());
    }

    void place(int width) { m_commandField->move(width - m_commandField->width() - 8, 3); }

    void showCommands()
    {
        QList<CommandPalette::Command> commands;
        const auto list = [&](const QMenu& menu, const QList<QAction*>& actions) {
            for (QAction* action : actions) {
                const auto isSame = [action](const CommandPalette::Command& command) {
                    return command.action == action;
                };
                const bool isKnown = std::any_of(commands.begin(), commands.end(), isSame)
                    || action->objectName() == QStringLiteral("commands");
                if (!action->isSeparator() && action->menu() == nullptr && !isKnown)
                    commands.append({action, QString(menu.title()).remove(QLatin1Char('&'))});
            }
        };
        for (const QMenu* menu : m_menus) {
            list(*menu, menu->actions());
            for (const QAction* action : menu->actions()) {
                if (action->menu() != nullptr)
                    list(*action->menu(), action->menu()->actions());
            }
        }
        list(*m_help, m_help->actions());
        commands += foundCommands();
        const QPoint corner = m_commandField->mapToGlobal(QPoint(m_commandField->width(), 0));
        m_palette->open(commands, corner, [this](const QString& text) {
            QList<CommandPalette::Command> found;
            for (QAction* action : m_window.currentPage()->foundActions(text))
                found.append({action, tr("in this run")});
            return found;
        });
    }

    QList<QAction*> actions() const { return m_fixedActions + m_pageActions; }

protected:
    // Sets the check mark of "Full screen" to the state of the window.
    // Updates the check mark of "Full screen", because the window manager also changes the state.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::WindowStateChange)
            m_fullScreen->setChecked(m_window.isFullScreen());
        return QObject::eventFilter(watched, event);
    }

private:
    void makeBar()
    {
        QMenuBar* bar = m_window.menuBar();
        bar->setObjectName(QStringLiteral("menuBar"));
        bar->setNativeMenuBar(false);
        bar->setFixedHeight(30);
        new Logo(m_theme, bar); // in the padding at the left that the style sheet reserves
        // As a corner widget, it would get the padding for the logo at its right.
        m_commandField->setParent(bar);
        m_commandField->setFixedWidth(296);
        m_commandField->setFocusPolicy(Qt::TabFocus);
        followTheme(m_commandField, Icon::Search, m_theme);
        spaced(new QHBoxLayout(m_commandField), {0, 0, 8, 0}, 0,
               {kStretch, makeLabel(QStringLiteral("Ctrl+K"), "small")});
        const QStringList titles
            = {tr("&File"), tr("&Run"), tr("&View"), tr("&Compare"), tr("&Analyze"), tr("&Export")};
        for (std::size_t i = 0; i < m_menus.size(); ++i)
            m_menus[i] = bar->addMenu(titles.at(static_cast<qsizetype>(i)));
        m_help = bar->addMenu(tr("&Help"));
        makeFileMenu();
        makeViewMenu();
        makeHelpMenu();
        menu(Menu::Run)->addAction(m_window.findChild<QAction*>(QStringLiteral("newRun")));
        addPages(Menu::Run);
        add(menu(Menu::Compare), tr("Compare &files…"), QStringLiteral("compareFiles"),
            tr("Ctrl+Shift+O"), [this] { m_window.askFor(FileKind::Runs); });
        // Qt opens the bar by Alt alone, but not by F10, as other desktop programs on Linux do.
        connect(new QShortcut(Qt::Key_F10, &m_window), &QShortcut::activated, bar,
                [bar] { bar->setActiveAction(bar->actions().constFirst()); });
    }

    // The entries of pageKinds().
    void addPages(Menu which)
    {
        for (const PageKind& kind : pageKinds()) {
            const auto& [of, name, text, key] = kind.entry;
            if (text == nullptr || of != which)
                continue;
            add(menu(which), QString::fromUtf8(text), QString::fromLatin1(name),
                QKeySequence(QLatin1String(key)), [this, &kind] {
                    if (kind.name == std::string_view("cluster"))
                        m_window.openCluster();
                    else
                        m_window.open({kind.name});
                });
        }
    }

    void makeFileMenu()
    {
        QMenu* file = menu(Menu::File);
        addPages(Menu::File);
        file->addSeparator();
        const auto ask
            = [&](const QString& text, const char* name, const QString& keys, FileKind kind) {
                  add(file, text, QString::fromLatin1(name), keys,
                      [this, kind] { m_window.askFor(kind); });
              };
        ask(tr("&Open runs…"), "open", tr("Ctrl+O"), FileKind::Runs);
        ask(tr("&Import traces…"), "importTraces", tr("Ctrl+Shift+I"), FileKind::Traces);
        ask(tr("Import a &folder of traces…"), "importFolder", {}, FileKind::TraceFolder);
        ask(tr("&Edit a schedule file…"), "editSchedule", tr("Ctrl+Alt+O"), FileKind::Schedule);
        m_reopen
            = add(file, tr("&Reopen the tabs of the last session"), QStringLiteral("reopenTabs"),
                  tr("Ctrl+Shift+R"), [this] { m_window.session().reopen(); });
        file->addSeparator();
        m_close = add(file, tr("&Close tab"), QStringLiteral("closeCurrent"), tr("Ctrl+W"),
                      [this] { m_window.tabs().close(m_window.currentPage()); });
        add(file, tr("&Quit"), QStringLiteral("quit"), tr("Ctrl+Q"), [this] { m_window.close(); });
    }

    void makeViewMenu()
    {
        QMenu* view = menu(Menu::View);
        add(view, tr("&Next tab"), QStringLiteral("nextTab"), tr("Ctrl+PgDown"),
            [this] { m_window.tabs().step(1); });
        add(view, tr("&Previous tab"), QStringLiteral("previousTab"), tr("Ctrl+PgUp"),
            [this] { m_window.tabs().step(-1); });
        view->addSeparator();
        makeThemeMenu(view);
        m_fullScreen
            = add(view, tr("&Full screen"), QStringLiteral("fullScreen"), tr("F11"), [this] {
                  m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen);
              });
        m_fullScreen->setCheckable(true);
        m_window.installEventFilter(this);
    }

    void makeThemeMenu(QMenu* view)
    {
        QMenu* themes = view->addMenu(tr("&Theme"));
        auto* group = new QActionGroup(this);
        // Updates the check mark, because the settings page and a reset also change the theme.
        connect(themes, &QMenu::aboutToShow, group, [this, group] {
            group->actions().at(static_cast<int>(m_theme.choice()))->setChecked(true);
        });
        const QStringList titles = {tr("Same as the &system"), tr("&Light"), tr("&Dark")};
        const QStringList names = {QStringLiteral("themeSystem"), QStringLiteral("themeLight"),
                                   QStringLiteral("themeDark")};
        for (int i = 0; i < titles.size(); ++i) {
            const auto choice = static_cast<ThemeController::Choice>(i);
            QAction* action = add(themes, titles.at(i), names.at(i), {}, [this, choice] {
                m_settings.setTheme(choice);
                m_theme.setChoice(choice);
            });
            action->setCheckable(true);
            action->setChecked(choice == m_theme.choice());
            group->addAction(action);
        }
    }

    void makeHelpMenu()
    {
        add(m_help, tr("&Search or run a command"), QStringLiteral("commands"), tr("Ctrl+K"),
            [this] { showCommands(); });
        using Topic = HelpDialog::Topic;
        const auto addTopic = [this](const QString& text, const char* name, Topic topic) {
            return add(m_help, text, QString::fromLatin1(name), {},
                       [this, topic] { m_window.showHelp(topic); });
        };
        add(m_help, tr("&Guide"), QStringLiteral("guide"), tr("F1"), [this] {
            const PageKind* kind = m_window.currentPage()->kind();
            m_window.open(
                {.kind = "guide",
                 .text = chapterAbout(QString::fromLatin1(kind == nullptr ? "" : kind->name))});
        });
        addTopic(tr("&Keys"), "keys", Topic::Keys)->setShortcut(QKeySequence(QStringLiteral("?")));
        addTopic(tr("&Device check"), "devices", Topic::Devices);
        addTopic(tr("Save d&iagnostics…"), "diagnostics", Topic::Messages);
        addTopic(tr("&About Bubblescope"), "about", Topic::About);
    }

    // Returns commands that open a run of the ledger, or the set-up page with a scheme.
    QList<CommandPalette::Command> foundCommands()
    {
        constexpr std::size_t kMostRuns = 200;
        m_found = std::make_unique<QObject>();
        QList<CommandPalette::Command> commands;
        const auto found = [&](const QString& text, const QString& place, auto run) {
            auto* action = new QAction(menuText(text), m_found.get());
            connect(action, &QAction::triggered, &m_window, run);
            commands.append({action, place});
        };
        for (const engine::Scheme& scheme : engine::schemes())
            found(fromUtf8(scheme.title), tr("scheme"), [this, &scheme] {
                engine::Experiment experiment;
                experiment.schedule.scheme = scheme.name;
                m_window.open({.kind = "setup",
                               .plan = planFromExperiment(
                                   QString::fromStdString(engine::toToml(experiment)))});
            });
        for (const Setting& setting : settingTable())
            found(setting.title, tr("setting"), [this, &setting] {
                m_window.open({.kind = "settings", .text = QLatin1String(setting.key)});
            });
        const std::vector<LedgerRun>& runs = m_window.ledger().runs();
        for (const LedgerRun& run : std::span(runs).first(std::min(runs.size(), kMostRuns)))
            if (!run.isTrashed())
                found(run.title() + QLatin1Char(' ') + run.tags.join(QLatin1Char(' ')),
                      tr("run, %1").arg(
                          whenText(run.started.toLocalTime(), QDateTime::currentDateTime())),
                      [this, file = run.file] {
                          m_window.open({"run", {file}});
                      });
        return commands;
    }

    QAction* add(QMenu* menu, const QString& text, const QString& name, const QKeySequence& keys,
                 const std::function<void()>& trigger)
    {
        QAction* action = menu->addAction(text);
        action->setObjectName(name);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, trigger);
        m_fixedActions.append(action);
        return action;
    }

    QMenu* menu(Menu which) const { return m_menus[static_cast<std::size_t>(which)]; }

    MainWindow& m_window;
    ThemeController& m_theme;
    Settings& m_settings;
    QPushButton* m_commandField
        = makeButton(tr("Search or run a command"), "commandField", "tool", this, [this] {
              showCommands();
          }); // at the right end of the bar; a click or Ctrl+K opens the palette
    CommandPalette* m_palette;
    std::array<QMenu*, 6> m_menus{}; // indexed by Menu
    QMenu* m_help = nullptr;
    QAction *m_close = nullptr, *m_reopen = nullptr, *m_fullScreen = nullptr;
    std::unique_ptr<QObject> m_found; // owns the actions of foundCommands()
    QList<QAction*> m_fixedActions;   // actions of the window
    QList<QAction*> m_pageActions;    // actions of the current page
};

MainWindow::MainWindow(ThemeController& theme, Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_tabs(PageTabs::make(theme))
    , m_facts(named(new QLabel, "statusFacts"))
    , m_note(named(new QLabel, "statusNote"))
    , m_session(new WindowSession(*this, settings))
    , m_menus(new WindowMenus(*this, theme, settings))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    setMinimumSize(960, 640);
    resize(1600, 1000);
    setAcceptDrops(true);
    setCentralWidget(m_tabs);
    statusBar()->setFixedHeight(24);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(m_facts, 1);
    statusBar()->addPermanentWidget(m_note);
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setProperty(kHtmlToolTip, true);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->setContentsMargins(10, 0, 8, 0);
    followStyleSheet(*menuBar());
    followStyleSheet(*statusBar());

    for (const auto signal : {&ThemeController::unitsChanged, &ThemeController::changed})
        connect(&theme, signal, this, [this] {
            if (currentPage() != nullptr)
                updateStatus();
        });
    connect(
        &m_library, &RunLibrary::runRead, this, [this](const QString& file, const RunPointer& run) {
            m_background.run(
                [=, now = QDateTime::currentDateTime()] { return describeRecent(file, *run, now); },
                [this](const RecentRun& recent) { m_settings.addRecent(recent); });
            m_ledger.add(file, run);
        });
    connect(m_tabs, &PageTabs::currentChanged, this, &MainWindow::showPage);
    connect(m_tabs, &PageTabs::newRequested, this, [this] { open({"setup"}); });
    m_start = StartPage::make(
        theme, settings, [this] { return withRunsUnderWay(m_ledger.runs(), m_library.runs()); });
    connect(&m_library, &RunLibrary::runChanged, m_start, &StartPage::refreshLater);
    connect(m_start, &StartPage::deviceCheckRequested, this,
            [this] { showHelp(HelpDialog::Topic::Devices); });
    connect(&m_ledger, &RunLedger::changed, m_start, [this] {
        m_start->refresh();
        for (const auto& run : m_library.runs())
            if (!run->file().isEmpty())
                run->setNumber(m_ledger.number(run->file()));
    });
    m_ledger.setClosing([this](const QString& file) {
        const auto document = m_library.find(file);
        bool isClosed = true;
        for (Page* page : m_tabs->pages())
            if (document != nullptr && page->document() == document.get())
                isClosed = m_tabs->close(page) && isClosed;
        if (document != nullptr && isClosed)
            m_library.close(*document);
        return isClosed;
    });
    m_library.setNumbering([this](const QString& file) { return m_ledger.number(file); });
    addPage(m_start);
    keepQueue();
    restoreGeometry(settings.geometry());
}

// Destroys the pages first, because they use the window and the library.
MainWindow::~MainWindow()
{
    delete m_tabs;
}

void MainWindow::addPage(Page* page)
{
    connectPage(page);
    m_tabs->add(page);
    noteMemory();
}

// Notes how much memory many tabs take, and again when it has doubled.
void MainWindow::noteMemory()
{
    constexpr int kMany = 8;
    const auto count = std::ranges::count_if(m_tabs->pages(), &Page::isClosable);
    QFile status(QStringLiteral("/proc/self/statm")); // in pages: virtual, resident
    if (count < kMany || !status.open(QIODevice::ReadOnly))
        return;
    const double bytes = status.readLine().split(' ').value(1).toDouble()
        * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (bytes < m_noteFrom)
        return;
    m_noteFrom = 2 * bytes;
    m_tabs->say(Band::Kind::Neutral, tr("%1 tabs are open.").arg(count),
                tr("The window uses %1 of memory.")
                    .arg(byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes)),
                {tr("Close the others"), [this] { closeOthers(); }});
}

// Whether a tab shows the run; the user may keep a tab that is to be closed.
bool MainWindow::isShown(const RunDocument& run) const
{
    return std::ranges::any_of(m_tabs->pages(),
                               [&](const Page* page) { return page->document() == &run; });
}

void MainWindow::closeOthers()
{
    const Page* kept = currentPage();
    for (Page* page : m_tabs->pages())
        if (page != kept)
            m_tabs->close(page);
    const bool comparesTicked = kept->document() == nullptr;
    for (const auto& run : m_library.runs())
        if (!isShown(*run) && !run->isRunning() && !run->isQueued()
            && !(comparesTicked && m_library.isTicked(*run)))
            m_library.close(*run);
}

void MainWindow::connectPage(Page* page)
{
    for (const auto signal : {&Page::titleChanged, &Page::statusChanged})
        connect(page, signal, this, [this, page] {
            if (page == currentPage())
                updateStatus();
        });
    connect(page, &Page::actionsChanged, this, [this] { m_menus->showPage(*currentPage()); });
    connect(page, &Page::pageRequested, this, &MainWindow::open);
    connect(page, &Page::filesRequested, this, &MainWindow::askFor);
    connect(page, &Page::startRequested, this, &MainWindow::startRuns);
    connectExports(*this, *page, m_theme, *m_tabs);
}

void MainWindow::showPage(Page* page)
{
    m_menus->showPage(*page);
    m_session->tabsChanged();
    updateStatus();
}

void MainWindow::updateStatus()
{
    const Page* page = currentPage();
    m_note->setText(page->statusNote());
    showFacts();
    setWindowTitle(page == m_start ? QStringLiteral("Bubblescope")
                                   : tr("%1 - Bubblescope").arg(page->title()));
}

// Leaves out the last facts that do not fit beside the note. The tool tip has all of them.
void MainWindow::showFacts()
{
    constexpr int kMargins = 40;
    const QStringList all = currentPage()->statusTexts();
    m_facts->setToolTip(all.join(QStringLiteral("<br>")));
    const int width = this->width() - m_note->sizeHint().width() - kMargins;
    const QString separator = QStringLiteral("&nbsp;&nbsp;|&nbsp;&nbsp;");
    qsizetype count = all.size();
    do {
        m_facts->setText(all.mid(0, count).join(separator)
                         + (count < all.size() ? separator + QChar(0x2026) : QString()));
    } while (m_facts->sizeHint().width() > width && --count > 0);
}

Page* MainWindow::open(const PageRequest& request)
{
    const PageKind* found = findPageKind(QString::fromLatin1(request.kind));
    CHECK(found != nullptr);
    const PageKind& kind = *found;
    PageRequest resolved = request;
    for (auto& run : resolved.runs)
        run = m_library.openAgain(run);
    const QString file = request.files.value(0);
    const bool areTraces
        = kind.about == PageKind::About::Traces && profiler::mayBeTrace(file.toStdString());
    if (kind.tabs != PageKind::Tabs::PerFile && !areTraces)
        for (const QString& run : request.files)
            resolved.runs.push_back(m_library.open(run));
    const auto isShown = [&](Page* page) {
        using Tabs = PageKind::Tabs;
        if (page->kind() != &kind || kind.tabs == Tabs::Many)
            return false;
        if (kind.tabs == Tabs::PerRuns)
            return page->shows(resolved.runs);
        if (kind.tabs == Tabs::PerRun)
            return !resolved.runs.empty() && page->document() == resolved.runs.front().get();
        return kind.tabs == Tabs::One
            || (!file.isEmpty() && page->file() == QFileInfo(file).absoluteFilePath());
    };
    if (!m_tabs->showIf(isShown)) {
        Page* page = kind.make({m_theme, m_settings, m_library, m_ledger}, resolved);
        page->setKind(kind);
        addPage(page);
    }
    currentPage()->showRequest(resolved);
    if (!request.state.isEmpty())
        currentPage()->restoreState(request.state);
    return currentPage();
}

void MainWindow::openCluster()
{
    PageRequest request{"cluster"};
    const RunDocument* run = currentPage()->document();
    if (const auto* setup = qobject_cast<SetupPage*>(currentPage()))
        request.plan = setup->plan();
    else if (run != nullptr && !run->file().isEmpty())
        request.files = {run->file()};
    open(request);
}

void MainWindow::startRuns(const QList<QStringList>& options)
{
    const RunLibrary::Runs started = m_library.startAll(options);
    if (!started.empty())
        open({started.size() == 1 ? "run" : "compare", {}, started});
}

void MainWindow::showHelp(HelpDialog::Topic topic)
{
    QStringList errors;
    for (const auto& run : m_library.runs())
        if (const Notice& notice = run->notice(); notice.level != Notice::Level::None)
            errors.append(notice.title + QLatin1Char(' ') + notice.text);
    auto* dialog = new HelpDialog(topic, m_theme, m_settings, errors, m_menus->actions(), this);
    connect(dialog, &HelpDialog::saved, this,
            [this](const QStringList& files) { announceFiles(*m_tabs, files); });
    dialog->open();
}

// Asks every page first, so that closing the window does not lose a running run. Holds the queue
// meanwhile, because a queued run that started now would be lost, too.
void MainWindow::closeEvent(QCloseEvent* event)
{
    m_library.holdQueue(true);
    if (!m_tabs->mayCloseAll() || !mayStopAll(m_library, this)) {
        m_library.holdQueue(false);
        return event->ignore();
    }
    m_settings.setGeometry(saveGeometry());
    m_session->end();
    event->accept();
}

void MainWindow::showCommands()
{
    m_menus->showCommands();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_menus->place(width());
    if (currentPage() != nullptr)
        showFacts();
}

void MainWindow::openFiles(const QStringList& files)
{
    QStringList runs, traces;
    for (const QString& file : files) {
        if (file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
            open({"editor", {QFileInfo(file).absoluteFilePath()}});
        else if (file.endsWith(QStringLiteral(".toml"), Qt::CaseInsensitive))
            open({"study", {file}});
        else
            (profiler::mayBeTrace(file.toStdString()) ? traces : runs).append(file);
    }
    if (!traces.isEmpty())
        open({"import", traces});
    if (!runs.isEmpty())
        open({runs.size() == 1 ? "run" : "compare", runs});
}

void MainWindow::askFor(FileKind kind)
{
    QFileDialog* dialog = openFileDialog(questionFor(kind), this);
    // Starts in the folder of the recorded runs, unless the dialog remembers another folder.
    if (kind == FileKind::Runs && dialog->directory() == QDir::current()
        && QDir(runsFolder()).exists())
        dialog->setDirectory(runsFolder());
    connect(dialog, &QFileDialog::filesSelected, this, [this, kind](const QStringList& files) {
        if (kind == FileKind::Runs)
            openFiles(files);
        else if (kind == FileKind::Schedule)
            open({"editor", {files.front()}});
        else
            open({"import", files});
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

// Stores queued runs for the next window, and offers to start the queued runs of the last window.
void MainWindow::keepQueue()
{
    const auto store = [this] { m_ledger.keepQueue(m_left + m_library.queuedOptions()); };
    connect(&m_library, &RunLibrary::queueChanged, this, store);
    connect(m_start, &StartPage::queueAnswered, this, [this, store](bool start) {
        const QList<QStringList> left = std::exchange(m_left, {});
        startRuns(start ? left : QList<QStringList>());
        store();
    });
    m_ledger.takeQueues([this, store](const QList<QStringList>& left) {
        m_left = left;
        store();
        m_start->offerQueue(static_cast<int>(left.size()));
    });
}

} // namespace app
