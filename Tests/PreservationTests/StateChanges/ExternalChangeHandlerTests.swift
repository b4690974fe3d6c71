import LinuxIO
import SavedState
import Testing

@testable import Preservation

/// Reactions to changes to the archive by other programs, without files and clocks (L4, L8).
@Suite struct ExternalChangeHandlerTests {
    private func unusable(_ size: Int) -> ExternalCheckResult {
        .unusable(
            reason: "it is torn", FileFingerprint(FileStatus(size: size, inode: 2)))
    }

    /// Returns a change that was found once and waits.
    private func recordFinding(_ finding: ExternalCheckResult) -> ExternalChangeHandler {
        var change = ExternalChangeHandler()
        let found1 = change.recordFinding(finding)
        #expect(found1 == nil)
        return change
    }

    @Test func `L4: a removal takes effect only after the debounce`() throws {
        var change = recordFinding(.removed)
        #expect(change.defersReplies)
        let found2 = change.recordFinding(.removed)
        #expect(found2 == nil)
        let number = try #require(change.pendingChangeNumber)
        let found3 = change.debounceDidElapse(for: number)
        #expect(found3)
        let found4 = change.recordFinding(.removed)
        #expect(found4 == .removed)
        #expect(change.pendingChangeNumber == nil)
        #expect(!change.defersReplies)
    }

    @Test func `L4: a different finding is given the full debounce`() throws {
        var change = recordFinding(.removed)
        let first = try #require(change.pendingChangeNumber)
        let found5 = change.recordFinding(unusable(1))
        #expect(found5 == nil)
        let found6 = change.debounceDidElapse(for: first)
        #expect(!found6)
        let second = try #require(change.pendingChangeNumber)
        #expect(second != first)
        let found7 = change.debounceDidElapse(for: second)
        #expect(found7)
        let found8 = change.recordFinding(unusable(2))
        #expect(found8 == nil)
        #expect(change.pendingChangeNumber == second)
        let isOver = change.debounceDidElapse(for: second)
        #expect(isOver)
        let found9 = change.recordFinding(unusable(2))
        #expect(found9 == unusable(2))
    }

    @Test func `the wait ends when the archive is ours again or elsewhere`() {
        var change = recordFinding(unusable(1))
        let found10 = change.recordFinding(.unchanged)
        #expect(found10 == .unchanged)
        #expect(change.pendingChangeNumber == nil)
        change = recordFinding(.removed)
        let found11 = change.recordFinding(.unreachable(reason: "mounted"))
        #expect(found11 == .unreachable(reason: "mounted"))
        #expect(change.pendingChangeNumber == nil)
    }

    @Test func `replies are sent even if another program never stops writing`() throws {
        var change = ExternalChangeHandler()
        change.didDetectChange(isFailureReported: false)
        let rounds = Int(ExternalChangeHandler.maximumReplyDelay / ExternalChangeHandler.debounce)
        for round in 1...rounds {
            let number = try #require(change.pendingChangeNumber)
            #expect(change.defersReplies, "round \(round)")
            let found12 = change.debounceDidElapse(for: number)
            #expect(found12)
            let found13 = change.recordFinding(unusable(round))
            #expect(found13 == nil)
            change.limitReplyDelay()
        }
        #expect(!change.defersReplies)
        #expect(change.pendingChangeNumber != nil)
        // Replies are not deferred for a later change either.
        let found14 = change.recordFinding(unusable(0))
        #expect(found14 == nil)
        #expect(!change.defersReplies)
    }

    @Test func `a change that is already known does not defer replies`() {
        var change = ExternalChangeHandler()
        change.didDetectChange(isFailureReported: true)
        #expect(change.pendingChangeNumber != nil)
        #expect(!change.defersReplies)
    }

    @Test func `saving is retried at most once between two turns`() {
        var change = ExternalChangeHandler()
        let found15 = change.claimRetry()
        #expect(found15)
        let found16 = change.claimRetry()
        #expect(!found16)
        change.turnDidBegin()
        let found17 = change.claimRetry()
        #expect(found17)
    }

    @Test func `a required check stays needed until a check begins`() {
        var change = ExternalChangeHandler()
        change.requireCheck()
        #expect(change.isCheckNeeded)
        change.didBeginCheck()
        #expect(!change.isCheckNeeded)
    }
}
