/// A promise that was broken, with all that is needed to see how.
struct Violation: Error, CustomStringConvertible {
    /// What is wrong, in one sentence.
    var what: String
    /// What led to it, and what there is; a line each.
    var account: [String] = []

    init(_ what: String) {
        self.what = what
    }

    var description: String { ([what] + account.map { "    \($0)" }).joined(separator: "\n") }

    /// The same with more lines.
    func adding(_ lines: [String]) -> Violation {
        var more = self
        more.account += lines
        return more
    }
}
