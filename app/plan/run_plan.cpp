#include "app/plan/run_plan.h"

#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/formats/schedule_file.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace app {
namespace {

// Writes numbers in place of the letters, with a sign between factors that are then both numbers.
QString filledIn(const QString& text, const FormulaNumbers& numbers)
{
    const int values[]{numbers.devices, numbers.microBatches, numbers.chunks, numbers.slices};
    QString filled;
    bool wasLetter = false;
    for (const QChar sign : text) {
        const auto letter = QStringLiteral("DNvS").indexOf(sign);
        const bool isFactor = letter >= 0 || (sign.isDigit() && wasLetter);
        if (isFactor && !filled.isEmpty() && filled.back().isDigit())
            filled += u'·';
        if (letter >= 0)
            filled += QString::number(values[letter]);
        else if (!sign.isSpace())
            filled += sign == u'-' ? QChar(u'\u2212') : sign == u'*' ? QChar(u'·') : sign;
        wasLetter = letter >= 0;
    }
    return filled;
}

// Evaluates a text of filledIn(), in which factors beside each other are multiplied.
class Expression
{
public:
    explicit Expression(QString text)
        : m_text(std::move(text))
    { }

    // nullopt: not a valid expression
    std::optional<double> value()
    {
        const Value all = sum();
        return m_at == m_text.size() ? all : std::nullopt;
    }

private:
    using Value = std::optional<double>;

    QChar next() const { return m_at < m_text.size() ? m_text.at(m_at) : QChar(); }
    bool take(QChar sign)
    {
        const bool isNext = next() == sign;
        m_at += isNext ? 1 : 0;
        return isNext;
    }
    Value sum()
    {
        Value value = product();
        while (value) {
            const bool isMinus = take(u'\u2212');
            if (!isMinus && !take(u'+'))
                break;
            const Value term = product();
            value = term ? Value(*value + (isMinus ? -*term : *term)) : std::nullopt;
        }
        return value;
    }
    Value product()
    {
        Value value = factor();
        while (value) {
            const bool divides = take(u'/');
            if (!divides && !take(u'·') && !next().isDigit() && next() != u'(')
                break;
            const Value other = factor();
            value = other ? Value(divides ? *value / *other : *value * *other) : std::nullopt;
        }
        return value;
    }
    Value factor()
    {
        if (take(u'(')) {
            const Value value = sum();
            return take(u')') ? value : std::nullopt;
        }
        const auto from = m_at;
        while (next().isDigit() || next() == u'.')
            ++m_at;
        bool isNumber = false;
        const double number = m_text.mid(from, m_at - from).toDouble(&isNumber);
        return isNumber ? Value(number) : std::nullopt;
    }

    const QString m_text;
    qsizetype m_at = 0;
};

std::optional<double> valueOf(const QString& text, const FormulaNumbers& numbers)
{
    return Expression(filledIn(text, numbers)).value();
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
    const auto value = valueOf(expression, numbers);
    if (!value || !std::isfinite(*value) || !result.applies)
        return result;
    result.value = value;
    result.filled = filledIn(expression, numbers);
    return result;
}

engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request)
{
    return source.kind != CostSource::Kind::Recorded || !source.run
        ? request
        : profiler::withStages(std::move(request), source.run->schedule.shape.stages);
}

bool closedFormsApply(const PredictionRequest& request)
{
    return request.source.isUnits() && request.costs == engine::UnitCosts() && !request.evict
        && !request.offload && request.recompute == engine::Recompute::None;
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
    const auto units = [](engine::Fraction cost) { return unitsText(cost.value()); };
    QString ops = fromUtf8("F %1, B %2").arg(units(costs.forward), units(costs.backward));
    if (costs.inputGradient != costs.weightGradient)
        ops += fromUtf8(" (I %1, W %2)")
                   .arg(units(costs.inputGradient), units(costs.weightGradient));
    const QString links = costs.p2p.numerator == 0 ? fromUtf8("free links")
                                                   : fromUtf8("P2P %1").arg(units(costs.p2p));
    const QString sums = costs.allReduce.numerator == 0
        ? QString()
        : fromUtf8(", all-reduce %1").arg(units(costs.allReduce));
    return ops + QStringLiteral("; ") + links + sums
        + (isSimple(costs) ? QString() : fromUtf8(", and more"));
}

