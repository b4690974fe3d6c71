import LinuxIO
import Logging
import SavedState

// How an application leaves its archive when it ends.

extension Application {
    /// Closes the archive, or leaves what another program made of it.
    ///
    /// - Throws: ``UnsavedStop`` if something is nowhere.
    func leaveArchive() throws {
        var failure: (any Error)?
        if !isOtherArchivePossible {
            do { try saver.close() } catch { failure = error }
        }
        if isOtherArchivePossible {
            // What failed before that is decided says nothing.
            try leaveOutsideChange()
        } else if let failure {
            throw failure
        } else {
            saver.keepChanges(because: .stop)
        }
        guard keepRefused() else { throw UnsavedStop(reason: unkeptRefused) }
    }

    private var isOtherArchivePossible: Bool { archive.isChangedOutside || isLookNeeded }

    /// The application ends while a change by another program may have been noticed and is not decided.
    private func leaveOutsideChange() throws {
        let finding: OutsideFinding
        do throws(IOError) {
            finding = try archive.look(closely: isLookNeeded)
        } catch {
            throw UnsavedStop(reason: "\(error)")
        }
        isLookNeeded = false
        switch finding {
        case .ours: try closeArchive()
        case .removed:
            archive.forget()
            saver.noteLeft()
            log.tell(
                .warning, .stateRemoved, "its saved state was removed: the next launch has none",
                reason: "its saved state was removed")
        case .elsewhere(let reason): throw UnsavedStop(reason: reason)
        case .unusable:
            archive.putAside()
            try closeArchive()
        case .replaced:
            do throws(SaveError) {
                _ = try saver.keepGeneration(because: .replacement)
            } catch {
                throw UnsavedStop(reason: "\(error)")
            }
            saver.noteLeft()
        }
    }

    private func closeArchive() throws {
        try saver.close()
        if let reason = saver.undecided { throw UnsavedStop(reason: reason) }
        saver.keepChanges(because: .stop)
    }
}
