import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

// What other programs do to the archive: see ``ExternalChange``.

extension Application {
    /// Looks whether another program changed the archive, and takes over what it left.
    ///
    /// An archive that took the place of ours is restored live; what was saved and live is kept as
    /// a generation. One that cannot be used goes to quarantine as soon as nobody writes it any
    /// more, and the live state is saved again. If the archive or a folder above it was removed,
    /// and stays so, the application is reset (L4).
    ///
    /// Call it when a program has changed the file or a folder above it, and is done with it.
    ///
    /// - Returns: false if it cannot be looked at now.
    @discardableResult
    package func lookAtArchive() -> Bool {
        guard let hosted = scenesIfDecidable() else { return false }
        let finding: ExternalFinding
        do throws(IOError) {
            finding = try saver.archive.look(closely: true)
        } catch {
            saver.noteFailure(.io(error))
            return false
        }
        let found = external.found(finding)
        switch found {
        case .elsewhere?, .unusable?, .replaced?, .removed?:
            log.follow([
                ApplicationEvent(.fileChanged, message: "another program changed \(archivePath)")
            ])
        case .ours?, nil: break
        }
        switch found {
        case nil: signals.externalWait.send()
        case .ours where saver.isRemoved: saver.noteWritten()
        case .ours:
            let isUnsaved = saver.archive.hasPending || saver.failure != nil
            if isUnsaved, external.mayRetry() { saveAgain() }
        case .elsewhere(let reason):
            saver.suspend(
                "\(archivePath) cannot be used: \(reason); nothing is saved until this is "
                    + "undone: a restart would load what is at the path now, without "
                    + "this state; `findmnt -T '\(archivePath)'` shows what is mounted there: unmount it or rename the "
                    + "directory back, then run `reprisectl --app \(bundleIdentifier) preserve`")
        case .unusable: quarantineChange()
        case .replaced(let replacing): adopt(replacing, hosted)
        case .removed: resetRemoved(hosted)
        }
        answerWithheld()
        noteStepEnded()
        return true
    }

    /// Writes documents again that another program removed while the application runs.
    ///
    /// Call it when a program has changed the directory of the documents.
    package func checkDocuments() {
        guard hosted != nil else { return }
        for (name, failure) in documents.restoreRemoved() {
            let path = documents.path(of: name)
            if let failure {
                log.tellProblem(
                    .error, .documentMissing,
                    "another program removed the document \(path), which is now only in memory: \(failure) Then run "
                        + "`reprisectl --app \(bundleIdentifier) preserve`", reason: "\(failure)")
            } else {
                log.tell(
                    .warning, .documentRestored,
                    "another program removed the document \(path), and it was written again; quit the application before "
                        + "removing its documents", path: path)
            }
        }
    }

    /// A change was noticed before anybody told of it: who made it may not be done with it.
    ///
    /// - Parameter isAgain: whether one is decided again over which nothing could be done.
    func noticeExternalChange(isAgain: Bool = false) {
        // What keeps it from being saved is told already: no command waits for that again.
        let isKnown = saver.failure != nil
        guard saver.archive.isChangedExternally, external.waitNumber == nil, isAgain || !isKnown,
            scenesIfDecidable() != nil
        else { return }
        external.noticed(isKnown: isKnown)
        signals.externalWait.send()
    }

    /// The time is over that a change was given.
    ///
    /// - Parameter number: the number of the change.
    func endExternalWait(_ number: Int) {
        if external.waited(for: number), !lookAtArchive() { external.end() }
        external.limitWait()
        answerWithheld()
        noteStepEnded()
    }

    /// The scenes, if what another program did can be decided over now; else it is looked at later.
    private func scenesIfDecidable() -> HostedScenes? {
        guard case .running(let hosted) = phase, !areScenesLaunching, activity == .active else {
            external.requireLook()
            return nil
        }
        external.beginLook()
        return hosted
    }

    /// What another program left goes to quarantine, and the live state takes its place.
    private func quarantineChange() {
        saver.archive.quarantineOnNextWrite()
        saveAgain()
        tellIncidents()
    }

