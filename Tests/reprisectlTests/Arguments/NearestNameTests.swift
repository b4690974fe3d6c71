import TestSupport
import Testing

@testable import reprisectl

/// Suggestions for a name that does not exist.
@Suite struct NearestNameTests {
    private static let names: [(given: String, names: [String], expected: String?)] = [
        ("abc", ["abd"], "abd"), ("abc", ["xyc"], nil), ("ab", ["ac"], "ac"), ("a", ["b"], nil),
        ("abcdef", ["abcdxy"], "abcdxy"), ("abcdef", ["abcxyz"], nil),
        ("abcdefghi", ["abcdefxyz"], "abcdefxyz"), ("abcdefghijkl", ["abcdefghwxyz"], nil),
        ("abcd", ["abcx", "abcy"], "abcx"), ("abcdef", ["abcdxy", "abcdex"], "abcdex"),
        ("abcdef", ["abcdex", "abcdxy"], "abcdex"), ("main", ["main"], nil),
        ("MAIN", ["main"], "main"), ("mian", ["other", "main"], "main"), ("main", [], nil),
    ]

    @Test(arguments: names)
    func `the closest name is suggested if it is similar enough`(
        given: String, names: [String], expected: String?
    ) {
        #expect(NearestName(to: given, among: names)?.name == expected)
    }

    @Test func `the part after the last separator is also compared`() {
        let names = ["org.beta.first", "org.example.beta"]
        #expect(NearestName(to: "Beta", among: names, after: ".")?.name == names[1])
        #expect(NearestName(to: "org.beta.frist", among: names, after: ".")?.name == names[0])
        #expect(NearestName(to: "Beta", among: names) == nil)
    }

    @Test(arguments: [(1024, true), (1025, false)])
    func `a name that is too long gets no suggestion`(length: Int, isSuggested: Bool) {
        let name = String(repeating: "a", count: length)
        #expect((NearestName(to: name, among: ["\(name.dropLast())b"]) != nil) == isSuggested)
    }

    @Test func `only a limited number of names is compared`() {
        let others = Array(repeating: "x", count: NearestName.maximumCandidates - 1)
        #expect(NearestName(to: "main", among: others + ["mian"]) != nil)
        #expect(NearestName(to: "main", among: others + ["x", "mian"]) == nil)
    }

    /// Returns the distance, computed with the complete table.
    private func distance(_ a: [Character], _ b: [Character]) -> Int {
        var table = Array(repeating: Array(0...b.count), count: a.count + 1)
        for i in 0..<a.count {
            table[i + 1][0] = i + 1
            for j in 0..<b.count {
                let change = table[i][j] + (a[i] == b[j] ? 0 : 1)
                table[i + 1][j + 1] = min(change, table[i][j + 1] + 1, table[i + 1][j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    table[i + 1][j + 1] = min(table[i + 1][j + 1], table[i - 1][j - 1] + 1)
                }
            }
        }
        return table[a.count][b.count]
    }

    @Test func `the distance is the number of edits, unless it exceeds the maximum`() {
        #expect(NearestName.distance(Array("ab"), Array("bc"), maximum: 3) == 2)
        #expect(NearestName.distance(Array("ab"), Array("ca"), maximum: 3) == 2)
        var random = SeededNumbers(seed: 5)
        func word() -> [Character] {
            (0..<Int.random(in: 0...7, using: &random)).map { _ in
                "abc".randomElement(using: &random) ?? "a"
            }
        }
        for _ in 0..<2000 {
            let (a, b) = (word(), word())
            let expected = distance(a, b)
            for maximum in 0...5 {
                let found = NearestName.distance(a, b, maximum: maximum)
                #expect(found == (expected <= maximum ? expected : nil), "\(a) \(b) \(maximum)")
            }
        }
    }
}
