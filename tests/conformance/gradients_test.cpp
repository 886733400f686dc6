#include "engine/experiment/check_experiment.h"
#include "engine/schedule/passes/passes.h"
#include "engine/verify/verify.h"
#include "tests/catch.h"
#include "tests/support/pipelines.h"
#include "tests/support/small_training.h"

#include <set>

using namespace engine;

namespace {

// A window of PipeDream-2BW holds whole updates.
bool isTrainable(const ScheduleRequest& wanted)
{
    const auto schedule = buildSchedule(wanted);
    return schedule && checkRunnable(lower(*schedule));
}

struct Size
{
    int devices, microBatches;
};
const std::vector<Size> kOfFew{{1, 3}, {2, 2}, {2, 6}, {4, 4}, {4, 8}, {4, 12}},
    kOfMany{{6, 12}, {8, 8}, {8, 16}};

// Every scheme of the table at those of these sizes that it accepts.
std::vector<ScheduleRequest> everyScheme(const std::vector<Size>& sizes)
{
    std::vector<ScheduleRequest> requests;
    for (const Scheme& scheme : schemes())
        for (const auto& [devices, microBatches] : sizes) {
            ScheduleRequest wanted
                = tests::requestOf(std::string(scheme.name), devices, microBatches);
            if (isTrainable(wanted))
                requests.push_back(wanted);
            for (const SchemeOption& option : scheme.options)
                for (const std::string_view value : option.values) {
                    wanted.options = {{std::string(option.key), std::string(value)}};
                    if (isTrainable(wanted))
                        requests.push_back(wanted);
                }
        }
    return requests;
}

std::string spelled(const ScheduleRequest& wanted)
{
    std::string text = wanted.scheme + " D=" + std::to_string(wanted.devices)
        + " N=" + std::to_string(wanted.microBatches);
    for (const auto& [key, value] : wanted.options)
        text += " " + key + "=" + value;
    return text;
}

void checkIntegers(const std::vector<ScheduleRequest>& requests, Mode mode)
{
    for (const ScheduleRequest& wanted : requests) {
        INFO(spelled(wanted) << ' ' << modeName(mode));
        const auto check = checkIntegerProbe(wanted, mode);
        if (!check)
            FAIL(check.error().message);
        CHECK(check->compared > 0);
        CHECK(check->different == 0);
    }
}

void checkRealGpt(const std::vector<ScheduleRequest>& requests, Mode mode)
{
    for (const ScheduleRequest& wanted : requests) {
        INFO(spelled(wanted) << ' ' << modeName(mode));
        const auto check
            = checkRealGradients(wanted, {.model = tests::narrowModel(16), .mode = mode});
        if (!check)
            FAIL(check.error().message);
        if (wanted.scheme == "seq1f1b") // within a micro-batch the sums run differently
            CHECK(check->passed());
        else
            CHECK(check->bitEqual());
    }
}

} // namespace

TEST_CASE("integer gradients of every scheme are those of int64 arithmetic, bit for bit, in both "
          "modes")
{
    for (const Mode mode : {Mode::Emulate, Mode::Live})
        for (const auto& sizes : {kOfFew, kOfMany})
            checkIntegers(everyScheme(sizes), mode);
}

TEST_CASE("a probe with sums that could be rounded is refused")
{
    const auto check = checkIntegerProbe(tests::requestOf("gpipe", 64, 64));
    REQUIRE_FALSE(check);
    CHECK(check.error().message.find("exceeds 2^24") != std::string::npos);
}

TEST_CASE("with exact accumulation a real GPT's gradients and losses are sequential training's, "
          "bit for bit, in every scheme (asynchronous ones: with the same versions)")
{
    checkRealGpt(everyScheme(kOfFew), Mode::Emulate);
}

TEST_CASE("live training with exact accumulation is bit-equal to sequential training")
{
    checkRealGpt(everyScheme(kOfFew), Mode::Live);
}

TEST_CASE("emulation on six and eight devices is bit-equal to sequential training")
{
    checkRealGpt(everyScheme(kOfMany), Mode::Emulate);
}

