#pragma once

#include "app/setup/scheme_table_model.h"
#include "app/ui/card_button.h"

#include <QHash>
#include <QList>

class QGridLayout;
class QLineEdit;
class QScrollArea;
class QVBoxLayout;

namespace app {

class EmptyState;

// The card of one scheme: name, one line of description, and its schedule at the current D and N. A
// scheme that is not possible is greyed and states its condition.
class SchemeCard : public CardButton
{
    Q_OBJECT

public:
    SchemeCard(const ThemeController& theme, const engine::Scheme& scheme);

    // `fullWidth` is the time that the width of a thumbnail represents, in cost units. It is the
    // same on every card.
    void showRow(const SchemeTableModel::Row& row, double fullWidth);
    // Whether the card contains every word of the filter.
    bool matches(const QString& filter) const;
    const QString& reason() const { return m_reason; } // why the scheme was refused; "" otherwise

protected:
    void paintContent(QPainter& painter) override;

private:
    QString facts(const SchemeTableModel::Row& row) const;

    const engine::Scheme& m_scheme;
    QString m_title, m_line, m_reason;
    bool m_isShown = false; // showRow() was called
    // Whether the scheme was refused because its rule does not allow the request; false: for
    // another reason.
    bool m_isImpossible = false;
    std::shared_ptr<const engine::Result<Prediction>> m_answer; // keeps the picture alive
    double m_fullWidth = 1;
};

// The scheme cards in a column, by family, with a filter.
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
    void reveal(); // scrolls to the chosen card unless the user has scrolled
    void addFamilies(QVBoxLayout& column);

    struct Family
    {
        QWidget* widget;
        QGridLayout* grid;
        QList<SchemeCard*> cards;
    };
    void arrange(); // lays out the filtered cards

    const ThemeController& m_theme;
    QHash<QString, SchemeCard*> m_cards; // by name of the scheme
    QList<Family> m_families;
    int m_columns = 2;
    QString m_chosen;
    bool m_keepsChosenInSight = false;
    QScrollArea* m_scroll = nullptr;
    QLineEdit* m_filter;
    EmptyState* m_nothing; // shown if no card matches the filter
};

} // namespace app
