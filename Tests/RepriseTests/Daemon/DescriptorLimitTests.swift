import Glibc
import Testing

@testable import Reprise

@Suite struct DescriptorLimitTests {
    @Test func `connections are limited by the descriptors that are not reserved for files`() {
        #expect(DescriptorLimit.excessAdvice(of: 7936, within: 8192) == nil)
        #expect(
            DescriptorLimit.excessAdvice(of: 7937, within: 8192)
                == "write at most 7936, because the process can open only 8192 files (`ulimit -Hn`, in a "
                + "unit LimitNOFILE=), or raise that limit")
        // If there are few descriptors, half of them are for connections.
        #expect(DescriptorLimit.maximumConnections(within: 100) == 50)
    }

    private static var resource: __rlimit_resource_t { .init(RLIMIT_NOFILE.rawValue) }

    private static func setLimits(_ soft: rlim_t, _ hard: rlim_t) throws {
        var limit = rlimit(rlim_cur: soft, rlim_max: hard)
        try #require(setrlimit(resource, &limit) == 0)
    }

    private static func limits() -> [rlim_t] {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return [limit.rlim_cur, limit.rlim_max]
    }

    @Test func `the soft limit is raised to the hard limit`() async {
        await #expect(processExitsWith: .success) {
            try Self.setLimits(200, 400)
            DescriptorLimit.raise()
            #expect(Self.limits() == [400, 400])
            #expect(DescriptorLimit.maximumCount == 400)
        }
    }

    @Test func `the limit of a service is adopted, and lowers the soft limit only if necessary`()
        async
    {
        await #expect(processExitsWith: .success) {
            try Self.setLimits(200, 400)
            DescriptorLimit.adopt(300)
            #expect(Self.limits() == [200, 300])
            DescriptorLimit.adopt(150)
            #expect(Self.limits() == [150, 150])
        }
    }
}