TEST_CASE("live training on six and eight devices is bit-equal to sequential training")
{
    checkRealGpt(everyScheme(kOfMany), Mode::Live);
}

// What is stored is narrow, what is summed is not: so the order of summing is all that could
// differ.
TEST_CASE(
    "in bf16, too, gradients and losses of every scheme are sequential training's, bit for bit")
{
    ModelSpec model = tests::narrowModel(16);
    model.precision = Precision::Bf16;
    int proved = 0;
    for (const ScheduleRequest& wanted : everyScheme({{4, 8}})) {
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            INFO(spelled(wanted) << ' ' << modeName(mode));
            const auto check = checkRealGradients(wanted, {.model = model, .mode = mode});
            if (!check)
                FAIL(check.error().message);
            if (wanted.scheme == "seq1f1b")
                CHECK(check->passed());
            else
                CHECK(check->bitEqual());
            ++proved;
        }
    }
    CHECK(proved > 40);
}

TEST_CASE("in bf16, too, recomputation and the kind of attention change no bit of a gradient")
{
    for (const char* scheme : {"1f1b", "bitpipe", "zb-h1"})
        for (const AttentionKind attention :
             {AttentionKind::Standard, AttentionKind::Recompute, AttentionKind::Flash})
            for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
                INFO(scheme << ' ' << static_cast<int>(recompute));
                ModelSpec model = tests::narrowModel(16);
                model.precision = Precision::Bf16;
                model.attention = attention;
                model.recompute = recompute;
                const auto check
                    = checkRealGradients(tests::requestOf(scheme, 4, 8), {.model = model});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
}

TEST_CASE("recomputation and the kind of attention change no bit of a gradient")
{
    for (const char* scheme : {"1f1b", "bitpipe", "zb-h1", "dualpipev", "bpipe"})
        for (const Recompute recompute : {Recompute::None, Recompute::Attention, Recompute::Full})
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                INFO(scheme << ' ' << static_cast<int>(recompute) << ' ' << modeName(mode));
                ModelSpec model = tests::narrowModel(16);
                model.recompute = recompute;
                const auto check = checkRealGradients(tests::requestOf(scheme, 4, 8),
                                                      {.model = model, .mode = mode});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
}

TEST_CASE("when and how all-reduces wait changes no bit of a gradient")
{
    for (const ScheduleRequest& wanted : everyScheme(kOfFew)) {
        const Shape shape = buildSchedule(wanted)->shape;
        if (shape.replicas == 1 || shape.devices != 4)
            continue;
        for (const SyncPolicy sync : {SyncPolicy::Late, SyncPolicy::EagerBlocking})
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                INFO(spelled(wanted) << ' ' << modeName(mode) << ' ' << syncName(sync));
                if (sync == SyncPolicy::Late && shape.updateEvery > 0)
                    continue; // refused
                const auto check = checkRealGradients(
                    wanted, {.model = tests::narrowModel(16), .mode = mode, .sync = sync});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
    }
}

namespace {

// Every RECOMPUTE directly after the forward that it repeats, or the ops that are joint with it.
Schedule recomputedAtOnce(Schedule order)
{
    for (auto& ops : order.program) {
        std::vector<Op> moved;
        for (std::size_t i = 0, end = 0; i < ops.size(); i = end) {
            end = jointEnd(ops, i);
            moved.insert(moved.end(), ops.begin() + static_cast<std::ptrdiff_t>(i),
                         ops.begin() + static_cast<std::ptrdiff_t>(end));
            for (std::size_t k = i; k < end; ++k)
                if (ops[k].kind == OpKind::Forward) {
                    moved.push_back(ops[k]);
                    moved.back().kind = OpKind::Recompute;
                    moved.back().flags = OpFlag::None;
                }
        }
        ops = std::move(moved);
    }
    return order;
}

} // namespace

