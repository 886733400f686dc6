#pragma once

#include "app/import/import_facts.h"
#include "app/ui/controls.h"

namespace app {

// The share of imported time by rule, as a bar. A click or the left and right keys select a part.
class CoverageBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit CoverageBar(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::vector<CoveragePart> parts);
    void setCurrent(int part); // -1: none; emits no signal
    int current() const { return m_current; }
    QRect box(int part) const; // rectangle of a part, for tests

Q_SIGNALS:
    void chosen(int part);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    void choose(int part);
    int partAt(int x) const;
    QString textOf(const CoveragePart& part) const;
    void paintPart(QPainter& painter, int part) const;

    std::vector<CoveragePart> m_parts;
    int m_current = -1;
};

} // namespace app
