import Foundation

/// The times that were measured, by what was done.
struct Figures {
    /// The seconds of all rounds.
    private var seconds: [String: [Double]] = [:]

    /// Measures what is done in a round, and keeps what it made until the time is taken.
    mutating func measure<Made>(_ name: String, _ work: () throws -> Made) rethrows -> Made {
        let start = ContinuousClock.now
        let made = try work()
        let time = (ContinuousClock.now - start).components
        seconds[name, default: []].append(Double(time.seconds) + Double(time.attoseconds) / 1e18)
        return made
    }

    /// Forgets what was measured to warm up.
    mutating func forgetAll() {
        seconds = [:]
    }

    /// Prints a line: the median and the least time divided among some objects, and how the median
    /// stands to those of peers.
    func report(_ name: String, among count: Int, peers: [String] = []) {
        guard let sorted = seconds[name]?.sorted() else { return }
        let microseconds = [sorted[sorted.count / 2], sorted[0]].map { $0 * 1e6 / Double(count) }
        let ratios = peers.compactMap { peer in
            median(peer).map { String(format: "%.3f of %@", median(name)! / $0, peer) }
        }
        print(
            name.padding(toLength: 44, withPad: " ", startingAt: 0)
                + microseconds.map { String(format: "%9.3f", $0) }.joined()
                + (ratios.isEmpty ? "" : "   " + ratios.joined(separator: ", ")))
    }

    private func median(_ name: String) -> Double? {
        seconds[name].map { $0.sorted()[$0.count / 2] }
    }
}
