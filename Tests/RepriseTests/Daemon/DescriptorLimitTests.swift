import Testing

@testable import Reprise

@Suite struct DescriptorLimitTests {
    @Test func `connections are limited by the descriptors that are not reserved for files`() {
        #expect(DescriptorLimit.refusal(of: 7936, within: 8192) == nil)
        #expect(
            DescriptorLimit.refusal(of: 7937, within: 8192)
                == "write at most 7936, because the process can open only 8192 files (`ulimit -Hn`, in a "
                + "unit LimitNOFILE=), or raise that limit")
        // If there are few descriptors, half of them are for connections.
        #expect(DescriptorLimit.connections(within: 100) == 50)
    }
}
