import SimulatedDisk

extension CrashCheck {
    /// Checks that all bytes whose safety was promised before a snapshot are still stored.
    func checkRetainedContents(
        on disk: SimulatedDisk, _ result: LoadResult, _ snapshot: Int
    ) throws(Violation) {
        for retained in episode.promises.retainedContents
        where retained.since <= snapshot && snapshot < retained.until {
            if retained.appliesOnlyWithoutState, !result.hasNoState { continue }
            try check(retained, on: disk, snapshot)
        }
    }

    func check(
        _ retained: Promises.RetainedContents, on disk: SimulatedDisk, _ snapshot: Int
    ) throws(Violation) {
        if let path = retained.path {
            guard disk.content(path) == retained.bytes else {
                throw Violation("The generation \(path) is not there, or not what it was")
            }
            guard let reason = retained.reason, disk.content("\(path).reason") != reason else {
                return
            }
            throw Violation("The reason of the generation \(path) is not there")
        }
        let names = ["quarantine", "history"].flatMap { directory in
            disk.names(in: "\(ArchiveSimulation.directory)/\(directory)")
                .map { "\(ArchiveSimulation.directory)/\(directory)/\($0)" }
        }
        let found = ([ArchiveSimulation.file, "\(ArchiveSimulation.file).salvaged"] + names).filter
        {
            disk.content($0) == retained.bytes
        }
        let hasReason = found.contains {
            !$0.contains("/quarantine/") || disk.content("\($0).reason")?.last == UInt8(ascii: "\n")
        }
        if hasReason || (!found.isEmpty && snapshot < retained.reasonSince) { return }
        if !found.isEmpty { throw Violation("\(found) is in quarantine without a reason") }
        throw Violation("\(retained.bytes.count) bytes that could not be used were not kept")
    }
}
