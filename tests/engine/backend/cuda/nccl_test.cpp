#include "engine/backend/cuda/nccl.h"
#include "tests/catch.h"
#include "tests/engine/backend/cuda/fake_nccl.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

using namespace engine::cuda;
using namespace tests;
using Catch::Matchers::Contains;

namespace {

constexpr std::chrono::milliseconds kSoon{30};
using Log = std::vector<std::string>;

NcclGpu::Membership member(const char* name, int rank = 0, int ranks = 1)
{
    NcclGpu::Membership membership;
    membership.id.fill(7);
    membership.name = name;
    membership.rank = rank;
    membership.ranks = ranks;
    return membership;
}

NcclCall call(NcclCall::Kind kind, std::size_t communicator = 0)
{
    NcclCall made;
    made.kind = kind;
    made.communicator = communicator;
    made.count = 4;
    made.peer = 1;
    return made;
}

template<class Call>
std::string failureOf(Call run)
{
    try {
        run();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("communicators are joined without blocking, and looked at until they are ready")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions);
    NcclGpu::Membership wish = member("activations down", 2, 4);
    wish.channels = 3;
    nccl.inProgress = 5;
    CHECK(gpu.join(wish) == 0);
    CHECK(nccl.log == Log{"init activations down 2/4"});
    CHECK_FALSE(nccl.wasBlocking);
    CHECK(nccl.channels == 3);
    CHECK(nccl.idByte == 7);
    CHECK_FALSE(gpu.isJoined(0));
    gpu.waitUntilJoined();
    CHECK(nccl.polls == 6);
    CHECK(gpu.join(member("gradients down")) == 1);
}

TEST_CASE("an id is made by the library, or the reason is told")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    CHECK(makeNcclId(functions)[127] == 7);
    nccl.idResult = ncclSystemError;
    CHECK_THAT(failureOf([&] { makeNcclId(functions); }), Contains("unhandled system error"));
}

TEST_CASE("a sum over one rank is what went in")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions);
    gpu.join(member("replicas of stage 2"));
    const std::vector<float> from{1, 2, 3, 4};
    std::vector<float> to(4);
    NcclCall sum = call(NcclCall::Kind::Sum);
    sum.from = from.data();
    sum.to = to.data();
    gpu.issue({&sum, 1});
    CHECK(to == from);
    CHECK(nccl.isSum);
    CHECK(nccl.type == ncclFloat32);
    sum.type = NcclType::Bfloat16;
    sum.from = sum.to;
    gpu.issue({&sum, 1});
    CHECK(nccl.type == ncclBfloat16);
}

TEST_CASE("what belongs together is one group, in the order given")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions);
    gpu.join(member("a", 0, 2));
    gpu.join(member("b", 0, 2));
    nccl.log.clear();
    const NcclCall together[] = {call(NcclCall::Kind::Send), call(NcclCall::Kind::Receive, 1),
                                 call(NcclCall::Kind::Send, 1)};
    nccl.polls = 0;
    gpu.issue(together);
    CHECK(nccl.log == Log{"start", "send a 4 to 1", "receive b 4 from 1", "send b 4 to 1", "end"});
    CHECK(nccl.polls == 2); // each communicator once
    nccl.log.clear();
    gpu.issue({});
    CHECK(nccl.log.empty());
}

TEST_CASE("a call that NCCL refuses ends its group, and says why")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions);
    gpu.join(member("gradients up", 0, 2));
    nccl.callResult = ncclInvalidArgument;
    nccl.last = "peer 1 out of range";
    const NcclCall together[] = {call(NcclCall::Kind::Send), call(NcclCall::Kind::Send)};
    CHECK(failureOf([&] { gpu.issue(together); })
          == "NCCL, gradients up: a call: unhandled system error (peer 1 out of range)");
    CHECK(nccl.depth == 0);
    CHECK(std::ranges::count(nccl.log, "send gradients up 4 to 1") == 1); // not the one behind it
    const NcclCall stranger = call(NcclCall::Kind::Send, 5);
    nccl.log.clear();
    CHECK_THROWS_AS(gpu.issue({&stranger, 1}), std::logic_error);
    CHECK(nccl.log.empty());
}

TEST_CASE("an error that NCCL finds later is found by looking, and what is left is to abort")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions);
    gpu.join(member("a"));
    gpu.join(member("b"));
    gpu.waitUntilJoined();
    gpu.poll();
    nccl.state = ncclRemoteError;
    CHECK_THAT(failureOf([&] { gpu.poll(); }), Contains("NCCL, a: working"));
    nccl.log.clear();
    gpu.abort();
    gpu.abort();
    CHECK(nccl.log == Log{"abort a", "abort b"});
    CHECK(failureOf([&] { gpu.poll(); }) == "NCCL was aborted");
    CHECK(failureOf([&] { gpu.join(member("c")); }) == "NCCL was aborted");
}

TEST_CASE("a rank that does not come is an error after a while, not a standstill")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions, kSoon);
    nccl.inProgress = -1;
    gpu.join(member("activations down", 0, 2));
    CHECK(failureOf([&] { gpu.waitUntilJoined(); })
          == "NCCL, activations down: joining: not done after 30 ms; another rank did not come");
}

TEST_CASE("one thread calls; any thread aborts, also while the other waits")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    NcclGpu gpu(functions);
    gpu.join(member("a", 0, 2));
    std::string other;
    std::thread([&] { other = failureOf([&] { gpu.poll(); }); }).join();
    CHECK_THAT(other, Contains("one thread a GPU"));
    nccl.inProgress = -1;
    std::thread canceller([&] { gpu.abort(); });
    CHECK(failureOf([&] { gpu.waitUntilJoined(); }) == "NCCL was aborted");
    canceller.join();
    CHECK(nccl.log.back() == "abort a");
}

TEST_CASE("leaving ends in order; going without it aborts")
{
    FakeNccl nccl;
    const NcclFunctions functions = nccl.functions();
    {
        NcclGpu gpu(functions);
        gpu.join(member("a"));
        gpu.join(member("b"));
        nccl.log.clear();
        gpu.leave();
        CHECK(nccl.log == Log{"finalize a", "finalize b", "destroy a", "destroy b"});
    }
    CHECK(nccl.log.size() == 4);
    {
        NcclGpu gpu(functions);
        gpu.join(member("c"));
    }
    CHECK(nccl.log.back() == "abort c");
}

TEST_CASE("the library of this machine has every function that is used, or the reason is told")
{
    std::string reason;
    const NcclFunctions* nccl = ncclFunctions(&reason);
    CHECK((nccl == nullptr) == !reason.empty());
    if (nccl == nullptr)
        WARN("SKIPPED: " << reason);
    else
        CHECK(nccl->errorString(ncclInvalidUsage) != nullptr);
}
