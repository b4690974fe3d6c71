import ExactText
import Testing

@testable import Replication

@Suite struct KeyspaceTests {
    @Test(
        arguments: [
            (0, 8, "00000000"), (0x1F, 8, "0000001f"), (0xFFFF_FFFF, 8, "ffffffff"),
            (0x1_0000_0000, 8, "100000000"), (.max, 16, "ffffffffffffffff"),
        ] as [(UInt64, Int, String)])
    func `a number in a key has at least the given number of digits`(
        number: UInt64, digits: Int, text: String
    ) {
        #expect(hexadecimal(number, digits) == text)
    }
}
