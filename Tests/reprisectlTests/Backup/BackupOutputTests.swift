import Testing

@testable import reprisectl

@Suite struct BackupOutputTests {
    @Test(arguments: [(0, nil), (1, nil), (20, nil), (21, "and 1 more")] as [(Int, String?)])
    func `at most 20 sentences are printed`(count: Int, notice: String?) {
        let sentences = (0..<count).map { "sentence \($0)" }
        let lines = Array(sentences.prefix(20)) + [notice].compactMap(\.self)
        #expect(sentences.abridgedLines == lines.joined(separator: "\n"))
    }
}
