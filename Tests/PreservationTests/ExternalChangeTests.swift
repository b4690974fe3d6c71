import LinuxIO
import SavedState
import Testing

@testable import Preservation

/// Reactions to changes to the archive by other programs, without files and clocks (L4, L8).
@Suite struct ExternalChangeTests {
    private func unusable(_ size: Int) -> ExternalFinding {
        .unusable(
            reason: "it is torn", FileFingerprint(FileStatus(size: size, inode: 2)))
    }

    /// Returns a change that was found once and waits.
    private func found(_ finding: ExternalFinding) -> ExternalChange {
        var change = ExternalChange()
        let found1 = change.found(finding)
        #expect(found1 == nil)
        return change
    }

    @Test func `L4: a removal counts after the wait, and not before`() throws {
        var change = found(.removed)
        #expect(change.defersReplies)
        let found2 = change.found(.removed)
        #expect(found2 == nil)
        let number = try #require(change.waitNumber)
        let found3 = change.waited(for: number)
        #expect(found3)
        let found4 = change.found(.removed)
        #expect(found4 == .removed)
        #expect(change.waitNumber == nil)
        #expect(!change.defersReplies)
    }

    @Test func `L4: what is there now has the whole time`() throws {
        var change = found(.removed)
        let first = try #require(change.waitNumber)
        let found5 = change.found(unusable(1))
        #expect(found5 == nil)
        let found6 = change.waited(for: first)
        #expect(!found6)
        let second = try #require(change.waitNumber)
        #expect(second != first)
        let found7 = change.waited(for: second)
        #expect(found7)
        let found8 = change.found(unusable(2))
        #expect(found8 == nil)
        #expect(change.waitNumber == second)
        let isOver = change.waited(for: second)
        #expect(isOver)
        let found9 = change.found(unusable(2))
        #expect(found9 == unusable(2))
    }

    @Test func `an archive that is ours again ends the wait`() {
        var change = found(unusable(1))
        let found10 = change.found(.ours)
        #expect(found10 == .ours)
        #expect(change.waitNumber == nil)
        change = found(.removed)
        let found11 = change.found(.elsewhere(reason: "mounted"))
        #expect(found11 == .elsewhere(reason: "mounted"))
        #expect(change.waitNumber == nil)
    }

    @Test func `commands are answered when a program writes for ever`() throws {
        var change = ExternalChange()
        change.noticed(isKnown: false)
        let rounds = Int(ExternalChange.maximumReplyDelay / ExternalChange.debounce)
        for round in 1...rounds {
            let number = try #require(change.waitNumber)
            #expect(change.defersReplies, "round \(round)")
            let found12 = change.waited(for: number)
            #expect(found12)
            let found13 = change.found(unusable(round))
            #expect(found13 == nil)
            change.limitWait()
        }
        #expect(!change.defersReplies)
        #expect(change.waitNumber != nil)
        // Replies are not deferred for a later change either.
        let found14 = change.found(unusable(0))
        #expect(found14 == nil)
        #expect(!change.defersReplies)
    }

    @Test func `what is told already keeps no command waiting`() {
        var change = ExternalChange()
        change.noticed(isKnown: true)
        #expect(change.waitNumber != nil)
        #expect(!change.defersReplies)
    }

    @Test func `one look between two turns leads to one attempt to save`() {
        var change = ExternalChange()
        let found15 = change.mayRetry()
        #expect(found15)
        let found16 = change.mayRetry()
        #expect(!found16)
        change.turnBegan()
        let found17 = change.mayRetry()
        #expect(found17)
    }

    @Test func `a look that is not possible is not forgotten`() {
        var change = ExternalChange()
        change.requireCheck()
        #expect(change.isCheckNeeded)
        change.beginCheck()
        #expect(!change.isCheckNeeded)
    }
}
