#include "engine/verify/verify.h"

#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/try.h"
#include "engine/exec/run_experiment.h"
#include "engine/experiment/check_experiment.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace engine {
namespace {

constexpr int kLayers = 16;

struct Size
{
    int devices = 0, microBatches = 0;
};

std::vector<Size> sizes(const VerifyOptions& options)
{
    if (!options.layout.isDefault()) { // with one stage per device and with two
        const int stages = options.layout.stages();
        return {{stages, 2 * stages}, {stages / 2, stages}};
    }
    if (options.full)
        return {{2, 2}, {2, 4}, {2, 6}, {3, 5}, {4, 4}, {4, 8}, {4, 12}, {8, 8}, {8, 16}};
    if (options.backend == Backend::Cuda)
        return {{2, 4}, {4, 8}};
    return {{4, 8}};
}

// Whether the request is valid and can be trained at this size with this layout.
bool isTrainable(const ScheduleRequest& request, const LayerLayout& layout)
{
    const auto schedule = buildSchedule(request);
    return schedule && checkRunnable(lower(*schedule))
        && (layout.isDefault() ? schedule->shape.stages <= kLayers
                               : schedule->shape.stages == layout.stages());
}

// A GPT that is small enough for hundreds of runs.
ModelSpec verifyModel(const LayerLayout& layout = {})
{
    ModelSpec model;
    model.name = "miniature";
    model.layers = layout.isDefault() ? kLayers : layout.layers();
    model.layout = layout;
    model.width = 16;
    model.heads = 2;
    model.sequence = 16;
    return model;
}

// An odd number of devices and of micro-batches, which bitpipe accepts with this option only.
ScheduleRequest oddRequest()
{
    ScheduleRequest request;
    request.scheme = "bitpipe";
    request.devices = 3;
    request.microBatches = 5;
    request.options = {{"concat", "early"}};
    return request;
}

// In one or two sizes with default options and as oddRequest(), or with VerifyOptions::full in all
// sizes and with all scheme options. Omits requests that cannot be trained.
std::vector<ScheduleRequest> verifyRequests(const VerifyOptions& options)
{
    std::vector<ScheduleRequest> all;
    const auto add = [&](const ScheduleRequest& request) {
        if (isTrainable(request, options.layout))
            all.push_back(request);
    };
    for (const Scheme& scheme : schemes()) {
        if (!options.schemes.empty()
            && std::ranges::find(options.schemes, scheme.name) == options.schemes.end())
            continue;
        for (const Size& size : sizes(options)) {
            ScheduleRequest request;
            request.scheme = scheme.name;
            request.devices = size.devices;
            request.microBatches = size.microBatches;
            add(request);
            for (const SchemeOption& option : scheme.options)
                for (std::size_t i = 1; i < option.values.size() && options.full; ++i) {
                    request.options = {{std::string(option.key), std::string(option.values[i])}};
                    add(request);
                }
        }
        if (scheme.name == "bitpipe" && !options.full && options.layout.isDefault())
            add(oddRequest());
    }
    return all;
}

// Variants of verifyModel(), each with the name of the changed option: "attention=flash".
std::vector<std::pair<std::string, ModelSpec>> verifyVariants()
{
    std::vector<std::pair<std::string, ModelSpec>> all;
    const auto add = [&all](const char* words) -> ModelSpec& {
        return all.emplace_back(words, verifyModel()).second;
    };
    add("attention=recompute").attention = AttentionKind::Recompute;
    add("attention=flash").attention = AttentionKind::Flash;
    add("recompute=attention").recompute = Recompute::Attention;
    add("recompute=full").recompute = Recompute::Full;
    ModelSpec& ahead = add("recompute-ahead=64");
    ahead.recompute = Recompute::Full;
    ahead.recomputeAhead = Fraction{64}; // no limit
    add("offload=3").offload = Fraction{3};
    add("tied=true").tied = true;
    ModelSpec& bert = add("family=bert");
    bert.family = Family::Bert;
    bert.vocabulary = 257; // bytes and the mask token
    add("family=llama").family = Family::Llama;
    ModelSpec& vit = add("family=vit");
    vit.family = Family::Vit;
    vit.patch = 2;
    return all;
}

bool isVersioned(const ScheduleRequest& request)
{
    const Scheme* scheme = findScheme(request.scheme);
    return scheme != nullptr && scheme->asynchronous;
}

std::string spelled(const ScheduleRequest& request)
{
    std::string text = request.scheme;
    for (const auto& [key, value] : request.options)
        text += fmt::format(" {}={}", key, value);
    if (request.dataParallel > 1)
        text += fmt::format(" data-parallel={}", request.dataParallel);
    return text;
}

// The schemes that are checked with all model variants: one with whole backwards, one with split
// backwards, and one with two directions.
constexpr std::array<std::string_view, 3> kWithVariants{"1f1b", "zb-h1", "bitpipe"};

class Verification
{
public:
    Verification(const LayerLayout& layout, const std::function<void(const VerifyCheck&)>& report,
                 const std::atomic<bool>& cancel)
        : m_model(verifyModel(layout))
        , m_report(report)
        , m_cancel(cancel)
    { }

