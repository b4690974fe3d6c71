/// A disk at one moment, from which the disks after a crash are made.
package struct DiskSnapshot: Sendable {
    private let contents: DiskContents

    init(_ contents: DiskContents) {
        self.contents = contents
    }

    /// Whether all power cuts leave the same.
    package var isDurable: Bool { contents.isDurable }

    /// Whether a file that has a name lost something in a sync that failed, although it can be read.
    package var hasLost: Bool { contents.hasLost() }

    /// A line for each file: its path, its length, and how much of it is certainly on the disk.
    package var listing: [String] { contents.listing() }

    /// The disk after the process ended: the page cache stays, and what was not durable is not.
    package func afterKill() -> SimulatedDisk {
        SimulatedDisk(contents)
    }

    /// The disk after one of the power cuts that can be, chosen by the seed; all of it is durable.
    package func afterPowerCut(seed: UInt64) -> SimulatedDisk {
        var cut = PowerCut(seed: seed)
        return SimulatedDisk(cut.leave(of: contents))
    }

    /// The disk after the power cut that takes whatever it can.
    package func withoutUnsynced() -> SimulatedDisk {
        var left = contents
        left.forgetUnsynced()
        return SimulatedDisk(left)
    }
}
