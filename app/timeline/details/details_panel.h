#pragma once

#include "app/timeline/details/details.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"

#include <QScrollArea>

#include <functional>
#include <type_traits>
#include <utility>

namespace app {

// A scroll area with details. It keeps its position while the title stays.
class DetailsView : public QScrollArea
{
public:
    using Follow = std::function<void(const Selection&)>; // called when a link is clicked

    // `empty` is shown without details.
    DetailsView(
        const ThemeController& theme, const char* name, const QString& title,
        EmptyState::Texts empty, Follow follow = [](const Selection&) {});
    void show(Details details);
    using QWidget::show;

private:
    void layOut();

    const ThemeController& m_theme;
    EmptyState::Texts m_empty;
    Follow m_follow;
    Details m_shown;
};

// Describes the selection (name, duration, cause, chain and facts), or the whole run if nothing is
// selected.
class DetailsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DetailsPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view, const Selection& selection); // nullptr: clears the panel
    using QWidget::show;
    template<class Fact>
    void set(Fact DetailsFacts::*fact, std::type_identity_t<Fact> value)
    {
        m_facts.*fact = std::move(value);
        refresh();
    }
    QString text() const // the details as plain text; also while the panel is hidden
    {
        return plainText(details());
    }
    QSize sizeHint() const override { return {292, 600}; }

Q_SIGNALS:
    void jumpTo(const app::Selection& selection); // a link to an op was clicked

protected:
    void showEvent(QShowEvent* event) override;

private:
    Details details() const;
    void refresh();

    RunViewPointer m_view;
    Selection m_selection;
    DetailsFacts m_facts;
    DetailsView* m_details;
};

} // namespace app
