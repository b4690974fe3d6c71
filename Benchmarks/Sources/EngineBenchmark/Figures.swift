import Foundation

/// The times that were measured, by what was done.
struct Figures {
    /// The microseconds an object of all rounds.
    private var microseconds: [String: [Double]] = [:]

    /// Measures what is done in a round, and keeps what it made until the time is taken.
    ///
    /// - Parameter count: how many objects the time is divided among.
    mutating func measure<Made>(
        _ name: String, among count: Int = 1, _ work: () throws -> Made
    ) rethrows -> Made {
        let start = ContinuousClock.now
        let made = try work()
        let time = (ContinuousClock.now - start).components
        let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
        microseconds[name, default: []].append(seconds * 1e6 / Double(count))
        return made
    }

    /// Forgets what was measured to warm up.
    mutating func forgetAll() {
        microseconds = [:]
    }

    /// Prints a line: the median and the least time, and how the median stands to those of peers.
    func report(_ name: String, peers: [String] = []) {
        guard let sorted = microseconds[name]?.sorted() else { return }
        let median = sorted[sorted.count / 2]
        let ratios = peers.compactMap { peer in
            self.median(peer).map { String(format: "%.3f of %@", median / $0, peer) }
        }
        print(
            name.padding(toLength: 44, withPad: " ", startingAt: 0)
                + [median, sorted[0]].map { String(format: "%13.3f", $0) }.joined()
                + (ratios.isEmpty ? "" : "   " + ratios.joined(separator: ", ")))
    }

    private func median(_ name: String) -> Double? {
        microseconds[name].map { $0.sorted()[$0.count / 2] }
    }
}
