import ExactText

/// Collects the problems of files that are read together, so that a person sees all at once.
///
/// Readers report and go on with a stand-in value; whoever began the reading calls
/// ``throwIfAny()`` at its end. At most ``limit`` problems are kept, the others are counted.
package final class ProblemLog {
    /// How many problems are kept.
    package static let limit = 100

    private let files: [String]
    private var errors: [PositionedError] = []
    private var omitted = 0

    /// Makes an empty log.
    ///
    /// - Parameter files: The files in the order in which their problems are to be listed; others
    ///   follow.
    package init(files: [String] = []) {
        self.files = files
    }

    /// Notes a problem; `message` is one sentence that says what is wrong and what to do.
    package func report(_ message: String, at position: SourcePosition) {
        report(PositionedError(message, at: position))
    }

    /// Notes a problem.
    package func report(_ error: PositionedError) {
        if errors.count < Self.limit {
            errors.append(error)
        } else {
            omitted += 1
        }
    }

    /// Notes the problems that another reading threw.
    package func report(_ other: PositionedErrors) {
        other.errors.forEach { report($0) }
        omitted += other.omitted
    }

    /// Everything that was reported, in the order of files, lines and columns; nil if nothing was.
    package var problems: PositionedErrors? {
        if errors.isEmpty { return nil }
        let sorted = errors.enumerated().sorted { left, right in
            rank(left.element, left.offset) < rank(right.element, right.offset)
        }
        return PositionedErrors(sorted.map(\.element), omitted: omitted)
    }

    /// Ends the reading.
    ///
    /// - Throws: the ``problems``.
    package func throwIfAny() throws(PositionedErrors) {
        if let problems { throw problems }
    }

    private func rank(_ error: PositionedError, _ offset: Int) -> (Int, Int, Int, Int) {
        let file = files.firstIndex(of: error.position.file) ?? files.count
        return (file, error.position.line, error.position.column, offset)
    }
}
