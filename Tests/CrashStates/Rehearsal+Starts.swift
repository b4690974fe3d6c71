import SavedState
import SimulatedDisk
import TestSupport

extension Rehearsal {
    /// Loads the archive, and checks that the load finds one of the possible versions.
    ///
    /// - Parameter possible: Possible versions, or `nil` if the file was damaged, so that any part of it may be found.
    mutating func start(
        from possible: ArraySlice<Promises.Version>?
    ) throws(Violation) -> Promises.Version {
        let bytes = Self.file(on: disk)
        let outcome = try load()
        let found = Finding(outcome, archive)
        var version: Promises.Version
        if let possible {
            version = try found.version(among: possible)
        } else {
            version = try found.salvage()
        }
        version.isClosed = found.isClosed
        version.origin = "loaded: \(version.origin)"
        model = version.model ?? SavedModel()
        torn = found.isTorn ? bytes : nil
        return version
    }

    /// Begins on a durable disk that contains this version.
    ///
    /// - Parameter bytes: Unusable file that must be retained, or `nil` if there is no such file.
    mutating func begin(
        with version: Promises.Version, keeping bytes: [UInt8]? = nil
    ) throws(Violation) {
        promises = Promises(version)
        if let bytes = bytes ?? torn {
            promises.keep(
                Promises.Keepsake(
                    bytes: bytes, since: 0,
                    reasonSince: damaged == nil ? 0 : disk.recordedSnapshot))
        }
        try goOn()
    }

    /// Continues after a start. In most cases, records that the application is running.
    mutating func goOn() throws(Violation) {
        noteDurability()
        if numbers.happens(percent: 90) { try markOpened() }
    }

    private mutating func load() throws(Violation) -> LoadOutcome {
        disk.begin("load")
        do throws(LoadError) {
            return try archive.load()
        } catch {
            guard mayFail else { throw Violation("The load failed: \(error)") }
        }
        noteStrike()
        disk.inject(nil)
        do throws(LoadError) {
            return try archive.load()
        } catch {
            throw Violation("The load failed again, without a fault: \(error)")
        }
    }
}
