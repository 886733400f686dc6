// Compares functions.h with nccl.h. Compiled only where that header is installed.
#include "engine/backend/cuda/nccl/functions.h"
#include "tests/support/same_call.h"

#include <nccl.h>

#include <cstddef>
#include <type_traits>

namespace engine::cuda {
namespace {

template<class Ours, class Theirs>
constexpr bool kSameEnum = sizeof(Ours) == sizeof(Theirs) && std::is_enum_v<Theirs>;
static_assert(
    kSameEnum<
        nccl::Status,
        ncclResult_t> && kSameEnum<nccl::DataType, ncclDataType_t> && kSameEnum<nccl::Reduction, ncclRedOp_t>);

static_assert(static_cast<int>(nccl::Status::Success) == ncclSuccess
              && static_cast<int>(nccl::Status::UnhandledCudaError) == ncclUnhandledCudaError
              && static_cast<int>(nccl::Status::SystemError) == ncclSystemError
              && static_cast<int>(nccl::Status::InternalError) == ncclInternalError
              && static_cast<int>(nccl::Status::InvalidArgument) == ncclInvalidArgument
              && static_cast<int>(nccl::Status::InvalidUsage) == ncclInvalidUsage
              && static_cast<int>(nccl::Status::RemoteError) == ncclRemoteError
              && static_cast<int>(nccl::Status::InProgress) == ncclInProgress);
static_assert(static_cast<int>(nccl::DataType::Uint8) == ncclUint8
              && static_cast<int>(nccl::DataType::Int64) == ncclInt64
              && static_cast<int>(nccl::DataType::Float32) == ncclFloat32);
static_assert(static_cast<int>(nccl::Reduction::Sum) == ncclSum);

static_assert(sizeof(nccl::UniqueId) == sizeof(ncclUniqueId)
              && sizeof(nccl::UniqueId::internal) == NCCL_UNIQUE_ID_BYTES);

// Headers before NCCL 2.27 lack the last fields of Config, so these fields are compared separately.
// NCCL derives from `size` which fields exist.
using Config = nccl::Config;
static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size)
              && offsetof(Config, magic) == offsetof(ncclConfig_t, magic)
              && offsetof(Config, version) == offsetof(ncclConfig_t, version)
              && offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking)
              && offsetof(Config, cgaClusterSize) == offsetof(ncclConfig_t, cgaClusterSize)
              && offsetof(Config, minCTAs) == offsetof(ncclConfig_t, minCTAs)
              && offsetof(Config, maxCTAs) == offsetof(ncclConfig_t, maxCTAs)
              && offsetof(Config, netName) == offsetof(ncclConfig_t, netName)
              && offsetof(Config, splitShare) == offsetof(ncclConfig_t, splitShare));
static_assert(Config::kUndefined == NCCL_CONFIG_UNDEF_INT);
#if NCCL_VERSION_CODE >= 22700
static_assert(offsetof(Config, trafficClass) == offsetof(ncclConfig_t, trafficClass)
              && offsetof(Config, commName) == offsetof(ncclConfig_t, commName)
              && sizeof(Config) <= sizeof(ncclConfig_t));
#endif
constexpr ncclConfig_t kTheirs = NCCL_CONFIG_INITIALIZER;
static_assert(Config().magic == kTheirs.magic);
static_assert(NCCL_VERSION(2, 27, 0) == Config().version);

constexpr NcclFunctions kOurs;
static_assert(takesTheSame(kOurs.getUniqueId, &ncclGetUniqueId));
static_assert(takesTheSame(kOurs.initRank, &ncclCommInitRankConfig));
static_assert(takesTheSame(kOurs.asyncError, &ncclCommGetAsyncError));
static_assert(takesTheSame(kOurs.finalize, &ncclCommFinalize));
static_assert(takesTheSame(kOurs.destroy, &ncclCommDestroy));
static_assert(takesTheSame(kOurs.abort, &ncclCommAbort));
static_assert(takesTheSame(kOurs.groupStart, &ncclGroupStart));
static_assert(takesTheSame(kOurs.groupEnd, &ncclGroupEnd));
static_assert(takesTheSame(kOurs.send, &ncclSend));
static_assert(takesTheSame(kOurs.receive, &ncclRecv));
static_assert(takesTheSame(kOurs.allReduce, &ncclAllReduce));
static_assert(takesTheSame(kOurs.errorString, &ncclGetErrorString));
static_assert(takesTheSame(kOurs.lastError, &ncclGetLastError));

} // namespace
} // namespace engine::cuda
