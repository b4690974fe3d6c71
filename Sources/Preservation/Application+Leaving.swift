import LinuxIO
import Logging
import SavedState

// How an application leaves its archive when it ends.

extension Application {
    /// Closes the archive, or leaves what another program made of it.
    ///
    /// - Returns: whether the archive that stays there holds what the application saved last.
    /// - Throws: ``UnsavedStop`` if something is nowhere.
    func leaveArchive() throws -> Bool {
        var failure: (any Error)?
        if !isOtherArchivePossible {
            do { try saver.close() } catch { failure = error }
        }
        var isOurs = true
        if isOtherArchivePossible {
            // What failed before that is decided says nothing.
            isOurs = try leaveOutsideChange()
        } else if let failure {
            throw failure
        } else {
            saver.keepChanges(because: .stop)
        }
        guard keepRefused() else { throw UnsavedStop(reason: unkeptRefused) }
        return isOurs
    }

    private var isOtherArchivePossible: Bool { archive.isChangedExternally || isLookNeeded }

    /// The application ends while a change by another program may have been noticed and is not decided.
    ///
    /// - Returns: whether the application's own archive stays there.
    private func leaveOutsideChange() throws -> Bool {
        let finding: ExternalFinding
        do throws(IOError) {
            finding = try archive.look(closely: isLookNeeded)
        } catch {
            throw UnsavedStop(reason: "\(error)")
        }
        isLookNeeded = false
        switch finding {
        case .ours:
            try closeArchive()
            return true
        case .removed:
            let reason = "its saved state was removed"
            leaveToOthers(reason)
            log.tell(
                .warning, .stateRemoved, "\(reason): the next launch has none", reason: reason)
        case .elsewhere(let reason): throw UnsavedStop(reason: reason)
        case .unusable:
            archive.quarantineOnNextWrite()
            try closeArchive()
            return true
        case .replaced:
            do throws(SaveError) {
                _ = try saver.keepGeneration(because: .replacement)
            } catch {
                throw UnsavedStop(reason: "\(error)")
            }
            leaveToOthers(
                "another program replaced \(archive.path), which the next launch restores")
        }
        // The model data has nothing to do with what became of the archive.
        if let reason = saver.modelFailure { throw UnsavedStop(reason: reason) }
        return false
    }

    /// What the archive's name stands for is another program's: the next launch loads that, or nothing.
    private func leaveToOthers(_ reason: String) {
        answerUnsaved(reason)
        archive.forget()
        saver.noteLeft()
    }

    private func closeArchive() throws {
        try saver.close()
        if let reason = saver.undecided { throw UnsavedStop(reason: reason) }
        saver.keepChanges(because: .stop)
    }
}
