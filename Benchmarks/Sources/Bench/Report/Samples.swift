import Foundation

/// What was measured again and again of one thing.
final class Samples {
    private var values: [Double] = []

    func add(_ value: Double) { values.append(value) }

    var median: Double { percentile(50) }

    /// The value that so many of a hundred are not above.
    func percentile(_ percent: Int) -> Double {
        let sorted = values.sorted()
        return sorted[min(sorted.count * percent / 100, sorted.count - 1)]
    }
}

/// The exponent `b` of the curve `a * x^b` that fits best.
func fittedExponent(_ points: [(x: Double, y: Double)]) -> Double {
    let logarithms = points.map { (x: log($0.x), y: log($0.y)) }
    let count = Double(points.count)
    let x = logarithms.reduce(0) { $0 + $1.x } / count
    let y = logarithms.reduce(0) { $0 + $1.y } / count
    let products = logarithms.reduce(0) { $0 + ($1.x - x) * ($1.y - y) }
    return products / logarithms.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
}

extension Duration {
    var microseconds: Double { self / .microseconds(1) }
    var milliseconds: Double { self / .milliseconds(1) }
}