QString costsText(const PredictionRequest& request)
{
    const CostSource& source = request.source;
    if (source.isUnits())
        return costsText(request.costs);
    if (source.kind == CostSource::Kind::Hardware)
        return fromUtf8("%1 on %2, closed forms")
            .arg(fromUtf8(source.model), fromUtf8(source.hardware));
    return source.run ? fromUtf8("medians of %1").arg(QFileInfo(fromUtf8(source.file)).fileName())
                      : fromUtf8("no recorded run is selected");
}

FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int chunks = scheme != nullptr ? scheme->defaultChunks : 1;
    return {request.devices, request.microBatches, request.chunks > 0 ? request.chunks : chunks, 1};
}

bool Prediction::matchesClosedForm() const
{
    constexpr double kSame = 1e-9;
    return bubbleForm.value && std::abs(*bubbleForm.value - metrics.bubbleRatio) < kSame;
}

QString closedFormText(const Prediction& prediction)
{
    const ClosedForm& form = prediction.bubbleForm;
    if (form.formula.isEmpty())
        return {};
    if (!form.applies)
        return form.formula + fromUtf8(": not defined for this D and N");
    if (!form.value)
        return form.formula;
    QString filled = form.formula + fromUtf8(": %1 = %2").arg(form.filled, percent(*form.value));
    if (!prediction.isValid())
        return filled;
    if (prediction.matchesClosedForm())
        return filled + fromUtf8(", as simulated");
    return filled
        + (prediction.closedFormsApply
               ? fromUtf8(", simulated %1").arg(bubbleText(prediction.metrics))
               : fromUtf8(", with F 1, B 2 and free links"));
}

std::int64_t estimatedOps(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int fallback = scheme != nullptr ? scheme->defaultChunks : 1;
    const std::int64_t chunks = request.chunks > 0 ? request.chunks : fallback;
    const std::int64_t kinds = scheme != nullptr && scheme->splitsBackward ? 3 : 2;
    return kinds * chunks * request.devices * request.microBatches;
}

