import ExactText
import Glibc
import Logging
package import SavedState
import StateRestoration

// Applications that run on one host of a cluster at a time.

extension Application {
    /// Launches an application that this host now owns, from the replicated state or from newer local state.
    ///
    /// The previous owner may be another host or this host. If the cluster has continued without this host's
    /// latest state, that state is added to the history first.
    ///
    /// - Parameters:
    ///   - ownership: This host's right to run the application.
    ///   - replicated: State that the previous owner left, or `nil` if there was no owner.
    ///   - onOwnership: Called as soon as the application accepts commands; commands wait until the launch is
    ///     over.
    /// - Throws: The reason why the application cannot continue from either state. Both states are unchanged
    ///   in this case.
    package func begin(
        _ ownership: Ownership, with replicated: ReplicatedContents?,
        onOwnership: @Sendable () -> Void = {}
    ) async throws {
        await waitUntilServed()
        if hasEnded { throw ApplicationError.ending(application: bundleIdentifier) }
        guard ownership.isValid() else {
            throw ApplicationError.ownedElsewhere(application: bundleIdentifier)
        }
        if hosted != nil || self.ownership != nil {
            throw ApplicationError.alreadyRunning(application: bundleIdentifier)
        }
        let isDamaged = try loadUnlaunched()
        let archive = saver.archive
        let mark = try archive.replicaMark()
        let precedence =
            isDamaged && replicated != nil
            ? Precedence.replicated(passesLocalBy: true)
            : Precedence(
                turn: archive.sceneCount == 0 ? nil : archive.turn, mark: mark,
                replicated: replicated)
        if case .replicated(let passesLocalBy) = precedence, let replicated {
            let wasReplicated = mark?.replicated == archive.turn
            try adopt(
                replicated, passesLocalBy: passesLocalBy,
                isSetBack: passesLocalBy && wasReplicated && !isDamaged
                    && replicated.lineage != nil,
                keepsDocuments: passesLocalBy || !wasReplicated)
        }
        let lineage = precedence.lineage(
            of: ownership.writer, mark: mark, turn: archive.turn, replicated: replicated)
        try archive.writeReplicaMark(ReplicaMark(lineage: lineage))
        ownership.replica.begin(lineage)
        // Documents that the cluster does not have, or has in an outdated version.
        try replicateDocuments(to: ownership.replica) { name in
            precedence == .local || replicated?.documents[ExactString(name)] == nil
                || replicated?.outdatedDocuments.contains(ExactString(name)) == true
        }
        archive.replicate(to: ownership.replica)
        documents.mirror.replicate(to: ownership.replica)
        self.ownership = ownership
        turns.refusal = nil
        onOwnership()
        beginLaunch()
        await waitForLaunch()
        // If a client quit the application during the launch, the application is stopped here.
        if case .stopped = phase, self.ownership != nil { return }
        _ = try runningScenes()
        // State that the launch did not write must be replicated, too.
        if archive.lacksReplica { archive.replicateWhole() }
    }

    private func replicateDocuments(
        to replica: any StateReplica, where isIncluded: (String) -> Bool
    ) throws(DocumentError) {
        for name in try documents.names() where isIncluded(name) {
            guard let bytes = try readReplicable(name) else { continue }
            replica.replaceDocument(name, with: bytes)
        }
    }

    /// Returns a document, or `nil` if it is too large to be replicated.
    private func readReplicable(_ name: String) throws(DocumentError) -> [UInt8]? {
        do throws(DocumentError) {
            return try documents.read(name)
        } catch {
            guard case .io(let path, EFBIG, _) = error else { throw error }
            log.recordProblem(
                "the document \(path) is not replicated: it has more than the maximum of "
                    + "\(DocumentsFolder.usualLimit) bytes; store less in it"
            )
            return nil
        }
    }

    /// Beginning of a message about state that the replica had stored and no longer has.
    private static let setBack =
        "etcd lacks changes of this host that it had stored, for example because it was restored from a backup: "

