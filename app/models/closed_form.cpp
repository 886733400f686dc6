#include "app/models/closed_form.h"

#include "app/models/text.h"

#include <cmath>

namespace app {
namespace {

// Evaluates an expression and writes it again with numbers for letters.
class Filler
{
public:
    Filler(const QString& text, const FormulaNumbers& numbers)
        : m_text(text)
        , m_numbers(numbers)
    { }

    // nullopt: not an expression that it knows.
    std::optional<double> whole()
    {
        const auto value = sum();
        skip();
        if (m_at != m_text.size())
            return std::nullopt;
        return value;
    }
    const QString& filled() const { return m_filled; }

private:
    void skip()
    {
        while (m_at < m_text.size() && m_text.at(m_at).isSpace())
            ++m_at;
    }
    QChar peek()
    {
        skip();
        return m_at < m_text.size() ? m_text.at(m_at) : QChar();
    }
    bool take(char sign, const QString& written)
    {
        if (peek() != QLatin1Char(sign))
            return false;
        ++m_at;
        m_filled += written;
        return true;
    }

    std::optional<double> sum()
    {
        auto value = product();
        while (value) {
            const bool isMinus = take('-', QStringLiteral("−"));
            if (!isMinus && !take('+', QStringLiteral("+")))
                break;
            const auto next = product();
            if (!next)
                return std::nullopt;
            value = isMinus ? *value - *next : *value + *next;
        }
        return value;
    }

    std::optional<double> product()
    {
        auto value = factor();
        while (value) {
            const bool divides = take('/', QStringLiteral("/"));
            if (!divides && !take('*', QStringLiteral("·")) && !beginsFactor())
                break;
            const auto next = factor();
            if (!next)
                return std::nullopt;
            value = divides ? *value / *next : *value * *next;
        }
        return value;
    }

    bool beginsFactor()
    {
        const QChar next = peek();
        return next.isDigit() || next.isLetter() || next == QLatin1Char('(');
    }

    std::optional<double> factor()
    {
        if (take('(', QStringLiteral("("))) {
            const auto value = sum();
            if (!value || !take(')', QStringLiteral(")")))
                return std::nullopt;
            return value;
        }
        const QChar next = peek();
        if (next.isDigit())
            return number();
        const std::optional<int> letter = next == QLatin1Char('D')
            ? std::optional(m_numbers.devices)
            : next == QLatin1Char('N') ? std::optional(m_numbers.microBatches)
            : next == QLatin1Char('v') ? std::optional(m_numbers.chunks)
            : next == QLatin1Char('S') ? std::optional(m_numbers.slices)
                                       : std::nullopt;
        if (!letter)
            return std::nullopt;
        ++m_at;
        write(QString::number(*letter));
        return *letter;
    }

    double number()
    {
        const qsizetype from = m_at;
        while (m_at < m_text.size()
               && (m_text.at(m_at).isDigit() || m_text.at(m_at) == QLatin1Char('.')))
            ++m_at;
        const QString digits = m_text.mid(from, m_at - from);
        write(digits);
        return digits.toDouble();
    }

    // Two numbers that were a number and a letter need a sign between them now.
    void write(const QString& digits)
    {
        if (!m_filled.isEmpty() && m_filled.back().isDigit())
            m_filled += QStringLiteral("·");
        m_filled += digits;
    }

    const QString& m_text;
    const FormulaNumbers& m_numbers;
    qsizetype m_at = 0;
    QString m_filled;
};

std::optional<double> valueOf(const QString& text, const FormulaNumbers& numbers)
{
    return Filler(text, numbers).whole();
}

// "N = D", "N >= 2D-1". Words that are no comparison do not restrict: they explain.
bool holds(const QString& condition, const FormulaNumbers& numbers)
{
    constexpr double kTiny = 1e-9;
    for (const char* sign : {">=", "<=", "="}) {
        const QString mark = QString::fromLatin1(sign);
        const qsizetype at = condition.indexOf(mark);
        if (at < 0)
            continue;
        const auto left = valueOf(condition.left(at), numbers);
        const auto right = valueOf(condition.mid(at + mark.size()), numbers);
        if (!left || !right)
            return true;
        return mark == QLatin1String(">=") ? *left >= *right - kTiny
            : mark == QLatin1String("<=")  ? *left <= *right + kTiny
                                           : std::abs(*left - *right) < kTiny;
    }
    return true;
}

} // namespace

ClosedForm closedForm(std::string_view formula, const FormulaNumbers& numbers)
{
    ClosedForm result;
    const QString text = fromUtf8(formula);
    result.formula = text;
    result.formula.replace(QLatin1Char('-'), QChar(0x2212))
        .replace(QStringLiteral(">="), QStringLiteral("≥"));
    const QString claim = text.section(QLatin1Char(';'), 0, 0);
    QString expression = claim, condition;
    for (const char* word : {" at ", " for "}) {
        const qsizetype at = claim.indexOf(QLatin1String(word));
        if (at < 0)
            continue;
        expression = claim.left(at);
        condition = claim.mid(at + static_cast<qsizetype>(std::string_view(word).size()));
        break;
    }
    result.applies = holds(condition, numbers);
    Filler filler(expression, numbers);
    const auto value = filler.whole();
    if (!value || !std::isfinite(*value) || !result.applies)
        return result;
    result.value = value;
    result.filled = filler.filled();
    return result;
}

} // namespace app
