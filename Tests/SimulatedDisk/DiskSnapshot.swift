/// State of a disk at one moment, from which the states after a crash are derived.
package struct DiskSnapshot: Sendable {
    private let contents: DiskContents

    init(_ contents: DiskContents) {
        self.contents = contents
    }

    /// Whether every power cut leaves the same state.
    package var isDurable: Bool { contents.isDurable }

    /// Whether a named file has lost data in a failed sync, although the data can still be read.
    package var hasLostData: Bool { contents.hasLostData() }

    /// Lines with the path, the length and the number of durable bytes of each file.
    package var listing: [String] { contents.listing() }

    /// Returns the disk after the process has ended. The page cache remains, and data that was not durable is still not
    /// durable.
    package func afterKill() -> SimulatedDisk {
        SimulatedDisk(contents)
    }

    /// Returns the disk after one of the possible power cuts, chosen by a seed. All its data is durable.
    package func afterPowerCut(seed: UInt64) -> SimulatedDisk {
        var powerCut = PowerCut(seed: seed)
        return SimulatedDisk(powerCut.remainingContents(of: contents))
    }

    /// Returns the disk after a power cut that loses all data that it can lose.
    package func withoutUnsynced() -> SimulatedDisk {
        var remaining = contents
        remaining.discardUnsynced()
        return SimulatedDisk(remaining)
    }
}
