import RepriseControl

/// Metrics as text for a monitoring system.
struct MetricsText {
    /// A metric that is told: its name without a suffix, what it is, and for whom.
    struct Family {
        /// What sort of metric it is.
        enum Kind: String {
            case counter, gauge, histogram
        }

        let name: String
        let kind: Kind
        /// What it tells; nil: it is another's, who did not say.
        let help: String?
    }

    private(set) var text = ""
    private let format: MetricsFormat

    /// Creates a text without metrics.
    init(_ format: MetricsFormat) { self.format = format }

    /// Begins a family; its samples follow.
    mutating func begin(_ family: Family) {
        // In the older format a counter's type belongs to the name of its samples, and there are no units.
        let isOld = format == .prometheus
        let name = isOld && family.kind == .counter ? "\(family.name)_total" : family.name
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
        if !isOld, name.hasSuffix("_seconds") { text += "# UNIT \(name) seconds\n" }
        if let help = family.help { text += "# HELP \(name) \(Self.escaped(help))\n" }
    }

    /// A value of the family.
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

    /// A histogram of the family.
    mutating func add(
        _ name: String, _ labels: [(name: String, value: String)], _ histogram: Histogram.Reading
    ) {
        var count: Int64 = 0
        let bounds = Histogram.bounds.map { "\($0)" } + ["+Inf"]
        for (bound, more) in zip(bounds, histogram.counts) {
            count += more
            add("\(name)_bucket", labels + [("le", bound)], "\(count)")
        }
        add("\(name)_count", labels, "\(count)")
        add("\(name)_sum", labels, "\(histogram.sum)")
    }

    /// Ends the text; nothing follows.
    mutating func end() {
        if format == .openmetrics { text += "# EOF\n" }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