    private func adopt(
        _ replicated: ReplicatedContents, passesLocalBy: Bool, isSetBack: Bool,
        keepsDocuments: Bool
    ) throws {
        if passesLocalBy,
            let kept = try saver.generations.saveToHistory(because: .passedBy(replicated.host))
        {
            log.log(
                .warning, .passedBy,
                "\(isSetBack ? Self.setBack : "")the state of the host \(replicated.host) replaces the "
                    + "state that this host last saved; the replaced state is in the history, and "
                    + "\(saver.archive.rollBackCommand(to: kept.path)) restores it",
                reason: replicated.host)
        }
        for (document, bytes) in replicated.documents {
            let name = document.text
            let old = try documents.read(name)
            if old == bytes { continue }
            if keepsDocuments, let old {
                try saver.archive.quarantineDocument(
                    old, name: name,
                    because: "The host \(replicated.host) has replaced this document since.")
                log.log(
                    .warning, .documentReplaced,
                    "the document \(name) of the host \(replicated.host) replaces the document that "
                        + "this host last saved; the replaced document is in quarantine",
                    reason: replicated.host)
            }
            try documents.replace(name, with: bytes)
        }
        try saver.archive.adopt(replicated.archive)
        saver.forgetUnsaved()
        log.log(
            .notice, .takenOver,
            "continues from the state replicated by the host \(replicated.host)",
            reason: replicated.host)
    }

    /// Stops the application because another host may run it from now on.
    ///
    /// Pending commands are rejected, and state that could not be replicated stays on this host.
    package func loseOwnership() {
        guard ownership != nil else { return }
        refuseElsewhere()
        let wasReplicated = saver.archive.isReplicated
        let (turn, count) = (saver.archive.turn, documents.mirror.count)
        do { try quitUntilLaunch() } catch {}  // The error was logged.
        if case .failed = phase { phase = .stopped }
        // Other hosts do not need the record that the application stopped.
        releaseOwnership(
            isReplicated: wasReplicated && saver.archive.holdsNoMore(than: turn)
                && documents.mirror.count == count)
    }

    /// Gives up the right to run the application after it has stopped and its saved state was passed to the
    /// replica.
    ///
    /// - Parameter isReplicated: Whether all relevant state is replicated, whatever the replica reports.
    package func releaseOwnership(isReplicated: Bool = false) {
        guard ownership != nil else { return }
        // A client may have launched the application again.
        if hosted != nil { do { try quitUntilLaunch() } catch {} }
        sendReplicated()
        let archive = saver.archive
        let isReplicated = isReplicated || archive.isReplicated
        self.ownership = nil
        documents.mirror.replicate(to: nil)
        archive.replicate(to: nil)
        turnExecutor.replyUnreplicated(
            because:
                "it is saved on this host, but was not replicated before another host could take over: "
                + "if one has continued since, it becomes a generation here")
        stateDidChange()
        guard isReplicated else { return }
        do {
            guard var mark = try archive.replicaMark() else { return }
            mark.replicated = archive.turn
            try archive.writeReplicaMark(mark)
        } catch {
            log.recordProblem("\(error)")  // Then it is kept once more as a generation.
        }
    }

    /// Passes the whole saved state to the replica, because the replica does not have all records.
    ///
    /// - Parameter includesDocuments: Whether all documents of the model data are passed, too.
    package func replicateWhole(includesDocuments: Bool = false) {
        guard let ownership else { return }
        if includesDocuments {
            do throws(DocumentError) {
                try replicateDocuments(to: ownership.replica) { _ in true }
            } catch {
                log.recordProblem("\(error)")
            }
        }
        saver.archive.replicateWhole()
    }

    /// Whether this host may no longer run the application.
    var isOwnershipLost: Bool { settings.isShared && ownership?.isValid() != true }

    /// Rejects all pending commands, because another host may have become the owner.
    func refuseElsewhere() {
        let error = ApplicationError.ownedElsewhere(application: bundleIdentifier)
        turns.refusal = error
        turnExecutor.refuseCommands(error)
    }

    // MARK: Replies

    /// Notifies the application that the replica has advanced or failed.
    package func replicaDidProgress() { stateDidChange() }

    /// Sends the replies to commands whose changes are replicated, and limits the time for which others wait.
    func sendReplicated() {
        turnExecutor.sendReplicated()
        if turnExecutor.newestReplicaTurn == nil { intervals?.cancel(.replication) }
    }

    /// Sends the replies that have waited for replication until the timeout.
    ///
    /// - Parameter turn: Number of the newest record for which a reply waited when the timeout began.
    func replyUnreplicated(upTo turn: UInt64) {
        let failure = ownership?.replica.progress.failure ?? "etcd does not answer"
        turnExecutor.replyUnreplicated(
            upTo: turn,
            because: "it is written on this host, but was not replicated within "
                + "\(settings.replicationTimeout): \(failure)")
    }
}
