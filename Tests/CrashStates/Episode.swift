import SimulatedDisk

/// What happened between two power cuts, and what was promised meanwhile.
struct Episode: Sendable {
    var record: DiskRecord
    var promises: Promises
    /// A damaged file that a load was about to quarantine, if there was one.
    var damaged: [UInt8]?
    /// Whether operations failed.
    var hasFaults: Bool

    /// The steps up to a snapshot, the last few of them.
    func story(upTo snapshot: Int, last count: Int = 40) -> [String] {
        record.steps.filter { $0.snapshot <= snapshot }.suffix(count).map(\.description)
    }
}
