import PositionedYAML
import Testing

@Suite struct ProblemLogTests {
    private func place(_ file: String, _ line: Int, _ column: Int) -> SourcePosition {
        SourcePosition(file: file, line: line, column: column)
    }

    @Test func `an empty log throws nothing`() throws {
        try ProblemLog().throwReportedProblems()
    }

    @Test func `problems are sorted by file, line and column`() {
        let log = ProblemLog(fileNames: ["z", "a"])
        log.report("4", at: place("a", 1, 1))
        log.report("3", at: place("z", 2, 7))
        log.report("2", at: place("z", 2, 3))
        log.report("2b", at: place("z", 2, 3))
        log.report("1", at: place("z", 1, 9))
        log.report("5", at: place("other", 1, 1))
        #expect(throws: PositionedErrors.self) { try log.throwReportedProblems() }
        do {
            try log.throwReportedProblems()
        } catch {
            #expect(error.errors.map(\.message) == ["1", "2", "2b", "3", "4", "5"])
            #expect(error.omittedCount == 0)
        }
    }

    @Test func `problems beyond the limit are counted`() {
        let log = ProblemLog()
        for line in 1...(ProblemLog.maximumProblemCount + 7) {
            log.report("no", at: place("f", line, 1))
        }
        do {
            try log.throwReportedProblems()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.errors.count == ProblemLog.maximumProblemCount)
            #expect(error.omittedCount == 7)
            #expect(
                error.description.hasSuffix(
                    "\n7 more problems are not listed: fix these problems first."))
        }
    }

    @Test func `problems that another log omitted are counted`() {
        let log = ProblemLog()
        log.report("no", at: place("f", 1, 1))
        log.report(PositionedErrors([PositionedError("no", at: place("f", 2, 1))], omittedCount: 3))
        let errors = #expect(throws: PositionedErrors.self) { try log.throwReportedProblems() }
        #expect(errors?.errors.count == 2)
        #expect(errors?.omittedCount == 3)
    }

    @Test func `values are equal regardless of their positions`() {
        let left = Positioned("x", at: place("f", 1, 1))
        #expect(left == Positioned("x", at: place("g", 2, 2)))
        #expect(left != Positioned("y", at: place("f", 1, 1)))
    }

    @Test func `a log reports every problem of another log`() {
        let log = ProblemLog()
        log.report(
            PositionedErrors((1...3).map { PositionedError("\($0)", at: place("f", $0, 1)) }))
        let errors = #expect(throws: PositionedErrors.self) { try log.throwReportedProblems() }
        #expect(errors?.errors.map(\.message) == ["1", "2", "3"])
        #expect(errors?.omittedCount == 0)
    }
}
