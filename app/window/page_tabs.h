#pragma once

#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <functional>

class QStackedWidget;

namespace app {

class NoticeBar;
class TabStrip;

// The tabs of a window, a notice below them, and the page of the current tab. The first page that
// is added must not be closable, so that there is always a current one. GUI thread only.
class PageTabs : public QWidget
{
    Q_OBJECT

public:
    explicit PageTabs(const ThemeController& theme);
    ~PageTabs() override; // emits nothing more

    Page* current() const;
    QList<Page*> pages() const; // from left to right
    NoticeBar& notice() const { return *m_notice; }

    void add(Page* page); // takes ownership and makes the page current
    void makeCurrent(Page* page);
    void step(int by); // moves `by` tabs to the right, wrapping around; < 0: left
    // Makes the first page for which `isIt` is true current; returns false if there is none.
    bool showIf(const std::function<bool(Page*)>& isIt);
    // Makes the first page of this class current; returns nullptr if there is none.
    template<class Shown>
    Shown* showFirst()
    {
        const auto isIt = [](Page* page) { return qobject_cast<Shown*>(page) != nullptr; };
        return showIf(isIt) ? static_cast<Shown*>(current()) : nullptr;
    }
    bool close(Page* page); // returns false if the page is not closable or the user cancelled
    // Asks every closable page, the last one first, whether it may be closed. Stops at the first
    // that refuses and makes it current. Fields first store the text that is typed.
    bool mayCloseAll();

Q_SIGNALS:
    void currentChanged(app::Page* page);
    void newRequested();

private:
    void show(int index);
    Page* page(int index) const;

    TabStrip* m_tabs;
    NoticeBar* m_notice;
    QStackedWidget* m_stack;
};

} // namespace app