namespace {

using engine::ScheduleRequest;
using Member = int ScheduleRequest::*;

bool isPossible(const ScheduleRequest& request)
{
    return engine::checkRequest(request).has_value();
}

ScheduleRequest with(ScheduleRequest request, Member member, int value)
{
    request.*member = value;
    return request;
}

// Returns how far from the requested value to search for a valid one. It is 2 D, because valid
// values may be multiples of D.
int reach(const ScheduleRequest& request)
{
    constexpr int kLeast = 64, kMost = 4096;
    return 2 * std::clamp(request.devices, kLeast / 2, kMost / 2);
}

// Returns the nearest valid value below the requested one and the nearest above it. Omits a value
// that is farther away than reach(). The other numbers of the request stay as they are.
std::vector<int> nearest(const ScheduleRequest& request, Member member)
{
    std::vector<int> values;
    const int far = reach(request);
    const int from = std::clamp(request.*member, 0, std::numeric_limits<int>::max() - far - 2);
    for (const int step : {-1, 1}) {
        const int start = from + step;
        for (int value = start; std::abs(value - start) <= far && value > 0; value += step) {
            if (!isPossible(with(request, member, value)))
                continue;
            values.push_back(value);
            break;
        }
    }
    return values;
}

struct Name
{
    Fault::Field field;
    Member member;
    const char* letter;
};
constexpr std::array<Name, 3> kNames
    = {Name{Fault::Field::MicroBatches, &ScheduleRequest::microBatches, "N"},
       Name{Fault::Field::Devices, &ScheduleRequest::devices, "D"},
       Name{Fault::Field::Chunks, &ScheduleRequest::chunks, "v"}};

std::optional<Fault> faultOfNumber(const ScheduleRequest& request)
{
    for (const Name& name : kNames) {
        Fault fault{name.field, {}, {}, {}};
        QStringList values;
        for (const int value : nearest(request, name.member)) {
            values.append(QString::number(value));
            fault.remedies.push_back(
                {QStringLiteral("%1 = %2").arg(QLatin1String(name.letter)).arg(value),
                 with(request, name.member, value)});
        }
        if (values.isEmpty())
            continue;
        fault.reason = fromUtf8("try %1").arg(values.join(fromUtf8(" or ")));
        return fault;
    }
    return std::nullopt;
}

std::optional<Fault> faultOfOption(const ScheduleRequest& request)
{
    for (const auto& [key, value] : request.options) {
        ScheduleRequest defaults = request;
        defaults.options.erase(key);
        if (isPossible(defaults))
            return Fault{Fault::Field::Option,
                         {},
                         {},
                         {{fromUtf8("default %1").arg(QString::fromStdString(key)), defaults}}};
    }
    return std::nullopt;
}

// Returns one remedy: the D nearest to the requested one that has a valid N near the requested N,
// with this N. Empty if no D within 16 has one.
std::vector<Remedy> pairNear(const ScheduleRequest& request)
{
    constexpr int kFar = 16;
    for (int distance = 0; distance <= kFar; ++distance) {
        for (const int devices : {request.devices + distance, request.devices - distance}) {
            if (devices < 1)
                continue;
            ScheduleRequest near = with(request, &ScheduleRequest::devices, devices);
            const std::vector<int> counts = nearest(near, &ScheduleRequest::microBatches);
            if (counts.empty())
                continue;
            near.microBatches = counts.back();
            return {{QStringLiteral("D = %1, N = %2").arg(devices).arg(near.microBatches), near}};
        }
    }
    return {};
}

// Used if changing one number does not suffice. If the requested D and N are too large together,
// searches near smaller ones.
std::vector<Remedy> nearestPair(ScheduleRequest request)
{
    constexpr int kLarge = 512;
    request.devices = std::max(request.devices, 1);
    request.microBatches = std::max(request.microBatches, 1);
    ScheduleRequest any; // any D and N are valid unless they are too large
    any.scheme = "gpipe";
    any.devices = request.devices;
    any.microBatches = request.microBatches;
    if (isPossible(any))
        if (auto pair = pairNear(request); !pair.empty())
            return pair;
    request.devices = std::min(request.devices, kLarge);
    request.microBatches = std::min(request.microBatches, kLarge);
    return pairNear(request);
}

} // namespace

QString ruleText(const engine::Scheme& scheme)
{
    return fromUtf8(scheme.accepts).replace(QStringLiteral(">="), QStringLiteral("≥"));
}

RuleParts ruleParts(const engine::Scheme& scheme)
{
    RuleParts parts;
    QStringList others;
    for (const QString& piece : ruleText(scheme).split(QStringLiteral("; "))) {
        const QString rest = piece.mid(2);
        if (piece.startsWith(QStringLiteral("D ")))
            parts.devices = rest;
        else if (piece.startsWith(QStringLiteral("N ")))
            parts.microBatches = rest;
        else if (piece.startsWith(QStringLiteral("v ")))
            parts.chunks = rest;
        else
            others.append(piece);
    }
    for (QString* part : {&parts.devices, &parts.microBatches, &parts.chunks})
        if (*part == QStringLiteral("≥ 1"))
            part->clear();
    parts.other = others.join(QStringLiteral("; "));
    return parts;
}

Fault findFault(const ScheduleRequest& request)
{
    const auto verdict = engine::checkRequest(request);
    if (verdict)
        return {};
    Fault fault;
    if (auto ofNumber = faultOfNumber(request))
        fault = std::move(*ofNumber);
    else if (auto ofOption = faultOfOption(request))
        fault = std::move(*ofOption);
    else
        fault = {Fault::Field::Other, {}, {}, nearestPair(request)};
    fault.message = fromUtf8(verdict.error().message);
    return fault;
}