TEST_CASE(
    "where a RECOMPUTE runs between its forward and its backward changes no bit of a gradient")
{
    ModelSpec model = tests::narrowModel(16);
    model.recompute = Recompute::Full;
    for (const char* scheme :
         {"gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "v-min", "chimera", "hanayo", "bitpipe"})
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            INFO(scheme << ' ' << modeName(mode));
            const Schedule order = tests::scheduleOf(scheme, 4, 8);
            for (const Schedule& moved : {addRecompute(order), recomputedAtOnce(order)}) {
                const auto check = checkRealGradients(moved, {.model = model, .mode = mode});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
        }
}

TEST_CASE("activations that were in host memory change no bit of a gradient")
{
    ModelSpec model = tests::narrowModel(16);
    for (const char* scheme : {"gpipe", "1f1b", "interleaved-1f1b", "zb-v", "chimera", "hanayo",
                               "bitpipe", "dualpipe", "pipedream"}) {
        const int devices = scheme == std::string_view("zb-v") ? 8 : 4;
        const Schedule order = tests::scheduleOf(scheme, devices, 2 * devices);
        model.offload = Fraction{1};
        for (int quarters = 4; !addOffload(order, model.offload->value()); ++quarters)
            model.offload = Fraction{quarters, 4}; // the smallest possible limit
        INFO(scheme);
        CHECK(*addOffload(order, model.offload->value()) != order);
        for (const Mode mode : {Mode::Emulate, Mode::Live})
            for (const Recompute recompute : {Recompute::None, Recompute::Attention}) {
                INFO(scheme << ' ' << modeName(mode) << ' ' << model.offload->value());
                model.recompute = recompute;
                const auto check = checkRealGradients(order, {.model = model, .mode = mode});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
    }
}

TEST_CASE("every scheme of the table is among those that are proved")
{
    std::set<std::string> proved;
    for (const ScheduleRequest& wanted : everyScheme(kOfFew))
        proved.insert(wanted.scheme);
    for (const Scheme& scheme : schemes()) {
        INFO(scheme.name);
        CHECK(proved.contains(std::string(scheme.name)));
    }
}

TEST_CASE("exact gradients of the default model are bit-equal in GPipe, 1F1B and BitPipe")
{
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe"}) {
        INFO(scheme);
        const auto check
            = checkRealGradients(tests::requestOf(scheme, 4, 4), {.model = ModelSpec()});
        REQUIRE(check);
        CHECK(check->bitEqual());
        const std::size_t replicas = std::string_view(scheme) == "bitpipe" ? 2 : 1;
        CHECK(check->compared
              == 2 * replicas * static_cast<std::size_t>(parameterCount(ModelSpec())));
    }
}

TEST_CASE("in plain float the schemes differ from sequential training by rounding only")
{
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe"}) {
        INFO(scheme);
        const auto check = checkRealGradients(
            tests::requestOf(scheme, 4, 8),
            {.model = tests::narrowModel(16), .iterations = 1, .accumulate = Accumulate::Float});
        REQUIRE(check);
        CHECK(check->largestError < 1e-5);
    }
}

TEST_CASE("the layers per stage change no bit of a gradient")
{
    struct Row
    {
        const char *scheme, *layout;
    };
    const Row rows[]{{"1f1b", "Et*5|t*5|t*5|tL"},
                     {"zb-h1", "Et|t*8|t|t*6L"},
                     {"chimera", "Ettt|t*6|t*5|ttL"},
                     {"pipedream", "Et*5|t*5|t*4|ttL"},
                     {"zb-v", "Et|t*4|t|t|t|t*5|t|ttL"},
                     {"bitpipe", "Et|t*4|t|t|t|t*5|t|ttL"},
                     {"interleaved-1f1b", "Ettt|t|t|t|t|t|t|t*7L"}};
    for (const auto& [scheme, layout] : rows)
        for (const Recompute recompute : {Recompute::None, Recompute::Full})
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                INFO(scheme << ' ' << modeName(mode));
                ModelSpec model = tests::narrowModel(16);
                model.layout = LayerLayout::parse(layout).value();
                model.recompute = recompute;
                const auto check = checkRealGradients(tests::requestOf(scheme, 4, 8),
                                                      {.model = model, .mode = mode});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
}
