import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

// Changes that other programs make to the archive (see ``ExternalChange``).

extension Application {
    /// Checks whether another program has changed the archive, and handles the change (L4).
    ///
    /// - If another archive has replaced the application's archive, the application restores it without stopping. The
    ///   live state is first added to the history.
    /// - If the archive is unusable, it is quarantined as soon as no program is writing to it. The live state is then
    ///   written to a new archive.
    /// - If the archive or one of its parent directories has been removed and does not reappear, the application is
    ///   reset.
    ///
    /// Call this method after another program has changed the file or one of its parent directories.
    ///
    /// - Returns: Whether the archive could be checked.
    @discardableResult
    package func checkArchive() -> Bool {
        guard let hostedScenes = beginArchiveCheck() else { return false }
        let checkResult: ExternalCheckResult
        do throws(IOError) {
            checkResult = try saver.archive.check(readingContents: true)
        } catch {
            saver.recordFailure(.io(error))
            return false
        }
        let confirmedResult = externalChange.recordFinding(checkResult)
        switch confirmedResult {
        case .unreachable?, .unusable?, .replaced?, .removed?:
            log.notifyFollower([
                ApplicationEvent(.fileChanged, message: "another program changed \(archivePath)")
            ])
        case .unchanged?, nil: break
        }
        switch confirmedResult {
        case nil: wakeUps.externalChange.send()
        case .unchanged where saver.isRemoved: saver.markWritten()
        case .unchanged:
            let hasUnsavedState = saver.archive.hasPendingChanges || saver.failure != nil
            if hasUnsavedState, externalChange.claimRetry() { turnExecutor.retrySave() }
        case .unreachable(let reason):
            saver.suspendSaving(
                "\(archivePath) cannot be used: \(reason); nothing is saved until the archive "
                    + "is available again, and a restart would load the files that are at the path now instead "
                    + "of the live state; `findmnt -T '\(archivePath)'` shows what is mounted there: unmount it or "
                    + "rename the directory back, then run `reprisectl --app \(bundleIdentifier) preserve`"
            )
        case .unusable: quarantineChange()
        case .replaced(let replacement): adopt(replacement, hostedScenes)
        case .removed: resetAfterRemoval(hostedScenes)
        }
        turnExecutor.sendDeferredReplies()
        stateDidChange()
        return true
    }

    /// Recreates documents that another program removed while the application was running.
    ///
    /// Call this method after another program has changed the documents directory.
    package func checkDocuments() {
        guard hostedScenes != nil else { return }
        for (name, failure) in documents.restoreRemovedDocuments() {
            let path = documents.path(of: name)
            if let failure {
                log.logProblem(
                    .error, .documentMissing,
                    "another program removed the document \(path), which is now only in memory: \(failure) Then run "
                        + "`reprisectl --app \(bundleIdentifier) preserve`", reason: "\(failure)")
            } else {
                log.log(
                    .warning, .documentRestored,
                    "another program removed the document \(path), and it was written again; quit the application before "
                        + "removing its documents", path: path)
            }
        }
    }

    /// Starts the waiting period for an external change that was detected during a save.
    ///
    /// The program that made the change may still be writing. The change is handled after the waiting period.
    ///
    /// - Parameter evenAfterFailure: Whether to start the period even if a failure to save has already been reported.
    func debounceExternalChange(evenAfterFailure: Bool = false) {
        // If a failure to save has already been reported, replies are not deferred until the change is handled.
        let isFailureReported = saver.failure != nil
        guard saver.archive.isChangedExternally, externalChange.pendingChangeNumber == nil,
            evenAfterFailure || !isFailureReported,
            beginArchiveCheck() != nil
        else { return }
        externalChange.didDetectChange(isFailureReported: isFailureReported)
        wakeUps.externalChange.send()
    }

