#include "app/window/window_session.h"

#include "app/ui/text.h"
#include "app/window/main_window.h"
#include "app/window/page_kinds.h"
#include "app/window/page_tabs.h"

#include <QFileInfo>

#include <utility>

namespace app {
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
{
    m_saveTimer.setSingleShot(true);
    connect(&m_saveTimer, &QTimer::timeout, this, &WindowSession::save);
    m_startTimer.setSingleShot(true);
    connect(&m_startTimer, &QTimer::timeout, this, &WindowSession::watchStart);
}

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

} // namespace app
