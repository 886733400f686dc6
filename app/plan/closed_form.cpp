#include "app/plan/closed_form.h"

#include "app/ui/text.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

// Evaluates an expression. Also writes it with numbers in place of the letters.
class Filler
{
public:
    Filler(const QString& text, const FormulaNumbers& numbers)
        : m_text(text)
        , m_numbers(numbers)
    { }

    // Evaluates the whole text; nullopt if it is not a valid expression.
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

    // Appends a factor. A multiplication sign is needed if the previous factor also ends with a
    // digit after the substitution.
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

// Whether `value` has the form that `text` describes. "3k+1" (as in "D = 3k+1") describes the
// numbers with remainder 1 modulo 3; "kD" (as in "N = kD") describes the multiples of D. Returns
// nullopt if `text` is not of one of these two kinds.
std::optional<bool> isInClass(double value, const QString& text, const FormulaNumbers& numbers)
{
    if (text.trimmed().startsWith(QLatin1Char('k'))) {
        const auto of = valueOf(text.trimmed().mid(1), numbers);
        return of && *of >= 1 ? std::optional(static_cast<int>(value) % static_cast<int>(*of) == 0)
                              : std::nullopt;
    }
    static const QRegularExpression form(QStringLiteral("^\\s*(\\d+)k(?:\\+(\\d+))?\\s*$"));
    const auto match = form.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const int modulus = std::max(1, match.captured(1).toInt());
    return static_cast<int>(value) % modulus == match.captured(2).toInt() % modulus;
}

std::optional<bool> compares(const QString& left, const QString& sign, const QString& right,
                             const FormulaNumbers& numbers)
{
    constexpr double kTiny = 1e-9;
    const auto a = valueOf(left, numbers);
    if (!a)
        return std::nullopt;
    const auto b = valueOf(right, numbers);
    if (!b)
        return sign == QLatin1String("=") ? isInClass(*a, right, numbers) : std::nullopt;
    return sign == QLatin1String(">=") ? *a >= *b - kTiny
        : sign == QLatin1String("<=")  ? *a <= *b + kTiny
        : sign == QLatin1String(">")   ? *a > *b + kTiny
        : sign == QLatin1String("<")   ? *a < *b - kTiny
                                       : std::abs(*a - *b) < kTiny;
}

// Whether a condition such as "N = D", "N >= D > 2", "even D" or "D = 3k+1" holds; nullopt if the
// text is a remark.
std::optional<bool> holds(const QString& condition, const FormulaNumbers& numbers)
{
    for (const bool isOdd : {false, true}) {
        const QString word = isOdd ? QStringLiteral("odd ") : QStringLiteral("even ");
        if (!condition.trimmed().startsWith(word))
            continue;
        const auto value = valueOf(condition.trimmed().mid(word.size()), numbers);
        return value ? std::optional((static_cast<int>(*value) % 2 != 0) == isOdd) : std::nullopt;
    }
    static const QRegularExpression sign(QStringLiteral(">=|<=|=|>|<"));
    const QStringList sides = condition.split(sign);
    auto marks = sign.globalMatch(condition);
    if (sides.size() < 2)
        return std::nullopt;
    bool all = true;
    for (qsizetype i = 0; i + 1 < sides.size(); ++i) {
        const auto one = compares(sides.at(i), marks.next().captured(), sides.at(i + 1), numbers);
        if (!one)
            return std::nullopt;
        all = all && *one;
    }
    return all;
}

// Returns the expression in `claim` that applies to these numbers; "" if none applies. A claim is
// text such as "A for even D, B for odd D", "A for D = 3k+1, else B" or "A at N = D".
QString expressionOf(const QString& claim, const FormulaNumbers& numbers)
{
    static const QRegularExpression when(QStringLiteral(" (?:at|for) "));
    for (QString part : claim.split(QStringLiteral(", "))) {
        if (part.startsWith(QStringLiteral("else ")))
            return part.mid(5);
        const auto word = when.match(part);
        if (!word.hasMatch())
            return part;
        if (holds(part.mid(word.capturedEnd()), numbers).value_or(true))
            return part.left(word.capturedStart());
    }
    return {};
}

} // namespace

ClosedForm closedForm(std::string_view formula, const FormulaNumbers& numbers)
{
    ClosedForm result;
    const QString text = fromUtf8(formula);
    result.formula = text;
    result.formula.replace(QLatin1Char('-'), QChar(0x2212))
        .replace(QStringLiteral(">="), QStringLiteral("≥"));
    const QString expression = expressionOf(text.section(QLatin1Char(';'), 0, 0), numbers);
    const bool isInDomain = holds(text.section(QLatin1Char(';'), 1), numbers).value_or(true);
    result.applies = !expression.isEmpty() && isInDomain;
    Filler filler(expression, numbers);
    const auto value = filler.whole();
    if (!value || !std::isfinite(*value) || !result.applies)
        return result;
    result.value = value;
    result.filled = filler.filled();
    return result;
}

} // namespace app