    /// Rechecks an external change after its waiting period.
    ///
    /// - Parameter changeNumber: The number of the change.
    func recheckExternalChange(_ changeNumber: Int) {
        if externalChange.debounceDidElapse(for: changeNumber), !checkArchive() {
            externalChange.end()
        }
        externalChange.limitReplyDelay()
        turnExecutor.sendDeferredReplies()
        stateDidChange()
    }

    /// Returns the scenes if a change by another program can be handled now. Otherwise, schedules a later check and
    /// returns `nil`.
    private func beginArchiveCheck() -> HostedScenes? {
        guard case .running(let hostedScenes) = phase, !areScenesLaunching, activity == .active
        else {
            externalChange.requireCheck()
            return nil
        }
        externalChange.didBeginCheck()
        return hostedScenes
    }

    /// Quarantines the file that another program wrote, and writes the live state to a new archive.
    private func quarantineChange() {
        saver.archive.quarantineOnNextWrite()
        turnExecutor.retrySave()
        turnExecutor.logArchiveEvents()
    }

    /// Resets the application because its saved state was removed (L4).
    ///
    /// The live state is added to the history, and all scenes are launched again without state. Nothing is written
    /// until a scene changes. If the live state cannot be added to the history, the scenes continue unsaved until a
    /// later attempt succeeds.
    private func resetAfterRemoval(_ hostedScenes: HostedScenes) {
        let removalDescription: String
        do throws(SaveError) {
            turnExecutor.save(hostedScenes, .demand)
            removalDescription = try saveRemovedStateToHistory()
        } catch {
            return saver.suspendSaving(
                "another program removed \(archivePath), and the application is not reset until "
                    + "its live state can be added to the history: \(error)")
        }
        let reason = "its saved state was removed"
        turnExecutor.sendUnsavedReplies(because: "\(reason), and the application was reset")
        log.logProblem(.warning, .stateRemoved, removalDescription, reason: reason)
        launchSequence.sceneLaunchGuard.record(
            LaunchEvent.ended, of: hostedScenes.table.launchedScenes.map(\.name))
        launchSequence.sceneLaunchGuard.recordStateRemoval()
        hostedScenes.table.closeAndRemoveAll(isOrderly: true)
        saver.archive.discardState()
        saver.markRemoved()
        // If the state directory was removed as well, nothing can be saved. Another check is therefore needed.
        externalChange.requireCheck()
        beginLaunch(removalDescription: removalDescription)
    }

    /// Adds the live state to the history after the archive has been removed, unless the history has been removed as
    /// well (L4).
    ///
    /// - Returns: A description of the removal for the log. If a generation was added, the description includes the
    ///   command that restores it.
    private func saveRemovedStateToHistory() throws(SaveError) -> String {
        let removalSentence = "its saved state was removed by another program"
        let isHistoryRemoved: Bool
        do throws(IOError) {
            isHistoryRemoved = try saver.archive.isHistoryRemoved()
        } catch {
            throw .io(error)
        }
        if isHistoryRemoved {
            return "\(removalSentence), together with its history: there is nothing to restore"
        }
        guard let generation = try saver.generations.saveToHistory(because: .archiveRemoved) else {
            return "\(removalSentence); it was empty"
        }
        return "\(removalSentence); the live state is in the history as \(generation.path), and "
            + "\(saver.archive.rollBackCommand(to: generation.path)) brings it back"
    }

    // MARK: Another archive

