import Testing

@testable import StateRestoration

/// Sentences that explain what happened to an object.
@Suite struct ExplanationTests {
    private static let lost = UnrestoredObject(
        path: "nav/page", code: .noObject, detail: "no object has this identifier",
        remedy: "Add one.")

    private static let live = Explanation.LiveObject(
        classToken: "Page", omission: nil, isOrphan: false, state: nil, isRestored: false,
        foundObject: nil)

    private static func explanation(
        _ change: (inout Explanation) -> Void = { _ in }
    ) -> Explanation {
        var explanation = Explanation(
            address: "nav/page", path: "nav/page", liveObject: nil, launchReason: .restore)
        change(&explanation)
        return explanation
    }

    /// Part of an explanation, with its effects on `isObjectKnown` and `mayBeInHistory`.
    struct Part: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isObjectKnown: Bool
        let mayBeInHistory: Bool
        let set: @Sendable (inout Explanation) -> Void
    }

    static let parts = [
        Part(testDescription: "nothing", isObjectKnown: false, mayBeInHistory: true) { _ in },
        Part(testDescription: "live", isObjectKnown: true, mayBeInHistory: false) {
            $0.liveObject = live
        },
        Part(testDescription: "live and lost", isObjectKnown: true, mayBeInHistory: true) {
            ($0.liveObject, $0.unrestoredObject) = (live, lost)
        },
        Part(testDescription: "live and expired", isObjectKnown: true, mayBeInHistory: true) {
            ($0.liveObject, $0.isSavedStateExpired) = (live, true)
        },
        Part(testDescription: "live and gone", isObjectKnown: true, mayBeInHistory: true) {
            ($0.liveObject, $0.isReportedRemoved) = (live, true)
        },
        Part(testDescription: "live and displaced", isObjectKnown: true, mayBeInHistory: true) {
            ($0.liveObject, $0.displacedStatePhrase) = (live, "it was removed")
        },
        Part(testDescription: "unclaimed", isObjectKnown: true, mayBeInHistory: false) {
            $0.unclaimedRecord = Explanation.UnclaimedRecord(failedLaunchCount: 1)
        },
        Part(testDescription: "unclaimed and lost", isObjectKnown: true, mayBeInHistory: false) {
            ($0.unclaimedRecord, $0.unrestoredObject) = (
                Explanation.UnclaimedRecord(failedLaunchCount: 1), lost
            )
        },
        Part(testDescription: "copied", isObjectKnown: true, mayBeInHistory: true) {
            $0.generationSentences = "Generation 1 holds it."
        },
        Part(testDescription: "lost", isObjectKnown: true, mayBeInHistory: true) {
            $0.unrestoredObject = lost
        },
        Part(testDescription: "expired", isObjectKnown: true, mayBeInHistory: true) {
            $0.isSavedStateExpired = true
        },
        Part(testDescription: "gone", isObjectKnown: true, mayBeInHistory: true) {
            $0.isReportedRemoved = true
        },
        Part(testDescription: "displaced", isObjectKnown: true, mayBeInHistory: true) {
            $0.displacedStatePhrase = "it was removed"
        },
    ]

    @Test(arguments: parts)
    func `facts about an object determine whether it is known and may be in the history`(part: Part)
    {
        let explanation = Self.explanation { part.set(&$0) }
        #expect(explanation.isObjectKnown == part.isObjectKnown)
        #expect(explanation.mayBeInHistory == part.mayBeInHistory)
    }

    /// Returns the sentence about the last launch.
    private func launch(_ change: (inout Explanation) -> Void) -> String? {
        Self.explanation(change).sentences.first { $0.hasPrefix("The last launch") }
    }

    @Test func `the last launch is explained by the first fact that applies`() {
        #expect(
            launch { $0.unrestoredObject = Self.lost }
                == "The last launch (restore) did not restore it (no-object): "
                + "no object has this identifier. Add one.")
        var duplicate = Self.lost
        (duplicate.code, duplicate.remedy) = (.duplicatePath, "")
        var restored = Self.live
        restored.isRestored = true
        for (object, code, verb) in [
            (restored, RestorationFailure.duplicatePath, "restored it"),
            (restored, .noObject, "did not restore it"),
            (Self.live, .duplicatePath, "did not restore it"),
        ] {
            duplicate.code = code
            #expect(
                launch { ($0.liveObject, $0.unrestoredObject) = (object, duplicate) }
                    == "The last launch (restore) \(verb) (\(code.rawValue)): "
                    + "no object has this identifier.")
        }
        #expect(launch { $0.liveObject = restored } == "The last launch (restore) restored it.")
        #expect(
            launch { $0.isReportedRemoved = true }?.hasSuffix("was removed on purpose.") == true)
        #expect(
            launch { $0.isSavedStateExpired = true }
                == "The last launch (restore) did not restore it.")
        #expect(
            launch { $0.displacedStatePhrase = "it was removed" }
                == "The last launch (restore) did not receive the saved state: it was removed.")
        #expect(
            launch { $0.launchReason = .pristine }
                == "The last launch found nothing saved (pristine).")
        #expect(
            launch { ($0.launchReason, $0.applicationDirectoryPath) = (.pristine, "/a") }?
                .hasPrefix("The last launch found nothing saved (pristine) in /a. ") == true)
        #expect(
            launch { $0.unlistedEntryCount = 3 }?.hasSuffix("its report omits 3 objects.") == true)
        #expect(
            launch { $0.hasUnidentifiedLosses = true }?.contains("the archive was damaged") == true)
        #expect(launch { _ in } == "The last launch (restore) found no saved state for it.")
    }

    @Test func `an explanation of an unclaimed record alone does not mention the last launch`() {
        let waiting = Explanation.UnclaimedRecord(failedLaunchCount: 0)
        #expect(launch { $0.unclaimedRecord = waiting } == nil)
        #expect(launch { ($0.unclaimedRecord, $0.unlistedEntryCount) = (waiting, 1) } != nil)
        #expect(launch { ($0.unclaimedRecord, $0.liveObject) = (waiting, Self.live) } != nil)
    }

    @Test(
        arguments: [
            (0, "the next launch tries to restore it."),
            (1, "launch 1 of 3 did not restore it, and the next launch tries again."),
            (2, "tries again."), (3, "tries for the last time."),
        ])
    func `R16: an explanation says how many launches did not restore an unclaimed record`(
        launches: Int, end: String
    ) {
        let sentences = Self.explanation {
            $0.unclaimedRecord = Explanation.UnclaimedRecord(
                failedLaunchCount: launches, maximumLaunchCount: 3)
        }.sentences
        #expect(sentences.last?.hasSuffix(end) == true)
        let expired = Self.explanation {
            ($0.unclaimedRecord, $0.isSavedStateExpired) = (
                Explanation.UnclaimedRecord(failedLaunchCount: launches), true
            )
        }
        #expect(expired.sentences.last?.hasSuffix("which was removed from the archive.") == true)
    }

    @Test(
        arguments: [
            (0, 0, "It saves no values of its own."),
            (1, 9, "It saves 1 value, 9 bytes with keys."),
            (2, 9, "It saves 2 values, 9 bytes with keys."),
        ])
    func `an object's saved values are counted, and its problems are listed`(
        count: Int, bytes: Int, sentence: String
    ) {
        var state = Explanation.State.values(count: count, bytes: bytes, problems: [])
        state.add(problem: "the key a is taken")
        state.add(problem: "the key b is taken.")
        let explanation = Self.explanation {
            $0.liveObject = Self.live
            $0.liveObject?.state = state
        }
        #expect(
            Array(explanation.sentences.dropFirst().prefix(3))
                == [sentence, "the key a is taken.", "the key b is taken."])
        var failed = Explanation.State.failed(reason: "no")
        failed.add(problem: "ignored")
        #expect(failed == .failed(reason: "no"))
    }

    @Test(arguments: [
        (0, ""), (1, "the key k1"), (2, "the keys k1, k2"), (10, "k9, k10"), (12, "k10 and 2 more"),
    ])
    func `at most ten unread keys are listed, and the others are counted`(count: Int, end: String) {
        let found = FoundObject(
            path: "nav", classToken: "Page", step: .existing,
            unreadKeys: (0..<count).map { "k\($0 + 1)" })
        #expect(found.summary.hasSuffix(end))
        #expect(found.summary.contains(" more") == (count > 10))
        #expect(found.summary.contains("no object read") == (count > 0))
    }

    @Test func `an explanation names the path of an object that is saved elsewhere`() {
        let explanation = Self.explanation {
            ($0.address, $0.liveObject) = ("label", Self.live)
        }
        #expect(explanation.sentences.contains("It is saved as nav/page."))
        let orphan = Self.explanation {
            ($0.address, $0.liveObject) = ("label", Self.live)
            $0.liveObject?.isOrphan = true
        }
        #expect(orphan.sentences.contains { $0.contains("because another object refers to it") })
        let same = Self.explanation { $0.liveObject = Self.live }
        #expect(!same.sentences.contains { $0.hasPrefix("It is saved as") })
    }
}