    /// The saved state was removed: all scenes are launched without any, and nothing is written
    /// before something changes (L4). What is live is kept before; if that cannot be done the scenes
    /// go on, unsaved, until it can be.
    private func resetRemoved(_ hosted: HostedScenes) {
        let story: String
        do throws(SaveError) {
            save(hosted, .demand)
            story = try keepRemoved()
        } catch {
            return saver.suspend(
                "another program removed \(archivePath), and the application is not reset until "
                    + "its live state can be added to the history: \(error)")
        }
        let reason = "its saved state was removed"
        answerUnsaved("\(reason), and the application was reset")
        log.tellProblem(.warning, .stateRemoved, story, reason: reason)
        launches.sceneGuard.note(LaunchEvent.ended, of: hosted.table.launched.map(\.name))
        launches.sceneGuard.noteForgotten()
        hosted.table.endAll(isOrderly: true)
        saver.archive.forget()
        saver.noteRemoved()
        // With the state directory gone nothing can be saved either.
        external.requireLook()
        beginLaunch(displaced: story)
    }

    /// Keeps what is live although its archive was removed, unless the history went as well (L4).
    ///
    /// - Returns: what there is to tell of that, and the command that undoes it.
    private func keepRemoved() throws(SaveError) -> String {
        let removed = "its saved state was removed by another program"
        let isGone: Bool
        do throws(IOError) {
            isGone = try saver.archive.isHistoryGone()
        } catch {
            throw .io(error)
        }
        if isGone { return "\(removed), together with its history: nothing is left" }
        guard let kept = try saver.generations.keep(because: .removal) else {
            return "\(removed); it was empty"
        }
        return "\(removed); the live state is in the history as \(kept.path), and "
            + "\(saver.archive.rollBackCommand(to: kept.path)) brings it back"
    }

    // MARK: Another archive

    /// Restores an archive that another program put in the place of ours (L8).
    private func adopt(_ replacing: ReplacingArchive, _ hosted: HostedScenes) {
        guard keepUnkept() else {
            // It stays where it is, and is looked at again.
            return suspendReplaced("because \(unkeptProblem ?? "quarantine cannot store it")")
        }
        begin(
            StateChange(.file(replacing), generation: .replacement, definition: definition),
            of: hosted
        ) { [self] result in
            switch result {
            case .success(let replaced):
                let kept = replaced.generation.map {
                    ", and the previous state is in the history as \($0): "
                        + "\(saver.archive.rollBackCommand(to: $0)) brings it back"
                }
                log.tell(
                    .notice, .replaced,
                    "another program replaced the archive: its state was restored\(kept ?? "")",
                    reason: "another program replaced the archive")
            case .failure(let failure): refuse(replacing, failure)
            }
        }
    }

    private func refuse(_ replacing: ReplacingArchive, _ failure: StateChangeFailure) {
        let reason = failure.sentence
        if failure.isSuperseded {
            external.requireLook()
            turns.wake()
        } else if isThere(replacing), failure.cause == .notSaved {
            // It stays where it is, and is looked at again.
            suspendReplaced(reason)
        } else if isThere(replacing), saver.archive.isChangedExternally {
            // Nothing was taken over yet: it goes to quarantine itself.
            quarantineChange()
            log.noteProblem("another program replaced the archive: \(reason)")
        } else {
            external.unkept = ExternalChange.Unkept(archive: replacing, reason: reason)
            keepUnkept()
        }
    }

    private func suspendReplaced(_ reason: String) {
        saver.suspend(
            "another program replaced \(archivePath), and the new archive is not restored yet: "
                + reason)
    }

    /// Whether another program's file still has the name; one of which nobody knows is kept from
    /// memory.
    private func isThere(_ replacing: ReplacingArchive) -> Bool {
        do throws(IOError) { return try saver.archive.isThere(replacing) } catch { return false }
    }