    /// Restores another program's archive, which has replaced the application's archive (L8).
    private func adopt(_ replacement: ReplacementArchive, _ hostedScenes: HostedScenes) {
        guard retryQuarantine() else {
            // The file stays in place and is checked again later.
            return suspendSaving(
                "because \(unquarantinedProblem ?? "quarantine cannot store it")")
        }
        performChange(
            StateChange(.file(replacement), generation: .replacement, definition: definition),
            of: hostedScenes
        ) { [self] result in
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
    }

    private func refuse(_ replacement: ReplacementArchive, _ failure: StateChangeFailure) {
        let reason = failure.sentence
        if failure.isSuperseded {
            externalChange.requireCheck()
            commandInbox.wake()
        } else if isInPlace(replacement), failure.cause == .notSaved {
            // The file stays in place and is checked again later.
            suspendSaving(reason)
        } else if isInPlace(replacement), saver.archive.isChangedExternally {
            // Nothing was loaded yet, so the file itself is quarantined.
            quarantineChange()
            log.recordProblem("another program replaced the archive: \(reason)")
        } else {
            externalChange.unquarantinedArchive = ExternalChange.UnquarantinedArchive(
                archive: replacement, reason: reason)
            retryQuarantine()
        }
    }

    private func suspendSaving(_ reason: String) {
        saver.suspendSaving(
            "another program replaced \(archivePath), and the new archive is not restored yet: "
                + reason)
    }

    /// Returns whether the other program's file is still at the archive's path.
    ///
    /// If the path cannot be checked, the file counts as missing, and its contents are quarantined from memory.
    private func isInPlace(_ replacement: ReplacementArchive) -> Bool {
        do throws(IOError) { return try saver.archive.isStillInPlace(replacement) } catch {
            return false
        }
    }

    /// Quarantines a rejected archive whose contents are only in memory.
    ///
    /// If the archive cannot be quarantined, the next turn whose reason is not `commands` retries.
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
            turnExecutor.pruneQuarantine()
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

    /// Reason why the rejected archive could not be quarantined, without a period, or `nil` if no attempt has failed.
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
        if !retryQuarantine(), let unquarantinedProblem {
            throw saver.unsavedStopError(unquarantinedProblem)
        }
        return isOwnArchive
    }

    private var mightHaveChangedExternally: Bool {
        saver.archive.isChangedExternally || externalChange.isCheckNeeded
    }

    /// Handles a change by another program that is still unresolved when the application stops.
    ///
    /// - Returns: Whether the application's own archive remains in place.
    private func resolveExternalChange() throws(UnsavedStop) -> Bool {
        let checkResult: ExternalCheckResult
        do throws(IOError) {
            checkResult = try saver.archive.check(readingContents: externalChange.isCheckNeeded)
        } catch {
            throw saver.unsavedStopError("\(error)")
        }
        externalChange.didBeginCheck()
        switch checkResult {
        case .unchanged:
            try closeArchive()
            return true
        case .removed:
            let removalDescription: String
            do throws(SaveError) {
                removalDescription = try saveRemovedStateToHistory()
            } catch {
                throw saver.unsavedStopError("\(error)")
            }
            abandonArchive("its saved state was removed")
            log.logProblem(
                .warning, .stateRemoved, removalDescription, reason: "its saved state was removed")
        case .unreachable(let reason): throw saver.unsavedStopError(reason)
        case .unusable:
            saver.archive.quarantineOnNextWrite()
            try closeArchive()
            return true
        case .replaced:
            do throws(SaveError) {
                try saver.generations.saveToHistory(because: .replacement)
            } catch {
                throw saver.unsavedStopError("\(error)")
            }
            abandonArchive(
                "another program replaced \(archivePath), which the next launch restores")
        }
        // The model data is independent of the archive.
        if let reason = saver.model.failure { throw saver.unsavedStopError(reason) }
        return false
    }

    /// Abandons the file at the archive's path, because it belongs to another program.
    ///
    /// If the file exists, the next launch loads it.
    private func abandonArchive(_ reason: String) {
        turnExecutor.sendUnsavedReplies(because: reason)
        saver.archive.discardState()
        saver.abandonFile()
    }

    private func closeArchive() throws(UnsavedStop) {
        try saver.close()
        if let reason = saver.unhandledChangeReason { throw saver.unsavedStopError(reason) }
        saver.saveChangesToHistory(because: .applicationStopped)
    }
}
