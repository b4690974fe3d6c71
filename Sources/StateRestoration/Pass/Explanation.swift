import ExactText

/// Explanation of whether an object exists, whether it is preserved, and whether the last launch restored it.
package struct Explanation: Sendable, Equatable {
    /// Current state of a live object.
    package struct LiveObject: Sendable, Equatable {
        package var classToken: String
        /// Reason why the object is not preserved, or `nil` if it is preserved.
        package var omission: TreeSurvey.Omission?
        /// Whether the object is preserved as a root because another object refers to it (P7).
        package var isOrphan: Bool
        /// State that the object would save now, or `nil` if it is not preserved.
        package var state: State?
        /// Whether the last launch restored the object.
        package var isRestored: Bool
        /// Description of how the last launch found the object, or `nil` if the launch did not find it.
        package var foundObject: FoundObject?
    }

    /// State that a preserved object saves.
    package enum State: Sendable, Equatable {
        /// The object saves `count` values. `bytes` is the total size of the values and their keys. `problems` contains
        /// a sentence for each omitted or large value (P9).
        case values(count: Int, bytes: Int, problems: [String])
        /// The object threw an error while encoding, and its last saved state is retained (P9).
        case failed(reason: String)

        /// Adds a sentence about a value that is not saved.
        package mutating func add(problem: String) {
            if case .values(let count, let bytes, let problems) = self {
                self = .values(count: count, bytes: bytes, problems: problems + [problem])
            }
        }
    }

    /// A saved record that has not been assigned to an object (R16).
    package struct UnclaimedRecord: Sendable, Equatable {
        /// Number of launches that failed to assign the record, or an unclaimed record above it, to an object.
        package var failedLaunchCount: Int
        /// Maximum number of such launches. The record is removed if another launch also fails.
        package var maximumLaunchCount = SceneRecords.maximumRestorationAttempts
    }

    /// Address of the live object, or the requested address if there is no live object.
    package var address: String
    /// Restoration path of the live object, or `nil` if it has no record.
    package var path: String?
    /// Live object, or `nil` if there is none.
    package var liveObject: LiveObject?
    /// Reason why the scene was launched.
    package var launchReason: LaunchReason
    /// Entry for the object in the last launch's report (R15), or `nil` if there is none.
    package var unrestoredObject: UnrestoredObject?
    /// Whether the saved state was removed from the archive because too many launches failed to assign it to an object
    /// (R16).
    package var isSavedStateExpired = false
    /// Whether the application reported, during the last launch, that the object no longer exists (R3).
    package var isReportedRemoved = false
    /// Whether the object's record retains references to objects that the last launch could not restore (R16).
    package var retainsUnresolvedReferences = false
    /// Unclaimed record at the object's path, or `nil` if there is none.
    package var unclaimedRecord: UnclaimedRecord?
    /// Reason why no state is saved at present, or `nil` if state is saved.
    package var unsavedReason: String?
    /// Phrase about saved state that the last launch did not receive (see ``RestorationReport/displaced``), or `nil` if
    /// there is no such state.
    package var displacedStatePhrase: String?
    /// Whether the archive is so damaged that not all lost objects can be identified (L5).
    package var hasUnidentifiedLosses = false
    /// Number of entries that were omitted from the last launch's report.
    package var unlistedEntryCount = 0
    /// Path of the application's directory, or `nil` if it was not provided.
    package var applicationDirectoryPath: String?
    /// Sentences about the generation that contains the object, with the command that restores the generation.
    ///
    /// The value is `nil` if no generation contains the object, or if the history was not searched.
    package var generationSentences: String?

    /// Whether anything is known about an object at the address.
    package var isObjectKnown: Bool {
        liveObject != nil || unrestoredObject != nil || isSavedStateExpired || isReportedRemoved
            || unclaimedRecord != nil
            || displacedStatePhrase != nil || generationSentences != nil
    }
    /// Whether some state of the object might exist only in the history.
    ///
    /// The value is `true` if the live object lacks the state and the archive does not retain the state for a later
    /// launch.
    package var mayBeInHistory: Bool {
        unclaimedRecord == nil
            && (liveObject == nil || unrestoredObject != nil || isSavedStateExpired
                || isReportedRemoved
                || displacedStatePhrase != nil)
    }

    /// Explanation for the user, as a list of sentences.
    package var sentences: [String] {
        [presenceSentence, locationSentence].compactMap(\.self) + stateSentences
            + [launchSentence, linksSentence, retentionSentence, generationSentences].compactMap(
                \.self)
    }

    private var presenceSentence: String {
        guard let liveObject else { return "There is no object at \(address) now." }
        let article = "AEIOU".contains(liveObject.classToken.prefix(1).uppercased()) ? "an" : "a"
        let subject = "\(address) is \(article) \(liveObject.classToken)"
        guard let omission = liveObject.omission else {
            return unsavedReason.map {
                withFullStop("\(subject), and is preserved, but NOT SAVED now: \($0)")
            }
                ?? "\(subject), and is preserved."
        }
        let remedy =
            switch omission {
            case .noIdentifier: "; give it one"
            case .ancestorWithoutIdentifier: "; give that object one"
            case .siblingHasSameIdentifier: "; give one of the two another identifier"
            case .ancestorOmitted, .pathTooLong, .applicationDoesNotSave, .unrestored, .notYetSaved:
                ""
            }
        return "\(subject), and is not preserved: \(omission)\(remedy)."
    }

    private var locationSentence: String? {
        guard let liveObject, let path, !path.utf8.elementsEqual(address.utf8) else { return nil }
        let cause =
            liveObject.isOrphan
            ? ": it is preserved because another object refers to it, not because of its position"
            : ""
        return "It is saved as \(path)\(cause)."
    }

    private var stateSentences: [String] {
        switch liveObject?.state {
        case .values(0, _, let problems):
            ["It saves no values of its own."] + problems.map(withFullStop)
        case .values(let count, let bytes, let problems):
            ["It saves \(count) \(count == 1 ? "value" : "values"), \(bytes) bytes with keys."]
                + problems.map(withFullStop)
        case .failed(let reason):
            [
                withFullStop(
                    "It could not encode its state, and its last saved state is retained: \(reason)"
                )
            ]
        case nil: []
        }
    }

    private var launchSentence: String? {
        let launchPhrase = "The last launch (\(launchReason.rawValue))"
        if let unrestoredObject {
            let cause = "(\(unrestoredObject.code.rawValue)): \(unrestoredObject.detail)"
            let sentence = withFullStop(
                liveObject?.isRestored == true && unrestoredObject.code == .duplicatePath
                    ? "\(launchPhrase) restored it \(cause)"
                    : "\(launchPhrase) did not restore it \(cause)")
            return unrestoredObject.remedy.isEmpty
                ? sentence : "\(sentence) \(unrestoredObject.remedy)"
        }
        if liveObject?.isRestored == true {
            return withFullStop(
                "\(launchPhrase) restored it"
                    + (liveObject?.foundObject.map { ": \($0.summary)" } ?? ""))
        }
        if isReportedRemoved {
            return
                "\(launchPhrase) did not restore it: the application reported that it was removed on purpose."
        }
        if isSavedStateExpired { return "\(launchPhrase) did not restore it." }
        if liveObject == nil, unclaimedRecord != nil, unlistedEntryCount == 0 { return nil }
        if let displacedStatePhrase {
            return "\(launchPhrase) did not receive the saved state: \(displacedStatePhrase)."
        }
        if launchReason == .pristine {
            return "The last launch found nothing saved (pristine)"
                + (applicationDirectoryPath.map {
                    " in \($0). If state was saved there before, stop the daemon, put a backup of the directory back, and "
                        + "start it; if it was saved in another state directory, start it with that one."
                } ?? ".")
        }
        if unlistedEntryCount > 0 {
            return
                "\(launchPhrase) did not restore it, or found no saved state for it: its report omits "
                + "\(unlistedEntryCount) objects."
        }
        if hasUnidentifiedLosses {
            return
                "\(launchPhrase) found no intact state for it: the archive was damaged, and not all "
                + "lost objects are known; `reprisectl report` names the file."
        }
        return "\(launchPhrase) found no saved state for it."
    }

    private var linksSentence: String? {
        retainsUnresolvedReferences
            ? "Until it changes, its record keeps its references to objects that this launch did "
                + "not restore: a later launch that restores the objects restores the references."
            : nil
    }

    private var retentionSentence: String? {
        if isSavedStateExpired {
            return
                "More than \(SceneRecords.maximumRestorationAttempts) launches did not restore its saved "
                + "state, which was removed from the archive."
        }
        guard let unclaimedRecord else { return nil }
        guard unclaimedRecord.failedLaunchCount > 0 else {
            return
                "Its saved state remains in the archive, and the next launch tries to restore it."
        }
        return
            "Its saved state remains in the archive: launch \(unclaimedRecord.failedLaunchCount) of "
            + "\(unclaimedRecord.maximumLaunchCount) did not restore it, and the next launch tries "
            + (unclaimedRecord.failedLaunchCount < unclaimedRecord.maximumLaunchCount
                ? "again." : "for the last time.")
    }

    private func withFullStop(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? sentence : sentence + "."
    }
}

/// An object that a launch found for a record (R18).
package struct FoundObject: Sendable, Equatable {
    /// Restoration path of the object.
    package var path: String
    package var classToken: String
    /// Step that found the object.
    package var step: FindingStep
    /// Saved keys that were not read, either during the search for the object or when the object decoded its state.
    package var unreadKeys: [String]

    /// Phrase that describes the step and the unread keys, for use in a sentence.
    package var summary: String {
        guard !unreadKeys.isEmpty else { return step.phrase }
        let listedKeys = unreadKeys.prefix(Self.maximumKeysInSentence).joined(separator: ", ")
        let unlistedKeyCount = unreadKeys.count - Self.maximumKeysInSentence
        return "\(step.phrase); no object read the values that were saved under "
            + (unreadKeys.count == 1 ? "the key " : "the keys ") + listedKeys
            + (unlistedKeyCount > 0 ? " and \(unlistedKeyCount) more" : "")
    }

    private static let maximumKeysInSentence = 10
}
