import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

// Changes that other programs make to the archive (see ``ExternalChangeHandler``).

extension TurnExecutor {
    private var archivePath: String { saver.archive.path }

    /// Checks whether another program has changed the archive, and handles changes that do not affect the scenes.
    ///
    /// - Returns: The finding, or `nil` if the archive could not be checked. The caller must handle the finding
    ///   `replaced` by restoring the archive (L8), and `removed` by resetting the application (L4).
    func checkArchive() -> ExternalCheckResult? {
        let checkResult: ExternalCheckResult
        do throws(IOError) {
            checkResult = try saver.archive.check(readingContents: true)
        } catch {
            saver.recordFailure(.io(error))
            return nil
        }
        guard let finding = externalChange.recordFinding(checkResult) else {
            wakeUps.externalChange.send()
            return .unchanged
        }
        if finding != .unchanged {
            log.notifyFollower([
                ApplicationEvent(.fileChanged, message: "another program changed \(archivePath)")
            ])
        }
        switch finding {
        case .unchanged where saver.isStateRemoved: saver.markWritten()
        case .unchanged:
            let hasUnsavedState = saver.archive.hasPendingChanges || saver.failureReason != nil
            if hasUnsavedState, externalChange.claimRetry() { retrySave() }
        case .unreachable(let reason):
            saver.suspendSaving(
                "\(archivePath) cannot be used: \(reason); nothing is saved until the archive "
                    + "is available again, and a restart would load the files that are at the path now instead "
                    + "of the live state; `findmnt -T '\(archivePath)'` shows what is mounted there: unmount it or "
                    + "rename the directory back, then run "
                    + saver.archive.instruction("preserve", orCall: "preserve()")
            )
        case .unusable: quarantineChangedArchive()
        case .replaced where !retryQuarantine():
            // The file stays in place and is checked again later.
            suspendSaving("because \(unquarantinedProblem ?? "quarantine cannot store it")")
            return .unchanged
        case .replaced, .removed: break
        }
        return finding
    }

    /// Quarantines the file that another program wrote, and writes the live state to a new archive.
    private func quarantineChangedArchive() {
        saver.archive.quarantineOnNextWrite()
        retrySave()
        logArchiveEvents()
    }

    // MARK: Removed archives

    /// Closes all scenes because their saved state was removed (L4). The scenes must then be launched without state.
    ///
    /// The live state is added to the history. Nothing is written until a scene changes. If the live state cannot be
    /// added to the history, the scenes continue unsaved until a later attempt succeeds.
    ///
    /// - Returns: A description of the removal, or `nil` if the scenes continue.
    func removeState(of hostedScenes: HostedScenes) -> String? {
        let removalDescription: String
        do throws(SaveError) {
            save(hostedScenes, .demand)
            removalDescription = try saveRemovedStateToHistory()
        } catch {
            saver.suspendSaving(
                "another program removed \(archivePath), and the application is not reset until "
                    + "its live state can be added to the history: \(error)")
            return nil
        }
        let reason = "its saved state was removed"
        sendUnsavedReplies(because: "\(reason), and the application was reset")
        log.logProblem(.warning, .stateRemoved, removalDescription, reason: reason)
        launchSequence.sceneLaunchGuard.recordStateRemoval()
        hostedScenes.table.closeAndRemoveAll(isOrderly: true)
        saver.archive.discardState()
        saver.markRemoved()
        // If the state directory was removed too, nothing can be saved. Another check is therefore needed.
        externalChange.requireCheck()
        return removalDescription
    }

    /// Adds the live state to the history after the archive has been removed, unless the history is gone as well (L4).
    ///
    /// - Returns: A description of the removal for the log. If a generation was added, the description includes the
    ///   command that restores it.
    private func saveRemovedStateToHistory() throws(SaveError) -> String {
        let removalSentence = "its saved state was removed by another program"
        if try SaveError.wrapping(try saver.archive.isHistoryRemoved()) {
            return "\(removalSentence), together with its history: there is nothing to restore"
        }
        guard let generation = try saver.generations.saveToHistory(because: .archiveRemoved) else {
            return "\(removalSentence); it was empty"
        }
        return "\(removalSentence); the live state is in the history as \(generation.path), and "
            + "\(saver.archive.rollBackCommand(to: generation.path)) brings it back"
    }

    // MARK: Another archive

    /// Logs that another program's archive was restored, or refuses the archive if it could not be restored.
    func didAdopt(
        _ replacement: ReplacementArchive, _ result: Result<StateChangeResult, StateChangeFailure>
    ) {
        switch result {
        case .success(let changeResult):
            let rollBackHint = changeResult.generation.map {
                ", and the previous state is in the history as \($0): "
                    + "\(saver.archive.rollBackCommand(to: $0)) brings it back"
            }
            log.log(
                .notice, .replaced,
                "another program replaced the archive: its state was restored\(rollBackHint ?? "")",
                reason: "another program replaced the archive")
        case .failure(let failure): refuse(replacement, failure)
        }
    }

    private func refuse(_ replacement: ReplacementArchive, _ failure: StateChangeFailure) {
        if failure.isSuperseded {
            externalChange.requireCheck()
            return commandInbox.wake()
        }
        let reason = failure.sentence
        var isInPlace = false
        do throws(IOError) {
            isInPlace = try saver.archive.isStillInPlace(replacement)
        } catch {
            // The file counts as missing, and the contents in memory are quarantined.
        }
        if isInPlace, failure.cause == .notSaved {
            // The file stays in place and is checked again later.
            suspendSaving(reason)
        } else if isInPlace, saver.archive.isChangedExternally {
            // The file has not been loaded yet, so the file itself is quarantined.
            quarantineChangedArchive()
            log.recordProblem("another program replaced the archive: \(reason)")
        } else {
            externalChange.unquarantinedArchive = ExternalChangeHandler.UnquarantinedArchive(
                archive: replacement, reason: reason)
            retryQuarantine()
        }
    }