int nearestPossible(const ScheduleRequest& request, Member member, int value, int most)
{
    for (int distance = 0; distance < most; ++distance) {
        for (const int candidate : {value + distance, value - distance}) {
            if (candidate >= 1 && candidate <= most && isPossible(with(request, member, candidate)))
                return candidate;
        }
    }
    return value;
}

namespace {

using engine::Experiment;

QStringList toList(const std::vector<std::string>& arguments)
{
    QStringList list;
    for (const std::string& word : arguments)
        list.append(QString::fromStdString(word));
    return list;
}

} // namespace

PredictionRequest RunPlan::request() const
{
    return {.schedule = experiment.schedule,
            .scheduleFile = experiment.scheduleFile,
            .sync = experiment.sync,
            .costs = costs,
            .recompute = experiment.model.recompute,
            .recomputeAhead = experiment.model.recomputeAhead,
            .offload = experiment.model.offload,
            .evict = evict,
            .source = source};
}

QStringList modelPresets()
{
    return toList(engine::modelNames());
}

void chooseModel(RunPlan& plan, const QString& model)
{
    constexpr std::array<std::string_view, 3> kDecided{"--micro-batch-size", "--sequence",
                                                       "--recompute"};
    const Experiment before = plan.experiment, defaults = engine::defaultExperiment(before);
    Experiment& experiment = plan.experiment;
    const auto& modelField = engine::experimentField("--model");
    if (!modelField.set(experiment, model.toStdString())) {
        experiment.modelFile = model.toStdString(); // planProblem() reports the error
        return;
    }
    for (const auto& field : engine::experimentFields())
        if (field.group == modelField.group && &field != &modelField
            && std::ranges::find(kDecided, field.flag) == kDecided.end()
            && field.get(before) != field.get(defaults))
            static_cast<void>(field.set(experiment, field.get(before)));
}

QStringList runOptions(const RunPlan& plan)
{
    return toList(engine::runArguments(plan.experiment));
}

RunPlan withScheme(RunPlan plan, std::string_view scheme)
{
    plan.experiment.scheduleFile.clear();
    engine::ScheduleRequest& schedule = plan.experiment.schedule;
    schedule.scheme = scheme;
    schedule.chunks = 0;
    schedule.options.clear();
    schedule = withStagesOf(plan.source, schedule);
    return plan;
}

QString commandText(const RunPlan& plan)
{
    return QString::fromStdString(
        plan.experiment.mode == engine::Mode::Simulate
            ? engine::commandText("simulate", profiler::argumentsOf(plan.request()))
            : engine::commandOf(plan.experiment));
}

RunPlan planFromExperiment(const QString& toml)
{
    RunPlan plan;
    if (auto experiment = engine::experimentFromToml(toml.toStdString()))
        plan.experiment = *std::move(experiment);
    return plan;
}

namespace {
QDir schemesFolder()
{
    return QDir(QString::fromStdString((engine::dataFolder() / "schemes").string()));
}
} // namespace

QStringList ownSchemes()
{
    QStringList files;
    for (const QFileInfo& file :
         schemesFolder().entryInfoList({QStringLiteral("*.csv")}, QDir::Files, QDir::Name))
        files.append(file.absoluteFilePath());
    return files;
}

engine::Result<QString> keepScheme(const QString& name, const engine::Schedule& order)
{
    QString base = name;
    base.replace(QLatin1Char('/'), QLatin1Char('-'));
    const QDir folder = schemesFolder();
    folder.mkpath(QStringLiteral("."));
    const QString file = folder.absoluteFilePath(base + QStringLiteral(".csv"));
    TRY(engine::saveFile(file.toStdString(), engine::writeCsv(order), engine::IfExists::Refuse));
    return file;
}

