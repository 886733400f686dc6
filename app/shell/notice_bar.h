#pragma once

#include "app/ui/band.h"

#include <functional>

namespace app {

// A message above the pages, such as which files were exported or not found, with at most one
// action. It stays until the user closes it or another notice replaces it.
class NoticeBar : public QWidget
{
    Q_OBJECT

public:
    struct Action
    {
        QString text;
        std::function<void()> run; // called after the notice is hidden
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