    Result<void> all(const ScheduleRequest& request)
    {
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            if (m_cancel.load(std::memory_order_relaxed))
                return fail(Error::Code::Cancelled, "cancelled");
            gradients("integer gradients", request, mode, checkIntegerProbe(request, mode));
            gradients("exact gradients", request, mode,
                      checkRealGradients(request, {.model = m_model, .mode = mode}));
        }
        agreement(request);
        if (!m_model.layout.isDefault()
            || std::ranges::find(kWithVariants, request.scheme) == kWithVariants.end()
            || !request.options.empty())
            return {};
        TRY(withCopies(request));
        return withVariants(request);
    }

    // Only the gradients: the other checks train an experiment with the set-up of a scheme.
    Result<void> file(const std::string& path)
    {
        Schedule order = TRY(readScheduleFile(path));
        order.scheme = path.substr(path.find_last_of('/') + 1);
        ScheduleRequest request;
        request.scheme = order.scheme;
        request.devices = order.shape.devices;
        request.microBatches = order.shape.microBatches;
        ModelSpec model = m_model;
        Schedule kept = order; // the integer model has no recomputation
        if (holds(order, OpKind::Recompute)) {
            model.recompute = Recompute::Full;
            for (auto& ops : kept.program)
                std::erase_if(ops, [](const Op& op) { return op.kind == OpKind::Recompute; });
        }
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            if (m_cancel.load(std::memory_order_relaxed))
                return fail(Error::Code::Cancelled, "cancelled");
            auto cpu = TRY(openCpuDevice());
            gradients("integer gradients", request, mode,
                      checkIntegerProbe(kept, RunDevices{{std::move(cpu)}, mode, {}}));
            gradients("exact gradients", request, mode,
                      checkRealGradients(order, {.model = model, .mode = mode}));
        }
        return {};
    }

    // Runs only the integer-exact check, because float sums depend on the algorithm that the GPU's
    // library uses for a matrix product.
    Result<void> onGpus(const ScheduleRequest& request)
    {
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            if (m_cancel.load(std::memory_order_relaxed))
                return fail(Error::Code::Cancelled, "cancelled");
            const auto& on = gpusFor(mode, request.devices, TransportChoice::Auto);
            if (!on)
                return tl::unexpected(on.error());
            if (on->mode == mode) {
                TRY(onDevices(request, *on, mode));
            } else if (std::ranges::find(m_notes, on->note) == m_notes.end())
                leaveOut(request, m_notes.emplace_back(on->note));
        }
        return byNccl(request);
    }

    // If a live iteration takes longer than this many emulated ones, other processes disturbed it.
    static constexpr double kBusy = 1.5;

    // Compares the times of a live and an emulated iteration. The difference depends on the number
    // of free cores, so no difference is an error.
    Result<void> time()
    {
        if (m_cancel.load(std::memory_order_relaxed))
            return fail(Error::Code::Cancelled, "cancelled");
        ScheduleRequest request;
        request.scheme = "1f1b";
        request.devices = 2;
        request.microBatches = 4;
        VerifyCheck check = about("time", request, Mode::Live);
        const auto emulated = train(request, Mode::Emulate, ModelSpec());
        const auto live = train(request, Mode::Live, ModelSpec());
        if (!emulated || !live) {
            check.detail = emulated ? live.error().message : emulated.error().message;
        } else {
            const double seen = fastest(*live), predicted = fastest(*emulated);
            const bool isBusy = seen > kBusy * predicted;
            check.passed = true;
            check.detail
                = fmt::format("an iteration takes {:.1f} ms live and {:.1f} ms emulated, "
                              "{:+.0f} %; {}{}",
                              seen / 1e6, predicted / 1e6, 100 * (seen / predicted - 1),
                              modeDescription(live->info),
                              isBusy ? "; no conclusion, because the machine is too busy" : "");
        }
        add(std::move(check));
        return {};
    }

    std::vector<VerifyCheck> take() { return std::move(m_checks); }

