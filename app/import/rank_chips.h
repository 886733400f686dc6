#pragma once

#include "app/import/import_facts.h"
#include "app/ui/controls.h"

namespace app {

// The ranks of an import as chips; a rank without a trace has a dashed frame. Shows as many as fit
// in two rows, then the number of the others.
class RankChips : public ThemedWidget
{
    Q_OBJECT

public:
    explicit RankChips(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::vector<RankFact> ranks);
    QSize sizeHint() const override;
    int fitting() const; // number of chips that fit

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    void fit();
    int columns() const;
    QRect box(int rank) const;
    void paintChip(QPainter& painter, const QRect& area, const RankFact& rank) const;

    std::vector<RankFact> m_ranks;
    int m_fullWidth = 0; // in pixels; fits the longest note
    int m_chipWidth = 0; // in pixels, as drawn
};

} // namespace app
