#include "app/window/page_tabs.h"

#include "app/shell/notice_bar.h"
#include "app/ui/control_style.h"
#include "app/ui/controls.h"
#include "app/window/tab_strip.h"

#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace app {

PageTabs::PageTabs(const ThemeController& theme)
    : m_tabs(new TabStrip(theme))
    , m_notice(new NoticeBar(theme))
    , m_stack(new QStackedWidget)
{
    m_stack->setBackgroundRole(QPalette::Base);
    m_stack->setAutoFillBackground(true);
    followStyleSheet(*m_tabs);
    followStyleSheet(*m_notice);
    spaced(new QVBoxLayout(this), {}, 0, {m_tabs, m_notice, {m_stack, 1}});
    connect(m_tabs, &TabStrip::currentChanged, this, &PageTabs::show);
    connect(m_tabs, &TabStrip::newRequested, this, &PageTabs::newRequested);
    connect(m_tabs, &TabStrip::closeRequested, this, [this](int index) { close(page(index)); });
}

PageTabs::~PageTabs()
{
    disconnect(m_tabs, nullptr, this, nullptr);
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
    connect(page, &Page::titleChanged, this,
            [this, page] { m_tabs->setTitle(m_stack->indexOf(page), page->title()); });
    connect(
        page, &Page::closeRequested, this, [this, page] { close(page); }, Qt::QueuedConnection);
    m_stack->addWidget(page);
    followStyleSheet(*page);
    const QSignalBlocker once(m_tabs); // otherwise setCurrent() would call show(), too
    const int index = m_tabs->addTab(
        page->title(), page->isClosable() ? TabStrip::Closing::Allowed : TabStrip::Closing::Fixed);
    m_tabs->setCurrent(index);
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
    m_tabs->setCurrent(m_stack->indexOf(page));
}

void PageTabs::step(int by)
{
    const int count = m_tabs->count();
    m_tabs->setCurrent((m_tabs->current() + by + count) % count);
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
    m_tabs->removeTab(index);
    page->deleteLater();
    show(m_tabs->current());
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
            m_tabs->setCurrent(i);
            return false;
        }
    }
    return true;
}

} // namespace app
