import RepriseControl

/// Text representation of metrics for a monitoring system.
struct MetricsText {
    /// Metric family. Its name has no suffix such as `_total`.
    struct Family {
        /// Kind of metric.
        enum Kind: String {
            case counter, gauge, histogram
        }

        let name: String
        let kind: Kind
        /// Help text, or `nil` if the metric has none.
        let help: String?
    }

    private(set) var text = ""
    private let format: MetricsFormat

    /// Creates an empty text.
    init(_ format: MetricsFormat) { self.format = format }

    /// Begins the family to which the next samples belong.
    mutating func begin(_ family: Family) {
        // In the Prometheus text format, the TYPE line of a counter contains the name of its samples, and there are no
        // UNIT lines.
        let isPrometheus = format == .prometheus
        let name = isPrometheus && family.kind == .counter ? "\(family.name)_total" : family.name
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
        if !isPrometheus, name.hasSuffix("_seconds") { text += "# UNIT \(name) seconds\n" }
        if let help = family.help { text += "# HELP \(name) \(Self.escaped(help))\n" }
    }

    /// Adds a sample to the current family.
    mutating func add(
        _ name: String, _ labels: [(name: String, value: String)] = [], _ value: String
    ) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// Adds a histogram to the current family.
    mutating func add(
        _ name: String, _ labels: [(name: String, value: String)],
        _ histogram: Histogram.CurrentValue
    ) {
        var count: Int64 = 0
        let bounds = Histogram.bounds.map { "\($0)" } + ["+Inf"]
        for (bound, bucketCount) in zip(bounds, histogram.counts) {
            count += bucketCount
            add("\(name)_bucket", labels + [("le", bound)], "\(count)")
        }
        add("\(name)_count", labels, "\(count)")
        add("\(name)_sum", labels, "\(histogram.sum)")
    }

    /// Ends the text, after which nothing may be added.
    mutating func end() {
        if format == .openmetrics { text += "# EOF\n" }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
