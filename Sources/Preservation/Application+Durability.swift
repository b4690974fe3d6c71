import Logging
import SavedState

// What was written becomes durable on a thread of its own, for all scenes and commands at once.

extension Application {
    /// Asks for everything that was written to be made durable.
    func requestSync() {
        guard !archive.isDurable else { return }
        syncRequests.continuation.yield()
    }

    /// Makes durable what was written whenever it is asked for.
    func serveSyncs() async {
        for await _ in syncRequests.stream { await synchronize() }
    }

    /// Makes durable what was written so far, and answers who waits for it.
    ///
    /// If that fails a whole new file is written at once, from what is in memory.
    private func synchronize() async {
        let job = archive.beginSync()
        if let job {
            let began = settings.now()
            let result = await syncQueue.run { job.run() }
            do throws(SaveError) {
                try archive.endSync(job, result)
                // What still is not durable was written since.
                if notDurableSince != nil { notDurableSince = began }
            } catch {
                saver.noteFailure(error)
                saveAgain()
            }
        } else if !archive.isDurable {
            saveAgain()
        }
        awaitOutsideChange()
        answerDurable()
        if durabilityWaiters.isEmpty { return }
        // Without a sync that was of use, another one would not be.
        if job == nil { endWaiting() } else { requestSync() }
    }

    /// Returns when everything that is written now is durable, or cannot be made so.
    func waitUntilDurable() async -> Saved {
        guard saver.saved == .written else { return saver.saved }
        return await withCheckedContinuation { continuation in
            durabilityWaiters.append(archive.writeNumber) { continuation.resume(returning: $0) }
            requestSync()
        }
    }

    /// Answers commands: at once, or after what they changed is durable, if it is to be.
    func answer(_ answers: [SceneCommand.Answer]) {
        let saved = saver.saved
        guard settings.durability == .commit, saved == .written else {
            for answer in answers { answer(saved) }
            return
        }
        for answer in answers { durabilityWaiters.append(archive.writeNumber, answer) }
        requestSync()
    }

    /// Answers whose changes are durable, or cannot be saved.
    func answerDurable() {
        tellIncidents()
        let saved = saver.saved
        let answers: [SceneCommand.Answer]
        switch saved {
        case .no: answers = durabilityWaiters.takeAll()
        case .written, .durable:
            answers = durabilityWaiters.take(upTo: archive.durableWriteNumber)
        }
        let told = saved == .written ? .durable : saved
        for answer in answers { answer(told) }
        noteDurability()
    }

    /// Keeps since when something is not durable, for the status.
    func noteDurability() {
        if archive.isDurable || saver.isQuiet {
            if notDurableSince != nil { notDurableSince = nil }
        } else if notDurableSince == nil {
            notDurableSince = settings.now()
        }
    }

    // MARK: Compaction

    /// Lets the file be written anew without what no longer counts, if that is worth it.
    func compactIfWorthIt() {
        guard let job = archive.beginCompaction() else { return }
        compactions.continuation.yield(job)
    }

    /// Runs the steps of compactions, one after the other.
    func serveCompactions() async {
        for await job in compactions.stream {
            let result = await compactionQueue.run { job.run() }
            if let next = archive.endCompaction(job, result) {
                compactions.continuation.yield(next)
            } else {
                tellIncidents()
                // After a failure there may be a whole file to write.
                if archive.hasUnwritten { saveAgain() }
                awaitOutsideChange()
            }
        }
    }

    /// Tells what happened to the file.
    func tellIncidents() {
        for incident in archive.takeIncidents() {
            let sentence = "\(archive.path): \(incident)"
            switch incident {
            case .changedExternally, .syncFailed:
                saver.lastError = sentence
                log.tell(.error, .archiveReplaced, sentence)
            case .rewritten: log.tell(.notice, .archiveReplaced, sentence)
            case .compacted: log.tell(.debug, .compacted, sentence)
            case .notLookedAt, .leftover: log.tell(.warning, .archiveReplaced, sentence)
            case .compactionFailed, .compactionUnsupported: log.tell(.warning, .compacted, sentence)
            }
        }
    }
}
