#pragma once

#include "app/widgets/controls/band.h"

#include <functional>

namespace app {

// A sentence above the pages of the window that no dialog is worth: which files were exported,
// which were not found. At most one action; the user closes it, or the next notice replaces it.
class NoticeBar : public QWidget
{
    Q_OBJECT

public:
    struct Action
    {
        QString text;
        std::function<void()> run; // hides the notice first
    };

    explicit NoticeBar(const ThemeController& theme, QWidget* parent = nullptr);

    void say(Band::Kind kind, const QString& bold, const QString& sentence,
             const Action& action = {});
    QString text() const { return m_band->text(); }

private:
    Band* m_band;
    QPushButton* m_action;
    std::function<void()> m_run;
};

} // namespace app
