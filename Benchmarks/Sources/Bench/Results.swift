import Foundation

/// A row of the table, with its title, its unit, and whether it shows the median or the 99th
/// percentile.
struct Measure: Hashable {
    let title: String
    let unit: Unit
    var isP99 = false

    init(_ title: String, _ unit: Unit) {
        self.title = title
        self.unit = unit
    }

    /// The same measure, reported as the 99th percentile instead of the median.
    var p99: Measure {
        var p99 = Measure(title + ", 99th percentile", unit)
        p99.isP99 = true
        return p99
    }

    enum Unit: String {
        case microseconds = "µs"
        case microsecondsPerObject = "µs per object"
        case milliseconds = "ms"
        case callsPerSecond = "calls per second"
        case bytes = "bytes"
        case megabytes = "MB"
        case perMinute = "per minute"
        case exponent = "scaling exponent"
        case factor
    }
}

/// The program to which a figure belongs.
enum Subject: Hashable {
    case ours
    case peer(String)
    /// A program that handles the same number of bytes but does no other work.
    case limit
}

/// The results of the benchmarks, in the order in which they were first added.
@LoopActor final class Results {
    private var measures: [Measure] = []
    private var samples: [Measure: [(subject: Subject, samples: Samples)]] = [:]

    func add(_ value: Double, to measure: Measure, of subject: Subject = .ours) {
        if samples[measure] == nil { measures.append(measure) }
        if let found = samples[measure]?.first(where: { $0.subject == subject }) {
            found.samples.add(value)
        } else {
            let first = Samples()
            first.add(value)
            samples[measure, default: []].append((subject, first))
        }
    }

    /// Measures the duration of a closure and adds it to the results.
    ///
    /// - Parameter count: Number of objects by which the duration is divided.
    func time(
        _ measure: Measure, of subject: Subject = .ours, among count: Int = 1,
        _ body: @LoopActor () async throws -> Void
    ) async rethrows {
        let start = ContinuousClock.now
        try await body()
        let time = ContinuousClock.now - start
        let value = measure.unit == .milliseconds ? time.milliseconds : time.microseconds
        add(value / Double(count), to: measure, of: subject)
    }

    /// Returns the figure that the table shows, or `nil` if nothing was measured.
    func figure(_ measure: Measure, of subject: Subject = .ours) -> Double? {
        let found = samples[measure]?.first { $0.subject == subject }?.samples
        return found.map { measure.isP99 ? $0.percentile(99) : $0.median }
    }

    // MARK: The table

    /// The table in Markdown.
    var table: String {
        let header = ["measure", "Reprise", "peer", "peer result", "ratio", "limit", "limit ratio"]
        let rows = measures.flatMap(rows)
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells.indices, cells).map { index, cell in
                let space = String(repeating: " ", count: widths[index] - cell.count)
                return Self.isText(index) ? cell + space : space + cell
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = widths.indices.map {
            String(repeating: "-", count: widths[$0] - 1) + (Self.isText($0) ? "-" : ":")
        }
        return ([line(header), line(rule)] + rows.map(line)).joined(separator: "\n")
    }

    private static func isText(_ column: Int) -> Bool { column == 0 || column == 2 }

    /// Returns one row per peer.
    ///
    /// The first row also shows the result of Reprise.
    private func rows(_ measure: Measure) -> [[String]] {
        let ours = figure(measure)
        let limit = figure(measure, of: .limit)
        var first = [
            measure.title + ", " + measure.unit.rawValue, ours.map(text) ?? "",
            limit.map(text) ?? "", ratio(limit, ours, measure),
        ]
        var rows: [[String]] = []
        for case .peer(let name) in (samples[measure] ?? []).map(\.subject) {
            let peer = figure(measure, of: .peer(name))
            rows.append(
                first[0..<2] + [name, peer.map(text) ?? "", ratio(ours, peer, measure)]
                    + first[2...])
            first = ["", "", "", ""]
        }
        return rows.isEmpty ? [first[0..<2] + ["", "", ""] + first[2...]] : rows
    }

    /// Returns the factor by which the first figure is better than the second.
    private func ratio(_ first: Double?, _ second: Double?, _ measure: Measure) -> String {
        guard let first, let second, first > 0, second > 0 else { return "" }
        return text(measure.unit == .callsPerSecond ? first / second : second / first)
    }

    /// Formats a value with three significant digits.
    private func text(_ value: Double) -> String {
        switch abs(value) {
        case 100...: Int(value.rounded()).grouped
        case 10..<100: String(format: "%.1f", value)
        case 1..<10: String(format: "%.2f", value)
        default: String(format: "%.3f", value)
        }
    }
}

/// Repeated measurements of the same value.
final class Samples {
    private var values: [Double] = []

    func add(_ value: Double) { values.append(value) }

    var median: Double { percentile(50) }

    /// Returns a percentile of the values.
    func percentile(_ percent: Int) -> Double {
        let sorted = values.sorted()
        return sorted[min(sorted.count * percent / 100, sorted.count - 1)]
    }
}

/// Returns the exponent `b` of the power function `a * x^b` that best fits the points.
func fittedExponent(_ points: [(x: Double, y: Double)]) -> Double {
    let logarithms = points.map { (x: log($0.x), y: log($0.y)) }
    let count = Double(points.count)
    let x = logarithms.reduce(0) { $0 + $1.x } / count
    let y = logarithms.reduce(0) { $0 + $1.y } / count
    let products = logarithms.reduce(0) { $0 + ($1.x - x) * ($1.y - y) }
    return products / logarithms.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
}

extension Int {
    /// The number as text, with a comma between groups of three digits.
    var grouped: String {
        self < 1000 ? "\(self)" : (self / 1000).grouped + String(format: ",%03ld", self % 1000)
    }
}

extension Duration {
    var microseconds: Double { self / .microseconds(1) }
    var milliseconds: Double { self / .milliseconds(1) }
}