    /// Puts an archive into quarantine that could not be taken over and is in memory alone by now.
    ///
    /// - Returns: whether there is none any more; else it is tried again by the next turn that is
    ///   not for commands.
    @discardableResult
    func keepUnkept() -> Bool {
        guard let unkept = external.unkept else { return true }
        do throws(IOError) {
            let path = try saver.archive.quarantine(
                unkept.archive,
                reason: "Another program put it in the archive's place, and \(unkept.reason).")
            external.unkept = nil
            log.tellProblem(
                .error, .quarantined,
                "another program replaced the archive with one that cannot be used: "
                    + "\(unkept.reason); it is in quarantine as \(path), and the live state "
                    + "continues",
                reason: unkept.reason)
            pruneQuarantine()
            return true
        } catch {
            if unkept.failure == nil {
                log.tell(
                    .error, .archiveReplaced,
                    "the archive of another program, which replaced this one, is only in memory: "
                        + "\(error)", reason: unkept.reason)
            }
            external.unkept?.failure = error
            return false
        }
    }

    /// A clause that tells what is in memory alone; nil: nothing is.
    var unkeptProblem: String? {
        guard let unkept = external.unkept, let failure = unkept.failure else { return nil }
        return """
            the archive of another program (\(unkept.archive.bytes.count) bytes), which replaced \
            this one and cannot be used (\(unkept.reason)), is only in memory until it can be \
            written to quarantine: \(failure)
            """
    }

    // MARK: At the end

    /// Closes the archive, or leaves what another program made of it.
    ///
    /// - Returns: whether the archive that stays there holds what the application saved last.
    /// - Throws: ``UnsavedStop`` if something is nowhere.
    func leaveArchive() throws(UnsavedStop) -> Bool {
        var failure: UnsavedStop?
        if !isChangePossible {
            do throws(UnsavedStop) { try saver.close() } catch { failure = error }
        }
        var isOurs = true
        if isChangePossible {
            // What failed before that is decided says nothing.
            isOurs = try leaveExternalChange()
        } else if let failure {
            throw failure
        } else {
            saver.keepChanges(because: .stop)
        }
        if !keepUnkept(), let unkeptProblem { throw saver.unsaved(unkeptProblem) }
        return isOurs
    }

    private var isChangePossible: Bool {
        saver.archive.isChangedExternally || external.isLookNeeded
    }

    /// The application ends while a change by another program may have been noticed and is not
    /// decided.
    ///
    /// - Returns: whether the application's own archive stays there.
    private func leaveExternalChange() throws(UnsavedStop) -> Bool {
        let finding: ExternalFinding
        do throws(IOError) {
            finding = try saver.archive.look(closely: external.isLookNeeded)
        } catch {
            throw saver.unsaved("\(error)")
        }
        external.beginLook()
        switch finding {
        case .ours:
            try closeArchive()
            return true
        case .removed:
            let story: String
            do throws(SaveError) {
                story = try keepRemoved()
            } catch {
                throw saver.unsaved("\(error)")
            }
            leaveToOthers("its saved state was removed")
            log.tellProblem(.warning, .stateRemoved, story, reason: "its saved state was removed")
        case .elsewhere(let reason): throw saver.unsaved(reason)
        case .unusable:
            saver.archive.quarantineOnNextWrite()
            try closeArchive()
            return true
        case .replaced:
            do throws(SaveError) {
                try saver.generations.keep(because: .replacement)
            } catch {
                throw saver.unsaved("\(error)")
            }
            leaveToOthers("another program replaced \(archivePath), which the next launch restores")
        }
        // The model data has nothing to do with what became of the archive.
        if let reason = saver.model.failure { throw saver.unsaved(reason) }
        return false
    }

    /// What the archive's name stands for is another program's: the next launch loads that, or
    /// nothing.
    private func leaveToOthers(_ reason: String) {
        answerUnsaved(reason)
        saver.archive.forget()
        saver.noteLeft()
    }

    private func closeArchive() throws(UnsavedStop) {
        try saver.close()
        if let reason = saver.undecided { throw saver.unsaved(reason) }
        saver.keepChanges(because: .stop)
    }
}