    private func suspendSaving(_ reason: String) {
        saver.suspendSaving(
            "another program replaced \(archivePath), and the new archive is not restored yet: "
                + reason)
    }

    /// Quarantines a rejected archive whose contents are only in memory.
    ///
    /// If the archive cannot be quarantined, the attempt is repeated in the next turn whose reason is not `commands`.
    ///
    /// - Returns: `true` if no rejected archive is left to quarantine.
    @discardableResult
    func retryQuarantine() -> Bool {
        guard let unquarantinedArchive = externalChange.unquarantinedArchive else { return true }
        do throws(IOError) {
            let path = try saver.archive.quarantine(
                unquarantinedArchive.archive,
                reason:
                    "Another program replaced the archive with this file, and \(unquarantinedArchive.reason)."
            )
            externalChange.unquarantinedArchive = nil
            log.logProblem(
                .error, .quarantined,
                "another program replaced the archive with one that cannot be used: "
                    + "\(unquarantinedArchive.reason); it is in quarantine as \(path), and the live state "
                    + "continues",
                reason: unquarantinedArchive.reason)
            pruneQuarantine()
            return true
        } catch {
            if unquarantinedArchive.failure == nil {
                log.log(
                    .error, .archiveReplaced,
                    "the archive with which another program replaced this one is only in memory: "
                        + "\(error)", reason: unquarantinedArchive.reason)
            }
            externalChange.unquarantinedArchive?.failure = error
            return false
        }
    }

    /// Sentence without a period that states why the rejected archive could not be quarantined, or `nil` if no attempt
    /// has failed.
    var unquarantinedProblem: String? {
        guard let unquarantinedArchive = externalChange.unquarantinedArchive,
            let failure = unquarantinedArchive.failure
        else { return nil }
        return """
            another program replaced the archive with one that cannot be used (\(unquarantinedArchive.reason)); \
            its \(unquarantinedArchive.archive.bytes.count) bytes are only in memory until they can be written to \
            quarantine: \(failure)
            """
    }

    // MARK: Stopping

    /// Closes the archive, or leaves another program's file in place.
    ///
    /// - Returns: Whether the file at the archive's path contains the application's last saved state.
    /// - Throws: ``UnsavedStop`` if some state is not saved anywhere.
    func closeOrAbandonArchive() throws(UnsavedStop) -> Bool {
        var failure: UnsavedStop?
        if !mightHaveChangedExternally {
            do throws(UnsavedStop) { try saver.close() } catch { failure = error }
        }
        var isOwnArchive = true
        if mightHaveChangedExternally {
            // If another program changed the archive, an earlier failure to close the archive is irrelevant.
            isOwnArchive = try resolveExternalChange()
        } else if let failure {
            throw failure
        } else {
            saver.saveChangesToHistory(because: .applicationStopped)
        }
        try storeStateInMemory()
        return isOwnArchive
    }

    /// Stores a previous state and a rejected archive that are only in memory.
    ///
    /// - Throws: ``UnsavedStop`` if one of them remains only in memory.
    func storeStateInMemory() throws(UnsavedStop) {
        let generationProblem = saver.generations.storeOverdueGeneration()
        if !retryQuarantine(), let unquarantinedProblem {
            throw saver.unsavedStopError(unquarantinedProblem)
        }
        if let generationProblem { throw saver.unsavedStopError(generationProblem) }
    }

    private var mightHaveChangedExternally: Bool {
        saver.archive.isChangedExternally || externalChange.isCheckNeeded
    }

    /// Handles another program's change that is still unresolved when the application stops.
    ///
    /// - Returns: Whether the application's own archive remains in place.
    private func resolveExternalChange() throws(UnsavedStop) -> Bool {
        let finding: ExternalCheckResult
        do throws(SaveError) {
            finding = try SaveError.wrapping(
                try saver.archive.check(readingContents: externalChange.isCheckNeeded))
            externalChange.didBeginCheck()
            switch finding {
            case .removed:
                let reason = "its saved state was removed"
                let removalDescription = try saveRemovedStateToHistory()
                abandonArchive(reason)
                log.logProblem(.warning, .stateRemoved, removalDescription, reason: reason)
            case .replaced:
                try saver.generations.saveToHistory(because: .archiveReplaced)
                abandonArchive(
                    "another program replaced \(archivePath), which the next launch restores")
            case .unusable: saver.archive.quarantineOnNextWrite()
            case .unchanged, .unreachable: break
            }
        } catch {
            throw saver.unsavedStopError("\(error)")
        }
        switch finding {
        case .unreachable(let reason): throw saver.unsavedStopError(reason)
        case .unchanged, .unusable:
            try closeArchive()
            return true
        case .removed, .replaced:
            // The model data is independent of the archive.
            if let reason = saver.modelSaver.failureReason {
                throw saver.unsavedStopError(reason)
            }
            return false
        }
    }

    /// Abandons the file at the archive's path, because it belongs to another program.
    ///
    /// If the file exists, the next launch loads it.
    private func abandonArchive(_ reason: String) {
        sendUnsavedReplies(because: reason)
        saver.archive.discardState()
        saver.abandonFile()
    }

    private func closeArchive() throws(UnsavedStop) {
        try saver.close()
        if let reason = saver.unhandledChangeReason { throw saver.unsavedStopError(reason) }
        saver.saveChangesToHistory(because: .applicationStopped)
    }
}
