extension Int {
    /// The whole number at or below a number, for drawing: 0 if it is none, and at most a thousand
    /// million away from 0.
    init(whole number: Double) {
        self = number.isNaN ? 0 : Int(number.rounded(.down).clamped(-1e9, 1e9))
    }
}

extension Comparable {
    /// The value, or the nearer of the two bounds if it is not between them. The lower one counts if
    /// they are the wrong way round.
    func clamped(_ lower: Self, _ upper: Self) -> Self { max(lower, min(self, upper)) }
}
