#pragma once

#include "app/mapping/load_scale.h"
#include "app/ui/card_button.h"
#include "app/ui/controls.h"

#include <memory>
#include <vector>

class QGridLayout;

namespace app {

// A button that selects a mapping and shows its iteration, exposed communication and largest load.
class MappingCard : public CardButton
{
    Q_OBJECT

public:
    MappingCard(const ThemeController& theme, std::shared_ptr<const MappingStudy> study,
                std::size_t mapping);
    QSize sizeHint() const override { return {220, 122}; }

protected:
    void paintContent(QPainter& painter) override;

private:
    const MappedPrediction& mapped() const { return m_study->all[m_mapping]; }
    void paintNodes(QPainter& painter, const QRectF& box) const;

    std::shared_ptr<const MappingStudy> m_study;
    std::size_t m_mapping;
    LoadScale m_scale;
};

// The compared mappings as cards in a row.
class MappingCards : public QWidget
{
    Q_OBJECT

public:
    explicit MappingCards(const ThemeController& theme, QWidget* parent = nullptr);
    void show(const std::shared_ptr<const MappingStudy>& study);

Q_SIGNALS:
    void chosen(const QString& mapping);

private:
    const ThemeController& m_theme;
    QGridLayout* m_grid;
};

// Exposed communication of the compared mappings by kind, as bars on one scale.
class ExposedBars : public ThemedWidget
{
    Q_OBJECT

public:
    explicit ExposedBars(const ThemeController& theme, QWidget* parent = nullptr);
    void show(const std::shared_ptr<const MappingStudy>& study);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintRow(QPainter& painter, const MappedPrediction& mapped, double top, double most) const;
    void paintLegend(QPainter& painter, double top) const;

    std::shared_ptr<const MappingStudy> m_study;
};

} // namespace app
