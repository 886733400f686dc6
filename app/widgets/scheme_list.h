#pragma once

#include "app/models/scheme_table_model.h"
#include "app/widgets/card_button.h"

#include <QHash>

class QLineEdit;
class QVBoxLayout;

namespace app {

// One scheme: name, one line, its schedule at the current D and N. Greyed with its condition where
// it is impossible.
class SchemeCard : public CardButton
{
    Q_OBJECT

public:
    SchemeCard(const ThemeController& theme, const engine::Scheme& scheme);

    // `fullWidth`: units that the width of a thumbnail stands for, the same on every card.
    void showRow(const SchemeTableModel::Row& row, double fullWidth);
    bool matches(const QString& filter) const;

protected:
    void paintContent(QPainter& painter) override;

private:
    const engine::Scheme& m_scheme;
    QString m_title, m_line, m_condition;
    Thumbnail m_thumbnail;
    double m_fullWidth = 1;
};

// The column of scheme cards, by family, with a filter (mockup setup.png, left).
class SchemeList : public QWidget
{
    Q_OBJECT

public:
    explicit SchemeList(const ThemeController& theme, QWidget* parent = nullptr);

    void showRows(const SchemeTableModel& model);
    void setChosen(const QString& scheme);
    void setColumns(int columns);

Q_SIGNALS:
    void chosen(const QString& scheme);

private:
    QWidget* makeHeader();
    void addFamilies(QVBoxLayout& column);
    void filter(const QString& text);

    const ThemeController& m_theme;
    QHash<QString, SchemeCard*> m_cards; // by scheme
    QHash<QString, QWidget*> m_families;
    int m_columns = 2;
    QLineEdit* m_filter;
};

} // namespace app