private:
    // Runs the integer-exact check. Fails only if it was cancelled or a GPU no longer responds.
    Result<void> onDevices(const ScheduleRequest& request, const RunDevices& on, Mode mode,
                           const std::string& variant = {})
    {
        const auto result = checkIntegerProbe(request, on);
        if (!result && (result.error().code == Error::Code::Cancelled || devicesAreLost()))
            return tl::unexpected(result.error());
        gradients("integer gradients", request, mode, result, variant);
        return {};
    }

    // Runs the integer-exact check, because NCCL chooses the order of the additions.
    Result<void> byNccl(const ScheduleRequest& request)
    {
        const auto& on = gpusFor(Mode::Live, request.devices, TransportChoice::Nccl);
        if (on)
            return onDevices(request, *on, Mode::Live, "transport=nccl");
        if (std::ranges::find(m_notes, on.error().message) == m_notes.end())
            leaveOut(request, m_notes.emplace_back(on.error().message));
        return {};
    }

    void leaveOut(const ScheduleRequest& request, const std::string& why)
    {
        VerifyCheck check = about("left out", request, Mode::Live);
        check.passed = true;
        check.detail = why;
        add(std::move(check));
    }

    // Opens devices on first use and keeps them.
    const Result<RunDevices>& gpusFor(Mode mode, int devices, TransportChoice transport)
    {
        const std::tuple key(mode, mode == Mode::Live ? devices : 1, transport);
        const auto found = m_gpus.find(key);
        return found != m_gpus.end()
            ? found->second
            : m_gpus.emplace(key, openDevices(Backend::Cuda, mode, devices, transport, m_cancel))
                  .first->second;
    }

    void add(VerifyCheck check)
    {
        m_report(check);
        m_checks.push_back(std::move(check));
    }

    VerifyCheck about(std::string fact, const ScheduleRequest& request, Mode mode) const
    {
        return {std::move(fact),
                spelled(request),
                request.devices,
                request.microBatches,
                mode,
                false,
                false,
                {}};
    }

    void gradients(const char* fact, const ScheduleRequest& request, Mode mode,
                   const Result<GradientCheck>& result, const std::string& variant = {})
    {
        VerifyCheck check = about(fact, request, mode);
        if (!variant.empty())
            check.scheme += " " + variant;
        if (!result) {
            check.detail = result.error().message;
        } else {
            check.passed = result->passed();
            check.rounded = check.passed && !result->bitEqual();
            check.detail = result->bitEqual()
                ? fmt::format("{} numbers equal those of sequential training, bit for bit{}",
                              result->compared,
                              isVersioned(request) ? ", with the same weight versions" : "")
                : fmt::format("{} of {} numbers differ, by at most {:.2g}{}", result->different,
                              result->compared, result->largestError,
                              check.rounded ? ", because the sums of slices are rounded differently"
                                            : "");
        }
        add(std::move(check));
    }

    // Trains two data-parallel copies, also with tied embeddings.
    Result<void> withCopies(ScheduleRequest request)
    {
        request.dataParallel = 2;
        ModelSpec tied = verifyModel();
        tied.tied = true;
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            if (m_cancel.load(std::memory_order_relaxed))
                return fail(Error::Code::Cancelled, "cancelled");
            gradients("integer gradients", request, mode, checkIntegerProbe(request, mode));
            gradients("exact gradients", request, mode,
                      checkRealGradients(request, {.model = verifyModel(), .mode = mode}));
            gradients("exact gradients", request, mode,
                      checkRealGradients(request, {.model = tied, .mode = mode}), "tied=true");
        }
        return {};
    }

    Result<void> withVariants(const ScheduleRequest& request)
    {
        for (const auto& [words, model] : verifyVariants())
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                if (m_cancel.load(std::memory_order_relaxed))
                    return fail(Error::Code::Cancelled, "cancelled");
                // What a split backward keeps for its W stays on the device.
                if (model.offload && findScheme(request.scheme)->splitsBackward)
                    continue;
                gradients("exact gradients", request, mode,
                          checkRealGradients(request, {.model = model, .mode = mode}), words);
            }
        return {};
    }

    static double fastest(const Run& run)
    {
        std::int64_t least = INT64_MAX;
        for (const Iteration& iteration : run.timeline.iterations)
            if (iteration.kind == Iteration::Kind::Measured)
                least = std::min(least, iteration.window.duration());
        return least;
    }

    Result<Run> train(const ScheduleRequest& request, Mode mode, const ModelSpec& model) const
    {
        Experiment experiment;
        experiment.schedule = request;
        experiment.model = model;
        experiment.mode = mode;
        experiment.iterations = 2;
        experiment.warmup = 0;
        experiment.accumulate = Accumulate::Exact;
        return runExperiment(experiment, {}, m_cancel);
    }

    void agreement(const ScheduleRequest& request)
    {
        const auto emulated = train(request, Mode::Emulate, m_model);
        const auto live = train(request, Mode::Live, m_model);
        VerifyCheck losses = about("losses", request, Mode::Live);
        VerifyCheck placement = about("placement", request, Mode::Emulate);
        if (!emulated || !live) {
            losses.detail = placement.detail
                = emulated ? live.error().message : emulated.error().message;
        } else {
            losses.passed = lossesOf(*emulated) == lossesOf(*live);
            losses.detail
                = losses.passed ? "equal to emulation, bit for bit" : "different from emulation";
            placement.passed = isSimulationOfItsTimes(*emulated);
            placement.detail = placement.passed
                ? "equal to a simulation with the measured times, to the ns"
                : "different from a simulation with the measured times";
        }
        add(std::move(losses));
        add(std::move(placement));
    }

    static std::vector<double> lossesOf(const Run& run)
    {
        std::vector<double> losses;
        for (const Iteration& iteration : run.timeline.iterations)
            if (iteration.loss)
                losses.push_back(*iteration.loss);
        return losses;
    }

    // Whether the iteration of typical ops (or the whole stream of an asynchronous schedule) is as
    // long as a simulation with its op durations.
    static bool isSimulationOfItsTimes(const Run& run)
    {
        const auto replay = run.timeline.iterations.size() - 1;
        const bool isStream = run.schedule.shape.windows > 1;
        const OpIndex index(run.schedule);
        OpCosts costs;
        for (const auto& program : run.schedule.program)
            costs.of.emplace_back(program.size());
        for (const Track& track : run.timeline.tracks)
            for (const Span& span : track.spans)
                if ((isStream || span.iteration == replay) && track.kind == Track::Kind::Compute) {
                    const DeviceId device = track.device;
                    const std::uint32_t position = index.positionOf(span.op);
                    // Joint ops share a window, which counts once.
                    const bool second = position > 0
                        && run.schedule.program[device][position - 1].flags
                            == OpFlag::JointWithNext;
                    costs.of[device][position].duration = second ? 0 : span.window().duration();
                }
        const auto simulated = simulate(run.schedule, costs);
        const Timeline& own = run.timeline;
        return simulated
            && simulated->extent().duration()
            == (isStream ? own.extent() : own.iterations.back().window).duration();
    }

    const ModelSpec m_model;
    const std::function<void(const VerifyCheck&)>& m_report;
    const std::atomic<bool>& m_cancel;
    std::vector<VerifyCheck> m_checks;
    // The devices opened for a mode, a number of devices and a transport.
    std::map<std::tuple<Mode, int, TransportChoice>, Result<RunDevices>> m_gpus;
    std::vector<std::string> m_notes;
};

} // namespace

Result<std::vector<VerifyCheck>> verifyEngine(const VerifyOptions& options,
                                              const std::function<void(const VerifyCheck&)>& report,
                                              const std::atomic<bool>& cancel)
{
    for (const std::string& scheme : options.schemes)
        if (findScheme(scheme) == nullptr)
            return fail(Error::Code::NotFound, unknownScheme(scheme));
    Verification verification(options.layout, report, cancel);
    if (!options.scheduleFile.empty()) {
        TRY(verification.file(options.scheduleFile));
        return verification.take();
    }
    const bool onGpus = options.backend == Backend::Cuda;
    const auto requests = verifyRequests(options);
    if (requests.empty() && !options.layout.isDefault())
        return invalid("--layout: no selected scheme has {} stages on {} devices, or on half as "
                       "many; use another layout or --scheme",
                       options.layout.stages(), options.layout.stages());
    for (const ScheduleRequest& request : requests)
        TRY(onGpus ? verification.onGpus(request) : verification.all(request));
    if (onGpus)
        return verification.take();
    if (options.layout.isDefault())
        TRY(verification.time());
    return verification.take();
}

} // namespace engine