QString planProblem(const RunPlan& plan, const engine::Schedule& lowered)
{
    const Experiment& experiment = plan.experiment;
    if (experiment.mode == engine::Mode::Simulate)
        return {};
    if (const auto runnable = engine::checkRunnable(lowered); !runnable)
        return fromUtf8(runnable.error().message);
    if (plan.evict)
        return fromUtf8(
            "Runs support Evict only with BPipe: choose BPipe, set Evict to none, or simulate.");
    if (!experiment.modelFile.empty())
        if (const auto spec = engine::loadModel(experiment.modelFile); !spec)
            return fromUtf8(spec.error().message);
    const engine::ModelSpec& model = experiment.model;
    if (const auto possible = engine::checkSlices(lowered, model.family, model.recompute);
        !possible)
        return fromUtf8(possible.error().message);
    const int stages = lowered.shape.stages;
    if (model.layout.isDefault() && model.layers < stages)
        return fromUtf8("%1 has %2 layers, too few for %3 stages: use fewer devices, or simulate.")
            .arg(fromUtf8(model.name))
            .arg(model.layers)
            .arg(stages);
    if (const auto possible = engine::checkModel(model, stages); !possible)
        return fromUtf8(possible.error().message);
    if (const auto possible = engine::checkExperiment(experiment); !possible)
        return fromUtf8(possible.error().message);
    if (experiment.textFile.empty() || experiment.textFile == "sample")
        return {};
    const QFileInfo file(QString::fromStdString(experiment.textFile));
    if (!file.isFile() || !file.isReadable())
        return fromUtf8("The text file %1 cannot be read: choose another file, or clear the field.")
            .arg(file.filePath());
    if (file.size() == 0)
        return fromUtf8("The text file %1 is empty: choose another file, or clear the field.")
            .arg(file.filePath());
    return {};
}

QString machineProblem(const RunPlan& plan, const DeviceFacts& here)
{
    if (plan.experiment.mode == engine::Mode::Simulate
        || plan.experiment.backend == engine::Backend::Cpu || here.hasNvidiaDriver)
        return {};
    return fromUtf8(
        "This machine has no NVIDIA driver, so it cannot run on GPUs. Choose the CPU, or "
        "copy the command for a machine that has GPUs.");
}

namespace {

const QString kExperiment = QStringLiteral("experiment"), kCosts = QStringLiteral("costs"),
              kKind = QStringLiteral("kind"), kSource = QStringLiteral("source"),
              kSetup = QStringLiteral("setup"), kUnitCosts = QStringLiteral("units"),
              kEvict = QStringLiteral("evict");

} // namespace

QJsonObject planState(const RunPlan& plan)
{
    const CostSource& source = plan.source;
    QJsonObject costs{{kKind, static_cast<int>(source.kind)},
                      {kSource, fieldTexts(profiler::costSourceFields(), source)},
                      {kSetup, fieldTexts(engine::trainingSetupFields(), source.setup)},
                      {kUnitCosts, fieldTexts(engine::unitCostFields(), plan.costs)}};
    if (plan.evict)
        costs.insert(kEvict, static_cast<int>(*plan.evict));
    return {{kExperiment, QString::fromStdString(engine::toToml(plan.experiment))},
            {kCosts, costs}};
}

RunPlan restoredPlan(const QJsonObject& state)
{
    RunPlan plan = planFromExperiment(state.value(kExperiment).toString());
    const QJsonObject costs = state.value(kCosts).toObject();
    const auto choice = [&costs](const QString& key, auto last) { // -1: none
        const int index = costs.value(key).toInt(-1);
        return index <= static_cast<int>(last) ? index : -1;
    };
    CostSource& source = plan.source;
    setFields(profiler::costSourceFields(), source, costs.value(kSource).toObject());
    // The fields of the source have set another kind.
    const int kind = choice(kKind, CostSource::Kind::Recorded);
    source.kind = kind >= 0 ? static_cast<CostSource::Kind>(kind) : CostSource().kind;
    setFields(engine::trainingSetupFields(), source.setup, costs.value(kSetup).toObject());
    setFields(engine::unitCostFields(), plan.costs, costs.value(kUnitCosts).toObject());
    if (const int evict = choice(kEvict, engine::EvictPolicy::Steady); evict >= 0)
        plan.evict = static_cast<engine::EvictPolicy>(evict);
    return plan;
}

} // namespace app
