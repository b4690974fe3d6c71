import ExactText
import Glibc
import Logging
package import SavedState
import StateRestoration

// An application that runs on one of several hosts at a time.

extension Application {
    /// Launches the application in the place of another host, or again in its own: from what is replicated,
    /// or from what this host saved if that is newer. What this host saved and the others have gone past is
    /// kept as a generation before.
    ///
    /// - Parameters:
    ///   - tenancy: by what it runs here.
    ///   - replicated: what the owner before left; nil: there was none.
    ///   - onTenancy: is called when commands may come: those that come before the launch is over wait for it.
    /// - Throws: why it cannot go on from either. What is saved here and there counts as it did before.
    package func begin(
        _ tenancy: Tenancy, with replicated: ReplicatedContents?,
        onTenancy: @Sendable () -> Void = {}
    ) async throws {
        await waitUntilServed()
        if activity == .ended { throw ApplicationError.ending(application: bundleIdentifier) }
        guard tenancy.isValid() else {
            throw ApplicationError.ownedElsewhere(application: bundleIdentifier)
        }
        if hosted != nil || self.tenancy != nil {
            throw ApplicationError.alreadyRunning(application: bundleIdentifier)
        }
        let isDamaged = try loadUnlaunched()
        let archive = saver.archive
        let mark = try archive.replicaMark()
        let precedence =
            isDamaged && replicated != nil
            ? Precedence.replicated(passesLocalBy: true)
            : Precedence(
                turn: archive.sceneCount == 0 ? nil : archive.turn, mark: mark, in: tenancy,
                replicated: replicated)
        if case .replicated(let passesLocalBy) = precedence, let replicated {
            try adopt(
                replicated, passesLocalBy: passesLocalBy,
                keepsDocuments: mark?.replicated != archive.turn)
        }
        try archive.note(ReplicaMark(cluster: tenancy.cluster, term: tenancy.term))
        // What the cluster does not have yet, or not as it is to have it.
        for name in try documents.names()
        where precedence == .local || replicated?.documents[ExactString(name)] == nil
            || replicated?.outdatedDocuments.contains(ExactString(name)) == true
        {
            guard let bytes = try readReplicable(name) else { continue }
            tenancy.replica.replaceDocument(name, with: bytes)
        }
        archive.replicate(to: tenancy.replica)
        documents.mirror.replicate(to: tenancy.replica)
        self.tenancy = tenancy
        turns.refusal = nil
        onTenancy()
        beginLaunch()
        await waitForLaunch()
        // Who had it quit meanwhile finds it stopped here.
        if case .stopped = phase, self.tenancy != nil { return }
        _ = try runningScenes()
        // What the launch wrote nothing of is to be there, too.
        if archive.lacksReplica { archive.replicateWhole() }
    }

    /// A document; nil: there is none that another host could read.
    private func readReplicable(_ name: String) throws(DocumentError) -> [UInt8]? {
        do throws(DocumentError) {
            return try documents.read(name)
        } catch {
            guard case .io(let path, EFBIG, _) = error else { throw error }
            log.noteProblem(
                "the document \(path) is not replicated: it has more than the maximum of "
                    + "\(DocumentsFolder.usualLimit) bytes; store less in it"
            )
            return nil
        }
    }

    private func adopt(
        _ replicated: ReplicatedContents, passesLocalBy: Bool, keepsDocuments: Bool
    ) throws {
        if passesLocalBy, let kept = try saver.generations.keep(because: .passedBy(replicated.host))
        {
            log.tell(
                .warning, .passedBy,
                "the host \(replicated.host) has continued without the last state that this host "
                    + "saved: that state is in the history, and "
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
            }
            try documents.replace(name, with: bytes)
        }
        try saver.archive.adopt(replicated.archive)
        saver.forgetUnsaved()
        log.tell(
            .notice, .takenOver,
            "continues from the state replicated by the host \(replicated.host)",
            reason: replicated.host)
    }

