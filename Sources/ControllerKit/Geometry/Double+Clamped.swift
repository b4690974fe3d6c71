extension Double {
    /// The whole number at or below this one, within bounds; what is no number is the lower bound.
    func clamped(to bounds: ClosedRange<Int>) -> Int {
        guard self > Double(bounds.lowerBound) else { return bounds.lowerBound }
        guard self < Double(bounds.upperBound) else { return bounds.upperBound }
        return Int(rounded(.down))
    }
}
