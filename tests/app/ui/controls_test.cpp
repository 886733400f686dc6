#include "app/ui/controls.h"
#include "tests/catch.h"

#include <QApplication>
#include <QHelpEvent>
#include <QScreen>
#include <QToolTip>

namespace {

// Has a tooltip in its left half.
class Half : public app::ThemedWidget
{
public:
    using ThemedWidget::ThemedWidget;

    int paints = 0;

protected:
    QString toolTipAt(QPoint at) const override
    {
        return at.x() < width() / 2 ? QStringLiteral("a < b") : QString();
    }
    void paintEvent(QPaintEvent*) override { ++paints; }
};

} // namespace

TEST_CASE("a themed widget follows the theme, and its tooltip is plain text at a point")
{
    app::ThemeController theme;
    Half half(theme);
    half.resize(100, 40);
    half.show();
    QApplication::processEvents();
    const int before = half.paints;
    const bool isDark = theme.theme().isDark();
    theme.setChoice(isDark ? app::ThemeController::Choice::Light
                           : app::ThemeController::Choice::Dark);
    QApplication::processEvents();
    CHECK(half.paints > before);
    const auto isShownAt = [&](QPoint at) {
        QHelpEvent help(QEvent::ToolTip, at, half.mapToGlobal(at));
        QApplication::sendEvent(&half, &help);
        return help.isAccepted();
    };
    CHECK_FALSE(isShownAt({90, 10}));
    CHECK(isShownAt({10, 10}));
    CHECK(QToolTip::text() == QStringLiteral("<qt>a &lt; b</qt>"));
}

// Heads of charts were cut in the middle of a word: "devices 8, micro-bat".
TEST_CASE("a narrow label ends in an ellipsis, and its tooltip has the whole text")
{
    app::ElidedLabel label;
    const QString text = QStringLiteral("devices 8, micro-batches 16");
    label.setText(text);
    label.resize(label.sizeHint());
    CHECK(label.shownText() == text);
    CHECK(label.minimumSizeHint().width() == 1);
    label.resize(label.width() / 2, label.height());
    CHECK(label.text() == text);
    CHECK(label.shownText().endsWith(QChar(0x2026)));
    QHelpEvent help(QEvent::ToolTip, {5, 5}, label.mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(&label, &help);
    CHECK(QToolTip::text().contains(text));
}

TEST_CASE("a window is not larger than its screen when it opens")
{
    QWidget window;
    const QSize screen = window.screen()->availableGeometry().size();
    window.resize(screen + QSize(500, 300));
    app::fitToScreen(window);
    CHECK(window.width() == screen.width());
    CHECK(window.height() < screen.height()); // it has a frame
    CHECK(window.height() > screen.height() - 100);
}

TEST_CASE("... and keeps its size where that fits, and shrinks below its minimum where it does not")
{
    QWidget window;
    window.resize(300, 200);
    app::fitToScreen(window);
    CHECK(window.size() == QSize(300, 200));
    const QSize screen = window.screen()->availableGeometry().size();
    window.setMinimumSize(screen + QSize(40, 40));
    window.resize(screen + QSize(500, 500));
    app::fitToScreen(window);
    CHECK(window.size().boundedTo(screen) == window.size());
}
