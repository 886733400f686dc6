#include "app/window/page_tabs.h"

#include "app/ui/control_style.h"
#include "app/ui/text.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace app {

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

} // namespace

PageTabs::PageTabs(const ThemeController& theme)
    : m_theme(theme)
    , m_bar(named(new QTabBar, "tabs"))
    , m_plus(named(new QToolButton, "newTab", tr("New run")))
    , m_notice(named(new Band(theme, Band::Shape::State), "notice"))
    , m_noticeAction(m_notice->addAction(tr("Open"), QStringLiteral("noticeAction")))
    , m_noticeBar(makeNotice())
    , m_stack(new QStackedWidget)
{
    m_stack->setBackgroundRole(QPalette::Base);
    m_stack->setAutoFillBackground(true);
    QWidget* strip = makeStrip();
    followStyleSheet(*strip);
    followStyleSheet(*m_noticeBar);
    spaced(new QVBoxLayout(this), {}, 0, {strip, m_noticeBar, {m_stack, 1}});
    connect(m_bar, &QTabBar::currentChanged, this, &PageTabs::fitBar); // the current tab is wider
    connect(m_bar, &QTabBar::currentChanged, this, &PageTabs::show);
    connect(m_plus, &QToolButton::clicked, this, &PageTabs::newRequested);
    connect(&theme, &ThemeController::changed, this, &PageTabs::updateIcons);
    updateIcons();
}

QWidget* PageTabs::makeNotice()
{
    auto* bar = new QWidget;
    QPushButton* close = m_notice->addAction(tr("Close"), QStringLiteral("closeNotice"));
    close->setAccessibleName(tr("Close the notice"));
    spaced(new QVBoxLayout(bar), {}, 0, {m_notice, makeLine(Qt::Horizontal)});
    connect(close, &QPushButton::clicked, bar, &QWidget::hide);
    connect(m_noticeAction, &QPushButton::clicked, this, [this] {
        m_noticeBar->hide();
        m_runNoticeAction();
    });
    bar->hide();
    return bar;
}

void PageTabs::say(Band::Kind kind, const QString& bold, const QString& sentence,
                   const Action& action)
{
    m_runNoticeAction = action.run;
    m_noticeAction->setVisible(!action.text.isEmpty());
    if (!action.text.isEmpty()) // a hidden button keeps a text, too, for screen readers
        m_noticeAction->setText(action.text);
    m_notice->show(kind, bold, sentence);
    m_noticeBar->show();
}

QWidget* PageTabs::makeStrip()
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

void PageTabs::addCloseButton(Page* page, int index)
{
    auto* button = named(new QToolButton, "closeTab", tr("Close the tab"));
    button->setToolTip(tr("Close (Ctrl+W)"));
    button->setIconSize({12, 12});
    button->setFocusPolicy(Qt::NoFocus);
    m_bar->setTabButton(index, QTabBar::RightSide, button);
    connect(button, &QToolButton::clicked, page, [this, page] { close(page); });
    updateIcons();
}

void PageTabs::updateIcons()
{
    const QColor ink = m_theme.theme().chrome.text3;
    m_plus->setIcon(makeIcon(Icon::Plus, ink));
    for (int i = 0; i < m_bar->count(); ++i) {
        if (auto* button = qobject_cast<QToolButton*>(m_bar->tabButton(i, QTabBar::RightSide)))
            button->setIcon(makeIcon(Icon::Close, ink));
    }
}

// Limits the bar to the width of its tabs, so that "+" follows the last one. The size hint of the
// bar is too wide.
void PageTabs::fitBar()
{
    m_bar->ensurePolished(); // the style sheet determines the width of a tab
    int width = 0;
    for (int i = 0; i < m_bar->count(); ++i)
        width += m_bar->tabRect(i).width();
    m_bar->setMaximumWidth(std::max(1, width));
}

void PageTabs::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    fitBar();
}

// A click with the middle button closes a tab.
bool PageTabs::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const int index = m_bar->tabAt(mouse->position().toPoint());
        if (mouse->button() == Qt::MiddleButton && index >= 0)
            close(page(index));
    }
    return QWidget::eventFilter(object, event);
}

PageTabs::~PageTabs()
{
    disconnect(m_bar, nullptr, this, nullptr);
    delete m_stack;
}

Page* PageTabs::page(int index) const
{
    return static_cast<Page*>(m_stack->widget(index));
}

Page* PageTabs::current() const
{
    return page(m_stack->currentIndex());
}

QList<Page*> PageTabs::pages() const
{
    QList<Page*> pages;
    for (int i = 0; i < m_stack->count(); ++i)
        pages.append(page(i));
    return pages;
}

void PageTabs::add(Page* page)
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

void PageTabs::show(int index)
{
    if (index < 0 || index >= m_stack->count())
        return;
    m_stack->setCurrentIndex(index);
    current()->setFocus();
    Q_EMIT currentChanged(current());
}

void PageTabs::makeCurrent(Page* page)
{
    m_bar->setCurrentIndex(m_stack->indexOf(page));
}

void PageTabs::step(int by)
{
    const int count = m_bar->count();
    m_bar->setCurrentIndex((m_bar->currentIndex() + by + count) % count);
}

bool PageTabs::showIf(const std::function<bool(Page*)>& isIt)
{
    const QList<Page*> all = pages();
    const auto found = std::ranges::find_if(all, isIt);
    if (found == all.end())
        return false;
    makeCurrent(*found);
    return true;
}

bool PageTabs::close(Page* page)
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

bool PageTabs::mayCloseAll()
{
    if (QWidget* const field = window()->focusWidget()) { // some fields store text on leaving only
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

} // namespace app
