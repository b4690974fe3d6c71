import LinuxIO
import Logging
import SavedState
import StateRestoration

// How scenes of an application that does not run get another saved state.

extension Application {
    /// Reads what is saved of an application that does not run, unless that is known: what another
    /// program left there counts, as it would for a launch. What could not be saved of the application
    /// becomes a generation before it gives way to another archive.
    ///
    /// - Throws: why it cannot be read, and so not be written over either.
    func loadUnlaunched() throws(SaveError) {
        if hosted != nil { return }
        guard archive.contents != nil else { return try load() }
        let isUnsaved = archive.hasPending
        let finding: ExternalFinding
        do throws(IOError) { finding = try archive.look(closely: true) } catch { throw .io(error) }
        switch finding {
        case .ours:
            return
        case .elsewhere(let reason) where isUnsaved:
            throw .changedExternally(path: archive.path, reason: reason)
        case .removed where isUnsaved, .unusable where isUnsaved:
            archive.quarantineOnNextWrite()
        case .replaced where isUnsaved:
            _ = try saver.keepGeneration(because: .replacement)
            saver.noteLeft()
            try load()
        case .elsewhere, .removed, .unusable, .replaced:
            try load()
        }
    }

    private func load() throws(SaveError) {
        // What was noticed is decided: pending is nothing but what is kept elsewhere by now.
        archive.forget()
        do {
            _ = try ArchiveLoader(archive: archive, log: log).load()
        } catch let error as LoadError {
            throw .refused(path: archive.path, because: error)
        } catch {
            throw .notLoaded(path: archive.path)
        }
    }

    /// Replaces the saved state of scenes of an application that does not run; one that could not be
    /// launched is launched from it.
    ///
    /// - Throws: why not; nothing has changed then.
    func replaceUnlaunched(
        _ replacement: StateReplacement
    ) async throws(ReplacementFailure) -> ReplacedState {
        do throws(SaveError) { try loadUnlaunched() } catch { throw ReplacementFailure(error) }
        let prepared = try archive.prepare(
            replacement.contents, of: replacement.scenes, names: NameTable(archive.names),
            numbering: RecordNumbering(after: archive.highestObjectNumber))
        let kept = try saver.keep(prepared, because: replacement.reason)
        let known = knownLaunches(of: prepared.scenes)
        mark(prepared, kept)
        do throws(ReplacementFailure) {
            try saver.put(prepared)
        } catch {
            reinstate(known)
            saver.giveUp(kept)
            throw error
        }
        var replaced = ReplacedState(
            scenes: prepared.transfer.scenes.map(\.text), generation: kept?.path,
            saved: saver.saved)
        if case .failed = phase {
            replaced.scenes = try await launch(replacement, prepared, known)
        } else {
            saver.closeArchive()
        }
        tellIncidents()
        noteDurability()
        replaced.saved = saver.saved
        return replaced
    }

    /// Launches an application again that could not be launched, from another state.
    ///
    /// - Returns: the names of the scenes that are launched and were to get another state.
    private func launch(
        _ replacement: StateReplacement, _ prepared: PreparedState, _ known: KnownLaunches
    ) async throws(ReplacementFailure) -> [String] {
        beginLaunch(isAsked: true)
        let number = launchCount
        if isLaunching { await waitForLaunch() }
        guard launchCount == number else {
            throw ReplacementFailure(
                cause: .notLaunched,
                reason: "the application was launched again before that was undone")
        }
        guard case .failed(let reason) = phase else {
            return (hosted?.scenes ?? []).map(\.name).filter(replacement.covers).map(\.text)
        }
        _ = saver.writeDurably(prepared.undo)
        reinstate(known)
        throw ReplacementFailure(cause: .notLaunched, reason: reason)
    }
}
