#pragma once

#include "app/models/tables/scheme_table_model.h"
#include "app/widgets/controls/card_button.h"

#include <QHash>
#include <QList>

class QGridLayout;
class QLineEdit;
class QScrollArea;
class QVBoxLayout;

namespace app {

class EmptyState;

// One scheme: name, one line, its schedule at the current D and N. Greyed with its condition where
// it is impossible.
class SchemeCard : public CardButton
{
    Q_OBJECT

public:
    SchemeCard(const ThemeController& theme, const engine::Scheme& scheme);

    // `fullWidth`: units that the width of a thumbnail stands for, the same on every card.
    void showRow(const SchemeTableModel::Row& row, double fullWidth);
    bool matches(const QString& filter) const;         // every word of it
    const QString& reason() const { return m_reason; } // "" unless it is refused

protected:
    void paintContent(QPainter& painter) override;

private:
    QString facts(const SchemeTableModel::Row& row) const;

    const engine::Scheme& m_scheme;
    QString m_title, m_line, m_reason;
    bool m_isShown = false;      // showRow() was called
    bool m_isImpossible = false; // the request; else the schedule is refused
    std::shared_ptr<const engine::Result<Prediction>> m_answer; // keeps the picture
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
    void focusFilter();

Q_SIGNALS:
    void chosen(const QString& scheme);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHeader();
    void reveal(); // the chosen card, until somebody scrolls
    void addFamilies(QVBoxLayout& column);

    struct Family
    {
        QWidget* widget;
        QGridLayout* grid;
        QList<SchemeCard*> cards;
    };
    void arrange(); // what the filter leaves, row by row

    const ThemeController& m_theme;
    QHash<QString, SchemeCard*> m_cards; // by scheme
    QList<Family> m_families;
    int m_columns = 2;
    QString m_chosen;
    bool m_keepsChosenInSight = false;
    QScrollArea* m_scroll = nullptr;
    QLineEdit* m_filter;
    EmptyState* m_nothing; // the filter leaves none
};

} // namespace app
