// What record_parser.cpp reads of a record lies where older CUPTI libraries (from CUDA 12.9) put
// it, too: records have grown at their ends only.
#include <cupti.h>

#include <cstddef>

namespace {

template<class Older, class Newer>
constexpr bool kGrew = sizeof(Older) <= sizeof(Newer);

#define BS_SAME(Older, Newer, field) static_assert(offsetof(Older, field) == offsetof(Newer, field))

// Of everything that runs on a GPU.
#define BS_SAME_PLACE(Older, Newer)                                                                \
    static_assert(kGrew<Older, Newer>);                                                            \
    BS_SAME(Older, Newer, start);                                                                  \
    BS_SAME(Older, Newer, end);                                                                    \
    BS_SAME(Older, Newer, deviceId);                                                               \
    BS_SAME(Older, Newer, contextId);                                                              \
    BS_SAME(Older, Newer, streamId);                                                               \
    BS_SAME(Older, Newer, correlationId);                                                          \
    BS_SAME(Older, Newer, graphNodeId)

BS_SAME_PLACE(CUpti_ActivityKernel9, CUpti_ActivityKernel10);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, name);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, gridZ);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, blockZ);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, registersPerThread);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, staticSharedMemory);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, dynamicSharedMemory);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, localMemoryPerThread);
BS_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, gridId);

BS_SAME_PLACE(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6);
BS_SAME(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, bytes);
BS_SAME(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, copyKind);
BS_SAME(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, srcKind);
BS_SAME(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, dstKind);

BS_SAME_PLACE(CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4);
BS_SAME(CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4, bytes);
BS_SAME(CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
BS_SAME(CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4, dstDeviceId);

BS_SAME_PLACE(CUpti_ActivityMemset3, CUpti_ActivityMemset4);
BS_SAME(CUpti_ActivityMemset3, CUpti_ActivityMemset4, bytes);
BS_SAME(CUpti_ActivityMemset3, CUpti_ActivityMemset4, value);
BS_SAME(CUpti_ActivityMemset3, CUpti_ActivityMemset4, memoryKind);

BS_SAME(CUpti_ActivityMemory3, CUpti_ActivityMemory4, timestamp);
BS_SAME(CUpti_ActivityMemory3, CUpti_ActivityMemory4, address);
BS_SAME(CUpti_ActivityMemory3, CUpti_ActivityMemory4, bytes);
BS_SAME(CUpti_ActivityMemory3, CUpti_ActivityMemory4, memoryKind);
BS_SAME(CUpti_ActivityMemory3, CUpti_ActivityMemory4, memoryOperationType);

BS_SAME(CUpti_ActivityOverhead2, CUpti_ActivityOverhead3, start);
BS_SAME(CUpti_ActivityOverhead2, CUpti_ActivityOverhead3, overheadKind);

BS_SAME(CUpti_ActivityContext2, CUpti_ActivityContext3, contextId);
BS_SAME(CUpti_ActivityContext2, CUpti_ActivityContext3, deviceId);
BS_SAME(CUpti_ActivityContext2, CUpti_ActivityContext3, isGreenContext);
BS_SAME(CUpti_ActivityContext2, CUpti_ActivityContext3, parentContextId);
// Which an older library leaves at 0: within its record.
static_assert(offsetof(CUpti_ActivityContext3, numMultiprocessors)
                  + sizeof(CUpti_ActivityContext3::numMultiprocessors)
              <= sizeof(CUpti_ActivityContext2));

#undef BS_SAME_PLACE
#undef BS_SAME

} // namespace
