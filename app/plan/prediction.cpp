#include "app/plan/prediction.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"

#include <QCoreApplication>
#include <QFileInfo>
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

engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request)
{
    return source.kind != CostSource::Kind::Recorded || !source.run
        ? request
        : profiler::withStages(std::move(request), source.run->schedule.shape.stages);
}

QString sourceText(const CostSource& source)
{
    const auto text = [](const char* words) { return QCoreApplication::translate("Costs", words); };
    if (source.kind == CostSource::Kind::Hardware)
        return text("%1 on %2, closed forms")
            .arg(fromUtf8(source.model), fromUtf8(source.hardware));
    return source.run ? text("medians of %1").arg(QFileInfo(fromUtf8(source.file)).fileName())
                      : text("no recorded run is selected");
}

QStringList sourceOptions(const CostSource& source)
{
    std::vector<std::string> words
        = engine::arguments(profiler::costSourceFields(), source, CostSource());
    if (source.kind == CostSource::Kind::Hardware)
        std::ranges::copy(
            engine::arguments(engine::trainingSetupFields(), source.setup, engine::TrainingSetup()),
            std::back_inserter(words));
    QStringList options;
    for (const std::string& word : words)
        options.append(fromUtf8(word));
    return options;
}

bool closedFormsApply(const PredictionRequest& request)
{
    return request.source.isUnits() && request.costs == engine::UnitCosts() && !request.evict
        && request.recompute == engine::Recompute::None;
}

engine::Result<PreparedSchedule> prepare(const PredictionRequest& request)
{
    PreparedSchedule prepared{TRY(profiler::preparedSchedule(request)), {}};
    const engine::Scheme* scheme = engine::findScheme(request.schedule.scheme);
    if (!request.scheduleFile.empty() || scheme == nullptr || scheme->bubbleFormula.empty())
        return prepared;
    FormulaNumbers numbers = formulaNumbers(request.schedule);
    numbers.slices = std::max(1, prepared.lowered.shape.slices);
    prepared.bubbleForm = closedForm(scheme->bubbleFormula, numbers);
    return prepared;
}

engine::Result<Prediction> predict(const PreparedSchedule& prepared,
                                   const PredictionRequest& request, Loads loads)
{
    Prediction result;
    result.violations = prepared.violations;
    result.computeOps = prepared.computeOps;
    result.bubbleForm = prepared.bubbleForm;
    result.closedFormsApply = closedFormsApply(request);
    if (!result.isValid())
        return result;
    PredictionRequest asked = request;
    asked.schedule.dataParallel = prepared.lowered.shape.dataParallel;
    const auto costs = TRY(profiler::costsOf(asked));
    auto one = TRY(profiler::predictLowered(prepared.lowered, costs,
                                            {.sync = request.sync,
                                             .mapping = request.schedule.mapping,
                                             .needsLoads = loads == Loads::Yes}));
    one.run.info.label = prepared.label;
    result.info = one.run.info;
    result.metrics = std::move(one.metrics);
    result.loads = std::move(one.loads);
    result.thumbnail = makeThumbnail(one.run);
    result.run = std::make_shared<const engine::Run>(std::move(one.run));
    return result;
}

engine::Result<Prediction> predict(const PredictionRequest& request)
{
    return prepare(request).and_then(
        [&](const PreparedSchedule& prepared) { return predict(prepared, request); });
}

engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   const PredictionRequest& request)
{
    return predict(
        PreparedSchedule{profiler::preparedSchedule(schedule, label.toStdString(), request.sync),
                         {}},
        request);
}

bool isSimple(const engine::UnitCosts& costs)
{
    engine::UnitCosts simple;
    simple.forward = costs.forward;
    simple.backward = costs.backward;
    simple.inputGradient = costs.inputGradient;
    simple.weightGradient = costs.weightGradient;
    simple.p2p = costs.p2p;
    simple.allReduce = costs.allReduce;
    return costs == simple;
}

QString costsText(const engine::UnitCosts& costs)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Costs", source); };
    const auto units = [](engine::Fraction cost) { return unitsText(cost.value()); };
    QString ops = text("F %1, B %2").arg(units(costs.forward), units(costs.backward));
    if (costs.inputGradient != costs.weightGradient)
        ops += text(" (I %1, W %2)").arg(units(costs.inputGradient), units(costs.weightGradient));
    const QString links
        = costs.p2p.numerator == 0 ? text("free links") : text("P2P %1").arg(units(costs.p2p));
    const QString sums = costs.allReduce.numerator == 0
        ? QString()
        : text(", all-reduce %1").arg(units(costs.allReduce));
    return ops + QStringLiteral("; ") + links + sums
        + (isSimple(costs) ? QString() : text(", and more"));
}

QString costsText(const PredictionRequest& request)
{
    return request.source.isUnits() ? costsText(request.costs) : sourceText(request.source);
}

FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int chunks = scheme != nullptr ? scheme->defaultChunks : 1;
    return {request.devices, request.microBatches, request.chunks > 0 ? request.chunks : chunks, 1};
}

QString closedFormText(const Prediction& prediction)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("ClosedForm", source); };
    const ClosedForm& form = prediction.bubbleForm;
    if (form.formula.isEmpty())
        return {};
    if (!form.applies)
        return form.formula + text(": not defined for this D and N");
    if (!form.value)
        return form.formula;
    QString filled = form.formula + text(": %1 = %2").arg(form.filled, percent(*form.value));
    constexpr double kSame = 1e-9;
    if (!prediction.isValid())
        return filled;
    if (std::abs(*form.value - prediction.metrics.bubbleRatio) < kSame)
        return filled + text(", as simulated");
    return filled
        + (prediction.closedFormsApply
               ? text(", simulated %1").arg(percent(prediction.metrics.bubbleRatio))
               : text(", with F 1, B 2 and free links"));
}

std::int64_t estimatedOps(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int fallback = scheme != nullptr ? scheme->defaultChunks : 1;
    const std::int64_t chunks = request.chunks > 0 ? request.chunks : fallback;
    const std::int64_t kinds = scheme != nullptr && scheme->splitsBackward ? 3 : 2;
    return kinds * chunks * request.devices * request.microBatches;
}

} // namespace app
