#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"

#include <QPixmap>
#include <QWheelEvent>
#include <QWidget>
#include <Qt>

#include <functional>
#include <memory>
#include <optional>

class QScrollBar;

namespace app {

// Keys that change the view of a timeline. navigation.h has the keys that move between boxes.
enum class ViewKey {
    None,
    Back,      // Alt+Left, Backspace: the previous view
    Forward,   // Alt+Right
    Selection, // F: centres the selection; if it is centred already, fits it
    Fit,       // Home
    All,       // 0
    ZoomIn,    // W, + and =; W A S D are as in Perfetto
    ZoomOut,   // S, -
    Left,      // A, Left
    Right,     // D, Right
    Clear,     // Esc
};
ViewKey viewKey(int key, Qt::KeyboardModifiers modifiers);

// Returns the view after ZoomIn, ZoomOut, Left or Right; nullopt for other keys.
std::optional<ViewWindow> steppedView(ViewWindow window, ViewKey key);
// Centres `box`, or fits it if it is already centred, and returns the new view.
ViewWindow centredThenFitted(ViewWindow window, ViewWindow box);

// A cached picture that is repainted only after its inputs have changed.
class CachedPicture
{
public:
    struct Key
    {
        ViewWindow window;
        QSizeF size; // in logical pixels
        double dpr = 1;
        int scroll = 0, serial = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };

    const QPixmap& get(const Key& key, const QColor& ground,
                       const std::function<void(QPainter&)>& paint);

private:
    Key m_key;
    QPixmap m_picture;
};

// Base class of the timelines of one run and of a comparison. Has the visible time, zoom history,
// zoom at the pointer, pan, range selection, view keys, hover with tooltip, vertical scrolling,
// colours of boxes and an empty state. Subclasses find items at a point and paint.
class TimeCanvas : public QWidget
{
    Q_OBJECT

public:
    // `name` is also the object name. The scroll bar and the empty state are named "<name>Scroll"
    // and "<name>Empty".
    TimeCanvas(const QString& name, const ThemeController& theme, QWidget* parent);
    ~TimeCanvas() override;

    static constexpr double kLegend = 28; // height of the legend, at the bottom

    const ViewWindow& inSight() const { return m_window; }

public Q_SLOTS:
    void zoomToFit()
    {
        if (const auto to = fit())
            userMovesTo(*to, Remember::Yes);
    }
    void zoomToAll()
    {
        if (!isEmpty())
            userMovesTo(fitted(extent(), fitWidth()), Remember::Yes);
    }
    void zoomToSelection(); // zoomToFit() if nothing is selected
    void zoomBack();
    void zoomForward();

Q_SIGNALS:
    void viewChanged(); // the visible time or the scroll position changed

protected:
    enum class Remember { No, Yes }; // whether the view enters the zoom history

    const Theme& look() const { return m_theme.theme(); }
    BoxColours& colours(); // the colours for the current theme, pixel ratio and colourBy()
    std::shared_ptr<const BoxColours> sharedColours() { return colours(), m_colours; }
    void setColoursBy(ColourBy by);
    QPointF pointer() const { return m_pointer; }
    // Whether the keyboard was used since the last mouse press.
    bool isByKeyboard() const { return m_isByKeyboard; }
    void setByKeyboard() { m_isByKeyboard = true; }

    void remember() { m_history.push(m_window); }
    void moveTo(ViewWindow to, Remember remember);
    void userMovesTo(ViewWindow to, Remember remember);
    // Zooms. All events of one gesture make one entry in the zoom history: a touchpad sends dozens.
    void zoomByWheel(const QWheelEvent& event, ViewWindow to);
    void forgetHistory() { m_history.clear(); }
    int scrollY() const;
    void scrollTo(int y);
    void reveal(ViewWindow box) // centres `box` unless it is in sight
    {
        if (box.end <= m_window.begin || box.begin >= m_window.end)
            moveTo(m_window.moved(box.centre() - m_window.centre()), Remember::Yes);
    }
    // `top` and `bottom` are relative to the lanes before scrolling.
    void revealLane(double top, double bottom);
    // Calls `change`. If fit() was shown before, shows the new fit() afterwards.
    void keepFit(const std::function<void()>& change);
    void layoutScrollBar(double contentHeight); // next to timeArea()
    void setEmptyState(const std::optional<EmptyState::Texts>& texts);
    // Drops the cached picture. Call it after the content of the lanes has changed.
    void contentChanged();
    CachedPicture::Key pictureKey(QSizeF size) const
    {
        return {m_window, size, devicePixelRatioF(), scrollY(), m_serial};
    }
    void hoverAt(QPointF at);
    void hideToolTip();
    // The entries that the legend has no room for; its tooltip lists them.
    void setHiddenLegend(QStringList entries) { m_hiddenLegend = std::move(entries); }

    virtual bool isEmpty() const = 0;
    virtual QRectF timeArea() const = 0; // the lanes, in widget coordinates
    // The window that contains everything that can be shown.
    virtual engine::Window extent() const = 0;
    virtual double fitWidth() const { return timeArea().width(); } // pixels for fitted()
    virtual std::optional<ViewWindow> fit() const = 0;
    virtual std::optional<ViewWindow> selectedBox() const = 0;
    virtual void paintCanvas(QPainter& painter) = 0;
    virtual void updateAxis() { } // sets the axis from inSight(), scrollY() and the pixel ratio
    virtual void sightChanged() { }
    virtual void aboutToMove() { }    // called before the user changes the view
    virtual void coloursChanged() { } // colours() were recomputed

    virtual bool hover(QPointF at) = 0; // true: the hovered item changed
    virtual bool isHovering() const = 0;
    virtual void endHover() = 0;
    virtual QString toolTip() const = 0; // tooltip of the hovered item
    virtual void click(QPointF at) = 0;
    virtual void selectRange(QPointF from, double toX) = 0;
    virtual void clearSelection() = 0;
    // Selects the box at a point. Returns the window to zoom to.
    virtual std::optional<ViewWindow> openAt(QPointF at) = 0;

    // These functions handle input in the time area that TimeCanvas itself does not handle. They
    // return true if they handled the event.
    virtual bool ownPress(QMouseEvent&) { return false; }
    virtual void ownDrag(QPointF /*from*/, QPointF /*to*/) { }
    virtual bool ownWheel(QWheelEvent&, double /*notches*/) { return false; }
    virtual bool ownKey(int /*key*/, Qt::KeyboardModifiers) { return false; }

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

    static double zoomStep(const QWheelEvent& event, double notches)
    {
        return std::pow(event.modifiers() & Qt::ControlModifier ? 1.05 : 1.25, -notches);
    }

private:
    enum class Drag { None, Press, Range, Pan, Own };

    void drag(QPointF to);
    void showToolTip();
    bool perform(ViewKey key); // false: it is not a view key

    const ThemeController& m_theme;
    ViewWindow m_window;
    ZoomHistory m_history;
    std::optional<quint64> m_zoomed; // time of the last wheel zoom (ms); nullopt after another move

    Drag m_dragging = Drag::None;
    QPointF m_pressedAt, m_pointer;
    ViewWindow m_pressedWindow;
    bool m_isByKeyboard = false;
    Later m_toolTipTimer{300, [this] { showToolTip(); }};
    QStringList m_hiddenLegend;

    QScrollBar* m_scrollBar;
    EmptyState* m_empty = nullptr;
    ColourBy m_colourBy = ColourBy::Operation;
    std::shared_ptr<BoxColours> m_colours;
    double m_coloursDpr = 0;
    int m_serial = 0;
};

} // namespace app
