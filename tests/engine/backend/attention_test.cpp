#include "engine/backend/cpu/operations.h"
#include "tests/catch.h"
#include "tests/support/finite_differences.h"

using namespace engine;

namespace {

using Kind = AttentionKind;
using Mask = AttentionMask;

constexpr double kAttentionTolerance = 1e-7;

AttentionShape shapeOf(Kind kind, int keyHeads = 4, Mask mask = Mask::Causal)
{
    return {.samples = 2,
            .sequence = 6,
            .heads = 4,
            .keyHeads = keyHeads,
            .headSize = 4,
            .kind = kind,
            .mask = mask};
}

template<class Real>
Real* orNull(std::vector<Real>& numbers)
{
    return numbers.empty() ? nullptr : numbers.data();
}

// One attention and its backward over memory that begins as NaN.
template<class Real>
class Case
{
public:
    using Array = std::vector<Real>;

    Case(const AttentionShape& shape, const Array& qkv)
        : m_shape(shape)
        , m_qkv(qkv)
        , out(shape.rows() * static_cast<std::size_t>(shape.width()), kNan)
        , m_kept(shape.keptScores() + shape.keptSums(), kNan)
    { }

    const Array& forward(const Array& qkv)
    {
        Array workspace(m_shape.forwardWorkspace(), kNan);
        cpu::attention<Real>({m_shape,
                              Matrix<const Real>(qkv.data(), rows(), m_shape.qkvWidth()),
                              {orNull(m_kept), orNull(m_kept)},
                              {out.data(), rows(), m_shape.width()},
                              {},
                              orNull(workspace)});
        return out;
    }
    const Array& forward() { return forward(m_qkv); }

    Array backward(const Array& dOut)
    {
        Array d = m_qkv, workspace(m_shape.backwardWorkspace(), kNan);
        cpu::attentionBackward<Real>({m_shape,
                                      {d.data(), rows(), m_shape.qkvWidth()},
                                      {orNull(m_kept), orNull(m_kept)},
                                      Matrix<const Real>(out.data(), rows(), m_shape.width()),
                                      Matrix<const Real>(dOut.data(), rows(), m_shape.width()),
                                      nullptr,
                                      {},
                                      workspace.data()});
        return d;
    }

private:
    static constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
    int rows() const { return static_cast<int>(m_shape.rows()); }

    AttentionShape m_shape;
    Array m_qkv;

public:
    Array out;

private:
    Array m_kept;
};

std::size_t qkvCount(const AttentionShape& shape)
{
    return shape.rows() * static_cast<std::size_t>(shape.qkvWidth());
}

std::size_t outCount(const AttentionShape& shape)
{
    return shape.rows() * static_cast<std::size_t>(shape.width());
}

template<class Real>
double relativeError(const std::vector<Real>& a, const std::vector<Real>& b)
{
    double difference = 0, square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i], y = b[i];
        difference += (x - y) * (x - y);
        square += y * y;
    }
    return std::sqrt(difference / square);
}

} // namespace

TEST_CASE("attention's backward is the derivative of its forward, whatever kind, mask and heads")
{
    for (const Kind kind : {Kind::Standard, Kind::Recompute, Kind::Flash})
        for (const Mask mask : {Mask::Causal, Mask::Bidirectional})
            for (const int keyHeads : {4, 2, 1}) {
                INFO("kind " << int(kind) << ", mask " << int(mask) << ", key heads " << keyHeads);
                const AttentionShape shape = shapeOf(kind, keyHeads, mask);
                Numbers qkv = noise(qkvCount(shape), 1);
                const Numbers weight = noise(outCount(shape), 2);
                Case<double> run(shape, qkv);
                run.forward();
                const Numbers d = run.backward(weight);
                const auto loss = [&] { return dot(Case<double>(shape, qkv).forward(), weight); };
                CHECK(error(qkv, d, loss) < kAttentionTolerance);
            }
}

TEST_CASE("causal attention does not see later tokens, bidirectional does")
{
    for (const Kind kind : {Kind::Standard, Kind::Recompute, Kind::Flash})
        for (const Mask mask : {Mask::Causal, Mask::Bidirectional}) {
            const AttentionShape shape = shapeOf(kind, 4, mask);
            Numbers qkv = noise(qkvCount(shape), 1);
            Case<double> run(shape, qkv);
            const Numbers before = run.forward();
            const auto width = static_cast<std::size_t>(shape.qkvWidth());
            for (std::size_t c = 0; c < width; ++c) // the last token of the first sample
                qkv[5 * width + c] += 1;
            const Numbers after = run.forward(qkv);
            const std::size_t last = 5 * static_cast<std::size_t>(shape.width());
            CHECK(std::equal(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(last),
                             before.begin())
                  == (mask == Mask::Causal));
            CHECK(after[last] != before[last]);
        }
}

TEST_CASE("recomputed scores give the bits of stored ones, flash agrees over many tiles")
{
    for (const Mask mask : {Mask::Causal, Mask::Bidirectional})
        for (const int sequence : {64, 150, 200}) { // of tiles of 64
            INFO("mask " << int(mask) << ", sequence " << sequence);
            AttentionShape shape = shapeOf(Kind::Standard, 2, mask);
            shape.sequence = sequence;
            shape.headSize = 16;
            std::vector<float> qkv, dOut;
            for (const double x : noise(qkvCount(shape), 1))
                qkv.push_back(static_cast<float>(4 * x));
            for (const double x : noise(outCount(shape), 2))
                dOut.push_back(static_cast<float>(x));
            Case<float> standard(shape, qkv);
            shape.kind = Kind::Recompute;
            Case<float> recompute(shape, qkv);
            shape.kind = Kind::Flash;
            Case<float> flash(shape, qkv);
            for (auto* run : {&standard, &recompute, &flash})
                run->forward();
            CHECK(recompute.out == standard.out);
            CHECK(relativeError(flash.out, standard.out) < 1e-6);
            const auto d = standard.backward(dOut);
            CHECK(recompute.backward(dOut) == d);
            CHECK(relativeError(flash.backward(dOut), d) < 2e-6);
        }
}

TEST_CASE("flash attention keeps a number a row, recomputation nothing, the standard T")
{
    CHECK(shapeOf(Kind::Standard).keptScores() == 2 * 4 * 6 * 6);
    CHECK(shapeOf(Kind::Standard).keptSums() == 0);
    CHECK(shapeOf(Kind::Flash).keptSums() == 2 * 4 * 6);
    CHECK(shapeOf(Kind::Flash).keptScores() == 0);
    CHECK(shapeOf(Kind::Recompute).keptScores() + shapeOf(Kind::Recompute).keptSums() == 0);
}

TEST_CASE("equal scores attend to the mean of the values, however large the scores are")
{
    for (const Kind kind : {Kind::Standard, Kind::Flash}) {
        AttentionShape shape = shapeOf(kind, 4, Mask::Bidirectional);
        std::vector<float> qkv(qkvCount(shape), 30.0F);
        const auto width = static_cast<std::size_t>(shape.qkvWidth());
        for (std::size_t r = 0; r < shape.rows(); ++r)
            std::fill_n(qkv.begin() + static_cast<std::ptrdiff_t>(r * width + 32), 16,
                        static_cast<float>(r % 6));
        Case<float> run(shape, qkv);
        for (const float x : run.forward())
            CHECK(x == Approx(2.5));
    }
}
