import ExactText

/// One object's story: whether it is there and preserved, and what the last launch made of it.
package struct Explanation: Sendable, Equatable {
    /// The object as it is now.
    package struct LiveObject: Sendable, Equatable {
        package var classToken: String
        /// Reason for which it is not preserved; nil if it is preserved.
        package var omission: TreeSurvey.Omission?
        /// Whether it is preserved as a root because something refers to it (P7).
        package var isOrphan: Bool
        /// The state that it would save now; nil if it is not preserved.
        package var state: State?
        /// Whether the last launch gave it back what was saved of it.
        package var isRestored: Bool
        /// How the last launch found it, if it did.
        package var found: FoundObject?
    }

    /// The state that a preserved object saves.
    package enum State: Sendable, Equatable {
        /// Its values, their bytes with keys, and a sentence for each key left out or large (P9).
        case values(count: Int, bytes: Int, problems: [String])
        /// It throws when it encodes, and keeps what it saved before (P9).
        case failed(reason: String)

        /// Adds a sentence about something that is not saved.
        package mutating func add(problem: String) {
            if case .values(let count, let bytes, let problems) = self {
                self = .values(count: count, bytes: bytes, problems: problems + [problem])
            }
        }
    }

    /// A record that no object has taken over (R16).
    package struct Unclaimed: Sendable, Equatable {
        /// How many launches could not place it, or what it lies below.
        package var launches: Int
        /// How many can not until it goes.
        package var limit = SceneRecords.mostLaunches
    }

    /// Where the object is, or was saved: its address.
    package var address: String
    /// Its restoration path, if it has a record.
    package var path: String?
    /// The object; nil: there is none now.
    package var live: LiveObject?
    /// Reason for which the scene was launched.
    package var launchReason: LaunchReason
    /// The entry for it in the last launch's report (R15).
    package var unrestored: UnrestoredObject?
    /// Whether its saved state has left the archive: too many launches could not place it (R16).
    package var isExpired = false
    /// Whether the application said in the last launch that it is gone on purpose (R3).
    package var isGone = false
    /// Whether its record keeps links to what the last launch could not place (R16).
    package var keepsLinks = false
    /// The record that waits in the archive at its path.
    package var unclaimed: Unclaimed?
    /// Reason for which nothing is saved now, whatever the object encodes; nil: it is.
    package var unsaved: String?
    /// What became of state that the last launch was not given, see
    /// ``RestorationReport/displaced``.
    package var displaced: String?
    /// Whether the archive was damaged so that it is not known of every object what it was (L5).
    package var isDamageUnknown = false
    /// How many objects the last launch's report leaves out.
    package var unlisted = 0
    /// Path of the application's directory, or `nil` if nobody stated it.
    package var archive: String?
    /// Which generation holds the object, and the command that goes back to it; sentences, or `nil` if none does or
    /// nobody looked.
    package var copy: String?

    /// Whether anything is known of an object at the address.
    package var isKnown: Bool {
        live != nil || unrestored != nil || isExpired || isGone || unclaimed != nil
            || displaced != nil || copy != nil
    }
    /// Whether state of the object may be in the history alone: the live object does not have it, and the archive does
    /// not offer it to a later launch.
    package var mayBeInHistory: Bool {
        unclaimed == nil
            && (live == nil || unrestored != nil || isExpired || isGone || displaced != nil)
    }

    /// The story as a person reads it, a sentence each.
    package var sentences: [String] {
        [presence, place].compactMap(\.self) + stateSentences
            + [launch, links, waiting, copy].compactMap(\.self)
    }

    private var presence: String {
        guard let live else { return "There is no object at \(address) now." }
        let article = "AEIOU".contains(live.classToken.prefix(1).uppercased()) ? "an" : "a"
        let subject = "\(address) is \(article) \(live.classToken)"
        guard let omission = live.omission else {
            return unsaved.map { ended("\(subject), and is preserved, but NOT SAVED now: \($0)") }
                ?? "\(subject), and is preserved."
        }
        let remedy =
            switch omission {
            case .noIdentifier: "; give it one"
            case .gap: "; give that one"
            case .equalSibling: "; give one of the two another"
            case .leftOut, .pathTooLong, .applicationDoesNotSave, .unrestored, .notYetSaved: ""
            }
        return "\(subject), and is not preserved: \(omission)\(remedy)."
    }

    private var place: String? {
        guard let live, let path, !path.utf8.elementsEqual(address.utf8) else { return nil }
        let cause =
            live.isOrphan
            ? ": it is preserved because of a reference to it, not because of its place" : ""
        return "It is saved as \(path)\(cause)."
    }

    private var stateSentences: [String] {
        switch live?.state {
        case .values(0, _, let problems): ["It saves no values of its own."] + problems.map(ended)
        case .values(let count, let bytes, let problems):
            ["It saves \(count) \(count == 1 ? "value" : "values"), \(bytes) bytes with keys."]
                + problems.map(ended)
        case .failed(let reason):
            [ended("It could not encode its state, and its last saved state stays: \(reason)")]
        case nil: []
        }
    }

    private var launch: String? {
        let launch = "The last launch (\(launchReason.rawValue))"
        if let unrestored {
            let cause = "(\(unrestored.code.rawValue)): \(unrestored.detail)"
            let sentence = ended(
                live?.isRestored == true && unrestored.code == .duplicatePath
                    ? "\(launch) restored it \(cause)" : "\(launch) did not restore it \(cause)")
            return unrestored.remedy.isEmpty ? sentence : "\(sentence) \(unrestored.remedy)"
        }
        if live?.isRestored == true {
            return ended("\(launch) restored it" + (live?.found.map { ": \($0.account)" } ?? ""))
        }
        if isGone {
            return "\(launch) did not restore it: the application said that it is gone on purpose."
        }
        if isExpired { return "\(launch) did not restore it." }
        if live == nil, unclaimed != nil, unlisted == 0 { return nil }
        if let displaced { return "\(launch) did not get the saved state: \(displaced)." }
        if launchReason == .pristine {
            return "The last launch found nothing saved (pristine)"
                + (archive.map {
                    " in \($0). If state was saved there before, stop the daemon, put a backup of the directory back, and "
                        + "start it; if it was saved in another state directory, start it with that one."
                } ?? ".")
        }
        if unlisted > 0 {
            return "\(launch) did not restore it, or found no saved state for it: its report omits "
                + "\(unlisted) objects."
        }
        if isDamageUnknown {
            return "\(launch) found no intact state for it: the archive was damaged, and not all "
                + "lost objects are known; `reprisectl report` names the file."
        }
        return "\(launch) found no saved state for it."
    }

    private var links: String? {
        keepsLinks
            ? "Until it changes, its record keeps its references to objects that this launch could "
                + "not place: a later launch that can place them restores the references." : nil
    }

    private var waiting: String? {
        if isExpired {
            return "More than \(SceneRecords.mostLaunches) launches could not place its saved "
                + "state, which was removed from the archive."
        }
        guard let unclaimed else { return nil }
        guard unclaimed.launches > 0 else {
            return "Its saved state stays in the archive, and is offered to the next launch."
        }
        return "Its saved state stays in the archive: \(unclaimed.launches) of "
            + "\(unclaimed.limit) launches could not place it, and the next one tries "
            + (unclaimed.launches < unclaimed.limit ? "again." : "for the last time.")
    }

    private func ended(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? sentence : sentence + "."
    }
}

/// An object that a launch found for a record: how, and what of the saved state nobody read (R18).
package struct FoundObject: Sendable, Equatable {
    /// The object's restoration path.
    package var path: String
    package var classToken: String
    /// The step that found it.
    package var step: FindingStep
    /// The keys of what was saved of it that neither a finder nor its decoding read.
    package var unreadKeys: [String]

    /// Both, as a part of a sentence.
    package var account: String {
        guard !unreadKeys.isEmpty else { return step.phrase }
        let listed = unreadKeys.prefix(Self.mostKeysInSentence).joined(separator: ", ")
        let more = unreadKeys.count - Self.mostKeysInSentence
        return "\(step.phrase); no object read what was saved under "
            + (unreadKeys.count == 1 ? "the key " : "the keys ") + listed
            + (more > 0 ? " and \(more) more" : "")
    }

    private static let mostKeysInSentence = 10
}
