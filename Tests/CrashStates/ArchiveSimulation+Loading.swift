import SavedState
import SimulatedDisk
import TestSupport

extension ArchiveSimulation {
    /// Loads the archive, and checks that the load finds one of the possible versions.
    ///
    /// - Parameter possible: Possible versions, or `nil` if the file was damaged, so that any part of it may be found.
    mutating func start(
        from possible: ArraySlice<Promises.Version>?
    ) throws(Violation) -> Promises.Version {
        let bytes = Self.file(on: disk)
        let outcome = try load()
        let result = LoadResult(outcome, archive)
        var version: Promises.Version
        if let possible {
            version = try result.version(among: possible)
        } else {
            version = try result.salvage()
        }
        version.isClosed = result.isClosed
        version.origin = "loaded: \(version.origin)"
        model = version.model ?? SavedModel()
        tornFile = result.isTorn ? bytes : nil
        return version
    }

    /// Begins on a durable disk that contains this version.
    ///
    /// - Parameter bytes: Unusable file that must be retained, or `nil` if there is no such file.
    mutating func begin(
        with version: Promises.Version, keeping bytes: [UInt8]? = nil
    ) throws(Violation) {
        promises = Promises(version)
        if let bytes = bytes ?? tornFile {
            promises.promiseRetained(
                Promises.RetainedContents(
                    bytes: bytes, since: 0,
                    reasonSince: damagedFile == nil ? 0 : disk.snapshotIndex))
        }
        try finishStart()
    }

    /// Continues after a start. In most cases, records that the application is running.
    mutating func finishStart() throws(Violation) {
        recordDurability()
        if numbers.happens(percent: 90) { try markOpened() }
    }

    private mutating func load() throws(Violation) -> LoadOutcome {
        disk.begin("load")
        do throws(LoadError) {
            return try archive.load()
        } catch {
            guard mayFail else { throw Violation("The load failed: \(error)") }
        }
        recordFaultOccurrence()
        disk.inject(nil)
        do throws(LoadError) {
            return try archive.load()
        } catch {
            throw Violation("The load failed again, without a fault: \(error)")
        }
    }
}
