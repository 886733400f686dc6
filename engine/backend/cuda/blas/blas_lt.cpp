#include "engine/backend/cuda/blas/blas_lt.h"

#include "engine/backend/cuda/blas/blas_plan.h"

#include <map>

namespace engine::cuda {
namespace {

class BlasLt final : public Products
{
public:
    explicit BlasLt(const BlasOptions& options)
        : m_options(options)
    {
        checkBlas(blasFunctions().create(&m_handle), "cublasLtCreate");
    }
    ~BlasLt() override
    {
        m_plans.clear();
        blasFunctions().destroy(m_handle);
    }

    bool multiply(const OpStream& opStream, const Product& op) override
    {
        if (op.c.rows == 0 || op.c.columns == 0 || op.count == 0)
            // The product is empty, so there is nothing to queue. A bias gradient still needs
            // separate kernels; the caller queues them if the result is false.
            return op.epilogue != Epilogue::BiasGradient;
        const BlasPlan::Key key = BlasPlan::keyOf(op);
        auto found = m_plans.find(key);
        if (found == m_plans.end())
            found = m_plans.try_emplace(key, m_handle, op, m_options).first;
        return found->second.run(m_handle, opStream, op);
    }

private:
    BlasOptions m_options;
    cublasLtHandle_t m_handle = nullptr;
    std::map<BlasPlan::Key, BlasPlan> m_plans;
};

} // namespace

std::unique_ptr<Products> makeBlasLt(const BlasOptions& options)
{
    return std::make_unique<BlasLt>(options);
}

} // namespace engine::cuda
