/// The number of an object's record, unique in its application's archive for as long as it lives.
///
/// References between objects are stored as numbers. 0 is no record.
package struct RecordNumber: Hashable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No record.
    package static let none = RecordNumber(0)
}

/// Gives out record numbers, each once in the life of an archive.
package final class RecordNumbering {
    private var last: UInt32
    private var lastStamp: UInt64 = 0

    /// - Parameter last: the highest number that an archive holds.
    package init(after last: UInt32 = 0) {
        self.last = last
    }

    package func next() -> RecordNumber {
        precondition(last < .max, "an archive holds at most \(UInt32.max) records")
        last += 1
        return RecordNumber(last)
    }

    /// Tells a pass, or a listing in one, from all others of the application.
    func nextStamp() -> UInt64 {
        lastStamp += 1
        return lastStamp
    }
}
