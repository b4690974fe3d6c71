import ExactText

/// A log of the problems in one or more files, which reports all problems to the user at once.
///
/// Readers report problems and continue with a substitute value. The code that started reading calls
/// ``throwReportedProblems()`` at the end. The log stores at most ``maximumProblemCount`` problems and counts the rest.
package final class ProblemLog {
    /// Maximum number of stored problems.
    package static let maximumProblemCount = 100

    private let fileNames: [String]
    private var errors: [PositionedError] = []
    private var omittedCount = 0

    /// Creates an empty log.
    ///
    /// - Parameter fileNames: The files, in the order in which to list their problems. Problems in other files follow.
    package init(fileNames: [String] = []) {
        self.fileNames = fileNames
    }

    /// Adds a problem.
    ///
    /// `message` is a sentence that states what is wrong and what to do.
    package func report(_ message: String, at position: SourcePosition) {
        report(PositionedError(message, at: position))
    }

    /// Adds a problem.
    package func report(_ error: PositionedError) {
        if errors.count < Self.maximumProblemCount {
            errors.append(error)
        } else {
            omittedCount += 1
        }
    }

    /// Adds the problems that another reader has thrown.
    package func report(_ thrownErrors: PositionedErrors) {
        thrownErrors.errors.forEach { report($0) }
        omittedCount += thrownErrors.omittedCount
    }

    /// The reported problems, ordered by file, line and column, or `nil` if no problem was reported.
    package var problems: PositionedErrors? {
        if errors.isEmpty { return nil }
        let sortedErrors = errors.enumerated().sorted { left, right in
            sortingKey(left.element, left.offset) < sortingKey(right.element, right.offset)
        }
        return PositionedErrors(sortedErrors.map(\.element), omittedCount: omittedCount)
    }

    /// Throws the reported problems if there are any.
    package func throwReportedProblems() throws(PositionedErrors) {
        if let problems { throw problems }
    }

    private func sortingKey(_ error: PositionedError, _ offset: Int) -> (Int, Int, Int, Int) {
        let fileIndex = fileNames.firstIndex(of: error.position.file) ?? fileNames.count
        return (fileIndex, error.position.line, error.position.column, offset)
    }
}
