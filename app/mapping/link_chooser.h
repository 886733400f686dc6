#pragma once

#include "app/mapping/load_scale.h"
#include "app/ui/controls.h"

#include <optional>
#include <utility>

namespace app {

// Base class of pictures of the links between nodes. The mouse, the arrow keys, Home and End select
// a link; Esc clears the selection.
class LinkChooser : public ThemedWidget
{
    Q_OBJECT

public:
    using Nodes = std::pair<int, int>; // from, to; equal: the links within a node

    explicit LinkChooser(const ThemeController& theme, QWidget* parent = nullptr);

    // Keeps the selection if the link still has a load, and otherwise selects the link with the
    // largest load. nullptr: nothing to show.
    void showStudy(const std::shared_ptr<const MappingStudy>& study);
    void setShownLoads(const ShownLoads& shown);
    void select(const std::optional<Nodes>& nodes);
    const std::optional<Nodes>& selected() const { return m_selected; }
    virtual QRectF placeOf(const Nodes& nodes) const = 0; // area in which the link can be clicked

Q_SIGNALS:
    void linkChanged(); // highlighted() changed

public:
    // The hovered link, or else the selected one.
    const std::optional<Nodes>& highlighted() const { return m_hovered ? m_hovered : m_selected; }

protected:
    virtual std::optional<Nodes> linkAt(const QPointF& position) const = 0;
    // Lays out the picture. Called after the study, the loads or the width have changed.
    virtual void arrange() = 0;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

    const MappingStudy* study() const { return m_study.get(); }
    const LoadScale& scale() const { return m_scale; }
    const ShownLoads& shownLoads() const { return m_shown; }
    std::vector<Nodes> links() const; // all links with a load of a shown kind

private:
    void hover(const std::optional<Nodes>& nodes);
    void speak();

    std::shared_ptr<const MappingStudy> m_study;
    LoadScale m_scale;
    ShownLoads m_shown;
    std::optional<Nodes> m_selected, m_hovered;
    bool m_isCleared = false; // the user cleared the selection
};

} // namespace app
