import SimulatedDisk

extension CrashCheck {
    /// Checks that all bytes whose safety was promised before a snapshot are still stored.
    func checkKeepsakes(
        on disk: SimulatedDisk, _ finding: Finding, _ snapshot: Int
    ) throws(Violation) {
        for keepsake in episode.promises.keepsakes
        where keepsake.since <= snapshot && snapshot < keepsake.until {
            if keepsake.isForNothing, !finding.isNothing { continue }
            try check(keepsake, on: disk, snapshot)
        }
    }

    func check(
        _ keepsake: Promises.Keepsake, on disk: SimulatedDisk, _ snapshot: Int
    ) throws(Violation) {
        if let path = keepsake.path {
            guard disk.content(path) == keepsake.bytes else {
                throw Violation("The generation \(path) is not there, or not what it was")
            }
            guard let reason = keepsake.reason, disk.content("\(path).reason") != reason else {
                return
            }
            throw Violation("The reason of the generation \(path) is not there")
        }
        let names = ["quarantine", "history"].flatMap { folder in
            disk.names(in: "\(Rehearsal.folder)/\(folder)")
                .map { "\(Rehearsal.folder)/\(folder)/\($0)" }
        }
        let found = ([Rehearsal.file, "\(Rehearsal.file).salvaged"] + names).filter {
            disk.content($0) == keepsake.bytes
        }
        let isLogged = found.contains {
            !$0.contains("/quarantine/") || disk.content("\($0).reason")?.last == UInt8(ascii: "\n")
        }
        if isLogged || (!found.isEmpty && snapshot < keepsake.reasonSince) { return }
        if !found.isEmpty { throw Violation("\(found) is in quarantine without a reason") }
        throw Violation("\(keepsake.bytes.count) bytes that could not be used were not kept")
    }
}
