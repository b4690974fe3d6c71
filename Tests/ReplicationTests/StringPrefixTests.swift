import ExactText
import Replication
import Testing

@Suite struct StringPrefixTests {
    @Test(arguments: [
        (0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aé"), (6, "aé"), (7, "aé🎈"), (8, "aé🎈z"),
        (100, "aé🎈z"),
    ])
    func `a prefix with a maximum length contains no part of a scalar`(
        maximumBytes: Int, expected: String
    ) {
        #expect("aé🎈z".prefix(maximumBytes: maximumBytes) == expected)
    }
}