    /// The application may run elsewhere from now on: commands that wait are refused, it ends, and what it
    /// could not replicate stays here.
    package func loseTenancy() {
        guard tenancy != nil else { return }
        refuseElsewhere()
        let wasReplicated = saver.archive.isReplicated
        let (turn, count) = (saver.archive.turn, documents.mirror.count)
        do { try quit() } catch {}  // It was told.
        if case .failed = phase { phase = .stopped }
        // That it ended is nothing that another host would have to know.
        leaveTenancy(
            isReplicated: wasReplicated && saver.archive.holdsNoMore(than: turn)
                && documents.mirror.count == count)
    }

    /// The application has ended here, and everything that it saved was handed on.
    ///
    /// - Parameter isReplicated: whether all that counts is replicated, whatever the replica says.
    package func leaveTenancy(isReplicated: Bool = false) {
        guard let tenancy else { return }
        // Somebody may have launched it anew.
        if hosted != nil { do { try quit() } catch {} }
        noteReplicated()
        let archive = saver.archive
        let isReplicated = isReplicated || archive.isReplicated
        self.tenancy = nil
        documents.mirror.replicate(to: nil)
        archive.replicate(to: nil)
        answerUnreplicated()
        noteStepEnded()
        guard isReplicated else { return }
        let mark = ReplicaMark(
            cluster: tenancy.cluster, term: tenancy.term, replicated: archive.turn)
        do throws(SaveError) {
            try archive.note(mark)
        } catch {
            log.noteProblem("\(error)")  // Then it is kept once more as a generation.
        }
    }

    /// Hands everything on that is saved, because the replica is too far behind.
    package func replicateWhole() {
        if tenancy != nil { saver.archive.replicateWhole() }
    }

    /// Whether the application may not be served by this host now, although it did a moment ago.
    var isTenancyOver: Bool { settings.isShared && tenancy?.isValid() != true }

    /// Refuses all commands that wait: another host may have taken the application over.
    func refuseElsewhere() {
        turns.refusal = .ownedElsewhere(application: bundleIdentifier)
        for command in turns.withQueue({ $0.takeAll() }) {
            command.refuse(ApplicationError.ownedElsewhere(application: bundleIdentifier))
        }
    }

    // MARK: Answers

    /// The replica has come further, or fails.
    package nonisolated func replicaDidProgress() { signals.replicated.send() }

    func serveReplica() async {
        for await _ in signals.replicated.events { noteReplicated() }
    }

    /// Answers whose changes are replicated.
    private func noteReplicated() {
        guard let progress = tenancy?.replica.progress else { return }
        for answer in answers.take(replicatedUpTo: progress.replicated) { answer(.replicated) }
        endReplicaLimit()
        noteStepEnded()
    }

    /// Answers what waits for the replica, and does so in vain.
    private func answerUnreplicated() {
        let reason =
            "it is saved on this host, but was not replicated before another host could take over: "
            + "if one has continued since, it becomes a generation here"
        for answer in answers.take(replicatedUpTo: .max) { answer(.notSaved(reason: reason)) }
        endReplicaLimit()
    }

    /// Answers when what was handed to the replica so far is replicated, or after the time that a command
    /// waits for that.
    func answerWhenReplicated(_ list: [PendingAnswers.Answer], by replica: any StateReplica) {
        if saver.archive.lacksReplica { saver.archive.replicateWhole() }
        let taken = replica.progress.taken
        for answer in list { answers.append(answer, untilReplicated: taken) }
        if replicaLimit == nil {
            replicaLimit = Task.immediate(executorPreference: taskExecutor) {
                await limitReplicaWaits()
            }
        }
        // Nobody tells of what is replicated already.
        noteReplicated()
    }

    /// Answers what waits for the replica for too long.
    private func limitReplicaWaits() async {
        while let newest = answers.newestReplicaWait {
            do { try await settings.clock.sleep(for: settings.replicationTimeout) } catch { return }
            let failure = tenancy?.replica.progress.failure ?? "etcd does not answer"
            let reason =
                "it is written on this host, but was not replicated within "
                + "\(settings.replicationTimeout): "
                + failure
            for answer in answers.take(replicatedUpTo: newest) { answer(.notSaved(reason: reason)) }
        }
        replicaLimit = nil
    }

    /// Nobody has to be looked after any more who waits for the replica.
    private func endReplicaLimit() {
        guard answers.newestReplicaWait == nil else { return }
        replicaLimit?.cancel()
        replicaLimit = nil
    }
}
