import SavedState
import SimulatedDisk
import TestSupport

extension Rehearsal {
    /// Loads, and finds one of the versions that can be.
    ///
    /// - Parameter possible: `nil` if the file was damaged, so that any part of it may be found.
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

    /// The disk is durable as it is, and holds this.
    ///
    /// - Parameter bytes: a file that cannot be used, and has to be kept.
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

    /// The application runs, and mostly says so.
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
